/**
 * Requests counted in this process: two Map look-ups and four numbers for each. What each method promises:
 * counters.contract.ts. Nothing is kept longer than the hour it was counted in.
 */
import {
  type Counters,
  type Endpoint,
  endOf,
  hour,
  type Makers,
  minute,
  type Pace,
  type Taken,
  type Window,
} from '../../core/limits/counters.js'

export class MemoryCounters implements Counters {
  readonly #accounts = new Spendings()
  readonly #addresses = new Spendings()
  #hour = 0

  take(endpoint: Endpoint, { account, address }: Makers, now: number): Taken | undefined {
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

  /** At the turn of the hour everybody begins again. */
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

// Our choice: some 20 MB when full. Beyond it, whoever has asked for nothing for longest may begin again.
const mostMakers = 200_000

/**
 * What accounts, or addresses, spent at each endpoint. Bounded by two generations: when the young one is full it becomes the
 * old one, and the old one is dropped. A Map for each endpoint: joining two names to one key took three times as long.
 */
class Spendings {
  #young: Map<string, Spent>[] = []
  #old: Map<string, Spent>[] = []
  #size = 0

  of(id: number, maker: string, now: number): Spent {
    const at = Math.floor(now / minute)
    const known = this.#young[id]?.get(maker) ?? this.#add(id, maker, at)
    if (known.at !== at) {
      known.at = at
      known.minute = 0
    }
    return known
  }

  peek(id: number, maker: string): Spent | undefined {
    return this.#young[id]?.get(maker) ?? this.#old[id]?.get(maker)
  }

  clear(): void {
    this.#young = []
    this.#old = []
    this.#size = 0
  }

  #add(id: number, maker: string, at: number): Spent {
    const spent = this.#old[id]?.get(maker) ?? { hour: 0, minute: 0, at }
    if (this.#size >= mostMakers / 2) {
      this.#old = this.#young
      this.#young = []
      this.#size = 0
    }
    this.#size += 1
    const map = this.#young[id] ?? new Map<string, Spent>()
    this.#young[id] = map
    map.set(maker, spent)
    return spent
  }
}

type Length = 'hour' | 'minute'

const accountWindows = { hour: 'account per hour', minute: 'account per minute' } as const
const addressWindows = { hour: 'address per hour', minute: 'address per minute' } as const

function count(spent: Spent): void {
  spent.hour += 1
  spent.minute += 1
}

/** The hour first: whoever waits for the next minute only would come in vain. */
function fullWindow(spent: Spent, pace: Pace): Length | undefined {
  if (spent.hour >= pace.hour) return 'hour'
  return spent.minute >= pace.minute ? 'minute' : undefined
}

function left(spent: Spent, pace: Pace): number {
  return Math.min(pace.hour - spent.hour, pace.minute - spent.minute)
}

function tightest(pace: Pace, spent: Spent, windows: Readonly<Record<Length, Window>>, now: number): Taken {
  const length = pace.hour - spent.hour <= pace.minute - spent.minute ? 'hour' : 'minute'
  return taken(false, pace, spent, windows, length, now)
}

function taken(
  refused: boolean,
  pace: Pace,
  spent: Spent,
  windows: Readonly<Record<Length, Window>>,
  length: Length,
  now: number,
): Taken {
  const remaining = Math.max(0, pace[length] - spent[length])
  const resetAt = endOf(length === 'hour' ? hour : minute, now)
  return { refused, window: windows[length], limit: pace[length], remaining, resetAt }
}
