/**
 * A circuit breaker for one server: it opens when the server does not answer, and callers can then give up at once. A
 * probe asks the server every second, so that no caller waits to find out whether it is back, and closes the circuit.
 */
import { messageOf } from './message-of.js'

export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions
  readonly #waiting = new Set<() => void>()
  #status: ServerStatus = { state: 'unused' }
  #outages = 0
  #probing = false
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: CircuitBreakerOptions = {}) {
    this.#options = options
  }

  /** Why the circuit is open; undefined while it is closed. */
  get failure(): string | undefined {
    return this.#status.failure
  }

  get status(): ServerStatus {
    return this.#status
  }

  /** How often the circuit has opened. What was opened before the last outage may be dead without knowing. */
  get outages(): number {
    return this.#outages
  }

  succeeded(): void {
    if (this.#status.state === 'ok') return
    const wasOpen = this.#status.state === 'failing'
    this.#status = { state: 'ok', since: now() }
    clearTimeout(this.#timer)
    if (wasOpen) this.#options.onChange?.(undefined)
  }

  failed(reason: string): void {
    if (this.#closed) return
    if (this.#status.state === 'failing') {
      this.#status = { ...this.#status, failure: reason }
      return
    }
    this.#status = { state: 'failing', failure: reason, since: now() }
    this.#outages += 1
    this.#options.onChange?.(reason)
    for (const giveUp of this.#waiting) giveUp()
    this.#probeLater()
  }

  /** Something took too long or broke: asks the server, and opens the circuit if it does not answer. */
  suspect(): void {
    if (this.#status.state !== 'failing') void this.#probe()
  }

  /** Settles as the work does, but rejects as soon as the circuit opens. */
  guard<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(new Error(this.failure))
      this.#waiting.add(giveUp)
      void work.then(resolve, reject).finally(() => this.#waiting.delete(giveUp))
    })
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  #probeLater(): void {
    const { probe, pause = defaultPause } = this.#options
    if (probe && !this.#closed) this.#timer = setTimeout(() => void this.#probe(), pause).unref()
  }

  async #probe(): Promise<void> {
    const { probe } = this.#options
    if (!probe || this.#probing) return
    this.#probing = true
    try {
      await probe()
      this.#probing = false
      if (!this.#closed) this.succeeded()
    } catch (error) {
      this.#probing = false
      const wasOpen = this.#status.state === 'failing'
      this.failed(messageOf(error))
      if (wasOpen) this.#probeLater()
    }
  }
}

export interface CircuitBreakerOptions {
  /** Resolves if the server answers, rejects within seconds if it does not. Without it, the next success closes the circuit. */
  readonly probe?: () => Promise<unknown>
  /** Milliseconds between two probes. */
  readonly pause?: number
  /** Called with the reason when the circuit opens, and with `undefined` when it closes. */
  readonly onChange?: (failure: string | undefined) => void
}

/** What is known of a server from its last use. */
export interface ServerStatus {
  readonly state: 'unused' | 'ok' | 'failing'
  readonly failure?: string
  /** When this state began. */
  readonly since?: string
}

/** Something that uses a server of others. */
export interface Remote {
  readonly server: { readonly status: ServerStatus }
}

const defaultPause = 1000

function now(): string {
  return new Date().toISOString()
}
