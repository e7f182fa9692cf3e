/**
 * Rate-limit counters in this process: one Map lookup and two numbers for each account and IP. counters.contract.ts has
 * the guarantees. No count outlives its hour.
 */
import {
  type Counters,
  type Endpoint,
  endOf,
  hour,
  minute,
  type RateLimit,
  type RateLimitResult,
  type Requester,
  type Window,
} from '../../core/limits/counters.js'
import { RecentMap } from '../../lib/recent-map.js'

export class MemoryCounters implements Counters {
  readonly #accounts = new Spendings()
  readonly #addresses = new Spendings()
  #hour = 0

  take(endpoint: Endpoint, { account, address }: Requester, now: number): RateLimitResult | undefined {
    this.#turn(now)
    const { id, perAccount, perAddress } = endpoint
    const mine = perAccount && account !== undefined ? this.#accounts.of(id, account, now) : undefined
    const here = perAddress && address !== undefined ? this.#addresses.of(id, address, now) : undefined
    const full = mine && perAccount && fullWindow(mine, perAccount)
    if (mine && perAccount && full) return taken(true, perAccount, mine, accountWindows, full, now)
    const crowded = here && perAddress && fullWindow(here, perAddress)
    if (here && perAddress && crowded) return taken(true, perAddress, here, addressWindows, crowded, now)

    if (mine) count(mine)
    if (here) count(here)
    const byAccount = mine && perAccount ? left(mine, perAccount) : Number.POSITIVE_INFINITY
    const byAddress = here && perAddress ? left(here, perAddress) : Number.POSITIVE_INFINITY
    if (mine && perAccount && byAccount <= byAddress) return tightest(perAccount, mine, accountWindows, now)
    return here && perAddress ? tightest(perAddress, here, addressWindows, now) : undefined
  }

  async thisHour(endpoints: readonly Endpoint[], account: string, now: number): Promise<readonly number[]> {
    this.#turn(now)
    return endpoints.map(({ id }) => this.#accounts.peek(id, account)?.hour ?? 0)
  }

  status() {
    return { failure: undefined, uncounted: 0 }
  }

  close(): void {}

  /** All counters restart at the full hour. */
  #turn(now: number): void {
    const current = Math.floor(now / hour)
    if (current === this.#hour) return
    this.#hour = current
    this.#accounts.clear()
    this.#addresses.clear()
  }
}

interface Spent {
  hour: number
  minute: number
  /** The minute that `minute` counts. */
  at: number
}

/** About 20 MB when full; above it, the least recently used counters are dropped. */
const maxSpendings = 200_000

/** Requests per endpoint of accounts or IPs. */
class Spendings {
  readonly #spent = new RecentMap<string, Spent>(maxSpendings)

  of(id: number, requesterId: string, now: number): Spent {
    const at = Math.floor(now / minute)
    const known = this.peek(id, requesterId)
    if (known?.at === at) return known
    const spent: Spent = { hour: known?.hour ?? 0, minute: 0, at }
    this.#spent.set(keyOf(id, requesterId), spent)
    return spent
  }

  peek(id: number, requesterId: string): Spent | undefined {
    return this.#spent.get(keyOf(id, requesterId))
  }

  clear(): void {
    this.#spent.clear()
  }
}

function keyOf(id: number, requesterId: string): string {
  return `${id} ${requesterId}`
}

type Length = 'hour' | 'minute'

const accountWindows = { hour: 'account per hour', minute: 'account per minute' } as const
const addressWindows = { hour: 'address per hour', minute: 'address per minute' } as const

function count(spent: Spent): void {
  spent.hour += 1
  spent.minute += 1
}

/** Checks the hour first: waiting for the next minute would not help when the hour is used up. */
function fullWindow(spent: Spent, rateLimit: RateLimit): Length | undefined {
  if (spent.hour >= rateLimit.hour) return 'hour'
  return spent.minute >= rateLimit.minute ? 'minute' : undefined
}

function left(spent: Spent, rateLimit: RateLimit): number {
  return Math.min(rateLimit.hour - spent.hour, rateLimit.minute - spent.minute)
}

function tightest(
  rateLimit: RateLimit,
  spent: Spent,
  windows: Readonly<Record<Length, Window>>,
  now: number,
): RateLimitResult {
  const length = rateLimit.hour - spent.hour <= rateLimit.minute - spent.minute ? 'hour' : 'minute'
  return taken(false, rateLimit, spent, windows, length, now)
}

function taken(
  refused: boolean,
  rateLimit: RateLimit,
  spent: Spent,
  windows: Readonly<Record<Length, Window>>,
  length: Length,
  now: number,
): RateLimitResult {
  const remaining = Math.max(0, rateLimit[length] - spent[length])
  const resetAt = endOf(length === 'hour' ? hour : minute, now)
  return { refused, window: windows[length], limit: rateLimit[length], remaining, resetAt }
}
