/**
 * The subject of a report: the links, group or long URL whose metrics are requested. Access is decided here: a caller
 * who may read the subject may read its metrics.
 */
import { type Actor, requireGroup } from '../accounts/actor.js'
import { descriptionOf, type TrafficClass, type VisitKind } from '../clicks/dimensions.js'
import type { Counted, DimensionFilter, MetricsQuery, MetricsScope } from '../clicks/metrics-query.js'
import { findCustomShortlink, isCustomShortlink, type KeywordDeps } from '../links/keywords.js'
import type { Link } from '../links/link.js'
import type { LinkStore } from '../links/link-store.js'
import { type FindDeps, readLink } from '../links/read.js'
import { type ReadQrCodeDeps, readQrCode } from '../qr-codes/read.js'
import type { WrittenAddress } from '../values/address.js'
import type { Window } from '../values/window.js'

export interface Subject {
  readonly scope: MetricsScope
  /** The earliest possible time of an engagement; undefined: the first one in the log. */
  readonly since: number | undefined
  /** The group that owns it, if it is one. */
  readonly groupGuid?: string
  /** The organization whose plan applies; undefined for data without an owner. */
  readonly organizationGuid?: string
  /** Instead, of data in several of them. */
  readonly organizationGuids?: readonly string[]
  /** A custom short link, requested by its own address. */
  readonly isCustom?: boolean
  /** Whether the subject is several links of a group. */
  readonly isSeveral?: boolean
}

export interface GroupSubject extends Subject {
  readonly scope: { readonly groupGuid: string }
}

/** What to report. */
export interface ReportInput<S extends Subject = Subject> {
  readonly subject: S
  readonly window: Window
  readonly kinds: readonly VisitKind[]
  readonly traffic: Traffic
  readonly measure: MetricsQuery['measure']
  readonly filters?: readonly DimensionFilter[]
}

/** People by default; other traffic is kept too, and can be counted alone or with them. */
export const traffics = ['human', 'bots', 'agents', 'all'] as const
type Traffic = (typeof traffics)[number]

/** Metrics of the requested address only, not of all addresses of the link (docs/api/metrics.md#per-address-and-per-link). */
export async function linkSubject(deps: FindDeps, actor: Actor, domain: string, backHalf: string): Promise<Subject> {
  const { link, address } = await readLink(deps, actor, domain, backHalf)
  const { organizationGuid } = requireGroup(actor, link.groupGuid)
  const isCustom = isCustomShortlink(deps, address, link)
  return { scope: { addresses: [address] }, since: link.createdAt, organizationGuid, isCustom }
}

/** Metrics of all addresses of the link, as in rankings. */
export async function wholeLinkSubject(
  deps: FindDeps,
  actor: Actor,
  domain: string,
  backHalf: string,
): Promise<Subject> {
  const { link } = await readLink(deps, actor, domain, backHalf)
  const { organizationGuid } = requireGroup(actor, link.groupGuid)
  const scope = { addresses: [link.id, ...link.keywords] }
  return { scope, since: link.createdAt, groupGuid: link.groupGuid, organizationGuid }
}

/**
 * The metrics of a link; or, for the global hash of a long URL, those of all links to that URL. A global hash has no
 * owner, so everybody may see its metrics.
 */
export async function addressSubject(
  deps: FindDeps & { readonly links: Pick<LinkStore, 'addressesLeadingTo'> },
  actor: Actor,
  { domain, backHalf }: WrittenAddress,
): Promise<Subject> {
  const address = deps.domains.addressOf(domain, backHalf)
  const target = address === undefined ? undefined : await deps.links.target(address)
  if (!target || target.linkId !== undefined) return linkSubject(deps, actor, domain, backHalf)
  const subject = await longUrlSubject(deps, { aggregate: target.address, longUrl: target.longUrl })
  return { ...subject, since: target.createdAt }
}

/** Some links of one group, keywords included. Needs at least one link. */
export function linksSubject(actor: Actor, links: readonly Link[]): Subject {
  const [organizationGuid] = links.map(({ groupGuid }) => requireGroup(actor, groupGuid).organizationGuid)
  return {
    scope: { addresses: links.flatMap(({ id, keywords }) => [id, ...keywords]) },
    since: Math.min(...links.map(({ createdAt }) => createdAt)),
    isSeveral: true,
    ...(organizationGuid !== undefined && { organizationGuid }),
  }
}

/** All links to a long URL, and its global hash. */
export async function longUrlSubject(
  deps: { readonly links: Pick<LinkStore, 'addressesLeadingTo'> },
  { aggregate, longUrl }: { readonly aggregate: string; readonly longUrl: string },
): Promise<Subject> {
  return { scope: { addresses: [aggregate, ...(await deps.links.addressesLeadingTo(longUrl))] }, since: undefined }
}

/** The metrics of a custom short link cover all of its former destinations. */
export async function keywordSubject(
  deps: Pick<KeywordDeps, 'links' | 'domains'>,
  actor: Actor,
  place: { readonly domain: string; readonly keyword: string },
): Promise<Subject> {
  const { address, link, history } = await findCustomShortlink(deps, actor, place)
  const { organizationGuid } = requireGroup(actor, link.groupGuid)
  const since = history[0]?.firstCreatedAt ?? link.createdAt
  return { scope: { addresses: [address] }, since, organizationGuid, isCustom: isCustomShortlink(deps, address, link) }
}

/** The metrics of the address in a QR code, which other codes may share (docs/api/qr-codes.md#scans). */
export async function qrCodeSubject(deps: ReadQrCodeDeps, actor: Actor, id: string): Promise<Subject> {
  const { address, createdAt, groupGuid } = await readQrCode(deps, actor, id)
  const { organizationGuid } = requireGroup(actor, groupGuid)
  return { scope: { addresses: [address] }, since: createdAt, groupGuid, organizationGuid }
}

export function groupSubject(actor: Actor, groupGuid: string): GroupSubject {
  const { organizationGuid } = requireGroup(actor, groupGuid)
  return { scope: { groupGuid }, since: undefined, groupGuid, organizationGuid }
}

export function countedOf({ subject, kinds, traffic, filters }: ReportInput): Counted {
  const all = [...(filters ?? []), ...(traffic === 'agents' ? [byAgents] : [])]
  const only = all.find(({ by }) => descriptionOf(by).traffic !== undefined)
  const trafficClasses = trafficClassesOf[only ? 'bots' : traffic]
  return { scope: subject.scope, kinds, trafficClasses, ...(all.length > 0 && { filters: all }) }
}

/** AI agents are bots with a name. */
const byAgents: DimensionFilter = { by: 'aiAgent', operator: 'is_not', values: [''] }

const bots: readonly TrafficClass[] = ['bot', 'preview', 'prefetch', 'head']
const trafficClassesOf: Readonly<Record<Traffic, readonly TrafficClass[]>> = {
  human: ['human'],
  bots,
  agents: bots,
  all: ['human', ...bots],
}
