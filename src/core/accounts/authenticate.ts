/**
 * Access tokens: who a token speaks for. Every authenticated request passes here, so answers are remembered for a few
 * seconds and the time of last use is written in the background. The token itself is never kept, only its hash.
 */
import { hash } from 'node:crypto'
import { Refusal } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import type { AccountStore, TokenActor } from './account-store.js'
import type { Actor } from './actor.js'

export interface TokenDeps {
  readonly accounts: Pick<AccountStore, 'actorByToken' | 'touchTokens'>
  readonly clock: Clock
  /** Told when the times of last use could not be written; they are tried again a minute later. */
  readonly onFailure: (error: unknown) => void
}

// Our choice: a token revoked in another process, or a changed role, takes effect after this long at the latest.
const maxAge = 10_000
const capacity = 10_000
const writeEvery = 60_000

export class TokenCheck {
  readonly #deps: TokenDeps
  readonly #known = new Map<string, { readonly found: TokenActor; readonly at: number }>()
  #lastUsed = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #closed = false
  #revocations = 0

  constructor(deps: TokenDeps) {
    this.#deps = deps
  }

  /** The actor, or FORBIDDEN: unknown, revoked and malformed tokens look the same from outside. */
  async authenticate(token: string): Promise<Actor> {
    const now = this.#deps.clock.now()
    const { tokenGuid, actor } = await this.#find(hashToken(token), now)
    this.#lastUsed.set(tokenGuid, now)
    if (!this.#closed) this.#timer ??= setTimeout(() => void this.#writeInBackground(), writeEvery).unref()
    return actor
  }

  /** Call when a token was revoked: this process stops accepting it at once. */
  forget(tokenGuid: string): void {
    this.#revocations++
    for (const [secretHash, { found }] of this.#known) {
      if (found.tokenGuid === tokenGuid) this.#known.delete(secretHash)
    }
  }

  /** What has not been written yet. */
  lastUsed(tokenGuid: string): number | undefined {
    return this.#lastUsed.get(tokenGuid)
  }

  clear(): void {
    this.#revocations++
    this.#known.clear()
  }

  /** Writes the outstanding times of last use; the store must still be open. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#write()
  }

  async #find(secretHash: string, now: number): Promise<TokenActor> {
    const known = this.#known.get(secretHash)
    // A clock that was set back must not make it good for longer.
    if (known && now >= known.at && now < known.at + maxAge) return known.found
    // Unknown tokens are not remembered: guesses must not push real ones out.
    const revocations = this.#revocations
    const found = await this.#deps.accounts.actorByToken(secretHash)
    this.#known.delete(secretHash)
    if (!found) throw new Refusal('FORBIDDEN', 'The access token is unknown or was revoked.')
    // What was read while a token was being revoked may be older than the revocation: good for this request only.
    if (revocations === this.#revocations) this.#known.set(secretHash, { found, at: now })
    if (this.#known.size > capacity) this.#dropOldest()
    return found
  }

  #dropOldest(): void {
    for (const secretHash of this.#known.keys()) {
      this.#known.delete(secretHash)
      return
    }
  }

  async #writeInBackground(): Promise<void> {
    this.#timer = undefined
    try {
      await this.#write()
    } catch (error) {
      this.#deps.onFailure(error)
    }
  }

  async #write(): Promise<void> {
    const batch = this.#lastUsed
    if (batch.size === 0) return
    this.#lastUsed = new Map()
    try {
      await this.#deps.accounts.touchTokens(batch)
    } catch (error) {
      // Newer times collected meanwhile win.
      this.#lastUsed = new Map([...batch, ...this.#lastUsed])
      throw error
    }
  }
}

/** How tokens are stored and looked up. */
export function hashToken(token: string): string {
  return hash('sha256', token)
}
