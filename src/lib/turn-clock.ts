/** How long the current event-loop turn has lasted, measured from the first call in it. */
export class TurnClock {
  #began: number | undefined

  /** Milliseconds. */
  get elapsed(): number {
    const now = performance.now()
    if (this.#began !== undefined) return now - this.#began
    this.#began = now
    setImmediate(() => {
      this.#began = undefined
    })
    return 0
  }
}
