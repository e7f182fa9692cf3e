/**
 * Limits on requests, for every API that is mounted: how many are under way from an address, how often each endpoint is
 * asked, how many requests a plan allows. It says who asks and where; what is too much is core's to decide.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../core/accounts/actor.js'
import type { ApiRequests } from '../../core/limits/api-requests.js'
import type { Connections } from '../../core/limits/connections.js'
import type { Endpoint, RateLimitResult } from '../../core/limits/counters.js'
import type { PlatformLimits } from '../../core/limits/platform.js'
import { networkOf } from '../../core/values/network.js'
import { Refusal, type RefusalDetails } from '../../core/values/refusal.js'
import { OperatorError } from '../../lib/operator-error.js'
import { RecentMap } from '../../lib/recent-map.js'
import { didYouMean } from '../../lib/suggestion.js'
import { clientIpOf } from './client-ip.js'
import type { TypedFastify } from './typed-fastify.js'

export interface RequestLimitDeps {
  readonly platformLimits: PlatformLimits
  readonly apiRequests: ApiRequests
  readonly connections: Connections
  readonly config: { readonly trustProxy: number }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a request to this route is counted as. */
    endpoint?: Endpoint
  }
}

export interface RequestLimits {
  /** Before anything else is looked at: a request on one connection too many waits for a place, or is refused. */
  enter(request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined
  /** Who asks, counted; refused when they ask too often. A token that is not accepted counts for the address alone. */
  admit(request: FastifyRequest, reply: FastifyReply, caller: Caller): Promise<Actor>
}

export interface Caller {
  authenticate(): Promise<Actor>
  /** Requests of the dashboard have a budget of their own, and do not count as API requests of the plan. */
  readonly isBrowser: boolean
}

/** Must be called before routes are added: it learns of them as they come. */
export function requestLimits(http: TypedFastify, deps: RequestLimitDeps): RequestLimits {
  const { platformLimits, apiRequests, connections, config } = deps

  http.addHook('onRoute', (route) => {
    const [method = ''] = [route.method].flat()
    // HEAD is GET without a body, and counts as it.
    const endpoint = platformLimits.endpoint(method === 'HEAD' ? 'GET' : method, documentedPath(route.url))
    route.config = { ...route.config, endpoint }
  })
  http.addHook('onReady', async () => requireNames(platformLimits))

  /** Whose requests these are: worked out once for each way in which an address is written. */
  const networks = new RecentMap<string, Network>(networksKept)
  function networkFrom(request: FastifyRequest): Network {
    const { headers, socket } = request.raw
    const written = String((config.trustProxy > 0 && headers['x-forwarded-for']) || socket.remoteAddress)
    const known = networks.get(written)
    if (known !== undefined) return known
    const address = clientIpOf(request, config)
    const network = { name: networkOf(address), connections: connections.maxFor(address) }
    // A client may write what it likes into the header, and much of it.
    if (written.length <= longestKept) networks.set(written, network)
    return network
  }

  function take(request: FastifyRequest, account: string | undefined) {
    const { endpoint } = request.routeOptions.config
    return endpoint && platformLimits.take(endpoint, { account, address: networkFrom(request).name })
  }

  return {
    enter(request, reply) {
      const { name, connections: most } = networkFrom(request)
      if (most === 0) return undefined
      const { admitted, leave } = connections.enter(name, request.raw.socket, most)
      // Also when the client goes away before it is answered.
      reply.raw.once('close', leave)
      return admitted
    },

    async admit(request, reply, { authenticate, isBrowser }) {
      let actor: Actor
      try {
        actor = await authenticate()
      } catch (error) {
        if (error instanceof Refusal) await take(request, undefined)
        throw error
      }
      // Most requests wait for neither: an await costs every one of them a turn.
      const answer = take(request, isBrowser ? `browser ${actor.login}` : actor.login)
      const taken = answer instanceof Promise ? await answer : answer
      if (taken) reply.headers(budgetHeaders(taken))
      const counted = isBrowser ? undefined : apiRequests.count(actor)
      if (counted) await counted
      return actor
    },
  }
}

interface Network {
  readonly name: string
  /** How many of its connections may be used at once; 0: as many as they like. */
  readonly connections: number
}

// Our choice: a tenth of a microsecond instead of one for everybody who comes back.
const networksKept = 10_000
const longestKept = 64

/** Our addition: `Retry-After`, and which limit was reached. */
export function rateHeaders({ rate, retryAfter }: RefusalDetails): Readonly<Record<string, string>> {
  return {
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    ...(rate && { 'x-ratelimit-reason': rate.reason, 'x-ratelimit-limit': String(rate.limit) }),
    ...(rate && { 'x-ratelimit-remaining': String(rate.remaining) }),
    ...(rate?.resetAt !== undefined && { 'x-ratelimit-reset': String(seconds(rate.resetAt)) }),
  }
}

/** Of the window that will be full first. Our choice: the time as epoch seconds, as most APIs write it. */
function budgetHeaders({ limit, remaining, resetAt }: RateLimitResult): Record<string, number> {
  return { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': seconds(resetAt) }
}

function seconds(at: number): number {
  return Math.floor(at / 1000)
}

/** `/v4/shortlinks/:domain/:hash/clicks` -> `/v4/shortlinks/{shortlink}/clicks`, as it is documented. */
function documentedPath(url: string): string {
  return url
    .replace('/shortlinks/:domain/:hash', '/shortlinks/{shortlink}')
    .replace('/custom_shortlinks/:domain/:keyword', '/custom_shortlinks/{custom_shortlink}')
    .replace(/:(\w+)/g, '{$1}')
}

function requireNames(platformLimits: PlatformLimits): void {
  const names = platformLimits.endpoints.map(({ method, path }) => `${method} ${path}`)
  const [unknownEndpoint] = platformLimits.unknownEndpoints
  if (unknownEndpoint === undefined) return
  throw new OperatorError(
    `endpointLimits: there is no endpoint "${unknownEndpoint}".${didYouMean(unknownEndpoint, names)}`,
  )
}
