/**
 * Engagements of links, groups, campaigns and QR codes in one format (docs/api/metrics.md#engagement-reports): totals, over
 * time, and by any dimension. Additions to the public API, whose own reports each have a format of their own.
 */
import { type Static, type TSchema, Type } from 'typebox'
import type { EngagementKind } from '../../core/clicks/click.js'
import type { FindDeps } from '../../core/links/read.js'
import {
  type CampaignReportDeps,
  type CampaignSubject,
  campaignSubject,
  channelFilter,
  rankCampaignLinks,
  reportChannels,
} from '../../core/metrics/campaign-report.js'
import { reportCities, reportFacet } from '../../core/metrics/facets.js'
import { linkFilter } from '../../core/metrics/filters.js'
import { reportLastClicks } from '../../core/metrics/last-clicks.js'
import { type RankedLink, rankLinks } from '../../core/metrics/rankings.js'
import { type ReportDeps, reportEngagements, reportSeries, reportTotal } from '../../core/metrics/report.js'
import type { Facet, ReportDescription } from '../../core/metrics/report-features.js'
import {
  allKinds,
  type GroupSubject,
  groupSubject,
  qrCodeSubject,
  type Subject,
  wholeLinkSubject,
} from '../../core/metrics/report-subject.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { CampaignPath } from './campaigns.js'
import type { GroupMetricDeps } from './group-metrics.js'
import { dated, echo, rankedRows, shaped, texts } from './metric-answers.js'
import { filterParameter, type MetricReport, type RecordFilters, runMetric, schemaOf } from './metric-operation.js'
import type { QrScanDeps } from './qr-scans.js'
import { type RouteRequest, route } from './route.js'
import { GroupPath } from './schemas/accounts.js'
import { LinkPath } from './schemas/fields.js'
import { EngagementRows, EngagementTotals, LastEngagements, OverTimeSeries } from './schemas/metrics.js'
import { QrCodePath } from './schemas/qr-code.js'

export type EngagementReportDeps = FindDeps & GroupMetricDeps & CampaignReportDeps & QrScanDeps

type Report<S extends Subject> = MetricReport<EngagementReportDeps, S>
type Row = Static<typeof EngagementRows>['metrics'][number]

const totals: Report<Subject> = shaped('total', EngagementTotals, texts.total, async (deps: ReportDeps, input) => {
  const { count, byKind } = await reportEngagements(deps, { ...input, kinds: allKinds, measure: 'events' })
  const visitors = await reportTotal(deps, { ...input, kinds: allKinds, measure: 'visitors' })
  const { click: clicks, scan: scans, button: button_clicks } = byKind
  return { engagements: count, clicks, scans, button_clicks, visitors, ...echo(input) }
})

const overTime: Report<Subject> = {
  ...shaped('series', OverTimeSeries, texts.series, async (deps: ReportDeps, input) => {
    const buckets = await reportSeries(deps, input)
    return { data: buckets.map(dated(({ count }, ts) => ({ ts, count }))), ...echo(input) }
  }),
  csv: {
    header: 'Date,Count',
    lines: async (deps, input) => (await reportSeries(deps, input)).map(dated(({ count }, date) => [date, count])),
  },
}

const latest: Report<Subject> = {
  ...shaped('ranking', LastEngagements, 'Newest first.', async (deps: EngagementReportDeps, input) => {
    const found = await reportLastClicks(deps, input, input.size)
    const engagements = found.map(({ at, kind, address, referrerNetwork, ...facts }) => ({
      clicked_at: new Date(at).toISOString(),
      type: kind,
      shortlink: deps.domains.shown(address),
      ...facts,
      referrer_network: referrerNetwork,
    }))
    return { engagements, ...echo(input) }
  }),
  rows: { max: 100, preset: 10 },
}

/** `columns` names the texts of a row, in the order of the CSV. */
function by<S extends Subject>(
  type: ReportDescription['type'],
  columns: readonly (readonly [field: keyof Row & string, title: string])[],
  rows: (...of: Parameters<Report<S>['json']>) => Promise<readonly Row[]>,
): Report<S> {
  return {
    ...shaped(type, EngagementRows, texts.biggestFirst, async (deps: EngagementReportDeps, input) => ({
      metrics: [...(await rows(deps, input))],
      ...echo(input),
    })),
    rows: rankedRows,
    csv: {
      header: [...columns.map(([, title]) => title), 'Count'].join(','),
      lines: async (deps, input) =>
        (await rows(deps, input)).map((row) => [...columns.map(([field]) => row[field] ?? ''), row.count]),
    },
  }
}

function byFacet(facet: Facet, title: string): Report<Subject> {
  return by(facet, [['value', title]], async (deps, input) => {
    const found = await reportFacet(deps, input, facet, input.size)
    return found.map(({ values, count }) => ({ value: values[0] ?? '', count }))
  })
}

const ofAll = {
  countries: byFacet('countries', 'Country'),
  cities: by<Subject>(
    'cities',
    [
      ['value', 'City'],
      ['region', 'Region'],
      ['country', 'Country'],
    ],
    async (deps, input) => {
      const { cities } = await reportCities(deps, input, input.size)
      return cities.map(({ city, region, country, count }) => ({ value: city, region, country, count }))
    },
  ),
  referrers: byFacet('referrers', 'Referrer'),
  referring_domains: byFacet('referringDomains', 'Domain'),
  referring_networks: byFacet('referringNetworks', 'Network'),
  devices: byFacet('devices', 'Device'),
  os: byFacet('systems', 'Operating system'),
  browsers: byFacet('browsers', 'Browser'),
  destinations: byFacet('destinations', 'Destination'),
  addresses: by<Subject>('addresses', [['value', 'Address']], async (deps, input) => {
    const found = await reportFacet(deps, input, 'addresses', input.size)
    return found.map(({ values, count }) => ({ value: deps.domains.shown(values[0] ?? ''), count }))
  }),
}

function byLink<S extends Subject>(
  rank: (deps: EngagementReportDeps, input: Parameters<Report<S>['json']>[1]) => Promise<readonly RankedLink[]>,
): Report<S> {
  const columns = [
    ['value', 'Link'],
    ['name', 'Title'],
    ['destination', 'Destination'],
  ] as const
  return by('ranking', columns, async (deps, input) => {
    const ranked = await rank(deps, input)
    return ranked.map(({ link: { id, title, longUrl }, count }) => ({
      value: deps.domains.shown(id),
      name: title ?? '',
      destination: longUrl,
      count,
    }))
  })
}

const ofGroup = { links: byLink<GroupSubject>((deps, input) => rankLinks(deps, input, input.size)) }

const ofCampaign = {
  links: byLink<CampaignSubject>((deps, input) => rankCampaignLinks(deps, input, input.size)),
  channels: by<CampaignSubject>(
    'total',
    [
      ['value', 'Channel'],
      ['name', 'Name'],
    ],
    async (deps, input) =>
      (await reportChannels(deps, input)).map(({ guid, name, count }) => ({ value: guid, name, count })),
  ),
}

/** What has metrics. */
interface Place<S extends Subject> {
  readonly path: string
  /** In the ids of the operations, and in their summaries. */
  readonly name: string
  readonly title: string
  readonly of: ReportDescription['of']
  readonly params: { readonly properties: Readonly<Record<string, TSchema>> }
  readonly query?: Readonly<Record<string, TSchema>>
  readonly statuses: readonly (400 | 403 | 404 | 410)[]
  readonly access: (actor: RouteRequest['actor'], params: Readonly<Record<string, string>>) => S | Promise<S>
  readonly records?: (subject: S) => RecordFilters
  readonly dimensions: Readonly<Record<string, Report<S>>>
}

export function engagementReportRoutes(http: TypedFastify, deps: EngagementReportDeps): void {
  add(http, deps, {
    path: 'shortlinks/:domain/:hash',
    name: 'Link',
    title: 'a short link, with all its back-halves',
    of: 'link',
    params: LinkPath,
    statuses: [400, 403, 404, 410],
    access: (actor, { domain = '', hash = '' }) => wholeLinkSubject(deps, actor, domain, hash),
    dimensions: ofAll,
  })
  add(http, deps, {
    path: 'groups/:group_guid',
    name: 'Group',
    title: 'a group',
    of: 'group',
    params: GroupPath,
    statuses: [400, 403],
    access: (actor, { group_guid = '' }) => groupSubject(actor, group_guid),
    records: ({ scope }) => ({ link: (filter) => linkFilter(deps, scope.groupGuid, filter) }),
    dimensions: { ...ofAll, ...ofGroup },
  })
  add(http, deps, {
    path: 'campaigns/:campaign_guid',
    name: 'Campaign',
    title: "a campaign's links",
    of: 'group',
    params: CampaignPath,
    query: { channel: filterParameter('H3xYz12AbCd') },
    statuses: [400, 403, 404],
    access: (actor, { campaign_guid = '' }) => campaignSubject(deps, actor, campaign_guid),
    records: (subject) => ({
      link: (filter) => linkFilter(deps, subject.groupGuid, filter),
      channel: async (filter) => channelFilter(subject, filter),
    }),
    dimensions: { ...ofAll, ...ofCampaign },
  })
  add(http, deps, {
    path: 'qr-codes/:qrcode_id',
    name: 'QrCode',
    title: 'the address of a QR code',
    of: 'QR code',
    params: QrCodePath,
    statuses: [400, 403, 404, 410],
    access: (actor, { qrcode_id = '' }) => qrCodeSubject(deps, actor, qrcode_id),
    dimensions: ofAll,
  })
}

const kindQuery = {
  kind: Type.Optional(
    Type.Enum(['click', 'scan', 'button'], { type: 'string', description: 'Only engagements of this kind' }),
  ),
}

function add<S extends Subject>(http: TypedFastify, deps: EngagementReportDeps, place: Place<S>): void {
  const { name, title, statuses } = place
  const kinds = allKinds
  const schema = (
    operationId: string,
    summary: string,
    report: Report<S>,
    more: Readonly<Record<string, TSchema>>,
  ) => ({
    ...schemaOf(
      { operationId, summary, report: { ...report, query: { ...more, ...place.query } } },
      place.of,
      ...statuses,
    ),
  })
  const access = ({ actor, params }: RouteRequest) => place.access(actor, params as Readonly<Record<string, string>>)
  const run = (report: Report<S>) => (request: Asked, subject: S, reply: Parameters<typeof runMetric>[4]) => {
    const { kind } = request.query as { readonly kind?: EngagementKind }
    return runMetric({ report, kinds: kind ? [kind] : kinds }, deps, subject, request, reply, place.records?.(subject))
  }
  route(http, `GET /v4/${place.path}/metrics`, {
    access,
    schema: {
      ...schema(`get${name}Metrics`, `Get the total engagements of ${title}`, totals, {}),
      params: place.params,
    },
    answer: run(totals),
  })
  route(http, `GET /v4/${place.path}/metrics/over_time`, {
    access,
    schema: {
      ...schema(`get${name}MetricsOverTime`, `Get engagements of ${title} over time`, overTime, kindQuery),
      params: place.params,
    },
    answer: run(overTime),
  })
  route(http, `GET /v4/${place.path}/metrics/latest`, {
    access,
    schema: {
      ...schema(`get${name}MetricsLatest`, `List the last engagements of ${title}`, latest, kindQuery),
      params: place.params,
    },
    answer: run(latest),
  })
  const names = Object.keys(place.dimensions)
  const any: Report<S> = {
    ...ofAll.countries,
    description: 'Biggest first.',
    csv: { header: 'those of the row, then Count', lines: async () => [] },
  }
  route(http, `GET /v4/${place.path}/metrics/:dimension`, {
    access,
    schema: {
      ...schema(
        `get${name}MetricsBy`,
        `Get engagements of ${title} by country, referrer or another dimension`,
        any,
        kindQuery,
      ),
      params: Type.Object({
        ...place.params.properties,
        dimension: Type.Enum(names, { type: 'string', description: 'What a row is' }),
      }),
    },
    answer: (request, subject, reply) => {
      const report = place.dimensions[(request.params as { readonly dimension: string }).dimension]
      return run(report ?? any)(request, subject, reply)
    },
  })
}

interface Asked {
  readonly query: unknown
  readonly headers: { readonly accept?: string | undefined }
}
