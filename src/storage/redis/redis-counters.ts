/**
 * Rate-limit counters in Redis, exact across all processes that share it. counters.contract.ts has the guarantees.
 * While Redis is unreachable requests are not counted and do not wait (fail open): a limiter must not stop the service.
 */

import { Redis } from 'ioredis'
import {
  type Counters,
  type CountersStatus,
  type Endpoint,
  hour,
  type RateLimitResult,
  type RateLimitWindow,
  type Requester,
  resultOf,
  windowsOf,
} from '../../core/limits/platform.js'
import { CircuitBreaker, type Remote } from '../../lib/circuit-breaker.js'
import { messageOf } from '../../lib/message-of.js'

export interface RedisOptions {
  /** Called with the reason when Redis becomes unreachable, and with undefined when it is back. */
  readonly onChange: (failure: string | undefined) => void
}

// Wait this long for a slow Redis, because requests that are not counted are not limited. Once it is known to be down,
// nobody waits.
const timeout = 1000
const longestPause = 1000
/** A connection that is silent for so long is replaced: a firewall may have dropped it without closing it. */
const maxSilence = 5000

export class RedisCounters implements Counters, Remote {
  readonly #redis: CountingRedis
  readonly #breaker: CircuitBreaker
  #uncounted = 0

  constructor(url: string, { onChange }: RedisOptions) {
    this.#breaker = new CircuitBreaker({ probe: () => this.#ping(), onChange })
    this.#redis = new Redis(url, {
      connectionName: 'shortlink',
      // Fail at once while disconnected.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: 2000,
      socketTimeout: maxSilence,
      retryStrategy: (attempt) => Math.min(longestPause, 50 * attempt),
      // Requests of one event-loop turn share a round trip.
      enableAutoPipelining: true,
      scripts: { countRequest: { lua: countRequest } },
    }) as CountingRedis
    this.#redis.on('error', (error) => this.#breaker.failed(reasonOf(error)))
    this.#redis.on('close', () => this.#breaker.failed(this.#breaker.failure ?? 'connection closed'))
    this.#redis.on('ready', () => this.#breaker.succeeded())
  }

  /** Waits briefly for the first connection, so that the first requests are counted; continues without it. */
  async connected(): Promise<void> {
    if (this.#redis.status === 'ready') return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 2000)
      for (const event of ['ready', 'error', 'close']) {
        this.#redis.once(event, () => {
          clearTimeout(timer)
          resolve()
        })
      }
    })
  }

  async take(endpoint: Endpoint, requester: Requester, now: number): Promise<RateLimitResult | undefined> {
    const windows = windowsOf(endpoint, requester)
    if (windows.length === 0) return undefined
    const answer = await this.#ask(() => {
      const keys = windows.map((each) => keyOf(endpoint, each, now))
      // Expire after two windows: clocks of processes differ.
      const limits = windows.flatMap(({ limit, length }) => [limit, (2 * length) / 1000])
      return this.#redis.countRequest(keys.length, ...keys, ...limits)
    })
    if (answer === undefined) {
      this.#uncounted += 1
      return undefined
    }
    const [full = 0, ...counts] = answer
    return resultOf(windows, counts, full - 1, now)
  }

  async thisHour(endpoints: readonly Endpoint[], account: string, now: number): Promise<readonly number[]> {
    const keys = endpoints.map((endpoint) =>
      keyOf(endpoint, { window: 'account per hour', requesterId: account, length: hour }, now),
    )
    const counts = keys.length === 0 ? [] : await this.#ask(() => this.#redis.mget(keys))
    return endpoints.map((_, index) => Number(counts?.[index] ?? 0))
  }

  status(): CountersStatus {
    return { failure: this.#breaker.failure, uncounted: this.#uncounted }
  }

  get server(): CircuitBreaker {
    return this.#breaker
  }

  async close(): Promise<void> {
    this.#breaker.close()
    this.#redis.removeAllListeners()
    // Ignore errors of the connection while closing.
    this.#redis.on('error', () => {})
    this.#redis.disconnect()
  }

  /** Undefined when Redis does not answer; nobody waits once that is known. */
  async #ask<T>(question: () => Promise<T>): Promise<T | undefined> {
    if (this.#redis.status !== 'ready' || this.#breaker.failure !== undefined) return undefined
    try {
      const answer = await inTime(question(), timeout)
      this.#breaker.succeeded()
      return answer
    } catch (error) {
      this.#breaker.failed(reasonOf(error))
      return undefined
    }
  }

  async #ping(): Promise<void> {
    // It connects again by itself.
    if (this.#redis.status !== 'ready') throw new Error(this.#breaker.failure)
    await inTime(this.#redis.ping(), timeout)
  }
}

/** A failed connection has one error per IP it tried and no message of its own. */
function reasonOf(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error
  return messageOf(first)
}

/**
 * Rejects when Redis does not answer in time. The timeout runs in two halves and ends after pending input was read: a
 * busy process must not take Redis as down and let requests through that Redis has refused.
 */
function inTime<T>(answer: Promise<T>, milliseconds: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`Redis did not answer within ${milliseconds} ms`))
    let timer = setTimeout(() => {
      timer = setTimeout(() => setImmediate(late), milliseconds / 2)
    }, milliseconds / 2)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

type CountingRedis = Redis & {
  countRequest(numberOfKeys: number, ...keysAndArguments: readonly (string | number)[]): Promise<readonly number[]>
}

/**
 * Atomic over all windows: returns the index of the first full window or 0, and all counts. A script, because counting
 * the windows one by one would use up some of them for a request that another window refuses.
 */
const countRequest = `
local counts = redis.call('MGET', unpack(KEYS))
for i = 1, #KEYS do
  counts[i] = tonumber(counts[i] or '0')
end
for i = 1, #KEYS do
  if counts[i] >= tonumber(ARGV[2 * i - 1]) then return { i, unpack(counts) } end
end
for i, key in ipairs(KEYS) do
  counts[i] = redis.call('INCR', key)
  if counts[i] == 1 then redis.call('EXPIRE', key, ARGV[2 * i]) end
end
return { 0, unpack(counts) }`

/** The window number is part of the key, so that windows follow the clock and not the first request. */
function keyOf(
  { method, path }: Endpoint,
  { window, requesterId, length }: Pick<RateLimitWindow, 'window' | 'requesterId' | 'length'>,
  now: number,
): string {
  return `shortlink:${window}:${Math.floor(now / length)}:${method} ${path}:${requesterId}`
}
