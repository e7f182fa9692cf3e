/**
 * The daily salts of visitor hashes, shared by several processes through the database. The first process that needs a
 * salt creates it; tomorrow's is created before midnight. A salt is deleted a day after its own day, and with it any way
 * to tell whether an IP address was among that day's visitors.
 */
import { PeriodicTask } from '../../lib/periodic-task.js'
import type { Clock } from '../values/time.js'
import type { ClickStore } from './click-store.js'
import { dayLength } from './visitor.js'

export interface SharedSaltDeps {
  readonly clickStore: Pick<ClickStore, 'storeSalts'>
  readonly clock: Clock
  /** Generates a salt. */
  readonly draw: () => string
  /** Called when the database is unavailable; retried long before the next day. */
  readonly onFailure: (error: unknown) => void
}

/** Soon enough after midnight to delete yesterday's salt, and often enough before it to create tomorrow's. */
const refreshInterval = 10 * 60 * 1000

export class SharedSalts {
  readonly #deps: SharedSaltDeps
  readonly #refreshing = new PeriodicTask(refreshInterval, () => this.refresh())
  #current: ReadonlyMap<number, string> = new Map()
  #onChange: (salts: ReadonlyMap<number, string>) => void = () => {}

  static async open(deps: SharedSaltDeps): Promise<SharedSalts> {
    const salts = new SharedSalts(deps)
    await salts.refresh()
    return salts
  }

  private constructor(deps: SharedSaltDeps) {
    this.#deps = deps
  }

  /** Salts by day. */
  get current(): ReadonlyMap<number, string> {
    return this.#current
  }

  onChange(take: (salts: ReadonlyMap<number, string>) => void): void {
    this.#onChange = take
  }

  /** Never rejects: without the database the known salts stay in use. */
  async refresh(): Promise<void> {
    const { clickStore, clock, draw, onFailure } = this.#deps
    const today = Math.floor(clock.now() / dayLength)
    const drawn = new Map([today - 1, today, today + 1].map((day) => [day, draw()]))
    try {
      this.#current = await clickStore.storeSalts(drawn, today - 1)
      this.#onChange(this.#current)
    } catch (error) {
      onFailure(error)
    }
  }

  close(): void {
    this.#refreshing.stop()
  }
}
