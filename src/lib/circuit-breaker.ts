/**
 * Keeps callers from waiting for a server that does not answer. After a failure every call is refused at once, except
 * for one probe a second; the first call that succeeds lets everybody through again.
 */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions
  #failure: string | undefined
  #nextProbeAt = 0
  #probing = false

  constructor(options: CircuitBreakerOptions) {
    this.#options = options
  }

  /** Why calls are refused at the moment; undefined while they are not. */
  get failure(): string | undefined {
    return this.#failure
  }

  /** Whether the caller may try. Who may has to tell how it went, by `succeeded`, `failed` or `gaveUp`. */
  mayTry(): boolean {
    if (this.#failure === undefined) return true
    if (this.#probing || performance.now() < this.#nextProbeAt) return false
    this.#probing = true
    return true
  }

  succeeded(): void {
    this.#probing = false
    if (this.#failure === undefined) return
    this.#failure = undefined
    this.#options.onChange(undefined)
  }

  failed(reason: string): void {
    this.#probing = false
    this.#nextProbeAt = performance.now() + this.#options.pause
    const isNew = this.#failure === undefined
    this.#failure = reason
    if (isNew) this.#options.onChange(reason)
  }

  /** The call ended without a word on whether the server answers. */
  gaveUp(): void {
    this.#probing = false
  }
}

export interface CircuitBreakerOptions {
  /** Milliseconds between two probes. */
  readonly pause: number
  /** Told why the server does not answer, and `undefined` when it does again. */
  readonly onChange: (failure: string | undefined) => void
}
