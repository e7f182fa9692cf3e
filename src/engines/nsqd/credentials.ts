/** What a connection has said to prove who it is, and what was answered about it, for as long as that holds. */
import type { Authorization, Authorize } from './authorization.js'
import { ProtocolError } from './protocol-error.js'

/** When nobody could say whether a live subscription may go on, it is asked about again after this time. */
const askAgainAfter = 5000

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

  /** Asks about this secret, or about the last one again. */
  async ask(secret = this.#secret): Promise<Authorization> {
    if (!this.#authorize) throw new ProtocolError('E_AUTH_DISABLED', 'AUTH disabled')
    this.#secret = secret
    this.#freshUntil = Date.now() + askAgainAfter
    try {
      this.#answer = await this.#authorize(secret, this.#remoteAddress)
    } catch (error) {
      this.#freshUntil = 0
      // The reason is the operator's business.
      throw new ProtocolError('E_AUTH_FAILED', 'AUTH failed', error)
    }
    this.#freshUntil = Date.now() + this.#answer.ttl * 1000
    return this.#answer
  }

  /** Not to be asked about again at once. */
  leaveAlone(): void {
    this.#freshUntil = Date.now() + askAgainAfter
  }
}
