/** All metric operations of v4: for short links, custom short links and groups. */
import type { TypedFastify } from '../http/typed-fastify.js'
import { type CustomMetricDeps, customMetricRoutes } from './custom-metrics.js'
import { type GroupMetricDeps, groupMetricRoutes } from './group-metrics.js'
import { type LinkMetricDeps, linkMetricRoutes } from './link-metrics.js'
import { metricSchemas } from './schemas/metrics.js'

export type MetricRouteDeps = LinkMetricDeps & CustomMetricDeps & GroupMetricDeps

export function metricRoutes(http: TypedFastify, deps: MetricRouteDeps): void {
  for (const shared of metricSchemas) http.addSchema(shared)
  linkMetricRoutes(http, deps)
  customMetricRoutes(http, deps)
  groupMetricRoutes(http, deps)
}
