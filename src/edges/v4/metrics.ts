/** All metric operations of v4: for short links, custom short links, groups and QR codes. */
import { Type } from 'typebox'
import { type EngagementKind, engagementKinds } from '../../core/clicks/dimensions.js'
import type { KeywordDeps } from '../../core/links/keywords.js'
import type { FindDeps } from '../../core/links/read.js'
import { reportFacet } from '../../core/metrics/facets.js'
import { type LinkFilterDeps, linkFilter, type TagFilterDeps, tagFilter } from '../../core/metrics/filters.js'
import type { ReportDeps } from '../../core/metrics/report.js'
import {
  type GroupSubject,
  groupSubject,
  keywordSubject,
  linkSubject,
  qrCodeSubject,
  type Subject,
} from '../../core/metrics/report-subject.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { keywordPath } from './custom-shortlinks.js'
import { type EngagementReportDeps, engagementReportRoutes } from './engagement-reports.js'
import {
  cities,
  clickSeries,
  clickSummary,
  destinations,
  devices,
  echo,
  engagementSeries,
  engagementSummary,
  faceted,
  overTime,
  referrersByDomain,
  scanSeries,
  scanSummary,
  scansBy,
  scansByCity,
  sortedEngagements,
  sortedLinks,
  type TopDeps,
  topLinks,
  topScans,
} from './metric-answers.js'
import {
  filterParameter,
  type MetricPlace,
  type MetricReport,
  metricRoute,
  type Operation,
} from './metric-operation.js'
import { metricSchemas } from './schemas/metrics.js'

export type MetricRouteDeps = EngagementReportDeps & Pick<KeywordDeps, 'links' | 'domains' | 'plans'>

export function metricRoutes(http: TypedFastify, deps: MetricRouteDeps): void {
  for (const shared of metricSchemas) http.addSchema(shared)
  for (const operation of linkMetrics) metricRoute(http, deps, linkPlace(deps), operation)
  for (const operation of customMetrics) metricRoute(http, deps, customPlace(deps), operation)
  for (const operation of groupMetrics) metricRoute(http, deps, groupPlace(deps), operation)
  for (const operation of scanMetrics) metricRoute(http, deps, qrCodePlace(deps), operation)
  engagementReportRoutes(http, deps, { group: groupPlace(deps), qrCode: qrCodePlace(deps) })
}

type Row<Deps extends ReportDeps, S extends Subject> = readonly [
  operationId: string,
  summary: string,
  report: MetricReport<Deps, S>,
  params?: Operation<Deps, S>['params'],
]

/** Operations by their path. The summary of each begins with `prefix`. */
function operations<Deps extends ReportDeps = ReportDeps, S extends Subject = Subject>(
  kinds: readonly EngagementKind[],
  prefix: string,
  rows: Readonly<Record<string, Row<Deps, S>>>,
): readonly Operation<Deps, S>[] {
  return Object.entries(rows).map(([path, [operationId, summary, report, params = {}]]) => {
    return { path, operationId, summary: `${prefix} ${summary}`, kinds, report, params }
  })
}

// An operation named "clicks" counts clicks only, so that the numbers add up. Engagements include scans.
const clicks = ['click'] as const
const scans = ['scan'] as const

const cityColumns = 'City, Subregion, Region, Country, Clicks'
const sitesWithHosts = {
  header: 'Referrers, Domain/Sub-Domain, Clicks',
  by: ['referrerName', 'referrerDomain'],
} as const

const linkMetrics: readonly Operation[] = [
  ...operations(clicks, 'Get', {
    clicks: ['getClicks', 'clicks of a short link over time', clickSeries('Date, Clicks')],
    'clicks/summary': ['getClicksSummary', 'the total clicks of a short link', clickSummary],
  }),
  ...operations(engagementKinds, 'Get', {
    engagements: [
      'getEngagements',
      'engagements (clicks, scans, button clicks) of a short link over time',
      engagementSeries,
    ],
    'engagements/summary': [
      'getEngagementsSummary',
      'the total engagements (clicks, scans, button clicks) of a short link',
      engagementSummary,
    ],
  }),
  ...operations(clicks, 'Get clicks of a short link by', {
    countries: ['getCountries', 'country', faceted('country', 'countries', 'Country, Clicks')],
    cities: ['getCities', 'city', cities(cityColumns)],
    devices: ['getDevices', 'device type', devices],
    referrers: ['getReferrers', 'referring site', faceted('referrerName', 'referrers', sitesWithHosts)],
    // This facet has no name of its own.
    referrer_name: ['getReferrerNames', 'referrer name', faceted('referrerName', 'referrers', 'Referrer-Name,Clicks')],
    referring_domains: ['getReferringDomains', 'referring domain', faceted('referrerDomain', 'referring_domains')],
    referrers_by_domains: ['getReferrersByDomains', 'referrer, grouped by site', referrersByDomain],
    agentic_traffic: ['getAgenticTraffic', 'AI agent', faceted('aiAgent', 'agentic_traffic', 'Agent, Clicks')],
  }),
]

function linkPlace(deps: FindDeps): MetricPlace<Subject> {
  return {
    path: 'shortlinks/:domain/:hash',
    statuses: [404, 410],
    access: (actor, { domain = '', hash = '' }) => linkSubject(deps, actor, domain, hash),
  }
}

const customMetrics = operations(clicks, 'Get clicks of a custom short link', {
  clicks: ['getCustomShortlinkClicks', 'over time, across all its destinations', clickSeries()],
  clicks_by_destination: ['getCustomShortlinkClicksByDestination', 'by destination', destinations],
})

/** Metrics of a custom short link, across all the short links it has pointed to. */
function customPlace(deps: Pick<KeywordDeps, 'links' | 'domains'>): MetricPlace<Subject> {
  return {
    path: 'custom_shortlinks/:domain/:keyword',
    params: keywordPath,
    statuses: [404, 410],
    access: (actor, { domain = '', keyword = '' }) => keywordSubject(deps, actor, { domain, keyword }),
  }
}

const sort = { sort: Type.Enum(['clicks'], { type: 'string', description: 'The metric to sort by' }) }

const countries = faceted('country', 'countries')

/** Rows need no feature of the plan, a total of a group does; there are fewer agents than rows. */
const agenticRollup: MetricReport = {
  ...clickSummary,
  description: 'The total of the last 90 days, whatever the window.',
  json: async (deps, input) => {
    const report = { ...input, window: { ...input.window, unit: 'day', units: 90 } as const }
    const found = await reportFacet(deps, report, ['aiAgent'], 1000)
    return { total_clicks: found.reduce((sum, { count }) => sum + count, 0), ...echo(report) }
  },
}

const groupMetrics: readonly Operation<TopDeps, GroupSubject>[] = [
  ...operations<TopDeps, GroupSubject>(clicks, "Rank a group's short links", {
    'shortlinks/:sort': ['getSortedShortlinks', 'by clicks', sortedLinks, sort],
  }),
  ...operations<TopDeps, GroupSubject>(engagementKinds, "Rank a group's short links", {
    'engagements/sorted/top': ['getSortedEngagements', 'and QR codes together by engagements', sortedEngagements],
    'engagements/top': ['getTopEngagements', 'by engagements', topLinks],
  }),
  ...operations(engagementKinds, "Get a group's engagements", {
    'engagements/over_time': ['getGroupEngagements', 'over time', overTime],
  }),
  ...operations(clicks, "Get a group's clicks", {
    clicks: ['getGroupClicks', 'over time', overTime],
    countries: ['getGroupCountries', 'by country', faceted('country', 'countries', 'Country, Clicks')],
    cities: ['getGroupCities', 'by city', cities(cityColumns)],
    devices: ['getGroupDevices', 'by device type', devices],
    referring_networks: [
      'getGroupReferringNetworks',
      'by referring network',
      faceted('referrerNetwork', 'referring_networks'),
    ],
    'agentic_traffic/rollup': ['getGroupAgenticTraffic', 'by AI agents in 90 days', agenticRollup],
    referrers: ['getGroupReferrers', 'by referring site', faceted('referrerName', 'referrers', 'Referrer,Clicks')],
  }),
  ...operations(clicks, "Get clicks on a group's short links", {
    'links/clicks/over_time': ['getGroupLinkClicks', 'over time', overTime],
    'links/clicks/devices': ['getGroupLinkClicksByDevice', 'by device type', faceted('device', 'devices')],
    'links/clicks/referrers': [
      'getGroupLinkClicksByReferrer',
      'by referring site',
      faceted('referrerName', 'referrers'),
    ],
    'links/clicks/countries': ['getGroupLinkClicksByCountry', 'by country', countries],
    'links/clicks/cities': ['getGroupLinkClicksByCity', 'by city', cities()],
  }),
  ...operations<TopDeps, GroupSubject>(clicks, "List a group's most clicked", {
    'links/clicks/top': ['getTopLinkClicks', 'short links', topLinks],
  }),
  ...operations(scans, "Get scans of a group's QR codes", {
    'codes/scans/over_time': ['getGroupScans', 'over time', overTime],
    'codes/scans/countries': ['getGroupScansByCountry', 'by country', countries],
    'codes/scans/cities': ['getGroupScansByCity', 'by city', cities()],
  }),
  ...operations<TopDeps, GroupSubject>(scans, "List a group's most scanned", {
    'codes/scans/top': ['getTopScans', 'short links', topScans],
  }),
]

function groupPlace(deps: LinkFilterDeps & TagFilterDeps): MetricPlace<GroupSubject> {
  return {
    path: 'groups/:group_guid',
    statuses: [],
    query: { link: filterParameter('sho.rt/3xYz12A'), tag: filterParameter('autumn') },
    access: (actor, { group_guid = '' }) => groupSubject(actor, group_guid),
    records: ({ scope }) => ({
      link: (filter) => linkFilter(deps, scope.groupGuid, filter),
      tag: (filter) => tagFilter(deps, scope.groupGuid, filter),
    }),
  }
}

/** The scans of one QR code (docs/api/qr-codes.md#scans). */
const scanMetrics = operations(scans, 'Get', {
  scans: ['getScans', 'scans of a QR code over time', scanSeries],
  'scans/summary': ['getScansSummary', 'the total scans of a QR code', scanSummary],
  'scans/countries': ['getScansByCountry', 'scans of a QR code by country', scansBy('country', 'countries', 'Country')],
  'scans/cities': ['getScansByCity', 'scans of a QR code by city', scansByCity],
  'scans/device_os': [
    'getScansByDeviceOs',
    'scans of a QR code by operating system',
    scansBy('os', 'device_os', 'Device OS'),
  ],
  'scans/browsers': ['getScansByBrowser', 'scans of a QR code by browser', scansBy('browser', 'browsers', 'Browser')],
})

function qrCodePlace(deps: Parameters<typeof qrCodeSubject>[0]): MetricPlace<Subject> {
  return {
    path: 'qr-codes/:qrcode_id',
    statuses: [404, 410],
    access: (actor, { qrcode_id = '' }) => qrCodeSubject(deps, actor, qrcode_id),
  }
}
