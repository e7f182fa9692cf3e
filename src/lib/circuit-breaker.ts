/**
 * A circuit breaker: after a failure it refuses calls at once, except for one probe a second. The first call that
 * succeeds closes the circuit again.
 */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions
  #failure: string | undefined
  #nextProbeAt = 0
  #probing = false

  constructor(options: CircuitBreakerOptions) {
    this.#options = options
  }

  /** Why calls are refused; undefined while they are allowed. */
  get failure(): string | undefined {
    return this.#failure
  }

  /** Whether the caller may try. If true, the caller must report the outcome: `succeeded`, `failed` or `gaveUp`. */
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

  /** The call ended without showing whether the server works. */
  gaveUp(): void {
    this.#probing = false
  }
}

export interface CircuitBreakerOptions {
  /** Milliseconds between two probes. */
  readonly pause: number
  /** Called with the reason when the circuit opens, and with `undefined` when it closes. */
  readonly onChange: (failure: string | undefined) => void
}
