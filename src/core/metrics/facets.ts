/** Reports that say what engagements were like: from which countries, on which devices, by which way. Biggest first. */
import type { Dimension, MetricsRow } from './query.js'
import { type ReportParts, whole } from './report.js'
import type { Asked } from './report-subject.js'

/** What each facet tells apart. */
export const facets = {
  countries: ['country'],
  devices: ['device'],
  // Gaps 2.4: the name of the site, or `direct`. Our choice: a site that we have no name for keeps its domain.
  referrers: ['referrerName'],
  referrerUrls: ['referrer'],
  referrersWithDomains: ['referrerName', 'referrerDomain'],
  referringDomains: ['referrerDomain'],
  referringNetworks: ['referrerNetwork'],
  destinations: ['destination'],
} as const satisfies Readonly<Record<string, readonly Dimension[]>>

export type Facet = keyof typeof facets

export interface FacetRow {
  readonly values: readonly string[]
  readonly count: number
}

export async function reportFacet(
  parts: ReportParts,
  asked: Asked,
  facet: Facet,
  size: number,
): Promise<readonly FacetRow[]> {
  return parts.metrics.count({ ...whole(asked), by: facets[facet], size })
}

export interface CityReport {
  readonly cities: readonly CityRow[]
  /** In cities that are not among the rows. */
  readonly otherCities: number
  /** In no city we know. */
  readonly noCity: number
}

export interface CityRow {
  readonly city: string
  readonly subregion: string
  readonly region: string
  readonly country: string
  readonly count: number
}

/** Rows and the two rests together are all of the window. */
export async function reportCities(parts: ReportParts, asked: Asked, size: number): Promise<CityReport> {
  // Every place there is: the rests need them all, and there are thousands of cities at most.
  const rows = await parts.metrics.count({ ...whole(asked), by: places, size: undefined })
  const inCities = rows.filter((row) => row.values[0] !== '')
  return {
    cities: inCities.slice(0, size).map(cityRow),
    otherCities: sum(inCities.slice(size)),
    noCity: sum(rows) - sum(inCities),
  }
}

const places: readonly Dimension[] = ['city', 'subregion', 'region', 'country']

function cityRow({ values, count }: MetricsRow): CityRow {
  const [city = '', subregion = '', region = '', country = ''] = values
  return { city, subregion, region, country, count }
}

export interface ReferringSite {
  readonly site: string
  /** As visitors sent them. */
  readonly referrers: readonly { readonly referrer: string; readonly count: number }[]
}

/** The biggest referrers, gathered by the site or the host they belong to; these by what is shown of them. */
export async function reportReferrersBySite(
  parts: ReportParts,
  asked: Asked,
  size: number,
  by: 'referrerName' | 'referrerDomain' = 'referrerName',
): Promise<readonly ReferringSite[]> {
  const rows = await parts.metrics.count({ ...whole(asked), by: [by, 'referrer'], size })
  const sites = new Map<string, MetricsRow[]>()
  for (const row of rows) {
    const [site = ''] = row.values
    sites.set(site, [...(sites.get(site) ?? []), row])
  }
  return [...sites]
    .sort(([, one], [, other]) => sum(other) - sum(one))
    .map(([site, referrers]) => ({
      site,
      referrers: referrers.map(({ values, count }) => ({ referrer: values[1] ?? '', count })),
    }))
}

function sum(rows: readonly FacetRow[]): number {
  return rows.reduce((total, row) => total + row.count, 0)
}
