/**
 * Limits for the requests of all APIs: concurrent connections, requests per endpoint, API requests of the plan. It knows
 * where a request comes from and sets the headers; core decides what is too much.
 */
import type { Socket } from 'node:net'

import type { FastifyReply, FastifyRequest } from 'fastify'
import { isInjection } from 'light-my-request'
import type { Actor } from '../../core/accounts/actor.js'
import type { ApiRequests } from '../../core/limits/api-requests.js'
import type { Connections } from '../../core/limits/connections.js'
import type { Endpoint, PlatformLimits, RateLimitResult } from '../../core/limits/platform.js'
import { networkOf } from '../../core/values/network.js'
import { Refusal, type RefusalDetails } from '../../core/values/refusal.js'
import { OperatorError } from '../../lib/operator-error.js'
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
    /** The endpoint that requests to this route count for. */
    endpoint?: Endpoint
  }
  interface FastifyRequest {
    /** Frees the connection for the limit of concurrent ones, before the response ends; for responses without end. */
    leaveConnections?: () => void
  }
}

export interface RequestLimits {
  /** Returns the caller, counted, or throws: too many connections, an invalid token, too many requests, in this order. */
  admit(request: FastifyRequest, reply: FastifyReply, caller: Caller): Promise<Actor>
}

export interface Caller {
  authenticate(): Promise<Actor>
  /** Requests of the dashboard have their own rate limit, and do not count as API requests of the plan. */
  readonly isBrowser: boolean
}

/** Must be called before routes are added, because it collects them. */
export function requestLimits(http: TypedFastify, deps: RequestLimitDeps): RequestLimits {
  const { platformLimits, apiRequests, connections, config } = deps

  http.addHook('onRoute', (route) => {
    const [method = ''] = [route.method].flat()
    // HEAD counts as GET.
    const endpoint = platformLimits.endpoint(method === 'HEAD' ? 'GET' : method, documentedPath(route.url))
    route.config = { ...route.config, endpoint }
  })
  http.addHook('onReady', async () => requireNames(platformLimits))

  const networks = new WeakMap<Socket, Network>()
  function networkFrom(request: FastifyRequest): Network {
    // Behind a proxy, the requests of one connection come from different clients.
    const known = config.trustProxy > 0 ? undefined : networks.get(request.raw.socket)
    if (known) return known
    const address = clientIpOf(request, config)
    const network = { name: networkOf(address), maxConnections: connections.maxFor(address) }
    networks.set(request.raw.socket, network)
    return network
  }

  /** Waits for a connection slot if all of the network are taken. */
  async function enter(request: FastifyRequest, reply: FastifyReply, network: Network): Promise<void> {
    const { admitted, leave } = connections.enter(network.name, request.raw.socket, network.maxConnections)
    // `close` also comes when the client disconnects before the response. Not `once`: what it leaves behind survives young
    // collections, which took a tenth of the time of a short request.
    reply.raw.on('close', leave)
    request.leaveConnections = leave
    if (admitted) await admitted
  }

  function take(request: FastifyRequest, account: string | undefined, network: Network) {
    const { endpoint } = request.routeOptions.config
    return endpoint && platformLimits.take(endpoint, { account, address: network.name })
  }

  return {
    async admit(request, reply, { authenticate, isBrowser }) {
      const network = networkFrom(request)
      // A read of a batch uses the connection of the batch.
      if (network.maxConnections > 0 && !isInjection(request.raw)) await enter(request, reply, network)
      let actor: Actor
      try {
        actor = await authenticate()
      } catch (error) {
        // An invalid token counts for the network.
        if (error instanceof Refusal) await take(request, undefined, network)
        throw error
      }
      const result = await take(request, isBrowser ? `browser ${actor.login}` : actor.login, network)
      if (result) reply.headers(budgetHeaders(result))
      if (!isBrowser) await apiRequests.count(actor)
      return actor
    },
  }
}

interface Network {
  readonly name: string
  /** Maximum concurrent connections; 0: unlimited. */
  readonly maxConnections: number
}

/** When to try again, and which limit was reached. */
export function rateHeaders({ rate, retryAfter }: RefusalDetails): Readonly<Record<string, string>> {
  return {
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    ...(rate && { 'x-ratelimit-reason': rate.reason, 'x-ratelimit-limit': String(rate.limit) }),
    ...(rate && { 'x-ratelimit-remaining': String(rate.remaining) }),
    ...(rate?.resetAt !== undefined && { 'x-ratelimit-reset': String(seconds(rate.resetAt)) }),
  }
}

/** Of the window that will be full first; the reset time in epoch seconds. */
function budgetHeaders({ limit, remaining, resetAt }: RateLimitResult): Record<string, number> {
  return { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': seconds(resetAt) }
}

function seconds(at: number): number {
  return Math.floor(at / 1000)
}

/** `/v4/shortlinks/:domain/:hash/clicks` -> `/v4/shortlinks/{shortlink}/clicks`, as in the documentation. */
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
