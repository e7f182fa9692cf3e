/** Breakdowns of engagements by country, device, referrer and city. Biggest first. */
import { descriptionOf, type Name } from '../clicks/dimensions.js'
import type { DimensionFilter, MetricsRow } from '../clicks/metrics-query.js'
import { type ReportDeps, wholeWindow } from './report.js'
import { requireReport } from './report-features.js'
import type { ReportInput } from './report-subject.js'

export interface FacetRow {
  readonly values: readonly string[]
  readonly count: number
}

export async function reportFacet(
  deps: ReportDeps,
  report: ReportInput,
  by: readonly Name[],
  size: number,
): Promise<readonly FacetRow[]> {
  requireReport(deps, report, 'rows', by)
  // Most traffic lacks such a dimension.
  const known = by
    .filter((name) => descriptionOf(name).traffic !== undefined)
    .map((name): DimensionFilter => ({ by: name, operator: 'is_not', values: [''] }))
  const filters = [...(report.filters ?? []), ...known]
  return deps.metrics.count({ ...wholeWindow({ ...report, filters }), by, size })
}

export interface CityReport {
  readonly cities: readonly CityRow[]
  /** Engagements in cities below the size limit. */
  readonly otherCities: number
  /** Engagements without a known city. */
  readonly noCity: number
}

interface CityRow {
  readonly city: string
  readonly subregion: string
  readonly region: string
  readonly country: string
  readonly count: number
}

/** The rows, `otherCities` and `noCity` add up to the total of the window. */
export async function reportCities(deps: ReportDeps, report: ReportInput, size: number): Promise<CityReport> {
  requireReport(deps, report, 'rows', places)
  for (let wanted = initialPlaces + size; ; wanted *= 4) {
    const rows = await deps.metrics.count({ ...wholeWindow(report), by: places, size: wanted })
    const inCities = rows.filter((row) => row.values[0] !== '')
    const cities = inCities.slice(0, size).map(cityRow)
    if (rows.length < wanted) {
      return { cities, otherCities: sum(inCities.slice(size)), noCity: sum(rows) - sum(inCities) }
    }
    // Places without a city may have displaced cities; and unique visitors of several places do not add up.
    if (cities.length < size || report.measure === 'visitors') continue
    const inNoCity = [...(report.filters ?? []), { by: 'city', operator: 'is', values: [''] }] as const
    const [total, noCity] = await Promise.all([
      countAll(deps, report),
      countAll(deps, { ...report, filters: inNoCity }),
    ])
    return { cities, otherCities: total - noCity - sum(cities), noCity }
  }
}

async function countAll(deps: ReportDeps, report: ReportInput): Promise<number> {
  return sum(await deps.metrics.count({ ...wholeWindow(report), by: [], size: undefined }))
}

/** More than most windows contain. There are some hundred thousand places, and reading all would block the HTTP thread. */
const initialPlaces = 2_000
const places: readonly Name[] = ['city', 'subregion', 'region', 'country']

function cityRow({ values, count }: MetricsRow): CityRow {
  const [city = '', subregion = '', region = '', country = ''] = values
  return { city, subregion, region, country, count }
}

export interface ReferringSite {
  readonly site: string
  /** Engagements from all of its referrers, listed or not. */
  readonly count: number
  /** The Referer headers that visitors sent. */
  readonly referrers: readonly { readonly referrer: string; readonly count: number }[]
  /** Whether the list of referrers is incomplete. */
  readonly truncated: boolean
}

/** The biggest sites (or hosts), each with its biggest referrers; `size` limits the sites. */
export async function reportReferrersBySite(
  deps: ReportDeps,
  report: ReportInput,
  size: number,
  by: 'referrerName' | 'referrerDomain' = 'referrerName',
): Promise<readonly ReferringSite[]> {
  requireReport(deps, report, 'rows')
  const listed = Math.min(maxReferrersPerSite, Math.floor(maxReferrers / size))
  const { bucket: _, ...query } = wholeWindow(report)
  // Request one more than is listed, to set `truncated`.
  const rows = await deps.metrics.countNested({ ...query, by, size, parts: { by: 'referrer', size: listed + 1 } })
  return rows.map(({ value, count, parts: all }) => ({
    site: value,
    count,
    referrers: all.slice(0, listed).map((part) => ({ referrer: part.value, count: part.count })),
    truncated: all.length > listed,
  }))
}

/** Limits per response and per site, because a referrer may be 2 kB long. */
const maxReferrers = 10_000
const maxReferrersPerSite = 1_000

function sum(rows: readonly { readonly count: number }[]): number {
  return rows.reduce((total, row) => total + row.count, 0)
}
