/** The metrics of one short link: one table, one loop. */
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
import { answerMetric, type Operation, schemaOf } from './metric-operation.js'
import { route } from './route.js'
import { LinkPath } from './schemas/link-path.js'

export interface LinkMetricDeps extends ReportDeps, FindDeps {
  readonly clock: Clock
}

// Our choice: whatever says "clicks" counts clicks alone, so that all of it adds up. Scans are among the engagements.
const clicks = ['click'] as const

const linkMetrics: readonly Operation[] = [
  {
    path: 'clicks',
    operationId: 'getClicks',
    summary: 'Clicks over time',
    kinds: clicks,
    answer: clickSeries('Date, Clicks'),
  },
  {
    path: 'clicks/summary',
    operationId: 'getClicksSummary',
    summary: 'Sum of clicks',
    kinds: clicks,
    answer: clickSummary,
  },
  {
    path: 'engagements',
    operationId: 'getEngagements',
    summary: 'Clicks, scans and button clicks over time',
    kinds: allKinds,
    answer: engagementSeries,
  },
  {
    path: 'engagements/summary',
    operationId: 'getEngagementsSummary',
    summary: 'Sum of clicks, scans and button clicks',
    kinds: allKinds,
    answer: engagementSummary,
  },
  {
    path: 'countries',
    operationId: 'getCountries',
    summary: 'Clicks by country',
    kinds: clicks,
    answer: faceted('countries', 'countries', { header: 'Country, Clicks', facet: 'countries' }),
  },
  {
    path: 'cities',
    operationId: 'getCities',
    summary: 'Clicks by city',
    kinds: clicks,
    answer: cities('City, Subregion, Region, Country, Clicks'),
  },
  {
    path: 'devices',
    operationId: 'getDevices',
    summary: 'Clicks by device type',
    kinds: clicks,
    answer: devices,
  },
  {
    path: 'referrers',
    operationId: 'getReferrers',
    summary: 'Clicks by referring site',
    kinds: clicks,
    answer: faceted('referrers', 'referrers', {
      header: 'Referrers, Domain/Sub-Domain, Clicks',
      facet: 'referrersWithDomains',
    }),
  },
  {
    path: 'referrer_name',
    operationId: 'getReferrerNames',
    summary: 'Clicks by name of the referring site',
    kinds: clicks,
    // It has no facet name of its own.
    answer: faceted('referrers', 'referrers', { header: 'Referrer-Name,Clicks', facet: 'referrers' }),
  },
  {
    path: 'referring_domains',
    operationId: 'getReferringDomains',
    summary: 'Clicks by host name of the referrer',
    kinds: clicks,
    answer: faceted('referringDomains', 'referring_domains'),
  },
  {
    path: 'referrers_by_domains',
    operationId: 'getReferrersByDomains',
    summary: 'Clicks by referrer, gathered by site',
    kinds: clicks,
    answer: referrersByDomain,
  },
]

export function linkMetricRoutes(http: TypedFastify, deps: LinkMetricDeps): void {
  for (const operation of linkMetrics) {
    const schema = { ...schemaOf(operation, 'link', 400, 403, 404, 410), params: LinkPath }
    route(http, `GET /v4/shortlinks/:domain/:hash/${operation.path}`, {
      access: ({ actor, params }) => linkSubject(deps, actor, params.domain, params.hash),
      schema,
      answer: (request, subject, reply) => answerMetric(operation, deps, subject, request, reply),
    })
  }
}
