/** For failures that may occur thousands of times a second: the first is logged at once, then one a minute with a count. */
export class FailureThrottle {
  #count = 0
  #silentUntil = Number.NEGATIVE_INFINITY

  /** Returns how many failures the line to log now stands for; undefined: log none. `now` in milliseconds. */
  failed(now: number): number | undefined {
    this.#count += 1
    if (now < this.#silentUntil) return undefined
    this.#silentUntil = now + 60_000
    const count = this.#count
    this.#count = 0
    return count
  }
}
