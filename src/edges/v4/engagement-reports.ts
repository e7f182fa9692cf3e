/**
 * Engagements of links, groups, campaigns and QR codes in one format (docs/api/metrics.md#engagement-reports): totals, over
 * time, and by any dimension. Additions to the public API, whose own reports each have a format of their own.
 */
import { type Static, Type } from 'typebox'
import { allDimensions, engagementKinds, type Name } from '../../core/clicks/dimensions.js'
import { type ExportJobDeps, exportClicks } from '../../core/exports/export-jobs.js'
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
import { linkFilter, type TagFilterDeps, tagFilter } from '../../core/metrics/filters.js'
import { reportHoursOfWeek } from '../../core/metrics/hours-of-week.js'
import { clickFields, type LastEngagement, maxClicksInFile, reportLastClicks } from '../../core/metrics/last-clicks.js'
import { type RankedLink, rankLinks } from '../../core/metrics/rankings.js'
import { type ReportDeps, reportEngagements, reportSeries, reportTotal } from '../../core/metrics/report.js'
import { type GroupSubject, type Subject, wholeLinkSubject } from '../../core/metrics/report-subject.js'
import type { ReadQrCodeDeps } from '../../core/qr-codes/read.js'
import type { Clock } from '../../core/values/time.js'
import { csvRow } from '../../lib/csv.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { exportAnswers, presentExportJob } from './export-jobs.js'
import { dated, echo, rankedRows, shaped, type TopDeps, texts } from './metric-answers.js'
import {
  filterParameter,
  type MetricPlace,
  type MetricReport,
  metricRoute,
  type Operation,
  reportRequest,
} from './metric-operation.js'
import type { PresentDeps } from './present.js'
import { route } from './route.js'
import { refusals } from './schemas/error.js'
import { pageFields, pagination } from './schemas/lists.js'
import { EngagementRows, EngagementTotals, HoursOfWeek, LastEngagements, OverTimeSeries } from './schemas/metrics.js'

export type EngagementReportDeps = FindDeps &
  TopDeps &
  CampaignReportDeps &
  ReadQrCodeDeps &
  ExportJobDeps &
  TagFilterDeps & { readonly clock: Clock }

type Report<S extends Subject> = MetricReport<EngagementReportDeps, S>
type Row = Static<typeof EngagementRows>['metrics'][number]

const totals: Report<Subject> = shaped(EngagementTotals, texts.total, async (deps: ReportDeps, input) => {
  const { count, byKind } = await reportEngagements(deps, { ...input, kinds: engagementKinds, measure: 'events' })
  const visitors = await reportTotal(deps, { ...input, kinds: engagementKinds, measure: 'visitors' })
  const { click: clicks, scan: scans, button: button_clicks } = byKind
  return { engagements: count, clicks, scans, button_clicks, visitors, ...echo(input) }
})

const overTime: Report<Subject> = {
  ...shaped(OverTimeSeries, texts.series, async (deps: ReportDeps, input) => {
    const buckets = await reportSeries(deps, input)
    return { data: buckets.map(dated(({ count }, ts) => ({ ts, count }))), ...echo(input) }
  }),
  csv: {
    header: 'Date,Count',
    lines: async (deps, input) => (await reportSeries(deps, input)).map(dated(({ count }, date) => [date, count])),
  },
}

const hoursOfWeek: Report<Subject> = {
  ...shaped(
    HoursOfWeek,
    'All 168 hours of a week, from Monday midnight on, in the zone of the window.',
    async (deps, input) => ({
      hours: [...(await reportHoursOfWeek(deps, input))],
      ...echo(input),
    }),
  ),
  csv: {
    header: 'Weekday,Hour,Count',
    lines: async (deps, input) =>
      (await reportHoursOfWeek(deps, input)).map(({ weekday, hour, count }) => [weekday, hour, count]),
  },
}

const clickHeader = ['clicked_at', 'type', 'link', ...clickFields.map(({ column }) => column)].join(',')

const latest: Report<Subject> = {
  ...shaped(LastEngagements, 'Single engagements, newest first.', async (deps: EngagementReportDeps, input) => {
    const { size, searchAfter, url } = input
    const found = await reportLastClicks(deps, input, { size, searchAfter })
    const engagements = found.items.map(({ at, texts: listed }) => ({
      clicked_at: new Date(at).toISOString(),
      type: listed.kind ?? '',
      shortlink: deps.domains.shown(listed.address ?? ''),
      ...Object.fromEntries(clickFields.map(({ name, column }) => [column, listed[name] ?? ''])),
    }))
    return { engagements, pagination: pagination(url, found.searchAfter, size), ...echo(input) }
  }),
  rows: { max: 100, preset: 10 },
  csv: {
    header: clickHeader,
    lines: async (deps, input) => {
      const { items } = await reportLastClicks(deps, input, input)
      return items.map((click) => clickCells(click, deps))
    },
  },
}

function clickCells({ at, texts: listed }: LastEngagement, { domains }: Pick<PresentDeps, 'domains'>) {
  return [
    new Date(at).toISOString(),
    listed.kind ?? '',
    domains.shown(listed.address ?? ''),
    ...clickFields.map(({ name }) => listed[name] ?? ''),
  ]
}

/** A row of an export in the background. */
export function clickLine(click: LastEngagement, deps: Pick<PresentDeps, 'domains'>): string {
  return csvRow(clickCells(click, deps))
}

/** `columns` names the texts of a row, in the order of the CSV. */
function by<S extends Subject>(
  columns: readonly (readonly [field: keyof Row & string, title: string])[],
  rows: (...of: Parameters<Report<S>['json']>) => Promise<readonly Row[]>,
): Report<S> {
  return {
    ...shaped(EngagementRows, texts.biggestFirst, async (deps: EngagementReportDeps, input) => ({
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

function byDimension(name: Name, title: string, shown = (_deps: EngagementReportDeps, text: string) => text) {
  return by<Subject>([['value', title]], async (deps, input) => {
    const found = await reportFacet(deps, input, [name], input.size)
    return found.map(({ values: [text = ''], count }) => ({ value: shown(deps, text), count }))
  })
}

const ofAll = {
  ...Object.fromEntries(
    allDimensions.flatMap(({ name, report }) => (report ? [[report.name, byDimension(name, report.title)]] : [])),
  ),
  cities: by<Subject>(
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
  addresses: byDimension('address', 'Address', ({ domains }, address) => domains.shown(address)),
}

function byLink<S extends Subject>(
  rank: (deps: EngagementReportDeps, input: Parameters<Report<S>['json']>[1]) => Promise<readonly RankedLink[]>,
): Report<S> {
  const columns = [
    ['value', 'Link'],
    ['name', 'Title'],
    ['destination', 'Destination'],
  ] as const
  return by(columns, async (deps, input) => {
    const ranked = await rank(deps, input)
    return ranked.map(({ link: { id, keywords, title, longUrl }, count }) => ({
      value: deps.domains.shown(id),
      name: title ?? '',
      address: deps.domains.shown(keywords[0] ?? id),
      destination: longUrl,
      count,
    }))
  })
}

const ofGroup = { links: byLink<GroupSubject>((deps, input) => rankLinks(deps, input, input.size)) }

const ofCampaign = {
  links: byLink<CampaignSubject>((deps, input) => rankCampaignLinks(deps, input, input.size)),
  channels: by<CampaignSubject>(
    [
      ['value', 'Channel'],
      ['name', 'Name'],
    ],
    async (deps, input) =>
      (await reportChannels(deps, input)).map(({ guid, name, count }) => ({ value: guid, name, count })),
  ),
}

/** Groups and QR codes have other metrics, too. */
interface SharedPlaces {
  readonly group: MetricPlace<GroupSubject>
  readonly qrCode: MetricPlace<Subject>
}

export function engagementReportRoutes(
  http: TypedFastify,
  deps: EngagementReportDeps,
  { group, qrCode }: SharedPlaces,
): void {
  const link: MetricPlace<Subject> = {
    path: 'shortlinks/:domain/:hash',
    statuses: [404, 410],
    access: (actor, { domain = '', hash = '' }) => wholeLinkSubject(deps, actor, domain, hash),
  }
  const campaign: MetricPlace<CampaignSubject> = {
    path: 'campaigns/:campaign_guid',
    query: { ...group.query, channel: filterParameter('H3xYz12AbCd') },
    statuses: [404],
    access: (actor, { campaign_guid = '' }) => campaignSubject(deps, actor, campaign_guid),
    records: (subject) => ({
      link: (filter) => linkFilter(deps, subject.groupGuid, filter),
      tag: (filter) => tagFilter(deps, subject.groupGuid, filter),
      channel: async (filter) => channelFilter(subject, filter),
    }),
  }
  add(http, deps, link, 'Link', 'a short link, with all its back-halves', ofAll)
  add(http, deps, group, 'Group', 'a group', { ...ofAll, ...ofGroup })
  add(http, deps, campaign, 'Campaign', "a campaign's links", { ...ofAll, ...ofCampaign })
  add(http, deps, qrCode, 'QrCode', 'the address of a QR code', ofAll)
}

const maxRows = maxClicksInFile.toLocaleString('en')

const kind = Type.Optional(
  Type.Enum([...engagementKinds], { type: 'string', description: 'Only engagements of this kind' }),
)

/** `name` is in the ids of the operations, `title` in their summaries. */
function add<S extends Subject>(
  http: TypedFastify,
  deps: EngagementReportDeps,
  place: MetricPlace<S>,
  name: string,
  title: string,
  reports: Readonly<Record<string, Report<S>>>,
): void {
  const kinds = engagementKinds
  const any: Report<S> = {
    ...ofAll.addresses,
    csv: { header: 'those of the row, then Count', lines: async () => [] },
  }
  const dimension = Type.Enum(Object.keys(reports), { type: 'string', description: 'What a row is' })
  const operations: readonly Omit<Operation<EngagementReportDeps, S>, 'kinds'>[] = [
    {
      path: 'metrics',
      operationId: `get${name}Metrics`,
      summary: `Get the total engagements of ${title}`,
      report: totals,
    },
    {
      path: 'metrics/over_time',
      operationId: `get${name}MetricsOverTime`,
      summary: `Get engagements of ${title} over time`,
      report: { ...overTime, query: { kind } },
    },
    {
      path: 'metrics/hours_of_week',
      operationId: `get${name}MetricsHoursOfWeek`,
      summary: `Get engagements of ${title} by weekday and hour`,
      report: { ...hoursOfWeek, query: { kind } },
    },
    {
      path: 'metrics/latest',
      operationId: `get${name}MetricsLatest`,
      summary: `List the last engagements of ${title}`,
      report: { ...latest, query: { kind, search_after: pageFields('').search_after } },
    },
    {
      path: 'metrics/:dimension',
      operationId: `get${name}MetricsBy`,
      summary: `Get engagements of ${title} by country, referrer or another dimension`,
      params: { dimension },
      report: { ...any, query: { kind } },
      reports,
    },
  ]
  for (const operation of operations) metricRoute(http, deps, place, { ...operation, kinds })

  const { report, ...asked } = reportRequest(deps, place, kinds, { kind })
  route(http, 'Metrics', `export${name}Engagements: POST /v4/${place.path}/metrics/latest/exports`, {
    scope: 'exports',
    ...asked,
    summary: `Export the engagements of ${title}`,
    description:
      `Writes single engagements, newest first, into a CSV file in the background, at most ${maxRows}. The answer is an export, ` +
      'which tells its state; its file can be fetched for a week.',
    response: { ...exportAnswers, ...refusals(...place.statuses, 402) },
    answer: async (request, subject: S) => {
      const wanted = await report(request, subject)
      return presentExportJob(await exportClicks(deps, request.actor, wanted, `${clickHeader}\n`), deps.config.baseUrl)
    },
  })
}
