/** The metrics of sites (docs/api/site-metrics.md): of one site, and of several together. */
import { type Static, type TSchema, Type } from 'typebox'
import type { Name } from '../../core/clicks/dimensions.js'
import type { FindDeps } from '../../core/links/read.js'
import { reportCities, reportFacet } from '../../core/metrics/facets.js'
import { reportSeries, reportTotal } from '../../core/metrics/report.js'
import type { ReportInput } from '../../core/metrics/report-subject.js'
import {
  linkPerformance,
  maxSites,
  type PerformingLink,
  rankButtons,
  type SiteCount,
  type SiteReportDeps,
  type SiteSubject,
  type SitesSubject,
  siteCounts,
  siteSubject,
  sitesSubject,
} from '../../core/metrics/site-report.js'
import { timestamp } from '../../core/values/time.js'
import { units } from '../../core/values/window.js'
import type { CsvCell } from '../../lib/csv.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { dated, echo, rankedRows as rows, shaped, texts } from './metric-answers.js'
import { type MetricInput, type MetricPlace, type MetricReport, metricRoute } from './metric-operation.js'
import type { PresentDeps } from './present.js'
import { unitsBounds } from './schemas/bounds.js'
import { optionalText } from './schemas/fields.js'
import {
  SiteCityViews,
  SiteLinkPerformance,
  SitesCities,
  SitesFacet,
  SitesOverview,
  SitesSeries,
  SiteViews,
  SiteViewsSummary,
  SortedButtons,
  siteMetricSchemas,
} from './schemas/site-metrics.js'

export type SiteMetricRouteDeps = SiteReportDeps & PresentDeps & Pick<FindDeps, 'domains'>

type Deps = SiteMetricRouteDeps
type Input<S extends SitesSubject> = MetricInput<S>
type Report<S extends SitesSubject = SitesSubject> = MetricReport<Deps, S>
type Lines = readonly (readonly CsvCell[])[]

export function siteMetricRoutes(http: TypedFastify, deps: SiteMetricRouteDeps): void {
  for (const shared of siteMetricSchemas) http.addSchema(shared)
  const one: MetricPlace<SiteSubject> = {
    path: 'sites/:site_id',
    statuses: [404],
    access: (actor, { site_id = '' }) => siteSubject(deps, actor, site_id),
  }
  for (const [path, [operationId, summary, report]] of Object.entries(ofSite)) {
    metricRoute(http, deps, one, { path, operationId, summary: `Get ${summary}`, kinds: ['view'], report })
  }
  const several: MetricPlace<SitesSubject> = {
    path: 'aggregate/sites',
    query: severalQuery,
    statuses: [],
    access: () => nothing,
    narrow: (actor, query) => sitesSubject(deps, actor, (query as { site?: readonly string[] }).site ?? []),
  }
  for (const [path, [operationId, summary, report]] of Object.entries(ofSites)) {
    metricRoute(http, deps, several, { path, operationId, summary: `Get ${summary} of sites`, kinds: ['view'], report })
  }
}

/** Until the query has named sites. */
const nothing: SitesSubject = { scope: { addresses: [] }, since: undefined, groupGuids: [], sites: [] }

const ignored = 'Has no effect; for clients of the public API'
const severalQuery = {
  unit: Type.Enum([...units], { type: 'string', examples: ['day'] }),
  units: Type.Integer({ ...unitsBounds, description: 'Number of units, 1 to 50,000; -1 for all', examples: [7] }),
  site: Type.Optional(
    Type.Array(Type.String(), {
      description: `Guid of a site; repeat it for up to ${maxSites}. Without it, all sites that you may see count`,
    }),
  ),
  report_guid: optionalText(ignored),
}

interface Parts<Shape extends TSchema, Found, S extends SitesSubject> {
  readonly find: (deps: Deps, input: Input<S>) => Promise<Found>
  readonly json: (found: Found, input: Input<S>, deps: Deps) => Static<Shape>
  readonly csv?: { readonly header: string; readonly lines: (found: Found, deps: Deps) => Lines }
  readonly rows?: MetricReport['rows']
  readonly query?: MetricReport['query']
}

/** JSON and CSV of what is found once. */
function reportOf<Shape extends TSchema, Found, S extends SitesSubject = SitesSubject>(
  shape: Shape,
  description: string,
  { find, json, csv, rows, query }: Parts<Shape, Found, S>,
): Report<S> {
  return {
    ...shaped<Shape, Deps, S>(shape, description, async (deps, input) => json(await find(deps, input), input, deps)),
    ...(rows && { rows }),
    ...(query && { query }),
    ...(csv && {
      csv: { header: csv.header, lines: async (deps, input) => csv.lines(await find(deps, input), deps) },
    }),
  }
}

/** Reports of links, on what is counted of sites. */
const find = {
  series: (what: SiteCount) => counting(what, reportSeries),
  total: (what: SiteCount) => counting(what, reportTotal),
  by: (what: SiteCount, name: Name) =>
    counting(what, async (deps, input, size) => {
      const found = await reportFacet(deps, input, [name], size)
      return found.map(({ values: [value = ''], count }) => ({ value, count }))
    }),
  cities: (what: SiteCount) => counting(what, reportCities),
}

function counting<Found>(
  what: SiteCount,
  report: (deps: Deps, input: ReportInput, size: number) => Promise<Found>,
): (deps: Deps, input: Input<SitesSubject>) => Promise<Found> {
  return async (deps, input) => report(deps, siteCounts[what](input), input.size)
}

type City = Awaited<ReturnType<typeof reportCities>>['cities'][number]

const csvOf = {
  series: (title: string) => ({
    header: `Date, ${title}`,
    lines: (found: Awaited<ReturnType<typeof reportSeries>>) => found.map(dated(({ count }, date) => [date, count])),
  }),
  rows: (column: string, title: string) => ({
    header: `${column}, ${title}`,
    lines: (found: readonly { readonly value: string; readonly count: number }[]) =>
      found.map(({ value, count }) => [value, count]),
  }),
  cities: (title: string) => ({
    header: `City, Subregion, Region, Country, ${title}`,
    lines: ({ cities }: { readonly cities: readonly City[] }) =>
      cities.map(({ city, subregion, region, country, count }) => [city, subregion, region, country, count]),
  }),
}

const facets = {
  countries: ['country', 'Country'],
  devices: ['device', 'Device Type'],
  referrers: ['referrerName', 'Referrer'],
} as const satisfies Readonly<Record<string, readonly [Name, string]>>
type Facet = keyof typeof facets

const { series, total, biggestFirst } = texts

function viewsBy(facet: Facet): Report {
  const [name, column] = facets[facet]
  return reportOf(SiteViews, biggestFirst, {
    find: find.by('views', name),
    json: (found, input) => ({
      site_views: found.map(({ value, count }) => ({ views: count, value })),
      facet,
      ...echo(input),
    }),
    csv: csvOf.rows(column, 'Views'),
    rows,
  })
}

const performance = reportOf<typeof SiteLinkPerformance, Awaited<ReturnType<typeof linkPerformance>>, SiteSubject>(
  SiteLinkPerformance,
  'All links that are or were on the page that visitors see, most clicked first. Only clicks on this site count, with all back-halves of a link.',
  {
    find: linkPerformance,
    json: ({ links, total, from, to }, input, deps) => {
      const { page = 1 } = input.query as { readonly page?: number }
      const start = (page - 1) * input.size
      const pageAt = (number: number, exists: boolean) => (exists ? urlOfPage(input.url, number) : '')
      return {
        total,
        link_clicks: links.slice(start, start + input.size).map((each) => presentPerformance(each, deps)),
        performance_start: timestamp(from),
        performance_end: timestamp(to),
        page: {
          prev: pageAt(page - 1, page > 1),
          next: pageAt(page + 1, start + input.size < links.length),
          page,
          total: links.length,
          size: input.size,
        },
        ...echo(input),
      }
    },
    csv: {
      header: 'Link, Title, Long URL, Type, Active, Clicks',
      lines: ({ links }, deps) =>
        links.map((each) => {
          const { shortlink_id, title, long_url, type, is_active, clicks } = presentPerformance(each, deps)
          return [shortlink_id, title, long_url, type, String(is_active), clicks]
        }),
    },
    rows,
    query: { page: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 1, description: 'From 1' })) },
  },
)

function presentPerformance({ link, type, title, isActive, count }: PerformingLink, { domains }: Deps) {
  const [domain = '', ...segments] = domains.shown(link.keywords[0] ?? link.id).split('/')
  return {
    clicks: count,
    title: title ?? '',
    is_active: isActive,
    long_url: link.longUrl,
    type,
    shortlink_id: domains.shown(link.id),
    domain,
    keyword: segments.join('/'),
  }
}

function urlOfPage(url: string, page: number): string {
  const found = new URL(url)
  found.searchParams.set('page', String(page))
  return found.href
}

type Row<S extends SitesSubject> = readonly [operationId: string, summary: string, report: Report<S>]

const ofSite: Readonly<Record<string, Row<SiteSubject>>> = {
  views: [
    'getSiteViews',
    'views of a site over time',
    reportOf(SiteViews, series, {
      find: find.series('views'),
      json: (found, input) => ({
        site_views: found.map(dated(({ count }, value) => ({ views: count, value }))),
        facet: 'views',
        ...echo(input),
      }),
      csv: csvOf.series('Views'),
    }),
  ],
  'views/summary': [
    'getSiteViewsSummary',
    'the total views of a site',
    reportOf(SiteViewsSummary, total, {
      find: find.total('views'),
      json: (found, input) => ({ total_views: found, ...echo(input) }),
    }),
  ],
  countries: ['getSiteCountries', 'views of a site by country', viewsBy('countries')],
  cities: [
    'getSiteCities',
    'views of a site by city',
    reportOf(SiteCityViews, biggestFirst, {
      find: find.cities('views'),
      json: ({ cities, otherCities, noCity }, input) => ({
        site_views: cities.map(({ city, count, ...place }) => ({ views: count, value: city, ...place })),
        other_metrics: { other_city_views: otherCities, no_city_views: noCity },
        facet: 'cities',
        ...echo(input),
      }),
      csv: csvOf.cities('Views'),
      rows,
    }),
  ],
  devices: ['getSiteDevices', 'views of a site by device type', viewsBy('devices')],
  referrers: ['getSiteReferrers', 'views of a site by referring site', viewsBy('referrers')],
  link_performance: ['getSiteLinkPerformance', 'the clicks on each link of a site', performance],
}

const titles = { views: 'Views', clicks: 'Clicks', downloads: 'Downloads' } as const satisfies Record<SiteCount, string>

function info(what: string, { subject: { sites, areAll } }: Input<SitesSubject>): string {
  if (areAll) return `${what} of all sites`
  return `${what} of ${sites.length} ${sites.length === 1 ? 'site' : 'sites'}`
}

function overTime(what: SiteCount): Report {
  return reportOf(SitesSeries, series, {
    find: find.series(what),
    json: (found, input) => ({
      clicks: found.map(({ start, count }) => ({ date: Math.floor(start / 1000), clicks: count })),
      info: info(titles[what], input),
      ...echo(input),
    }),
    csv: csvOf.series(titles[what]),
  })
}

function totalsBy(what: SiteCount, facet: Facet): Report {
  const [name, column] = facets[facet]
  return reportOf(SitesFacet, biggestFirst, {
    find: find.by(what, name),
    json: (found, input) => ({
      totals_for_time_period: found.map(({ value, count }) => ({ value, clicks: count })),
      facet,
      info: info(titles[what], input),
      ...echo(input),
    }),
    csv: csvOf.rows(column, titles[what]),
    rows,
  })
}

function totalsByCity(what: SiteCount): Report {
  return reportOf(SitesCities, biggestFirst, {
    find: find.cities(what),
    json: ({ cities }, input) => ({
      totals_for_time_period: cities.map(({ count, ...place }) => ({ ...place, clicks: count })),
      facet: 'cities',
      info: info(titles[what], input),
      ...echo(input),
    }),
    csv: csvOf.cities(titles[what]),
    rows,
  })
}

const overview = reportOf(SitesOverview, 'The totals for the whole window.', {
  find: async (deps: Deps, input: Input<SitesSubject>) => {
    return { views: await find.total('views')(deps, input), clicks: await find.total('clicks')(deps, input) }
  },
  json: (found, input) => ({ ...found, info: info('Views and clicks', input) }),
})

const topButtons: Report = {
  ...shaped<typeof SortedButtons, Deps, SitesSubject>(
    SortedButtons,
    'Most clicked first, and the views of each page. Links without clicks and deleted links are left out.',
    async (deps, input) => {
      const found = await rankButtons(deps, input, input.size)
      const buttons = found.buttons.map(({ site, link, block, count }) => ({
        id: block?.id ?? deps.domains.shown(link.id),
        button_type: block?.type ?? 'shortlink',
        title: block?.title ?? link.title ?? link.longUrl,
        microsite_guid: site.guid,
        count,
      }))
      return {
        info: info(titles.clicks, input),
        sorted_buttons: buttons.map(({ id, count }) => ({ id, clicks: count })),
        buttons: buttons.map(({ count: _, ...button }) => button),
        page_views: found.views.map(({ site, count }) => ({
          microsite_guid: site.guid,
          uri: deps.domains.shown(site.address),
          views: count,
        })),
      }
    },
  ),
  rows,
  query: { brand_guid: optionalText(ignored) },
}

const ofSites: Readonly<Record<string, Row<SitesSubject>>> = {
  overview: ['getSitesOverview', 'the total views and clicks', overview],
  'views/over_time': ['getSitesViews', 'views over time', overTime('views')],
  'views/countries': ['getSitesViewsByCountry', 'views by country', totalsBy('views', 'countries')],
  'views/cities': ['getSitesViewsByCity', 'views by city', totalsByCity('views')],
  'views/devices': ['getSitesViewsByDevice', 'views by device type', totalsBy('views', 'devices')],
  'views/referrers': ['getSitesViewsByReferrer', 'views by referring site', totalsBy('views', 'referrers')],
  'clicks/over_time': ['getSitesClicks', 'clicks over time', overTime('clicks')],
  'clicks/countries': ['getSitesClicksByCountry', 'clicks by country', totalsBy('clicks', 'countries')],
  'clicks/cities': ['getSitesClicksByCity', 'clicks by city', totalsByCity('clicks')],
  'clicks/devices': ['getSitesClicksByDevice', 'clicks by device type', totalsBy('clicks', 'devices')],
  'clicks/top': ['getSitesTopButtons', 'the most clicked buttons', topButtons],
  'digital_business_card_downloads/over_time': [
    'getSitesCardDownloads',
    'downloads of business cards over time',
    overTime('downloads'),
  ],
}
