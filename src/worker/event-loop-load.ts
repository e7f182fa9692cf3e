/**
 * What the HTTP thread and the click thread know of each other by shared memory: how busy the HTTP thread is, as a percentage
 * (on a small machine both share the cores, and redirects matter more than counting clicks at once), and whether the
 * click thread rests and must be woken for a click.
 */
import { performance } from 'node:perf_hooks'

const lookEvery = 200
const highFrom = 80

export class EventLoopLoad {
  readonly shared: SharedArrayBuffer
  readonly #percent: Int32Array
  readonly #resting: Int32Array

  constructor(shared = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared
    this.#percent = new Int32Array(shared, 0, 1)
    this.#resting = new Int32Array(shared, Int32Array.BYTES_PER_ELEMENT, 1)
  }

  /** Called in the click thread, before it looks into the journal for the last time. */
  rest(): void {
    Atomics.store(this.#resting, 0, 1)
  }

  /** Called in the HTTP thread for each row of the journal; true once per rest. */
  takeRest(): boolean {
    return Atomics.load(this.#resting, 0) === 1 && Atomics.exchange(this.#resting, 0, 0) === 1
  }

  /** Called in the HTTP thread; returns a function to stop. */
  watch(): () => void {
    let before = performance.eventLoopUtilization()
    const timer = setInterval(() => {
      const now = performance.eventLoopUtilization()
      Atomics.store(this.#percent, 0, Math.round(performance.eventLoopUtilization(now, before).utilization * 100))
      before = now
    }, lookEvery).unref()
    return () => clearInterval(timer)
  }

  /** Called in the click thread. */
  isHigh(): boolean {
    return Atomics.load(this.#percent, 0) >= highFrom
  }
}
