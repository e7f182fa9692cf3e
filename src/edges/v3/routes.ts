/**
 * The legacy interface: a second spelling of what core does (README.md has its contract). Translates query strings into
 * core calls and answers into envelopes; no rule of the product lives here.
 */
import type { Actor } from '../../core/auth/actor.js'
import { Refusal } from '../../core/refusal.js'
import { type RequestLimitParts, rateHeaders, requestLimits } from '../http/request-limits.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { type AccessParts, authenticate } from './access.js'
import { Arguments } from './arguments.js'
import { type CampaignParts, campaignOperations } from './campaigns.js'
import { type EncoderParts, encoderOperations } from './encoders.js'
import { formAnyhow, write } from './envelope.js'
import { statusOf, unexpected } from './errors.js'
import { type HistoryParts, historyOperations } from './history.js'
import { type ItemMetricParts, itemMetricOperations } from './item-metrics.js'
import { type LinkParts, linkOperations } from './links.js'
import { type MetricParts, metricOperations } from './metrics.js'
import { lookupRoute, type NsqParts, nsqOperations } from './nsq.js'
import { addOperation } from './operation.js'
import { type TrackingParts, trackingOperations } from './tracking.js'
import { unsupportedRoutes } from './unsupported.js'
import { type UserParts, userOperations } from './user.js'
import { type UserMetricParts, userMetricOperations } from './user-metrics.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is asking; set before any handler runs. */
    actor: Actor
  }
}

export type V3Parts = AccessParts &
  LinkParts &
  HistoryParts &
  EncoderParts &
  MetricParts &
  ItemMetricParts &
  UserMetricParts &
  TrackingParts &
  CampaignParts &
  UserParts &
  NsqParts &
  RequestLimitParts

export function v3Routes(http: TypedFastify, parts: V3Parts): void {
  http.register(async (v3: TypedFastify) => {
    v3.decorateRequest('actor')
    const limits = requestLimits(v3, parts)
    v3.setErrorHandler((error, request, reply) => {
      const status = statusOf(error) ?? unexpected
      // The route and not the URL, which holds the caller's token.
      if (status === unexpected) request.log.error({ err: error, route: request.routeOptions.url }, 'request failed')
      const { httpStatus, type, body } = write(formAnyhow(new Arguments(request.url)), status, null)
      const headers = error instanceof Refusal ? rateHeaders(error.details) : {}
      return reply.code(httpStatus).headers(headers).type(type).send(body)
    })
    v3.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store')
      const admitted = limits.enter(request, reply)
      if (admitted) await admitted
      const { url, routeOptions, headers } = request
      const asked = () => authenticate(parts, new Arguments(url), routeOptions.url ?? '', headers.authorization)
      request.actor = await limits.admit(request, reply, asked)
    })

    const operations = [
      ...linkOperations(parts),
      ...historyOperations(parts),
      ...encoderOperations(parts),
      ...metricOperations(parts),
      ...itemMetricOperations(parts),
      ...userMetricOperations(parts),
      ...trackingOperations(parts),
      ...campaignOperations(parts),
      ...userOperations(parts),
      ...nsqOperations(parts),
    ]
    for (const operation of operations) addOperation(v3, operation)
    lookupRoute(v3, parts)
  })
  // Outside: they ask for no token, and are no endpoints that limits could be set for.
  http.register(async (rest: TypedFastify) => unsupportedRoutes(rest))
}
