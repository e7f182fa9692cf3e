import type { Closable } from './closing.js'

/** Work that is done every so often, never twice at a time, until it is stopped. It does not keep the process running. */
export class PeriodicTask implements Closable {
  readonly #work: (signal: AbortSignal) => unknown
  readonly #onFailure: (error: unknown) => void
  readonly #stopped = new AbortController()
  readonly #timer: NodeJS.Timeout
  #running: Promise<void> | undefined

  /** The first time after one interval. Without `onFailure`, the work must not fail. */
  constructor(
    milliseconds: number,
    work: (signal: AbortSignal) => unknown,
    onFailure: (error: unknown) => void = (error) => {
      throw error
    },
  ) {
    this.#work = work
    this.#onFailure = onFailure
    this.#timer = setInterval(() => void this.now(), milliseconds).unref()
  }

  /** Does it now, unless it is being done; resolves when it is done. */
  now(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Does not wait for work that is being done. */
  stop(): void {
    clearInterval(this.#timer)
    this.#stopped.abort()
  }

  async close(): Promise<void> {
    this.stop()
    await this.#running
  }

  async #run(): Promise<void> {
    try {
      await this.#work(this.#stopped.signal)
    } catch (error) {
      this.#onFailure(error)
    }
  }
}
