/** Response formats of the metric operations: core's numbers as v4 JSON and CSV. */

import type { Static, TSchema } from 'typebox'
import type { Name } from '../../core/clicks/dimensions.js'
import { type ListDeps, linkFilterOf } from '../../core/links/list.js'
import { reportCities, reportFacet, reportReferrersBySite } from '../../core/metrics/facets.js'
import {
  type RankedItem,
  type RankedLink,
  type RankingDeps,
  rankLinks,
  rankLinksAndCodes,
} from '../../core/metrics/rankings.js'
import {
  type Engagements,
  type ReportDeps,
  reportEngagementSeries,
  reportEngagements,
  reportSeries,
  reportTotal,
} from '../../core/metrics/report.js'
import type { GroupSubject, ReportInput, Subject } from '../../core/metrics/report-subject.js'
import type { QrCodeStore } from '../../core/qr-codes/qr-code-store.js'
import { timestamp } from '../../core/values/time.js'
import type { MetricInput, MetricReport } from './metric-operation.js'
import { type PresentDeps, presentLink } from './present.js'
import { presentQrCode } from './present-qr-code.js'
import { named, optionalFlag } from './schemas/fields.js'
import { rankedLinkFilterInput, rankedLinkFilters } from './schemas/link-filters.js'
import {
  CityMetrics,
  ClickSeries,
  ClickSummary,
  DeviceMetrics,
  EngagementSeries,
  EngagementSummary,
  FacetedMetrics,
  OverTimeSeries,
  ReferrersByDomain,
  ScanCities,
  ScanMetrics,
  ScanSeries,
  ScanSummary,
  TopEngagements,
  TopLinks,
  TopScans,
} from './schemas/metrics.js'

// Far more rows than anybody reads (docs/api/metrics.md#ranked-rows).
export const rankedRows = { max: 1000, preset: 50 }
const rows = rankedRows
const sortedRows = { max: 100, preset: 50 }
/** For operations where `size` is an addition: all rows by default. */
const everyRow = { max: 1000, preset: 1000 }

/** Descriptions of reports. */
export const texts = {
  series: 'One entry per unit, newest first, including zeros.',
  total: 'The total for the whole window.',
  biggestFirst: 'Biggest first.',
}
const { series, biggestFirst } = texts
const mostUsed =
  'Highest first. A link counts with its hash and all its custom back-halves. ' +
  'Unused and deleted links are left out. `size` is the number of links.'

/** With `csvHeader`, also as CSV. */
export function clickSeries(csvHeader?: string): MetricReport {
  const report = shaped(ClickSeries, series, async (deps, input) => {
    const buckets = await reportSeries(deps, input)
    return {
      link_clicks: buckets.map(dated(({ count }, date) => ({ date, clicks: count }))),
      ...echo(input),
    }
  })
  if (csvHeader === undefined) return report
  return {
    ...report,
    csv: {
      header: csvHeader,
      async lines(deps, input) {
        const buckets = await reportSeries(deps, input)
        return buckets.map(dated(({ count }, date) => [date, count]))
      },
    },
  }
}

export const clickSummary = shaped(ClickSummary, texts.total, async (deps, input) => ({
  total_clicks: await reportTotal(deps, input),
  ...echo(input),
}))

export const engagementSeries: MetricReport = {
  ...shaped(EngagementSeries, series, async (deps, input) => {
    const buckets = await reportEngagementSeries(deps, input)
    return {
      engagements: buckets.map(
        dated((bucket, date) => ({ date, engagement_count: bucket.count, engagements: byKind(bucket) })),
      ),
      ...echo(input),
    }
  }),
  csv: {
    header: 'Date, Engagements',
    async lines(deps, input) {
      const buckets = await reportSeries(deps, input)
      // Clients expect no UTC offset here (docs/api/metrics.md#csv).
      return buckets.map(dated(({ count }, date) => [date.slice(0, 'YYYY-MM-DDThh:mm:ss'.length), count]))
    },
  },
}

export const engagementSummary = shaped(
  EngagementSummary,
  'The total for the whole window, and the total of each kind.',
  async (deps, input) => {
    const engagements = await reportEngagements(deps, input)
    return { total_engagements: engagements.count, engagements: byKind(engagements), ...echo(input) }
  },
)

export const overTime = shaped(OverTimeSeries, series, async (deps, input) => {
  const buckets = await reportSeries(deps, input)
  return { data: buckets.map(dated(({ count }, ts) => ({ ts, count }))), ...echo(input) }
})

/** The fields of a row. */
interface RowFormat {
  readonly schema: TSchema
  readonly value: string
  readonly count: string
}

const clickRows: RowFormat = { schema: FacetedMetrics, value: 'value', count: 'clicks' }
const deviceRows: RowFormat = { schema: DeviceMetrics, value: 'device_type', count: 'clicks' }
const scanRows: RowFormat = { schema: ScanMetrics, value: 'value', count: 'scans' }

/** `facet` is its name in the response. With `csv`, the header, also as CSV, which may be more detailed than JSON. */
export function faceted(
  by: Name,
  facet: string,
  csv?: string | { readonly header: string; readonly by: readonly Name[] },
  { schema, value, count }: RowFormat = clickRows,
): MetricReport {
  const report = shaped(schema, biggestFirst, async (deps, input) => {
    const found = await reportFacet(deps, input, [by], input.size)
    return {
      metrics: found.map((row) => ({ [value]: row.values[0] ?? '', [count]: row.count })),
      facet,
      ...echo(input),
    }
  })
  if (csv === undefined) return { ...report, rows }
  return { ...report, rows, csv: typeof csv === 'string' ? facetCsv(csv, [by]) : facetCsv(csv.header, csv.by) }
}

export const destinations: MetricReport = { ...faceted('destination', 'destinations'), rows: everyRow }

export const devices = faceted('device', 'devices', 'Device Type, Clicks', deviceRows)

export function scansBy(by: Name, facet: string, title: string): MetricReport {
  return faceted(by, facet, `${title}, Scans`, scanRows)
}

export const scanSeries = shaped(ScanSeries, series, async (deps, input) => {
  const buckets = await reportSeries(deps, input)
  return { scans: buckets.map(dated(({ count }, date) => ({ date, scans: count }))), ...echo(input) }
})

export const scanSummary = shaped(ScanSummary, texts.total, async (deps, input) => ({
  total_scans: await reportTotal(deps, input),
  ...echo(input),
}))

export const scansByCity: MetricReport = {
  ...shaped(ScanCities, biggestFirst, async (deps, input) => {
    const found = await reportCities(deps, input, input.size)
    return {
      metrics: found.cities.map(({ count, ...place }) => ({ scans: count, ...place })),
      other_metrics: { other_city_scans: found.otherCities, no_city_scans: found.noCity },
      facet: 'cities',
      ...echo(input),
    }
  }),
  rows,
  csv: cityCsv('City, Subregion, Region, Country, Scans'),
}

export function cities(csvHeader?: string): MetricReport {
  const report = shaped(CityMetrics, biggestFirst, async (deps, input) => {
    const found = await reportCities(deps, input, input.size)
    return {
      metrics: found.cities.map(({ count, ...place }) => ({ clicks: count, ...place })),
      other_metrics: { other_city_clicks: found.otherCities, no_city_clicks: found.noCity },
      facet: 'cities',
      ...echo(input),
    }
  })
  if (csvHeader === undefined) return { ...report, rows }
  return { ...report, rows, csv: cityCsv(csvHeader) }
}

export const referrersByDomain: MetricReport = {
  ...shaped(
    ReferrersByDomain,
    'Top sites, each with its top referrers. `size` is the number of sites. A site lists at most 10,000 / `size` ' +
      'referrers, and never more than 1,000; `truncated` says whether it has more.',
    async (deps, input) => {
      const sites = await reportReferrersBySite(deps, input, input.size)
      return {
        referrers_by_domain: sites.map(({ site, count: clicks, referrers, truncated }) => ({
          network: site,
          clicks,
          truncated,
          referrers: referrers.map(({ referrer, count }) => ({ key: referrer, value: count })),
        })),
        facet: 'referrers_by_domains',
        ...echo(input),
      }
    },
  ),
  rows,
}

export interface TopDeps extends RankingDeps, PresentDeps, Omit<ListDeps, 'links'> {
  readonly qrCodes: Pick<QrCodeStore, 'standAlone'>
}

type TopAnswer = MetricReport<TopDeps, GroupSubject>

export const topLinks: TopAnswer = {
  ...shaped<typeof TopLinks, TopDeps, GroupSubject>(TopLinks, mostUsed, async (deps, input) =>
    asTopLinks(deps, await rankLinks(deps, input, input.size)),
  ),
  rows,
}

export const sortedLinks: TopAnswer = {
  ...shaped<typeof TopLinks, TopDeps, GroupSubject>(
    TopLinks,
    `${mostUsed} With filters, the links that match are looked for among the 100,000 most used addresses of the group.`,
    async (deps, input) => {
      const sent = rankedLinkFilterInput(input.query)
      const filter = await linkFilterOf(deps, input.actor, input.subject.scope.groupGuid, sent)
      return asTopLinks(deps, filter ? await rankLinks(deps, input, input.size, filter) : [])
    },
  ),
  rows: sortedRows,
  query: rankedLinkFilters,
  statuses: [404],
}

export const sortedEngagements: TopAnswer = {
  ...shaped<typeof TopEngagements, TopDeps, GroupSubject>(TopEngagements, mostUsed, async (deps, input) =>
    asTopEngagements(deps, await rankLinksAndCodes(deps, input, input.size)),
  ),
  rows: sortedRows,
}

export const topScans: TopAnswer = {
  ...shaped<typeof TopScans, TopDeps, GroupSubject>(TopScans, mostUsed, async (deps, input) => {
    if (!input.decoupled) return asTopLinks(deps, await rankLinks(deps, input, input.size))
    return asTopEngagements(deps, await rankLinksAndCodes(deps, input, input.size))
  }),
  rows,
  query: {
    decoupled: optionalFlag('Also rank stand-alone QR codes; the response then has the format of top engagements', {
      default: false,
    }),
  },
}

function asTopLinks(deps: TopDeps, ranking: readonly RankedLink[]): Static<typeof TopLinks> {
  return {
    links: ranking.map(({ link }) => presentLink(link, deps)),
    sorted_links: ranking.map(({ link, count }) => ({ id: deps.domains.shown(link.id), clicks: count })),
  }
}

/** A code that is coupled counts for its short link; only stand-alone codes have a place of their own. */
function asTopEngagements(deps: TopDeps, ranking: readonly RankedItem[]): Static<typeof TopEngagements> {
  return {
    links: ranking.flatMap((item) => ('link' in item ? [presentLink(item.link, deps)] : [])),
    qr_codes: ranking.flatMap((item) => ('code' in item ? [presentQrCode(item.code, deps)] : [])),
    sorted_engagements: ranking.map((item) => ({
      id: 'link' in item ? deps.domains.shown(item.link.id) : item.code.id,
      engagements: item.count,
    })),
  }
}

export function shaped<Shape extends TSchema, Deps extends ReportDeps = ReportDeps, S extends Subject = Subject>(
  shape: Shape,
  description: string,
  json: (deps: Deps, input: MetricInput<S>) => Promise<Static<Shape>>,
): MetricReport<Deps, S> {
  return { schema: named(shape, description), description, json }
}

function cityCsv(header: string): NonNullable<MetricReport['csv']> {
  return {
    header,
    async lines(deps, input) {
      const found = await reportCities(deps, input, input.size)
      return found.cities.map((row) => [row.city, row.subregion, row.region, row.country, row.count])
    },
  }
}

function facetCsv(header: string, by: readonly Name[]): NonNullable<MetricReport['csv']> {
  return {
    header,
    async lines(deps, input) {
      const found = await reportFacet(deps, input, by, input.size)
      return found.map(({ values, count }) => [...values, count])
    },
  }
}

export function echo({ window }: Pick<ReportInput, 'window'>) {
  return { unit: window.unit, units: window.units, unit_reference: timestamp(window.reference) }
}

/** Formats the start of each bucket. */
export function dated<B extends { readonly start: number }, Row>(
  row: (bucket: B, date: string) => Row,
): (bucket: B) => Row {
  const timestampOf = seriesTimestamps()
  return (bucket) => row(bucket, timestampOf(bucket.start))
}

/** Buttons belong to link-in-bio pages. */
function byKind({ byKind: { click, scan, button } }: Engagements) {
  return { lib_button_clicks: button, clicks: click, scans: scan }
}

/**
 * Formats ascending or descending timestamps. Computes the calendar date once per day: 50,000 minutes block the HTTP
 * thread for 7 ms instead of 54.
 */
export function seriesTimestamps(): (at: number) => string {
  let [day, date] = [Number.NaN, '']
  return (at) => {
    const today = Math.floor(at / dayLength)
    if (today !== day) {
      day = today
      date = timestamp(today * dayLength).slice(0, 'YYYY-MM-DDT'.length)
    }
    const seconds = Math.floor((at - day * dayLength) / 1000)
    return `${date}${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}+0000`
  }
}

const dayLength = 86_400_000

function two(number: number): string {
  return number < 10 ? `0${Math.floor(number)}` : String(Math.floor(number))
}
