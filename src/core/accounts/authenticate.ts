/**
 * Authenticates access tokens. Every API request comes through here, so actors are cached for a few seconds and the time
 * of last use is written in the background. Only the hash of a token is kept, never the token.
 */
import { hash } from 'node:crypto'
import { Refusal } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import type { TokenActor, TokenStore } from './account-store.js'
import type { Actor } from './actor.js'

export interface TokenDeps {
  readonly accounts: Pick<TokenStore, 'actorByToken' | 'touchTokens'>
  readonly clock: Clock
  /** Called when the times of last use could not be written; the next attempt is a minute later. */
  readonly onFailure: (error: unknown) => void
}

// The longest delay until a token revoked in another process, or a changed role, takes effect.
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

  /** Refuses unknown, revoked and malformed tokens with the same FORBIDDEN, and expired ones with a sentence of their own. */
  async authenticate(token: string): Promise<Actor> {
    const now = this.#deps.clock.now()
    const secretHash = hashToken(token)
    const known = this.#known.get(secretHash)
    // Entries from the future (the clock was set back) must not live longer.
    const isCurrent = known && now >= known.at && now < known.at + maxAge
    const { tokenGuid, actor } = isCurrent ? known.found : await this.#find(secretHash, now)
    if (actor.expiresAt !== undefined && now >= actor.expiresAt) throw expired()
    this.#lastUsed.set(tokenGuid, now)
    if (!this.#closed) this.#timer ??= setTimeout(() => void this.#writeInBackground(), writeEvery).unref()
    return actor
  }

  /** Call after revoking a token: this process then refuses it at once. */
  forget(tokenGuid: string): void {
    this.#revocations++
    for (const [secretHash, { found }] of this.#known) {
      if (found.tokenGuid === tokenGuid) this.#known.delete(secretHash)
    }
  }

  /** The last use, if it is not written to the store yet. */
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
    // Unknown tokens are not cached: guesses must not evict real ones.
    const revocations = this.#revocations
    const found = await this.#deps.accounts.actorByToken(secretHash)
    this.#known.delete(secretHash)
    if (!found) throw new Refusal('FORBIDDEN', 'The access token is unknown or was revoked.')
    // A read during a revocation may be older than it: use it for this request, do not cache it.
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

function expired(): Refusal {
  return new Refusal('FORBIDDEN', 'The access token has expired. Create another one, or rotate tokens in time.')
}

/** Tokens are stored and looked up by this hash. */
export function hashToken(token: string): string {
  return hash('sha256', token)
}
