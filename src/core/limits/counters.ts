/**
 * Counts requests in windows that begin with each full hour and each full minute (docs/api/limits.md#per-minute). In
 * memory for one process, in Redis for several; counters.contract.ts says what both promise. What is limited, and how,
 * is platform.ts's to know.
 */
export interface Counters {
  /**
   * Counts one request for each of those who make it, unless one of their windows is full: then it counts for nobody.
   * `undefined` when it cannot be counted at all, because those who count are away: then nobody is refused.
   */
  take(endpoint: Endpoint, makers: Makers, now: number): Taken | undefined | Promise<Taken | undefined>
  /** How many requests an account made to each of the endpoints in the current hour. */
  thisHour(endpoints: readonly Endpoint[], account: string, now: number): Promise<readonly number[]>
  status(): CountersStatus
  close(): Promise<void> | void
}

/** One operation of an API with what may be asked of it. */
export interface Endpoint {
  /** Different for each, counted from 0. */
  readonly id: number
  readonly method: string
  /** As it is documented: `/v4/shortlinks/{shortlink}`. */
  readonly path: string
  /** Undefined: as often as they like. */
  readonly perAccount: Pace | undefined
  readonly perAddress: Pace | undefined
}

export interface Pace {
  readonly hour: number
  readonly minute: number
}

export interface Makers {
  /** Undefined for a request whose token was not accepted. */
  readonly account: string | undefined
  /** Undefined where it is not known. */
  readonly address: string | undefined
}

/** Where the request stands in the tightest of its windows, or in the one that was full. */
export interface Taken {
  readonly refused: boolean
  readonly window: Window
  readonly limit: number
  readonly remaining: number
  readonly resetAt: number
}

export type Window = 'account per hour' | 'account per minute' | 'address per hour' | 'address per minute'

export interface CountersStatus {
  /** Why requests cannot be counted at the moment. */
  readonly failure: string | undefined
  /** Requests that were let through without being counted. */
  readonly uncounted: number
}

export const hour = 3_600_000
export const minute = 60_000

/** The windows that a request falls into; none where nothing is limited. */
export function windowsOf(endpoint: Endpoint, makers: Makers): readonly WindowOfMaker[] {
  const windows: WindowOfMaker[] = []
  const { perAccount, perAddress } = endpoint
  if (perAccount && makers.account !== undefined) windows.push(...both('account', makers.account, perAccount))
  if (perAddress && makers.address !== undefined) windows.push(...both('address', makers.address, perAddress))
  return windows
}

export interface WindowOfMaker {
  readonly window: Window
  readonly maker: string
  readonly limit: number
  readonly length: number
}

function both(kind: 'account' | 'address', maker: string, pace: Pace): readonly WindowOfMaker[] {
  return [
    { window: `${kind} per hour`, maker, limit: pace.hour, length: hour },
    { window: `${kind} per minute`, maker, limit: pace.minute, length: minute },
  ]
}

/** The end of the window that holds this moment. */
export function endOf(length: number, now: number): number {
  return now - (now % length) + length
}
