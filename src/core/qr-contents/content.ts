/**
 * What a static QR code says, written as the text that phones act on (docs/api/qr-codes.md#kinds-of-content). Values are
 * checked here, with their paths: a code that is printed cannot be corrected. Pure: knows neither HTTP nor pictures.
 */
import { invalid } from '../values/refusal.js'
import { type CalendarEvent, eventText } from './event.js'
import { readUrl } from './fields.js'
import { type Email, type Geo, geoUri, mailtoUri, type Sms, smsText, telUri } from './uris.js'
import { type VCard, vCardText } from './v-card.js'
import { type Wifi, wifiText } from './wifi.js'

/** Exactly one of them. */
export interface QrContent {
  readonly text?: string | undefined
  readonly url?: string | undefined
  readonly wifi?: Wifi | undefined
  readonly vCard?: VCard | undefined
  readonly email?: Email | undefined
  readonly phone?: string | undefined
  readonly sms?: Sms | undefined
  readonly geo?: Geo | undefined
  readonly event?: CalendarEvent | undefined
}

/** The most digits that a QR code can hold, which is more than it can hold of any other characters. */
export const maxContentLength = 7089

/** A string is the text itself. */
export function contentText(content: string | QrContent): string {
  if (typeof content === 'string') return requireText(content, 'content')
  const { text, url, wifi, vCard, email, phone, sms, geo, event } = content
  if (Object.values(content).filter((each) => each !== undefined).length !== 1) throw notOneKind()
  if (text !== undefined) return requireText(text, 'content.text')
  if (url !== undefined) return readUrl(url, 'content.url')
  if (wifi) return wifiText(wifi)
  if (vCard) return vCardText(vCard)
  if (email) return mailtoUri(email)
  if (phone !== undefined) return telUri(phone)
  if (sms) return smsText(sms)
  if (geo) return geoUri(geo)
  if (event) return eventText(event)
  throw notOneKind()
}

/** Any text, also with control characters: whoever sends one has a reader for it. UTF-8 cannot write half a character. */
function requireText(text: string, field: string): string {
  if (text === '') throw invalid(field, 'The content is empty. Send the text that scanners shall read.')
  if (/\p{Cs}/u.test(text)) throw invalid(field, 'The content has a lone surrogate. Send complete characters.')
  return text
}

function notOneKind() {
  const kinds = 'text, url, wifi, v_card, email, phone, sms, geo and event'
  return invalid('content', `Send a text, or an object with exactly one of ${kinds}.`)
}
