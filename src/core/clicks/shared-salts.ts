/**
 * The salts under which visitors are hashed, where several processes count the same visitors: one for each UTC day, drawn
 * by whoever needs it first and kept in the records they share. Tomorrow's is known before midnight; one whose day and the
 * next are over is deleted, and with it any way to tell whether an address was among that day's visitors.
 */
import type { Clock } from '../values/clock.js'
import { dayLength } from './visitor.js'
import type { VisitorSaltStore } from './visitor-salt-store.js'

export interface SharedSaltDeps {
  readonly visitorSalts: VisitorSaltStore
  readonly clock: Clock
  /** A new salt. */
  readonly draw: () => string
  /** Called when the records cannot be asked; they are again later, long before the next day. */
  readonly onFailure: (error: unknown) => void
}

/** Our choice: soon enough after midnight for yesterday's salt, and often enough before it for tomorrow's. */
const refreshEvery = 10 * 60 * 1000

export class SharedSalts {
  readonly #deps: SharedSaltDeps
  readonly #timer: NodeJS.Timeout
  #current: ReadonlyMap<number, string> = new Map()
  #onChange: (salts: ReadonlyMap<number, string>) => void = () => {}

  static async open(deps: SharedSaltDeps): Promise<SharedSalts> {
    const salts = new SharedSalts(deps)
    await salts.refresh()
    return salts
  }

  private constructor(deps: SharedSaltDeps) {
    this.#deps = deps
    this.#timer = setInterval(() => void this.refresh(), refreshEvery).unref()
  }

  /** By day. */
  get current(): ReadonlyMap<number, string> {
    return this.#current
  }

  onChange(take: (salts: ReadonlyMap<number, string>) => void): void {
    this.#onChange = take
  }

  /** Never rejects: without the records the salts that are known are used. */
  async refresh(): Promise<void> {
    const { visitorSalts, clock, draw, onFailure } = this.#deps
    const today = Math.floor(clock.now() / dayLength)
    const drawn = new Map([today - 1, today, today + 1].map((day) => [day, draw()]))
    try {
      this.#current = await visitorSalts.settle(drawn, today - 1)
      this.#onChange(this.#current)
    } catch (error) {
      onFailure(error)
    }
  }

  close(): void {
    clearInterval(this.#timer)
  }
}
