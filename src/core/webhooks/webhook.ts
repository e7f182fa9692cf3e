/** Webhooks: URLs of other programs that are told about events of an organization (docs/api/webhooks.md). */
import type { MailDelivery } from '../accounts/account.js'
import type { Actor } from '../accounts/actor.js'
import { type NeededScope, requireAlso } from '../accounts/scopes.js'

export const webhookEvents = [
  'engagement',
  'link.created',
  'link.updated',
  'link.expired',
  'qr_code.created',
  'site.published',
  'domain.status_changed',
  'limit.reached',
] as const

export type WebhookEvent = (typeof webhookEvents)[number]

/** Who may read what the events tell. */
const scopesOfEvents: Readonly<Record<WebhookEvent, NeededScope>> = {
  engagement: 'analytics:read',
  'link.created': 'links:read',
  'link.updated': 'links:read',
  'link.expired': 'links:read',
  'qr_code.created': ['links:read', 'qr'],
  'site.published': ['links:read', 'sites'],
  'domain.status_changed': ['links:read', 'domains'],
  'limit.reached': 'any',
}

/** A webhook tells others what its scope alone does not let a token read (docs/api/identity.md#more-than-one-scope). */
export function requireEvents(actor: Actor, events: readonly WebhookEvent[]): void {
  for (const event of events) requireAlso(actor, scopesOfEvents[event])
}

export interface WebhookFields {
  readonly name: string
  /** Not empty. */
  readonly events: readonly WebhookEvent[]
  /** Where events are sent; may contain credentials. */
  readonly url: string
  /** Only events of this group; undefined: of the whole organization. */
  readonly groupGuid: string | undefined
  readonly isActive: boolean
  /** Whether engagements contain the tags of the link. */
  readonly fetchTags: boolean
  /** The largest number of events in one request; 1: each in its own. */
  readonly batch: number
  /** The word for short links in events; undefined: that of the service. */
  readonly linkWord: string | undefined
  readonly oauth: OauthReceiver | undefined
}

/** A receiver that wants an access token, which its OAuth server issues for client credentials. */
export interface OauthReceiver {
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
}

export interface Webhook extends WebhookFields {
  readonly guid: string
  readonly organizationGuid: string
  readonly secret: SigningSecret
  readonly createdAt: number
  readonly modifiedAt: number
  readonly modifiedBy: string
  /** Since when deliveries have failed repeatedly; undefined while they work. */
  readonly alertedAt: number | undefined
  /** Whether an administrator was told by mail; undefined while that is not known. */
  readonly alertDelivery: MailDelivery | undefined
  /** When the service turned it off because nothing could be delivered. */
  readonly deactivatedAt: number | undefined
  /** Fields that cannot be decrypted, because the key was lost. They are empty, and nothing is sent until they are set. */
  readonly lost: readonly LostField[]
}

export type LostField = 'url' | 'oauth' | 'secret'

export interface SigningSecret {
  readonly current: string
  /** After a rotation both are used for a while. */
  readonly previous: { readonly secret: string; readonly until: number } | undefined
}

export function isReadable({ lost }: Pick<Webhook, 'lost'>): boolean {
  return lost.length === 0
}

/** The rest of the URL may contain credentials. Empty if the URL is lost. */
export function hostOf({ url }: Pick<Webhook, 'url'>): string {
  return url === '' ? '' : new URL(url).host
}

/** For those who only read it: of URLs no more than scheme and host. */
export function withoutCredentials(webhook: Webhook): Webhook {
  const { url, oauth } = webhook
  const shown = (text: string) => (text === '' ? '' : `${new URL(text).origin}/`)
  return { ...webhook, url: shown(url), oauth: oauth && { ...oauth, url: shown(oauth.url) } }
}

/** Of one organization. */
export const maxWebhooks = 50
export const maxBatch = 100
