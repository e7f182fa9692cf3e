export interface Closable {
  close(): void | Promise<void>
}

/** Collects what was opened and closes it in reverse order, so that nothing outlives what it depends on. */
export class Closing {
  readonly #opened: Closable[] = []

  add<T extends Closable>(part: T): T {
    this.#opened.push(part)
    return part
  }

  /** Closes everything, also when one part fails to; the failures are reported together at the end. */
  async close(): Promise<void> {
    const failures: unknown[] = []
    for (let part = this.#opened.pop(); part; part = this.#opened.pop()) {
      try {
        await part.close()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'some parts could not be closed')
  }
}
