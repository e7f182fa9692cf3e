/** Events as receivers get them (docs/api/webhooks.md#events), from those in the queue. */
import { isObject } from '../../lib/is-object.js'
import type { DomainNames } from '../domains/domains.js'
import { chosenWord, type LinkWordChoice, ownWord } from '../values/link-word.js'
import type { Webhook, WebhookEvent } from './webhook.js'

export interface OutgoingEvent {
  readonly eventId: string
  /** The link of an engagement, whose tags may be added. */
  readonly link: string | undefined
  readonly payload: Readonly<Record<string, unknown>>
}

/** An event of the queue (queued-events.ts). */
type Message = Readonly<Record<string, unknown>>

/** What events need to know of the service. */
export interface EventSource {
  readonly baseUrl: string
  readonly linkWords: LinkWordChoice
}

/** Undefined for events that this webhook does not want. */
export function eventFrom(
  webhook: WebhookTarget,
  message: Message,
  { baseUrl, linkWords }: EventSource,
  names: DomainNames,
): OutgoingEvent | undefined {
  if (typeof message.event_id !== 'string') return undefined
  // A former version stored events that failed as they were sent.
  if (message.webhook_guid !== undefined) return { eventId: message.event_id, link: undefined, payload: message }
  const event = typeOf(message)
  if (!event || !webhook.events.includes(event)) return undefined
  const { groupGuid, createdAt } = webhook
  if (groupGuid !== undefined && message.group_guid !== groupGuid) return undefined
  const at = new Date(message.at as string | number).getTime()
  // Clicks of the journal may be from before the webhook.
  if (Number.isNaN(at) || at < createdAt) return undefined
  const link = linkOf(message, names)
  const word = chosenWord(linkWords, webhook.linkWord)
  const references = {
    organization: `${baseUrl}/v4/organizations/${webhook.organizationGuid}`,
    ...(typeof message.group_guid === 'string' && { group: `${baseUrl}/v4/groups/${message.group_guid}` }),
    ...referenceOf(event, message, baseUrl, linkReference(link, baseUrl, word)),
  }
  return {
    eventId: message.event_id,
    link: event === 'engagement' ? link : undefined,
    payload: {
      event_id: message.event_id,
      event_type: event,
      timestamp: timestamp(at),
      ...inWord(ownFields(event, message, baseUrl, names), word),
      account_guid: webhook.organizationGuid,
      group_guid: message.group_guid ?? '',
      webhook_guid: webhook.guid,
      references,
    },
  }
}

export type WebhookTarget = Pick<
  Webhook,
  'guid' | 'organizationGuid' | 'groupGuid' | 'events' | 'createdAt' | 'linkWord'
>

/** For verify. */
export function pingEvent(webhook: WebhookTarget, eventId: string, at: number, baseUrl: string): OutgoingEvent {
  const references = { webhook: `${baseUrl}/v4/webhooks/${webhook.guid}` }
  const payload = {
    event_id: eventId,
    event_type: 'ping',
    timestamp: timestamp(at),
    account_guid: webhook.organizationGuid,
    group_guid: webhook.groupGuid ?? '',
    webhook_guid: webhook.guid,
    references,
  }
  return { eventId, link: undefined, payload }
}

function typeOf({ kind, type, nature }: Message): WebhookEvent | undefined {
  if (kind === 'link') return 'link.created'
  // Clicks of robots are in the stream, but they are no engagements.
  if (kind !== undefined) return nature === 'human' ? 'engagement' : undefined
  // Written by us (note-event.ts).
  return typeof type === 'string' ? (type as WebhookEvent) : undefined
}

function linkOf({ link, details }: Message, names: DomainNames): string | undefined {
  if (typeof link === 'string') return link
  return isObject(details) && typeof details.shortlink === 'string' ? names.shown(details.shortlink) : undefined
}

function ownFields(event: WebhookEvent, message: Message, baseUrl: string, names: DomainNames): Message {
  if (event === 'engagement') return engagement(message)
  return event === 'link.created' ? newLink(message) : others(message, baseUrl, names)
}

/** Only names: what users wrote stays as it is. */
function inWord(fields: Message, word: string): Message {
  if (word === ownWord) return fields
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.replace(ownWord, word), value]))
}

function engagement({ hh, kw, h, u, c, r, device, kind }: Message) {
  return {
    timezone: 'UTC',
    engagement_type: kind,
    long_url: u,
    shortlink: `${hh}/${kw ?? h}`,
    country: c ?? '',
    referrer: r,
    device_type: device ?? '',
  }
}

function newLink({ link, u, l, client_id, hh, kw }: Message) {
  return {
    shortlink: link,
    long_url: u,
    created_by: l,
    ...(kw !== undefined && { custom_shortlink: `${hh}/${kw}` }),
    ...(client_id !== undefined && { client_id }),
  }
}

function others({ details }: Message, baseUrl: string, names: DomainNames): Message {
  if (!isObject(details)) return {}
  const { shortlink, url, custom_shortlinks: keywords, expiration_at: expiresAt, ...rest } = details
  return {
    ...(typeof shortlink === 'string' && { shortlink: names.shown(shortlink) }),
    ...rest,
    ...(typeof url === 'string' && { url: names.urlOf(url, baseUrl) }),
    ...(Array.isArray(keywords) && { custom_shortlinks: keywords.map((id) => names.urlOf(id, baseUrl)) }),
    ...(expiresAt !== undefined && {
      expiration_at: typeof expiresAt === 'number' ? timestamp(expiresAt) : (expiresAt ?? ''),
    }),
  }
}

function linkReference(link: string | undefined, baseUrl: string, word: string) {
  return link === undefined ? {} : { [word]: `${baseUrl}/v4/${word}s/${link}` }
}

/** Of a QR code and a site not their link: a hidden one is not in the API. */
function referenceOf(event: WebhookEvent, { details }: Message, baseUrl: string, link: object): object {
  if (!isObject(details)) return link
  if (event === 'qr_code.created') return { qr_code: `${baseUrl}/v4/qr-codes/${details.qr_code_id}` }
  return event === 'site.published' ? { site: `${baseUrl}/v4/sites/${details.site_id}` } : link
}

function timestamp(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}+0000`
}
