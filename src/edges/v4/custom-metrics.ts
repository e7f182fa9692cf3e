/** Metrics of a custom short link, across all the short links it has pointed to. */
import type { KeywordDeps } from '../../core/links/keywords.js'
import type { ReportDeps } from '../../core/metrics/report.js'
import { keywordSubject } from '../../core/metrics/report-subject.js'
import type { Clock } from '../../core/values/time.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { KeywordPath } from './custom-shortlinks.js'
import { clickSeries, destinations } from './metric-answers.js'
import { type Operation, runMetric, schemaOf } from './metric-operation.js'
import { route } from './route.js'

export interface CustomMetricDeps extends ReportDeps, Pick<KeywordDeps, 'links' | 'domains' | 'plans'> {
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

export function customMetricRoutes(http: TypedFastify, deps: CustomMetricDeps): void {
  for (const operation of customMetrics) {
    const schema = { ...schemaOf(operation, 'custom short link', 400, 403, 404, 410), params: KeywordPath }
    route(http, `GET /v4/custom_shortlinks/:domain/:keyword/${operation.path}`, {
      access: ({ actor, params }) => keywordSubject(deps, actor, params),
      schema,
      answer: (request, subject, reply) => runMetric(operation, deps, subject, request, reply),
    })
  }
}
