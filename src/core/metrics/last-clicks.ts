/** Single engagements, newest first, in pages. Nothing in them names a visitor. */
import { allDimensions, descriptionOf, type Name } from '../clicks/dimensions.js'
import type { ClickPlace, LastClick } from '../clicks/metrics-query.js'
import { cursorOf, positionIn } from '../values/cursor.js'
import { invalid } from '../values/refusal.js'
import { type ReportDeps, wholeWindow } from './report.js'
import { requireReport } from './report-features.js'
import type { ReportInput } from './report-subject.js'

/** What is listed besides the time, the kind and the address: what live updates have, and a few more. */
const more: ReadonlySet<Name> = new Set(['destination', 'trafficClass', 'aiAgent', 'referrerName'])
export const clickFields = allDimensions.filter(({ name, stream }) => stream !== undefined || more.has(name))

const listed = ['kind', 'address', ...clickFields.map(({ name }) => name)] as const

/** Texts by dimension; empty where unknown, or not included in the plan. */
export interface LastEngagement {
  readonly at: number
  readonly texts: Readonly<Partial<Record<Name, string>>>
}

interface LastEngagements {
  readonly items: readonly LastEngagement[]
  /** The cursor of the next page; undefined on the last page. */
  readonly searchAfter: string | undefined
}

export async function reportLastClicks(
  deps: ReportDeps,
  report: ReportInput,
  { size, searchAfter }: { readonly size: number; readonly searchAfter: string | undefined },
): Promise<LastEngagements> {
  requireReport(deps, report, 'rows')
  const { items, next } = await readPage(
    deps,
    report,
    size,
    searchAfter === undefined ? undefined : placeIn(searchAfter),
  )
  return { items, searchAfter: next && cursorOf({ at: next.at, id: `${next.key}.${next.skip}` }) }
}

/** Rows of a file. Nobody reads more, and whoever wants more can ask for a window after the other. */
export const maxClicksInFile = 1_000_000

/** Large enough that DuckDB searches a long window seldom, small enough that other reports need not wait. */
const filePage = 10_000

/** A page of a file, with at most so many rows. */
export async function readClicksOfFile(
  deps: ReportDeps,
  report: ReportInput,
  most: number,
  after: ClickPlace | undefined,
): Promise<{ readonly items: readonly LastEngagement[]; readonly next: ClickPlace | undefined }> {
  requireClickRows(deps, report)
  return readPage(deps, report, Math.min(filePage, most), after)
}

export function requireClickRows(deps: ReportDeps, report: ReportInput): void {
  requireReport(deps, report, 'rows')
  // Whoever has all rows can count them.
  requireReport(deps, report, 'total')
}

async function readPage(deps: ReportDeps, report: ReportInput, size: number, after: ClickPlace | undefined) {
  const { bucket: _, measure: __, ...query } = wholeWindow(report)
  const isShown = shownBy(deps, report)
  // One more than is listed tells whether there is another page.
  const found = await deps.metrics.last({ ...query, by: listed, size: size + 1, ...(after && { after }) })
  const page = found.slice(0, size)
  const items = page.map(({ at, values }) => ({
    at,
    texts: Object.fromEntries(listed.map((name, index) => [name, isShown(name) ? (values[index] ?? '') : ''])),
  }))
  return { items, next: found.length > size ? placeAfter(page, after) : undefined }
}

function shownBy(deps: ReportDeps, { subject: { organizationGuid } }: ReportInput): (name: Name) => boolean {
  const features = organizationGuid === undefined ? undefined : deps.plans.of(organizationGuid).features
  return (name) => {
    // A plan without cities shows no regions here either.
    const feature = name === 'region' ? 'cities' : descriptionOf(name).feature
    return feature === undefined || features === undefined || features.has(feature)
  }
}

/** Clicks that share time and key are next to each other, and may be on several pages. */
function placeAfter(page: readonly LastClick[], before: ClickPlace | undefined): ClickPlace | undefined {
  const last = page.at(-1)
  if (!last) return undefined
  const isLike = (other: Omit<ClickPlace, 'skip'>) => other.at === last.at && other.key === last.key
  const skip = page.filter(isLike).length + (before && isLike(before) ? before.skip : 0)
  return { at: last.at, key: last.key, skip }
}

function placeIn(searchAfter: string): ClickPlace {
  const { at, id } = positionIn(searchAfter)
  const [, key, skip] = /^(\d{1,20})\.(\d{1,5})$/.exec(id) ?? []
  if (key === undefined || skip === undefined || BigInt(key) >= 2n ** 64n) {
    throw invalid('searchAfter', 'Send search_after exactly as the previous page returned it.')
  }
  return { at, key, skip: Number(skip) }
}
