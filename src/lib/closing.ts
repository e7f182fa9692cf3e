export interface Closable {
  close(): void | Promise<void>
}

/** Collects opened resources and closes them in reverse order, so that nothing outlives its dependencies. */
export class Closing {
  readonly #opened: Closable[] = []

  add<T extends Closable>(part: T): T {
    this.#opened.push(part)
    return part
  }

  /** Closes everything even when one part fails, then throws the failures together. */
  async close(): Promise<void> {
    const failures: unknown[] = []
    for (let part = this.#opened.pop(); part; part = this.#opened.pop()) {
      try {
        await part.close()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'some parts failed to close')
  }
}
