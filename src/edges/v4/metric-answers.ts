/** What metric operations answer: core's numbers in the shapes of v4, as JSON and as CSV. */
import { type Static, type TSchema, Type } from 'typebox'
import { reportCities, reportFacet, reportReferrersBySite } from '../../core/metrics/facets.js'
import { type RankedLink, type RankingDeps, rankLinks } from '../../core/metrics/rankings.js'
import {
  type Engagements,
  type ReportDeps,
  reportEngagementSeries,
  reportEngagements,
  reportSeries,
  reportTotal,
} from '../../core/metrics/report.js'
import type { Facet } from '../../core/metrics/report-features.js'
import type { GroupSubject, ReportInput, Subject } from '../../core/metrics/report-subject.js'
import type { Answer, MetricInput } from './metric-operation.js'
import { type PresentDeps, presentLink, timestamp } from './present.js'
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
  TopEngagements,
  TopLinks,
  TopScans,
} from './schemas/metrics.js'
import { named } from './schemas/named.js'
import { seriesTimestamps } from './series-timestamps.js'

// More than anybody looks at (docs/api/metrics.md#ranked-rows).
const rows = { most: 1000, preset: 50 }
const sortedRows = { most: 100, preset: 50 }
/** Where `size` is an addition: all there are. */
const everyRow = { most: 1000, preset: 1000 }

const series = 'One entry per unit, newest first, with zeroes.'
const biggestFirst = 'Biggest first.'
const mostUsed =
  'The most used first, each link with all its addresses: its hash and its custom back-halves together. ' +
  'Links that were not used, and ones that were deleted, are not among them. `size` counts links.'

/** With a header where CSV is documented. */
export function clickSeries(csvHeader?: string): Answer {
  const answer = shaped('series', ClickSeries, series, async (deps, asked) => {
    const buckets = await reportSeries(deps, asked)
    return {
      link_clicks: buckets.map(dated(({ count }, date) => ({ date, clicks: count }))),
      ...echo(asked),
    }
  })
  if (csvHeader === undefined) return answer
  return {
    ...answer,
    csv: {
      header: csvHeader,
      async lines(deps, asked) {
        const buckets = await reportSeries(deps, asked)
        return buckets.map(dated(({ count }, date) => [date, count]))
      },
    },
  }
}

export const clickSummary = shaped('total', ClickSummary, 'The whole window in one number.', async (deps, asked) => ({
  total_clicks: await reportTotal(deps, asked),
  ...echo(asked),
}))

export const engagementSeries: Answer = {
  ...shaped('series', EngagementSeries, series, async (deps, asked) => {
    const buckets = await reportEngagementSeries(deps, asked)
    return {
      engagements: buckets.map(
        dated((bucket, date) => ({ date, engagement_count: bucket.count, engagements: byKind(bucket) })),
      ),
      ...echo(asked),
    }
  }),
  csv: {
    header: 'Date, Engagements',
    async lines(deps, asked) {
      const buckets = await reportSeries(deps, asked)
      // Clients expect no offset here (docs/api/metrics.md#csv).
      return buckets.map(dated(({ count }, date) => [date.slice(0, 'YYYY-MM-DDThh:mm:ss'.length), count]))
    },
  },
}

export const engagementSummary = shaped(
  'total',
  EngagementSummary,
  'The whole window in one number, and what it is made of.',
  async (deps, asked) => {
    const engagements = await reportEngagements(deps, asked)
    return { total_engagements: engagements.count, engagements: byKind(engagements), ...echo(asked) }
  },
)

export const overTime = shaped('series', OverTimeSeries, series, async (deps, asked) => {
  const buckets = await reportSeries(deps, asked)
  return { data: buckets.map(dated(({ count }, ts) => ({ ts, count }))), ...echo(asked) }
})

/** `name` is the facet's name on the wire; CSV may tell more apart than JSON has room for. */
export function faceted(facet: Facet, name: string, csv?: { readonly header: string; readonly facet: Facet }): Answer {
  const answer = shaped(facet, FacetedMetrics, biggestFirst, async (deps, asked) => {
    const found = await reportFacet(deps, asked, facet, asked.size)
    const metrics = found.map(({ values, count }) => ({ value: values[0] ?? '', clicks: count }))
    return { metrics, facet: name, ...echo(asked) }
  })
  return { ...answer, rows, ...(csv && { csv: facetCsv(csv.header, csv.facet) }) }
}

export const destinations: Answer = { ...faceted('destinations', 'destinations'), rows: everyRow }

export const devices: Answer = {
  ...shaped('devices', DeviceMetrics, biggestFirst, async (deps, asked) => {
    const found = await reportFacet(deps, asked, 'devices', asked.size)
    const metrics = found.map(({ values, count }) => ({ device_type: values[0] ?? '', clicks: count }))
    return { metrics, facet: 'devices', ...echo(asked) }
  }),
  rows,
  csv: facetCsv('Device Type, Clicks', 'devices'),
}

export function cities(csvHeader?: string): Answer {
  const answer = shaped('cities', CityMetrics, biggestFirst, async (deps, asked) => {
    const found = await reportCities(deps, asked, asked.size)
    return {
      metrics: found.cities.map(({ count, ...place }) => ({ clicks: count, ...place })),
      other_metrics: { other_city_clicks: found.otherCities, no_city_clicks: found.noCity },
      facet: 'cities',
      ...echo(asked),
    }
  })
  if (csvHeader === undefined) return { ...answer, rows }
  return {
    ...answer,
    rows,
    csv: {
      header: csvHeader,
      async lines(deps, asked) {
        const found = await reportCities(deps, asked, asked.size)
        return found.cities.map((row) => [row.city, row.subregion, row.region, row.country, row.count])
      },
    },
  }
}

export const referrersByDomain: Answer = {
  ...shaped(
    'referrersBySite',
    ReferrersByDomain,
    'The biggest sites, each with its biggest referrers; `size` counts sites. A site lists at most 10,000 / `size` ' +
      'referrers and never more than 1,000: `truncated` says when there are more.',
    async (deps, asked) => {
      const sites = await reportReferrersBySite(deps, asked, asked.size)
      return {
        referrers_by_domain: sites.map(({ site, count: clicks, referrers, truncated }) => ({
          network: site,
          clicks,
          truncated,
          referrers: referrers.map(({ referrer, count }) => ({ key: referrer, value: count })),
        })),
        facet: 'referrers_by_domains',
        ...echo(asked),
      }
    },
  ),
  rows,
}

export interface TopDeps extends RankingDeps, PresentDeps {}

type TopAnswer = Answer<TopDeps, GroupSubject>

export const topLinks: TopAnswer = {
  ...shaped<typeof TopLinks, TopDeps, GroupSubject>('ranking', TopLinks, mostUsed, async (deps, asked) =>
    asTopLinks(deps, await rankLinks(deps, asked, asked.size)),
  ),
  rows,
}

export const sortedLinks: TopAnswer = { ...topLinks, rows: sortedRows }

export const sortedEngagements: TopAnswer = {
  ...shaped<typeof TopEngagements, TopDeps, GroupSubject>('ranking', TopEngagements, mostUsed, async (deps, asked) =>
    asTopEngagements(deps, await rankLinks(deps, asked, asked.size)),
  ),
  rows: sortedRows,
}

export const topScans: TopAnswer = {
  ...shaped<typeof TopScans, TopDeps, GroupSubject>('ranking', TopScans, mostUsed, async (deps, asked) => {
    const ranking = await rankLinks(deps, asked, asked.size)
    return asked.decoupled ? asTopEngagements(deps, ranking) : asTopLinks(deps, ranking)
  }),
  rows,
  query: {
    decoupled: Type.Optional(
      Type.Boolean({ default: false, description: 'Ranks QR codes of their own too, in the shape of top engagements' }),
    ),
  },
}

function asTopLinks(deps: TopDeps, ranking: readonly RankedLink[]): Static<typeof TopLinks> {
  return {
    links: presentLinks(deps, ranking),
    sorted_links: ranking.map(({ link, count }) => ({ id: deps.domains.shown(link.id), clicks: count })),
  }
}

/** Every code leads through a short link so far, which is ranked itself: there are none of their own. */
function asTopEngagements(deps: TopDeps, ranking: readonly RankedLink[]): Static<typeof TopEngagements> {
  return {
    links: presentLinks(deps, ranking),
    qr_codes: [],
    sorted_engagements: ranking.map(({ link, count }) => ({ id: deps.domains.shown(link.id), engagements: count })),
  }
}

function presentLinks(deps: TopDeps, ranking: readonly RankedLink[]) {
  return ranking.map(({ link }) => presentLink(link, deps))
}

function shaped<Shape extends TSchema, Deps extends ReportDeps = ReportDeps, S extends Subject = Subject>(
  type: Answer['type'],
  shape: Shape,
  description: string,
  json: (deps: Deps, asked: MetricInput<S>) => Promise<Static<Shape>>,
): Answer<Deps, S> {
  return { type, schema: named(shape, description), description, json }
}

function facetCsv(header: string, facet: Facet): NonNullable<Answer['csv']> {
  return {
    header,
    async lines(deps, asked) {
      const found = await reportFacet(deps, asked, facet, asked.size)
      return found.map(({ values, count }) => [...values, count])
    },
  }
}

function echo({ window }: ReportInput) {
  return { unit: window.unit, units: window.units, unit_reference: timestamp(window.reference) }
}

/** Buckets with their dates. */
function dated<B extends { readonly start: number }, Row>(row: (bucket: B, date: string) => Row): (bucket: B) => Row {
  const timestampOf = seriesTimestamps()
  return (bucket) => row(bucket, timestampOf(bucket.start))
}

/** Buttons belong to link-in-bio pages. */
function byKind({ byKind: { click, scan, button } }: Engagements) {
  return { lib_button_clicks: button, clicks: click, scans: scan }
}
