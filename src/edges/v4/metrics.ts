/** All metric operations of v4: of short links, of custom short links, of groups. */
import type { TypedFastify } from '../http/typed-fastify.js'
import { type CustomMetricParts, customMetricRoutes } from './metrics/custom-metrics.js'
import { type GroupMetricParts, groupMetricRoutes } from './metrics/group-metrics.js'
import { type LinkMetricParts, linkMetricRoutes } from './metrics/link-metrics.js'
import { metricSchemas } from './schemas/metrics.js'

export type MetricRouteParts = LinkMetricParts & CustomMetricParts & GroupMetricParts

export function metricRoutes(http: TypedFastify, parts: MetricRouteParts): void {
  for (const shared of metricSchemas) http.addSchema(shared)
  linkMetricRoutes(http, parts)
  customMetricRoutes(http, parts)
  groupMetricRoutes(http, parts)
}
