/** All metric operations of v4: for short links, custom short links, groups and QR codes. */

import type { KeywordDeps } from '../../core/links/keywords.js'
import type { FindDeps } from '../../core/links/read.js'
import type { ReportDeps } from '../../core/metrics/report.js'
import { allKinds, keywordSubject, linkSubject } from '../../core/metrics/report-subject.js'
import type { Clock } from '../../core/values/time.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { KeywordPath } from './custom-shortlinks.js'
import { type EngagementReportDeps, engagementReportRoutes } from './engagement-reports.js'
import { type GroupMetricDeps, groupMetricRoutes } from './group-metrics.js'
import {
  cities,
  clickSeries,
  clickSummary,
  destinations,
  devices,
  engagementSeries,
  engagementSummary,
  faceted,
  referrersByDomain,
} from './metric-answers.js'
import { type Operation, runMetric, schemaOf } from './metric-operation.js'
import { type QrScanDeps, qrScanRoutes } from './qr-scans.js'
import { route } from './route.js'
import { LinkPath } from './schemas/fields.js'
import { metricSchemas } from './schemas/metrics.js'

export type MetricRouteDeps = LinkMetricDeps & CustomMetricDeps & GroupMetricDeps & QrScanDeps & EngagementReportDeps

export function metricRoutes(http: TypedFastify, deps: MetricRouteDeps): void {
  for (const shared of metricSchemas) http.addSchema(shared)
  linkMetricRoutes(http, deps)
  customMetricRoutes(http, deps)
  groupMetricRoutes(http, deps)
  qrScanRoutes(http, deps)
  engagementReportRoutes(http, deps)
}

interface LinkMetricDeps extends ReportDeps, FindDeps {
  readonly clock: Clock
}

// An operation named "clicks" counts clicks only, so that the numbers add up. Engagements include scans.
const clicks = ['click'] as const

const linkMetrics: readonly Operation[] = [
  {
    path: 'clicks',
    operationId: 'getClicks',
    summary: 'Get clicks of a short link over time',
    kinds: clicks,
    report: clickSeries('Date, Clicks'),
  },
  {
    path: 'clicks/summary',
    operationId: 'getClicksSummary',
    summary: 'Get the total clicks of a short link',
    kinds: clicks,
    report: clickSummary,
  },
  {
    path: 'engagements',
    operationId: 'getEngagements',
    summary: 'Get engagements (clicks, scans, button clicks) of a short link over time',
    kinds: allKinds,
    report: engagementSeries,
  },
  {
    path: 'engagements/summary',
    operationId: 'getEngagementsSummary',
    summary: 'Get the total engagements (clicks, scans, button clicks) of a short link',
    kinds: allKinds,
    report: engagementSummary,
  },
  {
    path: 'countries',
    operationId: 'getCountries',
    summary: 'Get clicks of a short link by country',
    kinds: clicks,
    report: faceted('countries', 'countries', { header: 'Country, Clicks', facet: 'countries' }),
  },
  {
    path: 'cities',
    operationId: 'getCities',
    summary: 'Get clicks of a short link by city',
    kinds: clicks,
    report: cities('City, Subregion, Region, Country, Clicks'),
  },
  {
    path: 'devices',
    operationId: 'getDevices',
    summary: 'Get clicks of a short link by device type',
    kinds: clicks,
    report: devices,
  },
  {
    path: 'referrers',
    operationId: 'getReferrers',
    summary: 'Get clicks of a short link by referring site',
    kinds: clicks,
    report: faceted('referrers', 'referrers', {
      header: 'Referrers, Domain/Sub-Domain, Clicks',
      facet: 'referrersWithDomains',
    }),
  },
  {
    path: 'referrer_name',
    operationId: 'getReferrerNames',
    summary: 'Get clicks of a short link by referrer name',
    kinds: clicks,
    // This facet has no name of its own.
    report: faceted('referrers', 'referrers', { header: 'Referrer-Name,Clicks', facet: 'referrers' }),
  },
  {
    path: 'referring_domains',
    operationId: 'getReferringDomains',
    summary: 'Get clicks of a short link by referring domain',
    kinds: clicks,
    report: faceted('referringDomains', 'referring_domains'),
  },
  {
    path: 'referrers_by_domains',
    operationId: 'getReferrersByDomains',
    summary: 'Get clicks of a short link by referrer, grouped by site',
    kinds: clicks,
    report: referrersByDomain,
  },
]

function linkMetricRoutes(http: TypedFastify, deps: LinkMetricDeps): void {
  for (const operation of linkMetrics) {
    const schema = { ...schemaOf(operation, 'link', 400, 403, 404, 410), params: LinkPath }
    route(http, `GET /v4/shortlinks/:domain/:hash/${operation.path}`, {
      access: ({ actor, params }) => linkSubject(deps, actor, params.domain, params.hash),
      schema,
      answer: (request, subject, reply) => runMetric(operation, deps, subject, request, reply),
    })
  }
}

interface CustomMetricDeps extends ReportDeps, Pick<KeywordDeps, 'links' | 'domains' | 'plans'> {
  readonly clock: Clock
}

const customMetrics: readonly Operation[] = [
  {
    path: 'clicks',
    operationId: 'getCustomShortlinkClicks',
    summary: 'Get clicks of a custom short link over time, across all its destinations',
    kinds: ['click'],
    report: clickSeries(),
  },
  {
    path: 'clicks_by_destination',
    operationId: 'getCustomShortlinkClicksByDestination',
    summary: 'Get clicks of a custom short link by destination',
    kinds: ['click'],
    report: destinations,
  },
]

/** Metrics of a custom short link, across all the short links it has pointed to. */
function customMetricRoutes(http: TypedFastify, deps: CustomMetricDeps): void {
  for (const operation of customMetrics) {
    const schema = { ...schemaOf(operation, 'custom short link', 400, 403, 404, 410), params: KeywordPath }
    route(http, `GET /v4/custom_shortlinks/:domain/:keyword/${operation.path}`, {
      access: ({ actor, params }) => keywordSubject(deps, actor, params),
      schema,
      answer: (request, subject, reply) => runMetric(operation, deps, subject, request, reply),
    })
  }
}
