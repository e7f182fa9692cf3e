/** How long the present turn of the event loop has lasted, counted from when somebody first asked in it. */
export class TurnClock {
  #began: number | undefined

  /** In milliseconds. */
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
