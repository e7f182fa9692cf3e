/**
 * Platform limits: how often an account, and an address, may ask each endpoint in an hour, and a tenth of that in a
 * minute (docs/api/limits.md#platform-limits). Who counts is decided elsewhere; how a refusal is worded for machines is
 * the edges' business.
 */
import type { Actor } from '../accounts/actor.js'
import type { Clock } from '../values/clock.js'
import { Refusal } from '../values/refusal.js'
import type { Counters, Endpoint, Makers, Pace, Taken } from './counters.js'
import { secondsUntil } from './plan.js'

export interface PlatformLimitOptions {
  /** For each endpoint; 0: as often as they like. */
  readonly perAccount: number
  readonly perAddress: number
  /** For single endpoints, instead of `perAccount`. */
  readonly endpoints: readonly EndpointLimit[]
}

interface EndpointLimit {
  /** `POST /v4/shorten` */
  readonly endpoint: string
  readonly perHour: number
}

export class PlatformLimits {
  readonly #deps: { readonly counters: Counters; readonly clock: Clock }
  readonly #options: PlatformLimitOptions
  readonly #endpoints = new Map<string, Endpoint>()
  /** Refused requests by the window that was full. */
  readonly refused: Record<Taken['window'], number> = {
    'account per hour': 0,
    'account per minute': 0,
    'address per hour': 0,
    'address per minute': 0,
  }

  constructor(deps: { readonly counters: Counters; readonly clock: Clock }, options: PlatformLimitOptions) {
    this.#deps = deps
    this.#options = options
  }

  /** The endpoint of this name, which is known from now on. */
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
      perAccount: paceOf(account),
      // Our choice: an account alone at its address can use all it may.
      perAddress: paceOf(perAddress === 0 ? 0 : Math.max(perAddress, account)),
    }
    this.#endpoints.set(name, endpoint)
    return endpoint
  }

  get endpoints(): readonly Endpoint[] {
    return [...this.#endpoints.values()]
  }

  /** Limits that were configured for endpoints nobody has. */
  get misnamed(): readonly string[] {
    return this.#options.endpoints.map(({ endpoint }) => endpoint).filter((name) => !this.#endpoints.has(name))
  }

  /** Counts a request, or refuses it. A promise only where others count, so that most requests wait for nothing. */
  take(endpoint: Endpoint, makers: Makers): Taken | undefined | Promise<Taken | undefined> {
    const now = this.#deps.clock.now()
    const taken = this.#deps.counters.take(endpoint, makers, now)
    return taken instanceof Promise ? taken.then((each) => this.#admitted(each, now)) : this.#admitted(taken, now)
  }

  thisHour(account: string): Promise<readonly number[]> {
    return this.#deps.counters.thisHour(this.endpoints, account, this.#deps.clock.now())
  }

  /** Whether requests can be counted at the moment. */
  status() {
    return this.#deps.counters.status()
  }

  #admitted(taken: Taken | undefined, now: number): Taken | undefined {
    if (!taken?.refused) return taken
    this.refused[taken.window] += 1
    const { window: reason, limit, remaining, resetAt } = taken
    const retryAfter = secondsUntil(resetAt, now)
    const message = `Too many requests to this endpoint: ${limit} ${reason} are allowed. Try again in ${retryAfter} seconds.`
    throw new Refusal('RATE_LIMIT_EXCEEDED', message, { rate: { reason, limit, remaining, resetAt }, retryAfter })
  }
}

export interface PlatformLimit {
  readonly path: string
  readonly methods: readonly { readonly method: string; readonly limit: number | undefined; readonly count: number }[]
}

/** What this account may ask in an hour and has asked in this one: everything, or one endpoint. */
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
  // Clients also send the path without the version.
  const wanted = path === undefined ? all : all.filter((each) => each.path === path || each.path === `/v4${path}`)
  if (wanted.length === 0) {
    const message = `There is no endpoint "${path}". Write it as it is documented: /v4/groups/{group_guid}.`
    throw new Refusal('NOT_FOUND', message, { resource: 'users' })
  }
  return wanted.sort((one, other) => (one.path < other.path ? -1 : 1))
}

/** A tenth in a minute, at least one (docs/api/limits.md#per-minute). */
function paceOf(perHour: number): Pace | undefined {
  return perHour === 0 ? undefined : { hour: perHour, minute: Math.max(1, Math.floor(perHour / 10)) }
}
