/**
 * When the click thread works and when it pauses. While the HTTP thread is busy and cores are scarce, redirects go first:
 * clicks are safe in the journal.
 */
import { availableParallelism } from 'node:os'
import type { HttpActivity } from './http-activity.js'

const fewCores = availableParallelism() < 4
const maxLag = 60_000
/** ClickHouse creates a part for every insert and works best with few: two per second. */
const collectFor = 500

export interface ClickPacingDeps {
  readonly http: HttpActivity
  readonly isEmbedded: boolean
  readonly isStopping: () => boolean
  readonly lagMs: () => number
  /** Called before every pause. Returns whether somebody waits for clicks. */
  readonly answerAwaited: () => boolean
}

export class ClickPacing {
  readonly #deps: ClickPacingDeps
  #writesSeen = 0
  #resumedAt = performance.now()
  #wake: () => void = () => {}

  constructor(deps: ClickPacingDeps) {
    this.#deps = deps
  }

  isBusy(): boolean {
    return fewCores && this.#deps.http.isBusy()
  }

  /** Ends a pause. */
  wake(): void {
    this.#wake()
  }

  async pauseAfterWork(milliseconds: number): Promise<void> {
    const isAwaited = this.#deps.answerAwaited()
    const collecting = !this.#deps.isEmbedded && milliseconds > 0 && !isAwaited ? collectFor : 0
    await this.#pause(Math.max(milliseconds, collecting, this.#yieldToRedirects(performance.now() - this.#resumedAt)))
    this.#resume()
  }

  /** Rows that were written since the last pause end it at once. */
  async waitForRows(milliseconds: number): Promise<void> {
    this.#deps.answerAwaited()
    const paused = this.#pause(milliseconds)
    this.#deps.http.onWriteAfter(this.#writesSeen, this.#wake, milliseconds)
    await paused
    this.#resume()
  }

  #resume(): void {
    this.#resumedAt = performance.now()
    this.#writesSeen = this.#deps.http.writes
  }

  /** While the HTTP thread is busy, delivering clicks gets a tenth of the time, as long as the lag is below a minute. */
  #yieldToRedirects(worked: number): number {
    return !this.#deps.isStopping() && this.isBusy() && this.#deps.lagMs() < maxLag ? worked * 9 : 0
  }

  /** Also lets messages in: without a pause, a backlog would be drained before the first query is answered. */
  #pause(milliseconds: number): Promise<void> {
    if (milliseconds === 0) return new Promise((done) => setImmediate(done))
    return new Promise((done) => {
      const timer = setTimeout(done, milliseconds)
      this.#wake = () => {
        clearTimeout(timer)
        done()
      }
    })
  }
}
