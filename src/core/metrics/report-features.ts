/**
 * Which plan features a report requires. All reports use this one table, so no API and no other report shows data that
 * the plan does not include.
 */
import type { EngagementKind } from '../clicks/click.js'
import type { Dimension } from '../clicks/metrics-query.js'
import type { PlanFeature } from '../limits/plan.js'
import { type PlanCheckDeps, requireFeature } from '../limits/plans.js'
import type { ReportInput, Subject } from './report-subject.js'

/** The click log dimensions of each facet. */
export const facets = {
  countries: ['country'],
  devices: ['device'],
  systems: ['os'],
  browsers: ['browser'],
  // The name of the site, or `direct`; an unknown site has its domain as name.
  referrers: ['referrerName'],
  referrerUrls: ['referrer'],
  referrersWithDomains: ['referrerName', 'referrerDomain'],
  referringDomains: ['referrerDomain'],
  referringNetworks: ['referrerNetwork'],
  destinations: ['destination'],
  addresses: ['address'],
} as const satisfies Readonly<Record<string, readonly Dimension[]>>

export type Facet = keyof typeof facets

export type ReportType = 'total' | 'series' | 'cities' | 'referrersBySite' | 'ranking' | Facet

/** The properties of a report that decide which plan features it needs. */
export interface ReportDescription {
  readonly type: ReportType
  readonly of: 'group' | 'link' | 'custom short link' | 'QR code'
  readonly kinds: readonly EngagementKind[]
  /** Dimensions of its filters: a filter by city shows as much as a report on cities. */
  readonly filteredBy?: readonly Dimension[]
}

const needed: readonly (readonly [PlanFeature, (report: ReportDescription) => boolean])[] = [
  ['cities', ({ type, filteredBy = [] }) => type === 'cities' || filteredBy.includes('city')],
  [
    'devices',
    ({ type, filteredBy = [] }) =>
      type === 'devices' ||
      type === 'systems' ||
      type === 'browsers' ||
      filteredBy.some((by) => by === 'device' || by === 'os' || by === 'browser'),
  ],
  // Engagements include clicks, and repeated totals make a series. Scans alone are not part of this feature.
  [
    'group_clicks',
    ({ type, of, kinds }) => of === 'group' && (type === 'series' || type === 'total') && kinds.includes('click'),
  ],
  ['custom_links', ({ of }) => of === 'custom short link'],
]

function featuresFor(report: ReportDescription): readonly PlanFeature[] {
  return needed.filter(([, isNeeded]) => isNeeded(report)).map(([feature]) => feature)
}

/** Throws `UPGRADE_REQUIRED` unless the plan includes the report. Data without an owner is under no plan. */
export function requireReport(
  deps: PlanCheckDeps,
  { subject, kinds, filters = [] }: ReportInput,
  type: ReportType,
): void {
  const { organizationGuid } = subject
  if (organizationGuid === undefined) return
  const filteredBy = filters.map(({ by }) => by)
  for (const feature of featuresFor({ type, of: subjectKind(subject), kinds, filteredBy })) {
    requireFeature(deps, organizationGuid, feature)
  }
}

/** Several links count as a group, because they may be all links of the group. */
function subjectKind({ scope, isCustom, isSeveral }: Subject): ReportDescription['of'] {
  if ('groupGuid' in scope || isSeveral) return 'group'
  return isCustom ? 'custom short link' : 'link'
}
