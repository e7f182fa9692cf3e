/** Metrics of one short link. */
import type { FindDeps } from '../../core/links/read.js'
import type { ReportDeps } from '../../core/metrics/report.js'
import { allKinds, linkSubject } from '../../core/metrics/report-subject.js'
import type { Clock } from '../../core/values/time.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import {
  cities,
  clickSeries,
  clickSummary,
  devices,
  engagementSeries,
  engagementSummary,
  faceted,
  referrersByDomain,
} from './metric-answers.js'
import { type Operation, runMetric, schemaOf } from './metric-operation.js'
import { route } from './route.js'
import { LinkPath } from './schemas/link-path.js'

export interface LinkMetricDeps extends ReportDeps, FindDeps {
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

export function linkMetricRoutes(http: TypedFastify, deps: LinkMetricDeps): void {
  for (const operation of linkMetrics) {
    const schema = { ...schemaOf(operation, 'link', 400, 403, 404, 410), params: LinkPath }
    route(http, `GET /v4/shortlinks/:domain/:hash/${operation.path}`, {
      access: ({ actor, params }) => linkSubject(deps, actor, params.domain, params.hash),
      schema,
      answer: (request, subject, reply) => runMetric(operation, deps, subject, request, reply),
    })
  }
}
