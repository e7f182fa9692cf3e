/** Contents that are one URI, and text messages. */
import { invalid } from '../values/refusal.js'
import { readEmail, readLine, readNote, readPhone } from './fields.js'

export interface Email {
  readonly address: string
  readonly subject?: string | undefined
  readonly body?: string | undefined
}

/** RFC 6068: all but unreserved characters are percent-encoded, line breaks are CR LF, and a space is never a plus sign. */
export function mailtoUri({ address, subject, body }: Email): string {
  const [name = '', host = ''] = readEmail(address, 'content.email.address').split('@')
  const fields = [
    ['subject', readLine(subject, 'content.email.subject')],
    ['body', readNote(body, 'content.email.body')?.replaceAll('\n', '\r\n')],
  ].flatMap(([field, text]) => (text === undefined ? [] : [`${field}=${percentEncoded(text)}`]))
  return `mailto:${percentEncoded(name)}@${percentEncoded(host)}${fields.length > 0 ? `?${fields.join('&')}` : ''}`
}

/** All but unreserved characters: RFC 3986 reserves five that JavaScript leaves alone. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** RFC 3966 */
export function telUri(phone: string): string {
  return `tel:${readPhone(phone, 'content.phone')}`
}

export interface Sms {
  readonly number: string
  readonly message?: string | undefined
}

/** `SMSTO`, not the `sms` URI of RFC 5724: cameras of iOS and Android both fill in its message. It has no escapes. */
export function smsText({ number, message }: Sms): string {
  const text = readNote(message, 'content.sms.message')
  return `SMSTO:${readPhone(number, 'content.sms.number')}${text === undefined ? '' : `:${text}`}`
}

export interface Geo {
  readonly latitude: number
  readonly longitude: number
}

/** RFC 5870 */
export function geoUri({ latitude, longitude }: Geo): string {
  return `geo:${degrees(latitude, 90, 'latitude')},${degrees(longitude, 180, 'longitude')}`
}

/** Six digits are a tenth of a metre. The standard knows no exponents and no minus zero. */
function degrees(value: number, most: number, field: keyof Geo): string {
  if (!(Math.abs(value) <= most)) throw invalid(`content.geo.${field}`, `Send degrees from -${most} to ${most}.`)
  const text = value.toFixed(6).replace(/\.?0+$/, '')
  return text === '-0' ? '0' : text
}
