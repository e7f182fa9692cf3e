/** Which values the fields of a webhook may have. */
import { isLonger } from '../../lib/is-longer.js'
import { parseUrl } from '../../lib/parse-url.js'
import type { Actor } from '../accounts/actor.js'
import type { LinkWordChoice } from '../values/link-word.js'
import { longUrlLimit } from '../values/long-url.js'
import { requireName } from '../values/names.js'
import { invalid, quoted, Refusal } from '../values/refusal.js'
import {
  maxBatch,
  type OauthReceiver,
  type Webhook,
  type WebhookEvent,
  type WebhookFields,
  webhookEvents,
} from './webhook.js'

/** Fields that are undefined were not sent. */
export interface WebhookInput {
  /** Of the changed webhook: clients send the whole object. */
  readonly guid?: string | undefined
  readonly name?: string | undefined
  readonly event?: string | undefined
  readonly events?: readonly string[] | undefined
  readonly url?: string | undefined
  /** Empty: the whole organization. */
  readonly groupGuid?: string | undefined
  readonly isActive?: boolean | undefined
  readonly fetchTags?: boolean | undefined
  readonly batch?: number | undefined
  /** Empty: that of the service. */
  readonly linkWord?: string | undefined
  /** Empty: without OAuth. */
  readonly oauthUrl?: string | undefined
  readonly clientId?: string | undefined
  readonly clientSecret?: string | undefined
}

export interface FieldDeps {
  readonly linkWords: LinkWordChoice
}

export function newFields(
  { linkWords }: FieldDeps,
  actor: Actor,
  organizationGuid: string,
  input: WebhookInput,
): WebhookFields {
  const { isActive = true, fetchTags = false, batch = 1 } = input
  const events = eventsOf(input)
  if (events === undefined) throw invalid('event', `Send one of ${webhookEvents.join(', ')}.`, 'webhooks')
  return {
    name: requireName(input.name, 'webhooks'),
    events,
    url: requireUrl(input.url ?? '', 'url'),
    groupGuid: groupOf(actor, organizationGuid, input.groupGuid),
    isActive,
    fetchTags,
    batch: requireBatch(batch),
    linkWord: linkWordOf(linkWords, undefined, input.linkWord ?? ''),
    oauth: oauthOf(undefined, input),
  }
}

export function changedFields(
  { linkWords }: FieldDeps,
  actor: Actor,
  current: Webhook,
  input: WebhookInput,
): Partial<WebhookFields> {
  const { guid = current.guid, isActive, fetchTags, batch } = input
  if (guid !== current.guid)
    throw invalid('guid', 'The guid is not that of the path, and cannot be changed.', 'webhooks')
  const events = eventsOf(input)
  const sendsOauth = [input.oauthUrl, input.clientId, input.clientSecret].some((field) => field !== undefined)
  return {
    ...(input.name !== undefined && { name: requireName(input.name, 'webhooks') }),
    ...(events && { events }),
    ...(input.url !== undefined && { url: requireUrl(input.url, 'url') }),
    ...(input.groupGuid !== undefined && { groupGuid: groupOf(actor, current.organizationGuid, input.groupGuid) }),
    ...(isActive !== undefined && { isActive }),
    ...(fetchTags !== undefined && { fetchTags }),
    ...(batch !== undefined && { batch: requireBatch(batch) }),
    ...(input.linkWord !== undefined && { linkWord: linkWordOf(linkWords, current.linkWord, input.linkWord) }),
    ...(sendsOauth && { oauth: oauthOf(current.oauth, input) }),
  }
}

/** `event` and `events` together; undefined if neither was sent. `decodes` and `click` are former names of engagement. */
function eventsOf({ event, events }: WebhookInput): readonly WebhookEvent[] | undefined {
  const sent = [...(event === undefined ? [] : [event]), ...(events ?? [])]
  const known = sent.map((name): WebhookEvent => {
    const found = webhookEvents.find((each) => each === (/^(decodes|click)$/.test(name) ? 'engagement' : name))
    if (found) return found
    const field = name === event ? 'event' : 'events'
    throw invalid(field, `${quoted(name)} is not an event. Send one of ${webhookEvents.join(', ')}.`, 'webhooks')
  })
  return known.length === 0 ? undefined : [...new Set(known)]
}

function requireUrl(text: string, field: 'url' | 'oauthUrl'): string {
  const url = isLonger(text, longUrlLimit) ? undefined : parseUrl(text)
  if (url && /^https?:$/.test(url.protocol) && !/[\p{White_Space}\p{Cc}\p{Cs}]/u.test(text)) return text
  throw invalid(field, `Send an http or https URL of at most ${longUrlLimit} characters.`, 'webhooks')
}

function groupOf(actor: Actor, organizationGuid: string, groupGuid: string | undefined): string | undefined {
  if (groupGuid === undefined || groupGuid === '') return undefined
  const isOwn = actor.groups.some(
    (group) => group.groupGuid === groupGuid && group.organizationGuid === organizationGuid,
  )
  if (isOwn) return groupGuid
  throw new Refusal('FORBIDDEN', 'This group does not exist in the organization of the webhook.', {
    resource: 'groups',
  })
}

function requireBatch(batch: number): number {
  if (Number.isInteger(batch) && batch >= 1 && batch <= maxBatch) return batch
  throw invalid('batch', `Send a whole number from 1 to ${maxBatch}.`, 'webhooks')
}

/** One that is configured no longer may be sent back. */
function linkWordOf({ words }: LinkWordChoice, current: string | undefined, word: string): string | undefined {
  if (word === '') return undefined
  if (word === current || words.includes(word)) return word
  throw invalid(
    'linkWord',
    `${quoted(word)} is not a word for short links here. Send ${words.join(' or ')}.`,
    'webhooks',
  )
}

function oauthOf(current: OauthReceiver | undefined, input: WebhookInput): OauthReceiver | undefined {
  const { oauthUrl = current?.url, clientId = current?.clientId, clientSecret = current?.clientSecret } = input
  if (oauthUrl === undefined || oauthUrl === '') {
    if (input.oauthUrl === '' || (clientId === undefined && clientSecret === undefined)) return undefined
    throw invalid('oauthUrl', 'Client id and secret need the URL of the OAuth server too.', 'webhooks')
  }
  const url = requireUrl(oauthUrl, 'oauthUrl')
  return {
    url,
    clientId: requireCredential(clientId, 'clientId'),
    clientSecret: requireCredential(clientSecret, 'clientSecret'),
  }
}

export const maxCredentialLength = 1000

function requireCredential(text: string | undefined, field: 'clientId' | 'clientSecret'): string {
  if (text !== undefined && text !== '' && !isLonger(text, maxCredentialLength) && !/[\p{Cc}\p{Cs}]/u.test(text))
    return text
  throw invalid(field, 'A receiver with OAuth needs oauth_url, client_id and client_secret.', 'webhooks')
}
