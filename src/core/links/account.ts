/**
 * The history of an account, as the legacy interface calls it: the links of the caller's default group. It has one
 * preferred domain and one link for each long URL. Making and changing links is the same as everywhere else.
 */
import { type Actor, requireGroup } from '../auth/actor.js'
import type { Domains } from '../domains/domains.js'
import { type CreateParts, type CreateWish, createLink } from './create.js'
import type { Link } from './link.js'
import type { Shortened } from './link-store.js'
import type { LongUrlStore } from './long-url-store.js'
import { type ShortenParts, shorten } from './shorten.js'

/** v3 Links, rule 1 of shorten: who has a custom short domain and prefers it gets links there, whatever is wished. */
export async function shortenInAccount(
  parts: ShortenParts,
  actor: Actor,
  { longUrl, domain }: { readonly longUrl: string; readonly domain: string | undefined },
): Promise<Shortened> {
  const groupGuid = actor.defaultGroupGuid
  const wished = parts.domains.preferredBy(groupGuid).branded ? undefined : domain
  return shorten(parts, actor, { longUrl, domain: wished, groupGuid })
}

export type SaveWish = Pick<CreateWish, 'longUrl' | 'title' | 'note' | 'private' | 'userTs'>

/** What else is sent about a link that the account has is not applied: v3 answers that it exists. */
export async function saveInAccount(parts: CreateParts, actor: Actor, wish: SaveWish): Promise<Shortened> {
  return createLink(parts, actor, { ...wish, groupGuid: actor.defaultGroupGuid, keepKnown: true })
}

export interface AccountParts {
  readonly longUrls: Pick<LongUrlStore, 'ofGroup'>
  readonly domains: Domains
}

/** The account's link that leads to a long URL, which must be written as it is kept. */
export async function findInAccount(parts: AccountParts, actor: Actor, longUrl: string): Promise<Link | undefined> {
  const { groupGuid } = requireGroup(actor, actor.defaultGroupGuid)
  return parts.longUrls.ofGroup(groupGuid, parts.domains.preferredBy(groupGuid).key, longUrl)
}
