/** How long the event loop keeps others waiting: the delay of a timer that runs twice a second. */
import { Histogram } from '../http/figures.js'

const every = 500

export class EventLoopDelay {
  readonly delays = new Histogram()
  readonly #timer: NodeJS.Timeout
  #due = performance.now() + every

  constructor() {
    this.#timer = setInterval(() => {
      const now = performance.now()
      this.delays.observe(Math.max(0, now - this.#due))
      this.#due = now + every
    }, every).unref()
  }

  close(): void {
    clearInterval(this.#timer)
  }
}
