/** The newest single engagements, for lists that show them one by one. */
import { descriptionOf, listedDimensions, type Name } from '../clicks/dimensions.js'
import { type ReportDeps, wholeWindow } from './report.js'
import { requireReport } from './report-features.js'
import type { ReportInput } from './report-subject.js'

/** What is listed besides the time: the kind, the address, and what live updates have too. */
const listed = ['kind', 'address', ...listedDimensions.map(({ name }) => name)] as const

/** Texts by dimension; empty where unknown, or not included in the plan. */
export interface LastEngagement {
  readonly at: number
  readonly texts: Readonly<Partial<Record<Name, string>>>
}

/** Newest first. */
export async function reportLastClicks(
  deps: ReportDeps,
  report: ReportInput,
  size: number,
): Promise<readonly LastEngagement[]> {
  requireReport(deps, report, 'rows')
  const { bucket: _, measure: __, ...query } = wholeWindow(report)
  const { organizationGuid } = report.subject
  const features = organizationGuid === undefined ? undefined : deps.plans.of(organizationGuid).features
  const isShown = (name: Name) => {
    // A plan without cities shows no regions here either.
    const feature = name === 'region' ? 'cities' : descriptionOf(name).feature
    return feature === undefined || features === undefined || features.has(feature)
  }
  const found = await deps.metrics.last({ ...query, by: listed, size })
  return found.map(({ at, values }) => ({
    at,
    texts: Object.fromEntries(listed.map((name, index) => [name, isShown(name) ? (values[index] ?? '') : ''])),
  }))
}
