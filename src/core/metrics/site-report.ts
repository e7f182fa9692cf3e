/**
 * What reports of sites count: the views of their pages, the clicks on their buttons, which are clicks on links of their
 * groups, and downloads of business cards (docs/api/site-metrics.md).
 */
import { type Actor, requireGroup } from '../accounts/actor.js'
import type { DimensionFilter } from '../clicks/metrics-query.js'
import type { Link } from '../links/link.js'
import type { LinkStore } from '../links/link-store.js'
import { siteNotFound } from '../sites/read.js'
import { addressesOf, type BlockType, linkIdsOf, linksShown, type Site, type SitePlaces } from '../sites/site.js'
import type { SiteStore } from '../sites/site-store.js'
import { isGuid } from '../values/guid.js'
import { invalid } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import { type ReportDeps, spanOf, wholeWindow } from './report.js'
import { requireReport } from './report-features.js'
import type { ReportInput, Subject } from './report-subject.js'

export interface SiteReportDeps extends ReportDeps {
  readonly sites: Pick<SiteStore, 'get' | 'places' | 'linksEverOn'>
  readonly links: Pick<LinkStore, 'withIds' | 'linksAt'>
  readonly clock: Clock
}

export interface SitesSubject extends Subject {
  readonly groupGuids: readonly string[]
  readonly sites: readonly SitePlaces[]
  /** None were named: these are all. */
  readonly areAll?: boolean
}

export interface SiteSubject extends SitesSubject {
  readonly sites: readonly [SitePlaces]
}

type SitesInput = ReportInput<SitesSubject>

export async function siteSubject({ sites }: SiteReportDeps, actor: Actor, guid: string): Promise<SiteSubject> {
  const [site] = isGuid(guid) ? await sites.places({ guids: [guid] }) : []
  if (!site) throw siteNotFound()
  const { organizationGuid } = requireGroup(actor, site.groupGuid)
  return { ...subjectOf([site]), since: site.createdAt, organizationGuid, groupGuids: [site.groupGuid], sites: [site] }
}

/** Sites of one report. */
export const maxSites = 100

/** These sites; without any, all active ones that the actor may see. */
export async function sitesSubject(
  deps: SiteReportDeps,
  actor: Actor,
  guids: readonly string[],
): Promise<SitesSubject> {
  const wanted = [...new Set(guids)]
  if (wanted.length > maxSites) throw invalid('site', `Send at most ${maxSites} sites, or none for all of them.`)
  const areAll = wanted.length === 0
  const sites = await deps.sites.places(
    areAll ? { groupGuids: actor.groups.map(({ groupGuid }) => groupGuid) } : { guids: wanted.filter(isGuid) },
  )
  const unknown = wanted.find((guid) => !sites.some((site) => site.guid === guid))
  if (unknown !== undefined) throw invalid('site', `There is no site ${unknown}.`)
  const groupGuids = [...new Set(sites.map(({ groupGuid }) => groupGuid))]
  const organizations = new Set(groupGuids.map((guid) => requireGroup(actor, guid).organizationGuid))
  return {
    ...subjectOf(sites),
    since: sites.length === 0 ? undefined : Math.min(...sites.map(({ createdAt }) => createdAt)),
    organizationGuids: [...organizations],
    groupGuids,
    sites,
    areAll,
  }
}

function subjectOf(sites: readonly SitePlaces[]): Pick<Subject, 'scope'> {
  return { scope: { addresses: [...new Set(sites.flatMap(addressesOf))] } }
}

/** What is counted, as the input of a report of links. */
export const siteCounts = {
  /** Whoever scans the QR code of a site views it. */
  views: (input: SitesInput): ReportInput => ({ ...input, kinds: ['view', 'scan'] }),
  /** Only links in the group of the site: anybody can write the guid of a site into a URL. Not what pages record themselves. */
  clicks(input: SitesInput): ReportInput {
    const { groupGuids, sites } = input.subject
    const filters: readonly DimensionFilter[] = [
      {
        by: 'site',
        operator: 'is',
        values: sites.map(({ guid }) => guid),
        groupGuids: sites.map(({ groupGuid }) => groupGuid),
      },
      { by: 'address', operator: 'is_not', values: sites.flatMap(addressesOf) },
    ]
    const subject = { ...input.subject, scope: { groupGuids } }
    return { ...input, kinds: ['button'], filters: [...(input.filters ?? []), ...filters], subject }
  },
  /** Pages record them at their own addresses. */
  downloads: (input: SitesInput): ReportInput => ({ ...input, kinds: ['button'] }),
} as const

export type SiteCount = keyof typeof siteCounts

/** A link on a site, with the clicks that it got there. */
interface RankedButton {
  readonly site: SitePlaces
  readonly link: Link
  readonly count: number
  /** What has the link on the page, or had it; undefined if it left. */
  readonly block:
    | {
        /** Undefined for a contact of a business card, which may have several. */
        readonly id: string | undefined
        readonly type: BlockType
        readonly title: string | undefined
      }
    | undefined
}

interface RankedButtons {
  /** Most clicked first. */
  readonly buttons: readonly RankedButton[]
  readonly views: readonly { readonly site: SitePlaces; readonly count: number }[]
}

/** More than anybody reads; links with several addresses are in several rows. */
const maxButtonRows = 10_000

/** The most clicked buttons, and the views of the pages. Buttons without clicks, and deleted links, are left out. */
export async function rankButtons(deps: SiteReportDeps, input: SitesInput, size: number): Promise<RankedButtons> {
  const { sites } = input.subject
  const report = siteCounts.clicks(input)
  requireReport(deps, report, 'rows')
  const rows = await deps.metrics.count({ ...wholeWindow(report), by: ['site', 'address'], size: maxButtonRows })
  const countsOf = new Map<string, Map<string, number>>()
  for (const { values, count } of rows) {
    const [guid = '', address = ''] = values
    countsOf.set(guid, (countsOf.get(guid) ?? new Map()).set(address, count))
  }
  const buttons = new Map<string, Omit<RankedButton, 'block'>>()
  for (const site of sites) {
    const counts = countsOf.get(site.guid)
    if (!counts) continue
    for (const [address, link] of await deps.links.linksAt(site.groupGuid, [...counts.keys()])) {
      const key = `${site.guid} ${link.id}`
      const count = (buttons.get(key)?.count ?? 0) + (counts.get(address) ?? 0)
      buttons.set(key, { site, link, count })
    }
  }
  const ranked = [...buttons.values()].sort((one, other) => other.count - one.count || inOrder(one.link, other.link))
  return { buttons: await withBlocks(deps, ranked.slice(0, size)), views: await viewsOfEach(deps, input) }
}

/** Reads the documents of one site at a time: those of many are large. */
async function withBlocks(
  deps: SiteReportDeps,
  buttons: readonly Omit<RankedButton, 'block'>[],
): Promise<readonly RankedButton[]> {
  const found = buttons.map((button) => ({ ...button, block: undefined as RankedButton['block'] }))
  for (const guid of new Set(buttons.map(({ site }) => site.guid))) {
    const site = await deps.sites.get(guid)
    if (!site) continue
    for (const button of found) if (button.site.guid === guid) button.block = blockOf(site, button.link.id)
  }
  return found
}

async function viewsOfEach(deps: SiteReportDeps, input: SitesInput) {
  const report = siteCounts.views(input)
  const rows = await deps.metrics.count({ ...wholeWindow(report), by: ['address'], size: undefined })
  const counts = new Map(rows.map(({ values: [address = ''], count }) => [address, count]))
  return input.subject.sites.map((site) => {
    const count = [...new Set(addressesOf(site))].reduce((sum, address) => sum + (counts.get(address) ?? 0), 0)
    return { site, count }
  })
}

function blockOf({ live, draft }: Site, linkId: string): RankedButton['block'] {
  const block = [...(live?.blocks ?? []), ...draft.blocks].find((each) => linkIdsOf(each).includes(linkId))
  if (!block) return undefined
  const id = block.type === 'digital_business_card' ? undefined : block.id
  return { id, type: block.type, title: 'title' in block.content ? block.content.title : undefined }
}

/** A link that is or was on a site. */
export interface PerformingLink {
  readonly link: Link
  readonly type: BlockType
  /** That of its block, if it has one: then visitors read it. */
  readonly title: string | undefined
  /** Visitors see it on the page now. */
  readonly isActive: boolean
  readonly count: number
}

export interface LinkPerformance {
  /** Most clicked first, with those that nobody clicked. */
  readonly links: readonly PerformingLink[]
  readonly total: number
  readonly from: number
  readonly to: number
}

/** All links that ever were on the page that visitors saw. */
export async function linkPerformance(deps: SiteReportDeps, input: ReportInput<SiteSubject>): Promise<LinkPerformance> {
  const { sites } = input.subject
  const [{ guid, groupGuid, createdAt }] = sites
  const report = siteCounts.clicks(input)
  requireReport(deps, report, 'rows')
  const ever = await deps.sites.linksEverOn(guid)
  // Deleted ones too: their clicks were counted.
  const links = await deps.links.withIds([...ever.keys()])
  const { scope: _, bucket: __, ...query } = wholeWindow(report)
  const sets = links.map(({ id, keywords }) => [id, ...keywords])
  const counts = links.length === 0 ? [] : await deps.metrics.countSets({ ...query, groupGuid, sets })
  const site = await deps.sites.get(guid)
  const now = deps.clock.now()
  const shown = site?.status === 'active' && site.live ? linksShown(site.live, now) : new Set<string>()
  const found = links.map((link, index): PerformingLink => {
    const type = ever.get(link.id) ?? 'shortlink'
    const title = (site && blockOf(site, link.id)?.title) || link.title
    return { link, type, title, isActive: shown.has(link.id) && isThere(link, now), count: counts[index] ?? 0 }
  })
  const { from = createdAt, to } = spanOf(input.window)
  return {
    links: found.sort((one, other) => other.count - one.count || inOrder(one.link, other.link)),
    total: counts.reduce((sum, count) => sum + count, 0),
    from,
    to,
  }
}

function isThere({ deletedAt, expiresAt }: Link, now: number): boolean {
  return deletedAt === undefined && (expiresAt === undefined || expiresAt > now)
}

function inOrder(one: Pick<Link, 'id'>, other: Pick<Link, 'id'>): number {
  return one.id < other.id ? -1 : 1
}
