/** Runs one piece of work after the other, in the order in which they came. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  run<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    const done = this.#last.then(work)
    // The caller gets the error; the next one starts afresh.
    this.#last = done.catch(() => undefined)
    return done
  }

  /** Resolves when everything that came so far is done. */
  async idle(): Promise<void> {
    await this.#last
  }
}
