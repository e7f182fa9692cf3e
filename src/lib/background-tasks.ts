import { setImmediate } from 'node:timers/promises'

/** Work that nobody waits for: it is finished before the service closes, and its failures are told to somebody. */
export class BackgroundTasks {
  readonly #underWay = new Set<Promise<void>>()
  readonly #onFailure: (error: unknown) => void

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure
  }

  /** Begins in a later turn: whoever set it off is answered before, so that the time says nothing about the work. */
  run(work: () => Promise<void>): void {
    const task = setImmediate()
      .then(work)
      .catch((error: unknown) => this.failed(error))
      .finally(() => this.#underWay.delete(task))
    this.#underWay.add(task)
  }

  /** For a failure that is not to stop what was being done. */
  failed(error: unknown): void {
    this.#onFailure(error)
  }

  async close(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }
}
