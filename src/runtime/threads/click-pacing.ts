/**
 * When the click thread works and when it pauses. While the HTTP thread is busy and cores are scarce, redirects go first:
 * clicks are safe in the journal.
 */
import { availableParallelism } from 'node:os'
import type { DeliveryDeps } from '../../core/clicks/deliver.js'
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
  /** Those that pause now. */
  readonly #wakes = new Set<() => void>()

  constructor(deps: ClickPacingDeps) {
    this.#deps = deps
  }

  isBusy(): boolean {
    return fewCores && this.#deps.http.isBusy()
  }

  /** Ends all pauses. */
  wake(): void {
    for (const wake of this.#wakes) wake()
  }

  /** The pauses of one who works; each journal has its own. */
  worker(): Pick<DeliveryDeps, 'pause' | 'waitForRows'> {
    const { http, isEmbedded, answerAwaited } = this.#deps
    let writesSeen = 0
    let resumedAt = performance.now()
    const resume = () => {
      resumedAt = performance.now()
      writesSeen = http.writes
    }
    return {
      pause: async (milliseconds) => {
        const isAwaited = answerAwaited()
        const collecting = !isEmbedded && milliseconds > 0 && !isAwaited ? collectFor : 0
        await this.#pause(Math.max(milliseconds, collecting, this.#yieldToRedirects(performance.now() - resumedAt)))
        resume()
      },
      // Rows that were written since the last pause end it at once.
      waitForRows: async (milliseconds) => {
        answerAwaited()
        await this.#pause(milliseconds, (wake) => http.onWriteAfter(writesSeen, wake, milliseconds))
        resume()
      },
    }
  }

  /** While the HTTP thread is busy, delivering clicks gets a tenth of the time, as long as the lag is below a minute. */
  #yieldToRedirects(worked: number): number {
    return !this.#deps.isStopping() && this.isBusy() && this.#deps.lagMs() < maxLag ? worked * 9 : 0
  }

  /** Also lets messages in: without a pause, a backlog would be drained before the first query is answered. */
  #pause(milliseconds: number, begun: (wake: () => void) => void = () => {}): Promise<void> {
    if (milliseconds === 0) return new Promise((done) => setImmediate(done))
    return new Promise((done) => {
      const wake = () => {
        clearTimeout(timer)
        this.#wakes.delete(wake)
        done()
      }
      const timer = setTimeout(wake, milliseconds)
      this.#wakes.add(wake)
      begun(wake)
    })
  }
}
