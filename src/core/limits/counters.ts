/**
 * Counts requests in windows of one clock hour and one clock minute (docs/api/limits.md#per-minute). In memory for one
 * process, in Redis for several; counters.contract.ts tests hourAndMinute. platform.ts decides what is limited.
 */
export interface Counters {
  /**
   * Counts one request for the account and the address, unless one of their windows is full: then it counts for neither.
   * Returns `undefined` when the counters are unreachable: then no request is refused.
   */
  take(
    endpoint: Endpoint,
    requester: Requester,
    now: number,
  ): RateLimitResult | undefined | Promise<RateLimitResult | undefined>
  /** The account's number of requests to each endpoint in the current hour. */
  thisHour(endpoints: readonly Endpoint[], account: string, now: number): Promise<readonly number[]>
  status(): CountersStatus
  close(): Promise<void> | void
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

export interface RateLimit {
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

export type Window = 'account per hour' | 'account per minute' | 'address per hour' | 'address per minute'

export interface CountersStatus {
  /** Why requests cannot be counted at the moment; undefined while they can. */
  readonly failure: string | undefined
  /** Requests admitted without being counted. */
  readonly uncounted: number
}

export const hour = 3_600_000
export const minute = 60_000

/** The windows that a request counts in; none where nothing is limited. */
export function windowsOf(endpoint: Endpoint, requester: Requester): readonly RateLimitWindow[] {
  const windows: RateLimitWindow[] = []
  const { perAccount, perAddress } = endpoint
  if (perAccount && requester.account !== undefined)
    windows.push(...hourAndMinute('account', requester.account, perAccount))
  if (perAddress && requester.address !== undefined)
    windows.push(...hourAndMinute('address', requester.address, perAddress))
  return windows
}

export interface RateLimitWindow {
  readonly window: Window
  readonly requesterId: string
  readonly limit: number
  readonly length: number
}

function hourAndMinute(
  kind: 'account' | 'address',
  requesterId: string,
  rateLimit: RateLimit,
): readonly RateLimitWindow[] {
  return [
    { window: `${kind} per hour`, requesterId, limit: rateLimit.hour, length: hour },
    { window: `${kind} per minute`, requesterId, limit: rateLimit.minute, length: minute },
  ]
}

/** The end of the current window. */
export function endOf(length: number, now: number): number {
  return now - (now % length) + length
}
