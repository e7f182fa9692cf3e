/** A webhook as the form holds it, and the way to and from the API's words. */
import { ownFields } from '../../api/save-merged.js'
import type { Group, Webhook } from '../../api/types.js'
import { withScheme } from '../../parts/with-scheme.js'
import { webhookTexts as words } from '../../texts/webhooks.js'

export const eventTypes = [
  'engagement',
  'link.created',
  'link.updated',
  'link.expired',
  'qr_code.created',
  'site.published',
  'domain.status_changed',
  'limit.reached',
] as const
type EventType = (typeof eventTypes)[number]

/** By the API's names, where it has one for all of it. */
export interface Draft {
  readonly name: string
  readonly url: string
  readonly events: readonly EventType[]
  readonly group_guid: string
  readonly fetch_tags: boolean
  readonly batch: number | string
  readonly link_word: string
  /** One field: the parts of it belong together. */
  readonly oauth: Oauth | undefined
}

export const fields = ownFields<Draft>()

export interface Oauth {
  readonly url: string
  readonly clientId: string
  /** Never shown by the API; empty: as it is. */
  readonly clientSecret: string
}

export function draftOf(webhook: Webhook | undefined): Draft {
  return {
    name: webhook?.name ?? '',
    url: webhook?.url ?? '',
    events: inOrder(webhook?.events ?? ['engagement']),
    group_guid: webhook?.group_guid ?? '',
    fetch_tags: webhook?.fetch_tags ?? false,
    batch: webhook?.batch ?? 1,
    link_word: webhook?.link_word ?? '',
    oauth: webhook?.oauth_url ? oauthOf(webhook) : undefined,
  }
}

/** In the order of the list, whatever was chosen first. */
export function inOrder(events: readonly string[]): readonly EventType[] {
  return eventTypes.filter((each) => events.includes(each))
}

/** As the API would have it. */
export function tidied(draft: Draft): Draft {
  const { name, url, batch, oauth } = draft
  const access = oauth && { ...oauth, url: withScheme(oauth.url), clientId: oauth.clientId.trim() }
  return { ...draft, name: name.trim(), url: withScheme(url), batch: Number(batch) || 1, oauth: access }
}

export function bodyOf(changes: Partial<Draft>) {
  const { events = [], batch, oauth, ...plain } = changes
  const [event, ...others] = events
  return {
    ...plain,
    ...(event && { event, events: others }),
    ...(batch !== undefined && { batch: Number(batch) }),
    ...('oauth' in changes && (oauth ? sentOauth(oauth) : { oauth_url: '' as const })),
  }
}

export function labelOf(name: keyof Draft): string {
  const { events, group, fetchTags, batch, linkWord, oauth } = words
  const others = { events, group_guid: group, fetch_tags: fetchTags, batch, link_word: linkWord, oauth }
  return { name: words.name, url: words.url, ...others }[name]
}

export function textOf(name: keyof Draft, draft: Draft, groups: readonly Group[]): string | boolean {
  const { oauth, group_guid } = draft
  switch (name) {
    case 'events':
      return draft.events.map((event) => words.eventNames[event]).join(', ')
    case 'group_guid':
      return groups.find(({ guid }) => guid === group_guid)?.name ?? (group_guid || words.wholeOrganization)
    case 'link_word':
      return draft.link_word || words.linkWordOfService
    case 'oauth':
      // A secret is never shown.
      return oauth ? [oauth.url, oauth.clientId, oauth.clientSecret && '••••'].filter(Boolean).join('\n') : false
    case 'batch':
      return String(draft.batch)
    default:
      return draft[name]
  }
}

export function oauthOf(webhook: Webhook | undefined): Oauth {
  return { url: webhook?.oauth_url ?? '', clientId: webhook?.client_id ?? '', clientSecret: '' }
}

function sentOauth({ url, clientId, clientSecret }: Oauth) {
  return { oauth_url: url, client_id: clientId, ...(clientSecret !== '' && { client_secret: clientSecret }) }
}
