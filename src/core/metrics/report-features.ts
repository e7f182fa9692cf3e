/**
 * Which plan features a report requires. All reports use this function, so no API and no other report shows data that the
 * plan does not include.
 */
import { descriptionOf, type Name } from '../clicks/dimensions.js'
import type { PlanFeature } from '../limits/plan.js'
import { type PlanCheckDeps, requireFeature } from '../limits/plans.js'
import type { ReportInput, Subject } from './report-subject.js'

/** The whole subject, in total or over time; or rows of it. */
type ReportType = 'total' | 'rows'

/**
 * Throws `UPGRADE_REQUIRED` unless the plan includes the report, with rows by these dimensions. Data without an owner is
 * under no plan.
 */
export function requireReport(
  deps: PlanCheckDeps,
  report: ReportInput,
  type: ReportType,
  by: readonly Name[] = [],
): void {
  const { organizationGuid, organizationGuids = [organizationGuid] } = report.subject
  for (const guid of organizationGuids) {
    if (guid === undefined) continue
    for (const feature of featuresFor(report, type, by)) requireFeature(deps, guid, feature)
  }
}

function featuresFor(
  { subject, kinds, filters = [] }: ReportInput,
  type: ReportType,
  by: readonly Name[],
): readonly PlanFeature[] {
  // A filter by city shows as much as a report on cities.
  const features = [...by, ...filters.map((filter) => filter.by)].flatMap((name) => descriptionOf(name).feature ?? [])
  // Engagements include clicks, and repeated totals make a series. Scans alone are not part of this feature.
  if (type === 'total' && isGroup(subject) && kinds.includes('click')) features.push('group_clicks')
  if (!isGroup(subject) && subject.isCustom) features.push('custom_links')
  return features
}

/** Several links count as a group, because they may be all links of the group. */
function isGroup({ scope, isSeveral }: Subject): boolean {
  return !('addresses' in scope) || isSeveral === true
}
