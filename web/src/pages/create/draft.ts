/** A link as the form holds it, and the way to and from the API's words. */
import { isOther } from '../../api/is-other.js'
import type { components } from '../../api/schema.js'
import type { ShortLink } from '../../api/types.js'
import { asDate } from '../../parts/format.js'
import { withScheme } from '../../parts/with-scheme.js'
import type { Rule } from './routing.js'

/** Fields that are on or off, by their names in the API. Their words are in the texts, as `create.switches`. */
export const switches = ['private', 'forward_query'] as const

type Switches = { readonly [Name in (typeof switches)[number]]?: boolean }

export interface Draft {
  readonly longUrl: string
  readonly title: string
  /** For the members of the group. */
  readonly note: string
  readonly tags: readonly string[]
  /** As a date field has it, in the person's zone: `2026-12-24T18:00`; empty for never. */
  readonly expiresAt: string
  /** Those that were decided; the others are as the API has them for new links. */
  readonly switches: Switches
  readonly rules: readonly Rule[]
  readonly deeplinks: readonly DeepLink[]
  readonly placement: Placement
  /** Campaigns that the link is to be taken out of. */
  readonly leaves: readonly string[]
}

/** A channel of a campaign that the link is to be put in; both empty for none. */
export interface Placement {
  readonly campaign: string
  readonly channel: string
}

const nowhere: Placement = { campaign: '', channel: '' }

type Deeplink = components['schemas']['Deeplink']

/** A mobile app that the link opens. A new one has no guid yet. */
export type DeepLink = Pick<Deeplink, 'app_guid' | 'app_uri_path' | 'install_type' | 'install_url' | 'os'> &
  Partial<Pick<Deeplink, 'guid'>>

export const emptyDraft: Draft = {
  longUrl: '',
  title: '',
  note: '',
  tags: [],
  expiresAt: '',
  switches: {},
  rules: [],
  deeplinks: [],
  placement: nowhere,
  leaves: [],
}

export function draftOf(link: ShortLink): Draft {
  return {
    longUrl: link.long_url,
    title: link.title ?? '',
    note: link.note ?? '',
    tags: link.tags,
    expiresAt: link.expiration_at ? asLocalTime(asDate(link.expiration_at)) : '',
    switches: Object.fromEntries(switches.map((name) => [name, link[name]])),
    rules: link.dynamic_routing ?? [],
    deeplinks: link.deeplinks.map(({ guid, app_guid, app_uri_path, install_type, install_url, os }) => ({
      guid,
      app_guid,
      app_uri_path,
      install_type,
      install_url,
      os,
    })),
    placement: nowhere,
    leaves: [],
  }
}

/** For a new link that begins like this one. */
export function copyOf(link: ShortLink): Draft {
  const draft = draftOf(link)
  return { ...draft, deeplinks: draft.deeplinks.map(({ guid: _, ...deeplink }) => deeplink) }
}

/** What the API needs to make the link. */
export function newLinkOf({ longUrl, title, note, tags, expiresAt, switches, rules, deeplinks }: Draft) {
  return {
    long_url: withScheme(longUrl),
    ...(title.trim() && { title: title.trim() }),
    ...(note.trim() && { note: note.trim() }),
    ...(tags.length > 0 && { tags: [...tags] }),
    ...(expiresAt && { expiration_at: asInstant(expiresAt) }),
    ...switches,
    ...(rules.length > 0 && { dynamic_routing: rules.map(wireRule) }),
    ...(deeplinks.length > 0 && { deeplinks: deeplinks.map(wireDeeplink) }),
  }
}

/** Only what differs: sending the destination counts as a change of it, even when it is the same. */
export function changesOf(before: Draft, after: Draft) {
  return {
    ...(isMoved(before, after) && { long_url: withScheme(after.longUrl) }),
    ...(before.title !== after.title.trim() && { title: after.title.trim() }),
    ...(before.note.trim() !== after.note.trim() && { note: after.note.trim() }),
    ...(before.tags.join() !== after.tags.join() && { tags: [...after.tags] }),
    ...(before.expiresAt !== after.expiresAt && { expiration_at: after.expiresAt && asInstant(after.expiresAt) }),
    ...changedSwitches(before, after),
    ...(isOther(before.rules, after.rules) && { dynamic_routing: after.rules.map(wireRule) }),
    ...(isOther(before.deeplinks, after.deeplinks) && { deeplinks: after.deeplinks.map(wireDeeplink) }),
  }
}

export type ChangeName = keyof ReturnType<typeof changesOf>

/** The draft, with these fields as the other one has them. */
export function withFieldsOf(draft: Draft, names: readonly ChangeName[], other: Draft): Draft {
  const changed = new Set<string>(names)
  return {
    ...draft,
    ...(changed.has('long_url') && { longUrl: other.longUrl }),
    ...(changed.has('title') && { title: other.title }),
    ...(changed.has('note') && { note: other.note }),
    ...(changed.has('tags') && { tags: other.tags }),
    ...(changed.has('expiration_at') && { expiresAt: other.expiresAt }),
    ...(changed.has('dynamic_routing') && { rules: other.rules }),
    ...(changed.has('deeplinks') && { deeplinks: other.deeplinks }),
    switches: Object.fromEntries(switches.map((name) => [name, (changed.has(name) ? other : draft).switches[name]])),
  }
}

function changedSwitches(before: Draft, after: Draft): Switches {
  const changed = switches.filter((name) => before.switches[name] !== after.switches[name])
  return Object.fromEntries(changed.map((name) => [name, after.switches[name]]))
}

function wireRule(rule: Rule): Rule {
  return { ...rule, long_url: withScheme(rule.long_url) }
}

type WireDeeplink = Omit<DeepLink, 'os' | 'install_type'> & {
  os?: 'ios' | 'android'
  install_type: 'no_install' | 'auto_install' | 'promote_install'
}

/** The API has these two as text in its answers, and as a choice in its requests. */
function wireDeeplink({ os, ...deeplink }: DeepLink): WireDeeplink {
  return { ...deeplink, ...(os && { os }) } as WireDeeplink
}

/** Whether the link would lead to another page. */
export function isMoved(before: Draft, after: Draft): boolean {
  return withScheme(after.longUrl) !== before.longUrl
}

export function asLocalTime(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}

function asInstant(localTime: string): string {
  return new Date(localTime).toISOString()
}
