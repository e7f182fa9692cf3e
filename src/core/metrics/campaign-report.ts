/** Metrics of a campaign: of all its links, of single links, and of its channels. */
import { type Actor, requireGroup } from '../accounts/actor.js'
import type { Campaign, CampaignStore, ChannelContents } from '../campaigns/campaign-store.js'
import { inPlan, listCampaigns, readCampaign } from '../campaigns/campaigns.js'
import { engagementKinds } from '../clicks/dimensions.js'
import type { DimensionFilter } from '../clicks/metrics-query.js'
import type { LinkAddresses } from '../links/link-store.js'
import { invalid } from '../values/refusal.js'
import type { WrittenFilter } from './filters.js'
import { type RankedLink, type RankingDeps, withLinks } from './rankings.js'
import { type Engagements, reportEngagementSeries, reportEngagements, reportTotal, wholeWindow } from './report.js'
import { requireReport } from './report-features.js'
import type { ReportInput, Subject } from './report-subject.js'

export interface CampaignReportDeps extends RankingDeps {
  readonly campaigns: CampaignStore
}

/** The links that a campaign has now, each with all its addresses. */
export interface CampaignSubject extends Subject {
  readonly groupGuid: string
  readonly links: LinkAddresses
  readonly channels: readonly ChannelContents[]
}

export async function campaignSubject(deps: CampaignReportDeps, actor: Actor, guid: string): Promise<CampaignSubject> {
  return subjectOf(deps, actor, inPlan(deps, actor, await readCampaign(deps, actor, guid)))
}

async function subjectOf(deps: CampaignReportDeps, actor: Actor, campaign: Campaign): Promise<CampaignSubject> {
  const { guid, groupGuid, createdAt } = campaign
  const channels = await deps.campaigns.contents(guid)
  const ids = [...new Set(channels.flatMap(({ linkIds }) => linkIds))]
  const links = await deps.links.addressesAt(groupGuid, ids)
  return {
    scope: { addresses: [...links.values()].flat() },
    since: createdAt,
    organizationGuid: requireGroup(actor, groupGuid).organizationGuid,
    isSeveral: true,
    groupGuid,
    links,
    channels,
  }
}

export interface CampaignCounts {
  readonly guid: string
  readonly links: number
  readonly channels: number
  readonly engagements: number
  readonly byKind: Engagements['byKind']
  /** Per unit of the window, newest first; none of a window that is too long. */
  readonly counts: readonly number[]
}

export const maxCountedCampaigns = 50
/** A year of days. A series is as long for each campaign. */
export const maxCampaignUnits = 366

/** Several campaigns of a group, in the given order. Those that are unknown or of another group are left out. */
export async function reportCampaigns(
  deps: CampaignReportDeps,
  actor: Actor,
  groupGuid: string,
  guids: readonly string[],
  input: Pick<ReportInput, 'window' | 'traffic' | 'filters'>,
): Promise<readonly CampaignCounts[]> {
  if (guids.length === 0 || guids.length > maxCountedCampaigns) {
    throw invalid('campaignGuid', `Send the guids of 1 to ${maxCountedCampaigns} campaigns.`)
  }
  const ofGroup = new Map((await listCampaigns(deps, actor, groupGuid)).map((each) => [each.guid, each]))
  const campaigns = [...new Set(guids)].flatMap((guid) => ofGroup.get(guid) ?? [])
  const { units } = input.window
  const hasCounts = units !== -1 && units <= maxCampaignUnits
  const found: CampaignCounts[] = []
  // One after the other: the click log answers other people meanwhile.
  for (const campaign of campaigns) {
    const subject = await subjectOf(deps, actor, campaign)
    const report = { ...input, subject, kinds: engagementKinds, measure: 'events' } as const
    const series = hasCounts ? await reportEngagementSeries(deps, report) : []
    const { count, byKind } = hasCounts ? totalOf(series) : await reportEngagements(deps, report)
    found.push({
      guid: campaign.guid,
      links: subject.links.size,
      channels: subject.channels.length,
      engagements: count,
      byKind,
      counts: series.map((bucket) => bucket.count),
    })
  }
  return found
}

function totalOf(series: readonly Engagements[]): Engagements {
  const sum = (of: (bucket: Engagements) => number) => series.reduce((total, bucket) => total + of(bucket), 0)
  return {
    count: sum(({ count }) => count),
    byKind: {
      click: sum(({ byKind }) => byKind.click),
      scan: sum(({ byKind }) => byKind.scan),
      button: sum(({ byKind }) => byKind.button),
    },
  }
}

/** Biggest first, equal counts by id; links without engagements are left out. */
export async function rankCampaignLinks(
  deps: CampaignReportDeps,
  report: ReportInput<CampaignSubject>,
  size: number,
): Promise<readonly RankedLink[]> {
  requireReport(deps, report, 'rows')
  const { groupGuid, links } = report.subject
  const { scope: _, bucket: __, ...query } = wholeWindow(report)
  const counts = await deps.metrics.countSets({ ...query, groupGuid, sets: [...links.values()] })
  const counted = [...links.keys()].map((id, index) => ({ id, count: counts[index] ?? 0 }))
  const used = counted.filter(({ count }) => count > 0).sort((one, other) => inOrder(one.id, one.count, other))
  return withLinks(deps, groupGuid, used.slice(0, size))
}

export interface ChannelRow {
  readonly guid: string
  readonly name: string
  readonly count: number
}

/** All channels, also those without engagements. A link in two channels counts in both. */
export async function reportChannels(
  deps: CampaignReportDeps,
  report: ReportInput<CampaignSubject>,
): Promise<readonly ChannelRow[]> {
  const { subject } = report
  const rows = await Promise.all(
    subject.channels.map(async ({ channel: { guid, name }, linkIds }) => {
      const scope = { addresses: addressesOf(subject, linkIds) }
      return { guid, name, count: await reportTotal(deps, { ...report, subject: { ...subject, scope } }) }
    }),
  )
  return rows.sort((one, other) => inOrder(one.guid, one.count, { id: other.guid, count: other.count }))
}

/** Restricts the campaign's metrics to the links of channels, which are written as guids. */
export function channelFilter(subject: CampaignSubject, { operator, values }: WrittenFilter): DimensionFilter {
  const chosen = values.map((guid) => {
    const found = subject.channels.find(({ channel }) => channel.guid === guid)
    if (!found) throw invalid('channel', `The campaign has no channel ${guid}.`)
    return found
  })
  const linkIds = [...new Set(chosen.flatMap((channel) => channel.linkIds))]
  return { by: 'address', operator, values: addressesOf(subject, linkIds) }
}

function addressesOf({ links }: CampaignSubject, linkIds: readonly string[]): readonly string[] {
  return linkIds.flatMap((id) => links.get(id) ?? [])
}

function inOrder(id: string, count: number, other: { readonly id: string; readonly count: number }): number {
  return other.count - count || (id < other.id ? -1 : 1)
}
