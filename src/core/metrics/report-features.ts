/**
 * What a plan must include for a report. One table that every report asks itself, so that what a plan leaves out is shown
 * at no door and under no other name.
 */
import type { EngagementKind } from '../clicks/click.js'
import type { PlanFeature } from '../limits/plan.js'
import { type PlanCheckDeps, requireFeature } from '../limits/plans.js'
import type { Facet } from './facet-dimensions.js'
import type { Asked, Subject } from './report-subject.js'

/** What a report tells. */
export type Told = 'total' | 'series' | 'cities' | 'referrersBySite' | 'ranking' | Facet

/** What a report is about, in so far as plans care. */
export interface ReportAbout {
  readonly tells: Told
  readonly of: 'group' | 'link' | 'custom short link'
  readonly kinds: readonly EngagementKind[]
}

const needed: readonly (readonly [PlanFeature, (report: ReportAbout) => boolean])[] = [
  ['cities', ({ tells }) => tells === 'cities'],
  ['devices', ({ tells }) => tells === 'devices'],
  // Engagements hold clicks, and one total after the other is a series too. Scans alone are something else.
  [
    'group_clicks',
    ({ tells, of, kinds }) => of === 'group' && (tells === 'series' || tells === 'total') && kinds.includes('click'),
  ],
  ['custom_links', ({ of }) => of === 'custom short link'],
]

export function featuresFor(report: ReportAbout): readonly PlanFeature[] {
  return needed.filter(([, isNeeded]) => isNeeded(report)).map(([feature]) => feature)
}

/** 402 unless the plan has it. What nobody owns is under no plan. */
export function requireReport(deps: PlanCheckDeps, { subject, kinds }: Asked, tells: Told): void {
  const { organizationGuid } = subject
  if (organizationGuid === undefined) return
  for (const feature of featuresFor({ tells, of: whatIs(subject), kinds })) {
    requireFeature(deps, organizationGuid, feature)
  }
}

/** Several links of a group may be all it has. */
function whatIs({ scope, isCustom, isSeveral }: Subject): ReportAbout['of'] {
  if ('groupGuid' in scope || isSeveral) return 'group'
  return isCustom ? 'custom short link' : 'link'
}
