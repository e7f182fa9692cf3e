/** The newest single engagements, for lists that show them one by one. */
import type { Name } from '../clicks/metrics-query.js'
import type { PlanFeature } from '../limits/plan.js'
import { type ReportDeps, wholeWindow } from './report.js'
import { requireReport } from './report-features.js'
import type { ReportInput } from './report-subject.js'

const facts = [
  'kind',
  'address',
  'country',
  'region',
  'city',
  'referrer',
  'referrerNetwork',
  'device',
  'os',
  'browser',
] as const satisfies readonly Name[]

/** What a plan without the feature does not show, here as in other reports. */
const neededFor: Readonly<Partial<Record<Name, PlanFeature>>> = {
  region: 'cities',
  city: 'cities',
  device: 'devices',
  os: 'devices',
  browser: 'devices',
}

/** Empty where unknown, or not included in the plan. */
export type LastEngagement = { readonly at: number } & Readonly<Record<(typeof facts)[number], string>>

/** Newest first. */
export async function reportLastClicks(
  deps: ReportDeps,
  report: ReportInput,
  size: number,
): Promise<readonly LastEngagement[]> {
  requireReport(deps, report, 'ranking')
  const { bucket: _, measure: __, ...query } = wholeWindow(report)
  const { organizationGuid } = report.subject
  const features = organizationGuid === undefined ? undefined : deps.plans.of(organizationGuid).features
  const isShown = (fact: Name) => {
    const feature = neededFor[fact]
    return feature === undefined || features === undefined || features.has(feature)
  }
  const found = await deps.metrics.last({ ...query, by: facts, size })
  return found.map(({ at, values }) => {
    const named = facts.map((fact, index) => [fact, isShown(fact) ? (values[index] ?? '') : ''])
    return { at, ...(Object.fromEntries(named) as Omit<LastEngagement, 'at'>) }
  })
}
