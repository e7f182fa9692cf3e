/**
 * What all links to one long URL share: a global hash, which nobody owns, and the users who shortened it (encoders).
 * Any authenticated user may look up an address, and learns what its information page shows to visitors. Titles and
 * creators are for the organization of a link (docs/api/v3.md#who-sees-what). Access to click counts is decided in core/metrics.
 */
import type { UserStore } from '../accounts/account-store.js'
import type { Actor } from '../accounts/actor.js'
import type { DomainStore } from '../domains/domain-store.js'
import type { Domains } from '../domains/domains.js'
import type { WrittenAddress } from '../values/address.js'
import { normaliseLongUrl } from '../values/long-url.js'
import type { DrawHash } from '../values/random.js'
import type { Clock } from '../values/time.js'
import type { Link } from './link.js'
import type { Encoder, LinkStore } from './link-store.js'
import { notFound, resolveWritten } from './read.js'

export interface AggregateDeps {
  readonly links: LinkStore
  readonly domains: Domains
  readonly domainStore: Pick<DomainStore, 'organizationOf'>
  readonly clock: Clock
  readonly newHash: DrawHash
}

/** What the caller may know about an address, no matter who owns it. */
export interface Found {
  /** The address that was looked up. */
  readonly written: WrittenAddress
  readonly longUrl: string
  readonly createdAt: number
  /** The address of the long URL's global hash. */
  readonly aggregate: string
  /** Undefined when the address is that of the global hash itself. */
  readonly link: SeenLink | undefined
}

/** The part of a link that the caller may see. */
interface SeenLink {
  readonly hash: string
  /** For the organization of the link; of a private link, for its group. */
  readonly title: string | undefined
  /** For the organization of the link, unless the link is private. */
  readonly createdBy: string | undefined
}

/** Finds links of any account, keywords and global hashes; undefined for unknown, deleted and expired addresses. */
export async function lookUp(deps: AggregateDeps, actor: Actor, written: WrittenAddress): Promise<Found | undefined> {
  const resolution = await resolveWritten(deps, written)
  if (resolution.outcome !== 'redirect') return undefined
  const { longUrl, createdAt, linkId } = resolution.target
  const link = linkId === undefined ? undefined : await deps.links.get(resolution.target.address)
  // The link may have been redirected between the two reads; the second read wins.
  const current = link?.longUrl ?? longUrl
  const aggregate = await aggregateOf(deps, current)
  return { written, longUrl: current, createdAt, aggregate, link: link && (await seenBy(deps, actor, link)) }
}

async function seenBy(deps: AggregateDeps, actor: Actor, link: Link): Promise<SeenLink> {
  const isOwn = actor.groups.some(({ groupGuid }) => groupGuid === link.groupGuid)
  const isSeen = isOwn || (!link.private && (await isOfOrganization(deps, actor, link.groupGuid)))
  return {
    hash: link.hash,
    title: isSeen ? link.title : undefined,
    createdBy: isSeen && !link.private ? link.createdBy : undefined,
  }
}

async function isOfOrganization(deps: AggregateDeps, actor: Actor, groupGuid: string): Promise<boolean> {
  const organizationGuid = await deps.domainStore.organizationOf(groupGuid)
  return actor.organizations.some((each) => each.organizationGuid === organizationGuid)
}

/**
 * Looks up a hash without its domain: on the built-in domains first, then on the branded domains of the caller's default
 * group, where the caller's links may be.
 */
export async function lookUpHash(deps: AggregateDeps, actor: Actor, hash: string): Promise<Found | undefined> {
  const { domains } = deps
  for (const domain of [...domains.builtIn.map(({ name }) => name), ...domains.brandedOf([actor.defaultGroupGuid])]) {
    const found = await lookUp(deps, actor, { domain, backHalf: hash })
    if (found) return found
  }
  return undefined
}

/** The address of the long URL's global hash, which is created on the first call. */
export async function aggregateOf(
  deps: Pick<AggregateDeps, 'links' | 'domains' | 'clock' | 'newHash'>,
  longUrl: string,
): Promise<string> {
  return deps.links.globalHash(longUrl, deps.domains.default.key, deps.clock.now(), deps.newHash)
}

/** The normalised long URL and its global hash; undefined when nobody has shortened it. */
export async function findAggregate(
  deps: AggregateDeps,
  text: string,
): Promise<{ readonly longUrl: string; readonly aggregate: string } | undefined> {
  const longUrl = normaliseLongUrl(text, deps.domains, 'url')
  if (!(await deps.links.isKnownLongUrl(longUrl))) return undefined
  return { longUrl, aggregate: await aggregateOf(deps, longUrl) }
}

export interface Encoders {
  readonly aggregate: string
  readonly encoders: readonly Encoder[]
}

/** Who of the actor's organizations shortened the long URL behind an address. `myNetwork`: only in the actor's groups. */
export async function encodersOf(
  deps: AggregateDeps,
  actor: Actor,
  written: WrittenAddress,
  input: { readonly myNetwork: boolean; readonly size: number },
): Promise<Encoders> {
  const { longUrl, aggregate } = await existing(deps, actor, written)
  const groupGuids = input.myNetwork ? actor.groups.map(({ groupGuid }) => groupGuid) : undefined
  const organizationGuids = actor.organizations.map(({ organizationGuid }) => organizationGuid)
  const encoders = await deps.links.encoders(longUrl, { organizationGuids, groupGuids, size: input.size })
  return { aggregate, encoders }
}

export async function countEncoders(
  deps: AggregateDeps,
  actor: Actor,
  written: WrittenAddress,
): Promise<{ readonly aggregate: string; readonly count: number }> {
  const { longUrl, aggregate } = await existing(deps, actor, written)
  return { aggregate, count: await deps.links.encoderCount(longUrl) }
}

/** The names of users by login; everybody who sees the login of a link's creator may see the name. */
export async function namesOf(
  deps: { readonly accounts: UserStore },
  logins: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const users = await Promise.all([...new Set(logins)].map((login) => deps.accounts.user(login)))
  return new Map(users.flatMap((user) => (user ? [[user.login, user.name]] : [])))
}

async function existing(deps: AggregateDeps, actor: Actor, written: WrittenAddress): Promise<Found> {
  const found = await lookUp(deps, actor, written)
  if (!found) throw notFound()
  return found
}
