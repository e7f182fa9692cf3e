import { setImmediate } from 'node:timers/promises'

/** Background tasks: close() waits for them, and failures go to onFailure. */
export class BackgroundTasks {
  readonly #underWay = new Set<Promise<void>>()
  readonly #onFailure: (error: unknown) => void

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure
  }

  /** Starts on a later event-loop turn, so the response time does not reveal the work (timing attacks). */
  run(work: () => Promise<void>): void {
    const task = setImmediate()
      .then(work)
      .catch((error: unknown) => this.failed(error))
      .finally(() => this.#underWay.delete(task))
    this.#underWay.add(task)
  }

  /** Reports a failure that must not stop the caller. */
  failed(error: unknown): void {
    this.#onFailure(error)
  }

  async close(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }
}
