/**
 * For failures that may occur thousands of times a second: logs the first at once, then at most one line a minute with
 * a count.
 */
export class ThrottledLog {
  readonly #write: (fields: object) => void
  #count = 0
  #silentUntil = Number.NEGATIVE_INFINITY

  constructor(write: (fields: object) => void) {
    this.#write = write
  }

  /** `now` in milliseconds. */
  failed(error: unknown, now: number): void {
    this.#count += 1
    if (now < this.#silentUntil) return
    this.#silentUntil = now + 60_000
    this.#write({ err: error, failures: this.#count })
    this.#count = 0
  }
}
