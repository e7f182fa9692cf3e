/**
 * Authorization: which secret may subscribe or publish where. The server asks once per connection and again after the
 * TTL.
 */
import { ProtocolError } from './protocol-error.js'

export type Permission = 'subscribe' | 'publish'

export interface Grant {
  /** An exact name, or any topic. */
  readonly topic: string | typeof any
  /** Exact names, or any channel. Not used for publishing. */
  readonly channels: readonly string[] | typeof any
  readonly permissions: readonly Permission[]
}

export interface Authorization {
  readonly identity: string
  readonly identityUrl: string
  /** Seconds until the server asks again. */
  readonly ttl: number
  /** Empty when the secret is unknown or has no permissions. */
  readonly grants: readonly Grant[]
}

/** A rejected promise means the check itself failed. The client only gets E_AUTH_FAILED, without the reason. */
export type Authorize = (secret: string, remoteAddress: string) => Promise<Authorization>

export const any = Symbol('any')

/** Compares exact names, not patterns: a dot in a topic name is not a wildcard. */
export function isGranted(grants: readonly Grant[], permission: Permission, topic: string, channel: string): boolean {
  return grants.some(
    (grant) =>
      grant.permissions.includes(permission) &&
      (grant.topic === any || grant.topic === topic) &&
      (permission === 'publish' || grant.channels === any || grant.channels.includes(channel)),
  )
}

/** Delay before asking again when the authorization check failed. */
const retryDelay = 5000

/** The secret of one connection and its authorization, cached for its TTL. */
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
