import { setTimeout as wait } from 'node:timers/promises'
import { SerialQueue } from '../../lib/serial-queue.js'

const maxPause = 500

/**
 * While the HTTP thread is busy and cores are scarce, reports run one at a time, each followed by a pause of twice its
 * duration, so that redirects stay fast.
 */
export class ReportThrottle {
  readonly #isBusy: () => boolean
  readonly #queue = new SerialQueue()

  constructor(isBusy: () => boolean) {
    this.#isBusy = isBusy
  }

  run<Answer>(report: () => Promise<Answer>): Promise<Answer> {
    if (!this.#isBusy()) return report()
    return new Promise((resolve, reject) => {
      void this.#queue.run(async () => {
        const began = performance.now()
        await report().then(resolve, reject)
        await wait(Math.min(2 * (performance.now() - began), maxPause))
      })
    })
  }
}
