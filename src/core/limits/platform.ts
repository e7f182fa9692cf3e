/**
 * Platform limits: requests per hour and endpoint for each account and each address, and a tenth of that per minute
 * (docs/api/limits.md#platform-limits). `Counters` does the counting; the edges set the headers.
 */
import type { Actor } from '../accounts/actor.js'
import { Refusal } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import type { Counters, Endpoint, RateLimit, RateLimitResult, Requester } from './counters.js'
import { secondsUntil } from './plan.js'

export interface PlatformLimitOptions {
  /** Requests per hour and endpoint; 0: unlimited. */
  readonly perAccount: number
  readonly perAddress: number
  /** Limits of single endpoints, instead of `perAccount`. */
  readonly endpoints: readonly EndpointLimit[]
}

interface EndpointLimit {
  /** Method and path, such as `POST /v4/shorten`. */
  readonly endpoint: string
  readonly perHour: number
}

export class PlatformLimits {
  readonly #deps: { readonly counters: Counters; readonly clock: Clock }
  readonly #options: PlatformLimitOptions
  readonly #endpoints = new Map<string, Endpoint>()
  /** Number of refused requests, by the full window. */
  readonly refused: Record<RateLimitResult['window'], number> = {
    'account per hour': 0,
    'account per minute': 0,
    'address per hour': 0,
    'address per minute': 0,
  }

  constructor(deps: { readonly counters: Counters; readonly clock: Clock }, options: PlatformLimitOptions) {
    this.#deps = deps
    this.#options = options
  }

  /** Returns the endpoint, registering it at the first call. */
  endpoint(method: string, path: string): Endpoint {
    const name = `${method} ${path}`
    const known = this.#endpoints.get(name)
    if (known) return known
    const { perAccount, perAddress, endpoints } = this.#options
    const account = endpoints.find((each) => each.endpoint === name)?.perHour ?? perAccount
    const endpoint = {
      id: this.#endpoints.size,
      method,
      path,
      perAccount: rateLimitOf(account),
      // An account that is alone at its address can use its whole limit.
      perAddress: rateLimitOf(perAddress === 0 ? 0 : Math.max(perAddress, account)),
    }
    this.#endpoints.set(name, endpoint)
    return endpoint
  }

  get endpoints(): readonly Endpoint[] {
    return [...this.#endpoints.values()]
  }

  /** Configured limits for endpoints that do not exist. */
  get unknownEndpoints(): readonly string[] {
    return this.#options.endpoints.map(({ endpoint }) => endpoint).filter((name) => !this.#endpoints.has(name))
  }

  /** Counts a request, or throws. Returns a promise only with external counters, so most requests need not wait. */
  take(endpoint: Endpoint, requester: Requester): RateLimitResult | undefined | Promise<RateLimitResult | undefined> {
    const now = this.#deps.clock.now()
    const result = this.#deps.counters.take(endpoint, requester, now)
    return result instanceof Promise
      ? result.then((each) => this.#throwIfRefused(each, now))
      : this.#throwIfRefused(result, now)
  }

  thisHour(account: string): Promise<readonly number[]> {
    return this.#deps.counters.thisHour(this.endpoints, account, this.#deps.clock.now())
  }

  /** The status of the counters. */
  status() {
    return this.#deps.counters.status()
  }

  #throwIfRefused(result: RateLimitResult | undefined, now: number): RateLimitResult | undefined {
    if (!result?.refused) return result
    this.refused[result.window] += 1
    const { window: reason, limit, remaining, resetAt } = result
    const retryAfter = secondsUntil(resetAt, now)
    const message = `Too many requests to this endpoint: ${limit} ${reason} are allowed. Try again in ${retryAfter} seconds.`
    throw new Refusal('RATE_LIMIT_EXCEEDED', message, { rate: { reason, limit, remaining, resetAt }, retryAfter })
  }
}

export interface PlatformLimit {
  readonly path: string
  readonly methods: readonly { readonly method: string; readonly limit: number | undefined; readonly count: number }[]
}

/** The account's limit and usage in the current hour, for all endpoints or one path. */
export async function readPlatformLimits(
  deps: { readonly platformLimits: PlatformLimits },
  actor: Actor,
  path: string | undefined,
): Promise<readonly PlatformLimit[]> {
  const { platformLimits } = deps
  const counts = await platformLimits.thisHour(actor.login)
  const byPath = new Map<string, PlatformLimit['methods']>()
  for (const [index, endpoint] of platformLimits.endpoints.entries()) {
    const { method, perAccount } = endpoint
    const entry = { method, limit: perAccount?.hour, count: counts[index] ?? 0 }
    byPath.set(endpoint.path, [...(byPath.get(endpoint.path) ?? []), entry])
  }
  const all = [...byPath].map(([each, methods]) => ({ path: each, methods }))
  // Clients also send the path without /v4.
  const wanted = path === undefined ? all : all.filter((each) => each.path === path || each.path === `/v4${path}`)
  if (wanted.length === 0) {
    const message = `There is no endpoint "${path}". Send a documented path, such as /v4/groups/{group_guid}.`
    throw new Refusal('NOT_FOUND', message, { resource: 'users' })
  }
  return wanted.sort((one, other) => (one.path < other.path ? -1 : 1))
}

/** A tenth per minute, at least one (docs/api/limits.md#per-minute). */
function rateLimitOf(perHour: number): RateLimit | undefined {
  return perHour === 0 ? undefined : { hour: perHour, minute: Math.max(1, Math.floor(perHour / 10)) }
}
