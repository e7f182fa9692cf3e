/**
 * The history of an account, as the legacy interface calls it: the links of the caller's default group. It has one
 * preferred domain and one link for each long URL. Making and changing links is the same as everywhere else.
 */
import { type Actor, requireGroup, requireWriter } from '../accounts/actor.js'
import type { Domains } from '../domains/domains.js'
import { type CreateDeps, type CreateInput, createLink } from './create.js'
import type { Link } from './link.js'
import type { LinkStore, Shortened } from './link-store.js'

/** Whoever prefers a branded domain gets links there, whatever `domain` says (docs/api/v3.md#access). */
export async function shortenInAccount(
  deps: CreateDeps,
  actor: Actor,
  { longUrl, domain }: { readonly longUrl: string; readonly domain: string | undefined },
): Promise<Shortened> {
  const group = requireWriter(actor, actor.defaultGroupGuid)
  const requested = deps.domains.preferredBy(group.groupGuid).branded ? undefined : domain
  return createLink(deps, actor, group, { longUrl, domain: requested })
}

export type SaveInput = Pick<CreateInput, 'longUrl' | 'title' | 'note' | 'private' | 'userTs'>

/** What else is sent about a link that the account has is not applied: v3 answers that it exists. */
export async function saveInAccount(deps: CreateDeps, actor: Actor, input: SaveInput): Promise<Shortened> {
  const group = requireWriter(actor, actor.defaultGroupGuid)
  return createLink(deps, actor, group, { ...input, keepKnown: true })
}

export interface AccountDeps {
  readonly links: Pick<LinkStore, 'groupLinkTo'>
  readonly domains: Domains
}

/** The account's link that leads to a long URL, which must be written as it is kept. */
export async function findInAccount(deps: AccountDeps, actor: Actor, longUrl: string): Promise<Link | undefined> {
  const { groupGuid } = requireGroup(actor, actor.defaultGroupGuid)
  return deps.links.groupLinkTo(groupGuid, deps.domains.preferredBy(groupGuid).key, longUrl)
}
