/** Events as receivers get them (docs/api/webhooks.md#events), from the messages of the stream. */
import { isObject } from '../../lib/is-object.js'
import { organizationClicks, organizationEvents, organizationLinks, type WebhookTopic } from '../stream/access.js'
import { chosenWord, type LinkWordChoice, ownWord } from '../values/link-word.js'
import type { Webhook, WebhookEvent } from './webhook.js'
import type { WebhookStore } from './webhook-store.js'

/** All topics that active webhooks read. */
export async function webhookTopics(store: Pick<WebhookStore, 'wanted'>): Promise<readonly WebhookTopic[]> {
  const wanted = await store.wanted()
  return wanted.flatMap(({ organizationGuid, events, since }) =>
    topicsOf(organizationGuid, events).map((topic) => ({ topic, since })),
  )
}

/** Events of the same topic arrive in order. */
export function topicsOf(organizationGuid: string, events: readonly WebhookEvent[]): readonly string[] {
  return [...new Set(events.map((event) => topicOf(organizationGuid, event)))]
}

function topicOf(organizationGuid: string, event: WebhookEvent): string {
  if (event === 'engagement') return organizationClicks(organizationGuid)
  return event === 'link.created' ? organizationLinks(organizationGuid) : organizationEvents(organizationGuid)
}

/** Whether it comes from the outbox. */
export function isOutgoing(event: WebhookEvent): boolean {
  return event !== 'engagement' && event !== 'link.created'
}

/** The channel of a webhook on each of its topics. */
export function channelOf(webhookGuid: string): string {
  return `${channelPrefix}${webhookGuid}`
}

export const channelPrefix = 'webhook.'

export interface OutgoingEvent {
  readonly eventId: string
  /** The link of an engagement, whose tags may be added. */
  readonly link: string | undefined
  readonly payload: Readonly<Record<string, unknown>>
}

/** What webhooks need of a message of the stream. */
type Message = Readonly<Record<string, unknown>>

/** What events need to know of the service. */
export interface EventSource {
  readonly baseUrl: string
  readonly linkWords: LinkWordChoice
}

/** Undefined for messages that this webhook does not want, and for those that cannot be read. */
export function eventFrom(
  webhook: WebhookTarget,
  body: Buffer,
  { baseUrl, linkWords }: EventSource,
): OutgoingEvent | undefined {
  const message = parsed(body)
  const event = message && typeOf(message)
  if (!message || !event || !webhook.events.includes(event)) return undefined
  const { groupGuid, createdAt } = webhook
  if (groupGuid !== undefined && message.group_guid !== groupGuid) return undefined
  const at = typeof message.at === 'string' ? Date.parse(message.at) : Number.NaN
  // The topic may contain events from before the webhook, for other readers.
  if (Number.isNaN(at) || at < createdAt || typeof message.event_id !== 'string') return undefined
  const link = typeof message.link === 'string' ? message.link : undefined
  const word = chosenWord(linkWords, webhook.linkWord)
  const references = {
    organization: `${baseUrl}/v4/organizations/${webhook.organizationGuid}`,
    ...(typeof message.group_guid === 'string' && { group: `${baseUrl}/v4/groups/${message.group_guid}` }),
    ...(event === 'qr_code.created' ? qrCodeReference(message, baseUrl) : linkReference(link, baseUrl, word)),
  }
  return {
    eventId: message.event_id,
    link: event === 'engagement' ? link : undefined,
    payload: {
      event_id: message.event_id,
      event_type: event,
      timestamp: timestamp(at),
      ...inWord(ownFields(event, message, baseUrl), word),
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
  // Written by us (publish-events.ts).
  return typeof type === 'string' ? (type as WebhookEvent) : undefined
}

function ownFields(event: WebhookEvent, message: Message, baseUrl: string): Message {
  if (event === 'engagement') return engagement(message)
  return event === 'link.created' ? newLink(message) : others(message, baseUrl)
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

function others({ details }: Message, baseUrl: string): Message {
  if (!isObject(details)) return {}
  const { custom_shortlinks: keywords } = details
  return Array.isArray(keywords) ? { ...details, custom_shortlinks: keywords.map((id) => urlOf(id, baseUrl)) } : details
}

/** As in answers of the API. */
function urlOf(id: string, baseUrl: string): string {
  return `${baseUrl.slice(0, baseUrl.indexOf(':'))}://${id}`
}

function linkReference(link: string | undefined, baseUrl: string, word: string) {
  return link === undefined ? {} : { [word]: `${baseUrl}/v4/${word}s/${link}` }
}

/** Not its link: that of a stand-alone code is not in the API. */
function qrCodeReference({ details }: Message, baseUrl: string) {
  return isObject(details) ? { qr_code: `${baseUrl}/v4/qr-codes/${details.qr_code_id}` } : {}
}

function parsed(body: Buffer): Message | undefined {
  try {
    const message: unknown = JSON.parse(body.toString())
    return isObject(message) ? message : undefined
  } catch {
    return undefined
  }
}

function timestamp(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}+0000`
}
