/**
 * Requests counted in Redis, exactly, for all processes that share it. What each method promises: counters.contract.ts.
 * While Redis is away requests go uncounted instead of waiting: a limiter must not be what stops the service.
 */
import { Redis } from 'ioredis'
import {
  type Counters,
  type CountersStatus,
  type Endpoint,
  endOf,
  hour,
  type RateLimitResult,
  type RateLimitWindow,
  type Requester,
  windowsOf,
} from '../../core/limits/counters.js'

export interface RedisOptions {
  /** Told when Redis goes away, with the reason, and when it is back. */
  readonly onChange: (failure: string | undefined) => void
}

// Our choice: a Redis that stops for a moment is waited for, because those who are not counted are not limited. One that
// is known to be silent is not waited for by everybody.
const patience = 1000
const patienceWithTheSilent = 100
const longestPause = 1000

export class RedisCounters implements Counters {
  readonly #redis: CountingRedis
  readonly #onChange: (failure: string | undefined) => void
  #failure: string | undefined
  #uncounted = 0

  constructor(url: string, options: RedisOptions) {
    this.#onChange = options.onChange
    this.#redis = new Redis(url, {
      connectionName: 'shortlink',
      // Nothing waits for a connection: what cannot be asked now is not asked.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: 2000,
      retryStrategy: (attempt) => Math.min(longestPause, 50 * attempt),
      // The requests of one turn share one trip.
      enableAutoPipelining: true,
      scripts: { countRequest: { lua: countRequest } },
    }) as CountingRedis
    this.#redis.on('error', (error) => this.#away(error))
    this.#redis.on('close', () => this.#away(new Error('the connection was closed')))
    this.#redis.on('ready', () => this.#back())
  }

  /** Waits a moment for the first connection, so that the first requests are counted; goes on without it. */
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
      // Kept for two windows: clocks of processes differ.
      const limits = windows.flatMap(({ limit, length }) => [limit, (2 * length) / 1000])
      return this.#redis.countRequest(keys.length, ...keys, ...limits)
    })
    if (answer === undefined) {
      this.#uncounted += 1
      return undefined
    }
    const [full, ...counts] = answer
    return standing(windows, full ?? 0, counts, now)
  }

  async thisHour(endpoints: readonly Endpoint[], account: string, now: number): Promise<readonly number[]> {
    const keys = endpoints.map((endpoint) =>
      keyOf(endpoint, { window: 'account per hour', requesterId: account, length: hour }, now),
    )
    const counts = keys.length === 0 ? [] : await this.#ask(() => this.#redis.mget(keys))
    return endpoints.map((_, index) => Number(counts?.[index] ?? 0))
  }

  status(): CountersStatus {
    return { failure: this.#failure, uncounted: this.#uncounted }
  }

  async close(): Promise<void> {
    this.#redis.removeAllListeners()
    // Errors of a connection that is being given up are nobody's concern.
    this.#redis.on('error', () => {})
    this.#redis.disconnect()
  }

  /** Undefined when Redis did not answer; the reason is told once and shown until it is back. */
  async #ask<T>(question: () => Promise<T>): Promise<T | undefined> {
    if (this.#redis.status !== 'ready') return undefined
    try {
      const answer = await inTime(question(), this.#failure === undefined ? patience : patienceWithTheSilent)
      if (this.#failure !== undefined) this.#back()
      return answer
    } catch (error) {
      this.#away(error)
      return undefined
    }
  }

  #away(error: unknown): void {
    // A connection that cannot be made has an error for each address it tried, and no message of its own.
    const first = error instanceof AggregateError ? error.errors[0] : error
    const reason = first instanceof Error ? first.message : String(first)
    const known = this.#failure !== undefined
    this.#failure = reason
    if (!known) this.#onChange(reason)
  }

  #back(): void {
    if (this.#failure === undefined) return
    this.#failure = undefined
    this.#onChange(undefined)
  }
}

/**
 * Rejects when Redis is silent for too long. In two halves, and the last word after what has arrived was read: a process
 * that was busy itself must not take Redis for away, and let everybody through whom Redis has refused.
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
 * All windows or none, in one step: the number of the first that is full, or 0, and how much is in each. A script of our own,
 * because counting one window after another would spend some of them for a request that another refuses.
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

/** The window is part of the name, so that it begins and ends with the clock and not with its first request. */
function keyOf(
  { method, path }: Endpoint,
  { window, requesterId, length }: Pick<RateLimitWindow, 'window' | 'requesterId' | 'length'>,
  now: number,
): string {
  return `shortlink:${window}:${Math.floor(now / length)}:${method} ${path}:${requesterId}`
}

function standing(
  windows: readonly RateLimitWindow[],
  full: number,
  counts: readonly number[],
  now: number,
): RateLimitResult {
  const all = windows.map(({ window, limit, length }, index) => ({
    refused: false,
    window,
    limit,
    remaining: Math.max(0, limit - (counts[index] ?? 0)),
    resetAt: endOf(length, now),
  }))
  const refusing = all[full - 1]
  if (refusing) return { ...refusing, refused: true }
  return all.reduce((tightest, each) => (each.remaining < tightest.remaining ? each : tightest))
}
