/**
 * How busy the HTTP thread is, as a percentage in shared memory that the click thread reads. On a small machine both
 * share the cores, and redirects matter more than counting clicks at once.
 */
import { performance } from 'node:perf_hooks'

const lookEvery = 200
const highFrom = 80

export class EventLoopLoad {
  readonly shared: SharedArrayBuffer
  readonly #percent: Int32Array

  constructor(shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared
    this.#percent = new Int32Array(shared)
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
