/** Reports that say what engagements were like: from which countries, on which devices, by which way. Biggest first. */
import type { Dimension, MetricsRow } from '../clicks/metrics-query.js'
import { type Facet, facets } from './facet-dimensions.js'
import { type ReportDeps, whole } from './report.js'
import { requireReport } from './report-features.js'
import type { Asked } from './report-subject.js'

export interface FacetRow {
  readonly values: readonly string[]
  readonly count: number
}

export async function reportFacet(
  deps: ReportDeps,
  asked: Asked,
  facet: Facet,
  size: number,
): Promise<readonly FacetRow[]> {
  requireReport(deps, asked, facet)
  return deps.metrics.count({ ...whole(asked), by: facets[facet], size })
}

export interface CityReport {
  readonly cities: readonly CityRow[]
  /** In cities that are not among the rows. */
  readonly otherCities: number
  /** In no city we know. */
  readonly noCity: number
}

interface CityRow {
  readonly city: string
  readonly subregion: string
  readonly region: string
  readonly country: string
  readonly count: number
}

/** Rows and the two rests together are all of the window. */
export async function reportCities(deps: ReportDeps, asked: Asked, size: number): Promise<CityReport> {
  requireReport(deps, asked, 'cities')
  for (let wanted = placesAtOnce + size; ; wanted *= 4) {
    const rows = await deps.metrics.count({ ...whole(asked), by: places, size: wanted })
    const inCities = rows.filter((row) => row.values[0] !== '')
    const cities = inCities.slice(0, size).map(cityRow)
    if (rows.length < wanted) {
      return { cities, otherCities: sum(inCities.slice(size)), noCity: sum(rows) - sum(inCities) }
    }
    // Places without a city may have pushed cities out; and visitors of several places are not the sum of theirs.
    if (cities.length < size || asked.measure === 'visitors') continue
    const known = await deps.metrics.count({ ...whole(asked), by: ['cityKnown'], size: undefined })
    const [yes = 0, no = 0] = ['yes', 'no'].map((answer) => sum(known.filter(({ values }) => values[0] === answer)))
    return { cities, otherCities: yes - sum(cities), noCity: no }
  }
}

/**
 * Our choice: nearly always all there are. There are some hundred thousand, and the HTTP thread has other things to do.
 */
const placesAtOnce = 2_000
const places: readonly Dimension[] = ['city', 'subregion', 'region', 'country']

function cityRow({ values, count }: MetricsRow): CityRow {
  const [city = '', subregion = '', region = '', country = ''] = values
  return { city, subregion, region, country, count }
}

export interface ReferringSite {
  readonly site: string
  /** By all of its referrers, also those that are not listed. */
  readonly count: number
  /** As visitors sent them. */
  readonly referrers: readonly { readonly referrer: string; readonly count: number }[]
  /** There are more than these. */
  readonly truncated: boolean
}

/** The biggest sites (or hosts), each with the biggest of its referrers; `size` counts sites. */
export async function reportReferrersBySite(
  deps: ReportDeps,
  asked: Asked,
  size: number,
  by: 'referrerName' | 'referrerDomain' = 'referrerName',
): Promise<readonly ReferringSite[]> {
  requireReport(deps, asked, 'referrersBySite')
  const listed = Math.min(mostPerSite, Math.floor(mostReferrers / size))
  const { bucket: _, ...query } = whole(asked)
  // One more than is listed, to see whether there are more.
  const rows = await deps.metrics.countNested({ ...query, by, size, parts: { by: 'referrer', size: listed + 1 } })
  return rows.map(({ value, count, parts: all }) => ({
    site: value,
    count,
    referrers: all.slice(0, listed).map((part) => ({ referrer: part.value, count: part.count })),
    truncated: all.length > listed,
  }))
}

/** Our choice: referrers in one answer, and of one site in it. A referrer may be 2 kB long. */
const mostReferrers = 10_000
const mostPerSite = 1_000

function sum(rows: readonly { readonly count: number }[]): number {
  return rows.reduce((total, row) => total + row.count, 0)
}
