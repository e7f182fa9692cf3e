/**
 * While the HTTP thread is busy and cores are scarce, reports run one at a time, each followed by a pause of twice its
 * duration, so that redirects stay fast.
 */
const maxPause = 500

export class ReportThrottle {
  readonly #isBusy: () => boolean
  /** Resolves after the last queued report and its pause. */
  #last: Promise<void> = Promise.resolve()

  constructor(isBusy: () => boolean) {
    this.#isBusy = isBusy
  }

  async run<Answer>(report: () => Promise<Answer>): Promise<Answer> {
    if (!this.#isBusy()) return report()
    const before = this.#last
    let over = () => {}
    this.#last = new Promise((done) => {
      over = done
    })
    await before
    const began = performance.now()
    try {
      return await report()
    } finally {
      setTimeout(over, Math.min(2 * (performance.now() - began), maxPause))
    }
  }
}
