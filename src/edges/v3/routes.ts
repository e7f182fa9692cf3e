/**
 * The legacy v3 API (docs/api/v3.md). Translates query strings into core calls and results into envelopes; it
 * contains no product rules.
 */

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../core/accounts/actor.js'
import { Refusal } from '../../core/values/refusal.js'
import { namesFor } from '../http/link-words.js'
import { logFailure } from '../http/log-failure.js'
import { type RequestLimitDeps, rateHeaders, requestLimits } from '../http/request-limits.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { type AccessDeps, authenticate, openToKeys } from './access.js'
import { Arguments } from './arguments.js'
import { type CampaignDeps, campaignOperations } from './campaigns.js'
import { type EncoderDeps, encoderOperations } from './encoders.js'
import { formForError, write } from './envelope.js'
import { type Status, statusOf, unexpected } from './errors.js'
import { type HistoryDeps, historyOperations } from './history.js'
import { type ItemMetricDeps, itemMetricOperations } from './item-metrics.js'
import { type LinkDeps, linkOperations } from './links.js'
import { type MetricDeps, metricOperations } from './metrics.js'
import { lookupRoute, type NsqDeps, nsqOperations } from './nsq.js'
import { addOperation } from './operation.js'
import { type TrackingDeps, trackingOperations } from './tracking.js'
import { type UserDeps, userOperations } from './user.js'
import { type UserMetricDeps, userMetricOperations } from './user-metrics.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; set before any handler runs. */
    actor: Actor
  }
}

export type V3Deps = AccessDeps &
  LinkDeps &
  HistoryDeps &
  EncoderDeps &
  MetricDeps &
  ItemMetricDeps &
  UserMetricDeps &
  TrackingDeps &
  CampaignDeps &
  UserDeps &
  NsqDeps &
  RequestLimitDeps

export function v3Routes(http: TypedFastify, deps: V3Deps): void {
  http.register(async (v3: TypedFastify) => {
    v3.decorate('domains', deps.domains)
    v3.decorateRequest('actor')
    const limits = requestLimits(v3, deps)
    v3.setErrorHandler((error, request, reply) => {
      const status = statusOf(error) ?? unexpected
      if (status === unexpected) logFailure(request, error)
      const named = { ...status, text: namesFor(request)(status.text) }
      const { httpStatus, type, body } = write(formForError(new Arguments(request.url)), named, null)
      const headers = error instanceof Refusal ? rateHeaders(error.details) : {}
      return reply.code(httpStatus).headers(headers).type(type).send(body)
    })
    v3.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store')
      const { url, routeOptions, headers } = request
      const authenticated = () => authenticate(deps, new Arguments(url), routeOptions.url ?? '', headers.authorization)
      request.actor = await limits.admit(request, reply, { authenticate: authenticated, isBrowser: false })
    })

    const tagged = [
      ['Links', linkOperations(deps)],
      ['History', historyOperations(deps)],
      ['Links', encoderOperations(deps)],
      ['Metrics', metricOperations(deps)],
      ['Metrics', itemMetricOperations(deps)],
      ['Metrics', userMetricOperations(deps)],
      ['Metrics', trackingOperations(deps)],
      ['Campaigns', campaignOperations(deps)],
      ['User', userOperations(deps)],
      ['Stream', nsqOperations(deps)],
    ] as const
    for (const [tag, operations] of tagged) {
      for (const [path, each] of Object.entries(operations)) addOperation(v3, tag, path, each, openToKeys.has(path))
    }
    lookupRoute(v3, deps)
  })
  // Registered outside: these routes need no token and have no rate limits.
  http.register(async (unsupported: TypedFastify) => unsupportedRoutes(unsupported))
}

/** Listed in docs/api/v3.md. A star stands for one or more path segments. */
const deprecatedPaths = [
  ...['/v3/authenticate', '/v3/highvalue'],
  ...['/v3/bundle/*', '/v3/organization/*', '/v3/realtime/*'],
  ...['category', 'content', 'language', 'location', 'social'].map((name) => `/v3/link/${name}`),
  ...['bundle_history', 'realtime_links'].map((name) => `/v3/user/${name}`),
  ...['popular_earned_by_clicks', 'popular_earned_by_shortens'].map((name) => `/v3/user/${name}`),
]

const deprecated: Status = { code: 500, text: 'DEPRECATED' }
const notFound: Status = { code: 404, text: 'NOT_FOUND' }

/** These need no token. */
function unsupportedRoutes(http: TypedFastify): void {
  for (const path of deprecatedPaths) http.get(path, { schema: { hide: true } }, refuseWith(deprecated))
  for (const path of ['/v3', '/v3/*']) http.get(path, { schema: { hide: true } }, refuseWith(notFound))
}

function refuseWith(status: Status) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const { httpStatus, type, body } = write(formForError(new Arguments(request.url)), status, null)
    return reply.code(httpStatus).header('cache-control', 'no-store').type(type).send(body)
  }
}
