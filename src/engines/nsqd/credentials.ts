/** The secret of one connection and its authorization, cached for its TTL. */
import type { Authorization, Authorize } from './authorization.js'
import { ProtocolError } from './protocol-error.js'

/** Delay before asking again when the authorization check failed. */
const retryDelay = 5000

export class Credentials {
  readonly #authorize: Authorize | undefined
  readonly #remoteAddress: string
  #secret = ''
  #answer: Authorization | undefined
  #freshUntil = 0

  constructor(authorize: Authorize | undefined, remoteAddress: string) {
    this.#authorize = authorize
    this.#remoteAddress = remoteAddress
  }

  get secret(): string {
    return this.#secret
  }

  get answer(): Authorization | undefined {
    return this.#answer
  }

  get fresh(): boolean {
    return Date.now() < this.#freshUntil
  }

  /** Checks the given secret, or the last one again. */
  async ask(secret = this.#secret): Promise<Authorization> {
    if (!this.#authorize) throw new ProtocolError('E_AUTH_DISABLED', 'AUTH disabled')
    this.#secret = secret
    this.#freshUntil = Date.now() + retryDelay
    try {
      this.#answer = await this.#authorize(secret, this.#remoteAddress)
    } catch (error) {
      this.#freshUntil = 0
      // The reason is for the operator's log, not for the client.
      throw new ProtocolError('E_AUTH_FAILED', 'AUTH failed', error)
    }
    this.#freshUntil = Date.now() + this.#answer.ttl * 1000
    return this.#answer
  }

  /** Postpones the next check. */
  leaveAlone(): void {
    this.#freshUntil = Date.now() + retryDelay
  }
}
