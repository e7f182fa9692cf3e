/**
 * The redirect path's memory: where addresses lead, bounded, with entries for addresses that do not exist too.
 * A hit is a Map look-up. Use cases that change a link call `forget`. Changes made by other processes are asked for once
 * a millisecond; where such news can be lost, an age limit covers for it.
 */
import { RecentMap } from '../../lib/recent-map.js'
import type { Clock } from '../clock.js'
import type { Target } from './link.js'
import type { LinkStore } from './link-store.js'

export interface TargetParts {
  readonly links: Pick<LinkStore, 'target'>
  readonly clock: Clock
  readonly elsewhere: Elsewhere
}

/** What other processes change in the same records. */
export interface Elsewhere {
  /** How long, in milliseconds, what is known may be believed without news: for ever where none can be lost. */
  readonly maxAge: number
  /** Moves when another process may have changed anything at all. Cheap enough for every millisecond. */
  version(): number
  /** Calls back with addresses that another process changed, where they can be told one by one. */
  onChange(listener: (addresses: readonly string[]) => void): void
}

interface Entry {
  /** `null`: known not to exist. */
  readonly target: Target | null
  readonly until: number
}

export class Targets {
  readonly #parts: TargetParts
  readonly #known: RecentMap<string, Entry>
  readonly #loading = new Map<string, Promise<Target | null>>()
  #version: number
  #askedAt = Number.NEGATIVE_INFINITY

  constructor(parts: TargetParts, size: number) {
    this.#parts = parts
    this.#known = new RecentMap(size)
    this.#version = parts.elsewhere.version()
    parts.elsewhere.onChange((addresses) => {
      for (const address of addresses) this.forget(address)
    })
  }

  /** What memory says: a target, `null` for an address that does not exist, `undefined` when the store must be asked. */
  peek(address: string, now: number): Target | null | undefined {
    // Asking takes 7 us, a third of a whole redirect; a busy service answers some forty of them in a millisecond.
    if (now !== this.#askedAt) this.#askElsewhere(now)
    const entry = this.#known.get(address)
    return entry === undefined || entry.until <= now ? undefined : entry.target
  }

  /** Asks the store and remembers the answer; callers that miss the same address at once share one question. */
  load(address: string): Promise<Target | null> {
    const waiting = this.#loading.get(address)
    if (waiting) return waiting
    const until = this.#parts.clock.now() + this.#parts.elsewhere.maxAge
    // A question that `forget` removed meanwhile may have read what was there before the change: it is not remembered.
    const isCurrent = () => this.#loading.get(address) === question && this.#loading.delete(address)
    const question: Promise<Target | null> = this.#parts.links.target(address).then(
      (found) => {
        const target = found ?? null
        if (isCurrent()) this.#known.set(address, { target, until })
        return target
      },
      (error) => {
        isCurrent()
        throw error
      },
    )
    this.#loading.set(address, question)
    return question
  }

  forget(address: string): void {
    this.#loading.delete(address)
    this.#known.delete(address)
  }

  forgetAll(): void {
    this.#loading.clear()
    this.#known.clear()
  }

  /** Requests of one turn share the question: what they were answered by was true when the turn began. */
  #askElsewhere(now: number): void {
    this.#askedAt = now
    const version = this.#parts.elsewhere.version()
    if (version === this.#version) return
    this.#version = version
    this.forgetAll()
  }
}

/** Where an address leads at this moment. Misses are answers here, not errors. */
export type Resolution =
  | { readonly outcome: 'redirect'; readonly target: Target }
  | { readonly outcome: 'gone'; readonly reason: 'deleted' | 'expired' }
  | { readonly outcome: 'missing' }

const missing: Resolution = { outcome: 'missing' }
const deleted: Resolution = { outcome: 'gone', reason: 'deleted' }
const expired: Resolution = { outcome: 'gone', reason: 'expired' }

export function resolve(target: Target | null, now: number): Resolution {
  if (target === null) return missing
  if (target.deletedAt !== undefined) return deleted
  if (target.expiresAt !== undefined && target.expiresAt <= now) return expired
  return { outcome: 'redirect', target }
}
