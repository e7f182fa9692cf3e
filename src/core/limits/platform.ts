/**
 * Platform limits: requests per hour and endpoint for each account and each network, and a tenth of that per minute
 * (docs/api/limits.md#platform-limits). Requests are counted in this process, or in Redis by several processes;
 * counters.contract.ts tests both. The edges set the headers.
 */
import { counted } from '../../lib/counted.js'
import type { Actor } from '../accounts/actor.js'
import { Refusal } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
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

  /** Counts a request, or throws a refusal. Undefined when nothing limits the request. */
  async take(endpoint: Endpoint, requester: Requester): Promise<RateLimitResult | undefined> {
    const now = this.#deps.clock.now()
    const result = await this.#deps.counters.take(endpoint, requester, now)
    if (!result?.refused) return result
    this.refused[result.window] += 1
    const { window: reason, limit, remaining, resetAt } = result
    const retryAfter = secondsUntil(resetAt, now)
    const [who, span] = reason.split(' per ')
    const message =
      `Too many requests: your ${who === 'account' ? 'account' : 'network'} may send ${counted(limit, 'request')} per ${span} ` +
      `to this endpoint. Try again in ${counted(retryAfter, 'second')}.`
    throw new Refusal('RATE_LIMIT_EXCEEDED', message, { rate: { reason, limit, remaining, resetAt }, retryAfter })
  }

  thisHour(account: string): Promise<readonly number[]> {
    return this.#deps.counters.thisHour(this.endpoints, account, this.#deps.clock.now())
  }

  /** The status of the counters. */
  status(): CountersStatus {
    return this.#deps.counters.status()
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

/** Counts requests in windows of one clock hour and one clock minute. */
export interface Counters {
  /**
   * Counts one request for the account and the address, unless one of their windows is full: then it counts for neither.
   * Returns `undefined` when nothing is limited, or when the counters are unreachable: then no request is refused.
   */
  take(endpoint: Endpoint, requester: Requester, now: number): Promise<RateLimitResult | undefined>
  /** The account's number of requests to each endpoint in the current hour. */
  thisHour(endpoints: readonly Endpoint[], account: string, now: number): Promise<readonly number[]>
  status(): CountersStatus
  close(): Promise<void>
}

/** An API operation and its rate limits. */
export interface Endpoint {
  /** A unique index, counted from 0. */
  readonly id: number
  readonly method: string
  /** The documented path, such as `/v4/shortlinks/{shortlink}`. */
  readonly path: string
  /** Undefined: unlimited. */
  readonly perAccount: RateLimit | undefined
  readonly perAddress: RateLimit | undefined
}

interface RateLimit {
  readonly hour: number
  readonly minute: number
}

export interface Requester {
  /** Undefined without a valid token. */
  readonly account: string | undefined
  /** Undefined when unknown. */
  readonly address: string | undefined
}

/** The state of the tightest window of the request, or of the full one. */
export interface RateLimitResult {
  readonly refused: boolean
  readonly window: Window
  readonly limit: number
  readonly remaining: number
  readonly resetAt: number
}

type Window = 'account per hour' | 'account per minute' | 'address per hour' | 'address per minute'

export interface CountersStatus {
  /** Why requests cannot be counted at the moment; undefined while they can. */
  readonly failure: string | undefined
  /** Requests admitted without being counted. */
  readonly uncounted: number
}

export const hour = 3_600_000
export const minute = 60_000

export interface RateLimitWindow {
  readonly window: Window
  readonly requesterId: string
  readonly limit: number
  readonly length: number
}

/** The windows that a request counts in, in the order in which they are checked; none where nothing is limited. */
export function windowsOf({ perAccount, perAddress }: Endpoint, requester: Requester): readonly RateLimitWindow[] {
  const { account, address } = requester
  const windows: RateLimitWindow[] = []
  // Hours first: waiting for the next minute does not help when the hour is used up.
  if (perAccount && account !== undefined) {
    windows.push({ window: 'account per hour', requesterId: account, limit: perAccount.hour, length: hour })
    windows.push({ window: 'account per minute', requesterId: account, limit: perAccount.minute, length: minute })
  }
  if (perAddress && address !== undefined) {
    windows.push({ window: 'address per hour', requesterId: address, limit: perAddress.hour, length: hour })
    windows.push({ window: 'address per minute', requesterId: address, limit: perAddress.minute, length: minute })
  }
  return windows
}

/** `counts` of the windows; `full` is the index of the window that refuses the request, or -1. */
export function resultOf(
  windows: readonly RateLimitWindow[],
  counts: readonly number[],
  full: number,
  now: number,
): RateLimitResult | undefined {
  let index = Math.max(full, 0)
  for (let other = 1; full === -1 && other < windows.length; other += 1) {
    if (remainingIn(windows, counts, other) < remainingIn(windows, counts, index)) index = other
  }
  const shown = windows[index]
  if (!shown) return undefined
  const { window, limit, length } = shown
  const remaining = remainingIn(windows, counts, index)
  return { refused: full !== -1, window, limit, remaining, resetAt: now - (now % length) + length }
}

function remainingIn(windows: readonly RateLimitWindow[], counts: readonly number[], index: number): number {
  return Math.max(0, (windows[index]?.limit ?? 0) - (counts[index] ?? 0))
}

/** About 60 MB when full. Then all begin again: limits do not stop an attack from that many addresses anyway. */
const maxCounters = 400_000

/** Counters in this process. No count outlives its hour. */
export class MemoryCounters implements Counters {
  /** By requester and endpoint. Nested, because joining names to one key took most of the time. */
  readonly #counters = new Map<string, Map<number, { [Name in Window]?: Counter }>>()
  #size = 0
  #hour = 0

  async take(endpoint: Endpoint, requester: Requester, now: number): Promise<RateLimitResult | undefined> {
    this.#clearHourly(now)
    const windows = windowsOf(endpoint, requester)
    const counters = windows.map((window) => this.#counterOf(endpoint, window, now))
    const full = windows.findIndex(({ limit }, index) => (counters[index]?.count ?? 0) >= limit)
    if (full === -1) for (const counter of counters) counter.count += 1
    return resultOf(
      windows,
      counters.map(({ count }) => count),
      full,
      now,
    )
  }

  async thisHour(endpoints: readonly Endpoint[], account: string, now: number): Promise<readonly number[]> {
    this.#clearHourly(now)
    const counters = this.#counters.get(account)
    return endpoints.map(({ id }) => counters?.get(id)?.['account per hour']?.count ?? 0)
  }

  status(): CountersStatus {
    return { failure: undefined, uncounted: 0 }
  }

  async close(): Promise<void> {}

  #counterOf({ id }: Endpoint, { window, requesterId, length }: RateLimitWindow, now: number): Counter {
    const start = now - (now % length)
    const known = this.#counters.get(requesterId)?.get(id)?.[window]
    if (!known) return this.#add(id, requesterId, window, start)
    if (known.start !== start) {
      known.start = start
      known.count = 0
    }
    return known
  }

  #add(id: number, requesterId: string, window: Window, start: number): Counter {
    if (this.#size === maxCounters) this.#clear()
    this.#size += 1
    const ofRequester = this.#counters.get(requesterId) ?? new Map<number, { [Name in Window]?: Counter }>()
    const counter = { start, count: 0 }
    ofRequester.set(id, { ...ofRequester.get(id), [window]: counter })
    this.#counters.set(requesterId, ofRequester)
    return counter
  }

  #clearHourly(now: number): void {
    const current = Math.floor(now / hour)
    if (current === this.#hour) return
    this.#hour = current
    this.#clear()
  }

  #clear(): void {
    this.#counters.clear()
    this.#size = 0
  }
}

interface Counter {
  start: number
  count: number
}
