type WriteLine = (fields: Readonly<Record<string, unknown>>, message: string) => void

/** A throttle for each message. */
export class FailureThrottles {
  readonly #throttles = new Map<string, FailureThrottle>()

  /** `write` for failures, with their number. */
  of(write: WriteLine): WriteLine {
    return (fields, message) => {
      const failures = this.failed(message)
      if (failures !== undefined) write({ ...fields, failures }, message)
    }
  }

  failed(message: string): number | undefined {
    const throttle = this.#throttles.get(message) ?? new FailureThrottle()
    this.#throttles.set(message, throttle)
    return throttle.failed(performance.now())
  }
}

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
