/**
 * Whose figures are asked for. Every report begins here, and here is decided who may see it: whoever may read the
 * thing.
 */
import { type Actor, requireGroup } from '../accounts/actor.js'
import type { EngagementKind, TrafficClass } from '../clicks/click.js'
import type { Counted, MetricsQuery, MetricsScope } from '../clicks/metrics-query.js'
import { findCustomShortlink, isCustomShortlink, type KeywordDeps } from '../links/keywords.js'
import type { Link } from '../links/link.js'
import type { LongUrlStore } from '../links/long-url-store.js'
import { type FindDeps, readLink } from '../links/read.js'
import type { WrittenAddress } from '../values/address.js'
import type { Window } from '../values/window.js'

export interface Subject {
  readonly scope: MetricsScope
  /** Since when it can have been used; undefined: since it first was. */
  readonly since: number | undefined
  /** Whose plan it is seen under; undefined for what nobody owns. */
  readonly organizationGuid?: string
  /** A custom short link by its own address. */
  readonly isCustom?: boolean
  /** Several links of a group. */
  readonly isSeveral?: boolean
}

export interface GroupSubject extends Subject {
  readonly scope: { readonly groupGuid: string }
}

/** What a report is to be about. */
export interface Asked<S extends Subject = Subject> {
  readonly subject: S
  readonly window: Window
  readonly kinds: readonly EngagementKind[]
  readonly traffic: Traffic
  readonly measure: MetricsQuery['measure']
}

/** Our choice: people unless told otherwise; what else came is kept, and can be counted alone or with them. */
type Traffic = 'human' | 'bots' | 'all'

export const allKinds: readonly EngagementKind[] = ['click', 'scan', 'button']

/**
 * Figures are kept by the address used: a link's own are those of the address it was asked for by
 * (docs/api/metrics.md#per-address-and-per-link).
 */
export async function linkSubject(deps: FindDeps, actor: Actor, domain: string, backHalf: string): Promise<Subject> {
  const { link, address } = await readLink(deps, actor, domain, backHalf)
  const { organizationGuid } = requireGroup(actor, link.groupGuid)
  const isCustom = isCustomShortlink(deps, address, link)
  return { scope: { addresses: [address] }, since: link.createdAt, organizationGuid, isCustom }
}

/**
 * A link's own figures, or, asked for by the global hash of a long URL, those of every link that leads there: nobody
 * owns a global hash, so everybody may see them.
 */
export async function addressSubject(
  deps: FindDeps & { readonly longUrls: Pick<LongUrlStore, 'addresses'> },
  actor: Actor,
  { domain, backHalf }: WrittenAddress,
): Promise<Subject> {
  const address = deps.domains.addressOf(domain, backHalf)
  const target = address === undefined ? undefined : await deps.links.target(address)
  if (!target || target.linkId !== undefined) return linkSubject(deps, actor, domain, backHalf)
  const subject = await longUrlSubject(deps, { aggregate: target.address, longUrl: target.longUrl })
  return { ...subject, since: target.createdAt }
}

/** Some links of one group, of which there is at least one, with their keywords. */
export function linksSubject(actor: Actor, links: readonly Link[]): Subject {
  const [organizationGuid] = links.map(({ groupGuid }) => requireGroup(actor, groupGuid).organizationGuid)
  return {
    scope: { addresses: links.flatMap(({ id, keywords }) => [id, ...keywords]) },
    since: Math.min(...links.map(({ createdAt }) => createdAt)),
    isSeveral: true,
    ...(organizationGuid !== undefined && { organizationGuid }),
  }
}

/** Every link that leads to a long URL, and its global hash. */
export async function longUrlSubject(
  deps: { readonly longUrls: Pick<LongUrlStore, 'addresses'> },
  { aggregate, longUrl }: { readonly aggregate: string; readonly longUrl: string },
): Promise<Subject> {
  return { scope: { addresses: [aggregate, ...(await deps.longUrls.addresses(longUrl))] }, since: undefined }
}

/** A custom short link's figures span everything it ever led to. */
export async function keywordSubject(
  deps: Pick<KeywordDeps, 'keywords' | 'domains'>,
  actor: Actor,
  place: { readonly domain: string; readonly keyword: string },
): Promise<Subject> {
  const { address, link, history } = await findCustomShortlink(deps, actor, place)
  const { organizationGuid } = requireGroup(actor, link.groupGuid)
  const since = history[0]?.firstCreatedAt ?? link.createdAt
  return { scope: { addresses: [address] }, since, organizationGuid, isCustom: isCustomShortlink(deps, address, link) }
}

export function groupSubject(actor: Actor, groupGuid: string): GroupSubject {
  const { organizationGuid } = requireGroup(actor, groupGuid)
  return { scope: { groupGuid }, since: undefined, organizationGuid }
}

export function countedOf({ subject, kinds, traffic }: Asked): Counted {
  return { scope: subject.scope, kinds, trafficClasses: trafficClassesOf[traffic] }
}

const bots: readonly TrafficClass[] = ['bot', 'preview', 'prefetch', 'head']
const trafficClassesOf: Readonly<Record<Traffic, readonly TrafficClass[]>> = {
  human: ['human'],
  bots,
  all: ['human', ...bots],
}
