/**
 * The redirect path's memory: where addresses lead, bounded, with entries for addresses that do not exist too.
 * A hit is a Map look-up. Use cases that change a link call `forget`. Changes made by other processes are asked for once
 * a millisecond; where such news can be lost, an age limit covers for it.
 */
import { RecentMap } from '../../lib/recent-map.js'
import type { Clock } from '../values/time.js'
import type { Target } from './link.js'
import type { LinkStore } from './link-store.js'

export interface RedirectCacheDeps {
  readonly links: Pick<LinkStore, 'target'>
  readonly clock: Clock
  readonly externalChanges: ExternalChanges
}

/** What other processes change in the same records. */
export interface ExternalChanges {
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
  /** From then on the store is asked again; what is here stays good for as long as it does not answer. */
  readonly until: number
  /** Which of the table's generations it belongs to: an older one is asked for again too. */
  readonly generation: number
}

/** How long an answer from before is believed while the store does not answer. Each such entry costs one question. */
const staleFor = 1000

export class RedirectCache {
  readonly #deps: RedirectCacheDeps
  readonly #known: RecentMap<string, Entry>
  readonly #loading = new Map<string, Promise<Target | null>>()
  #version: number
  #generation = 0
  #askedAt = Number.NEGATIVE_INFINITY

  constructor(deps: RedirectCacheDeps, size: number) {
    this.#deps = deps
    this.#known = new RecentMap(size)
    this.#version = deps.externalChanges.version()
    deps.externalChanges.onChange((addresses) => {
      for (const address of addresses) this.forget(address)
    })
  }

  /** What memory says: a target, `null` for an address that does not exist, `undefined` when the store must be asked. */
  peek(address: string, now: number): Target | null | undefined {
    // Asking takes 7 us, a third of a whole redirect; a busy service answers some forty of them in a millisecond.
    if (now !== this.#askedAt) this.#checkExternalChanges(now)
    const entry = this.#known.get(address)
    return entry !== undefined && this.#isFresh(entry, now) ? entry.target : undefined
  }

  /**
   * Asks the store and remembers the answer; callers that miss the same address at once share one question. While the
   * store does not answer, what was known before is: a stale redirect is better than none.
   */
  load(address: string): Promise<Target | null> {
    const waiting = this.#loading.get(address)
    if (waiting) return waiting
    const generation = this.#generation
    const until = this.#deps.clock.now() + this.#deps.externalChanges.maxAge
    // A question that `forget` removed meanwhile may have read what was there before the change: it is not remembered.
    const isCurrent = () => this.#loading.get(address) === question && this.#loading.delete(address)
    const question: Promise<Target | null> = this.#deps.links.target(address).then(
      (found) => {
        const target = found ?? null
        if (isCurrent()) this.#known.set(address, { target, until, generation })
        return target
      },
      (error) => {
        const stale = isCurrent() ? this.#known.get(address) : undefined
        if (stale === undefined) throw error
        const soon = this.#deps.clock.now() + staleFor
        this.#known.set(address, { target: stale.target, until: soon, generation: this.#generation })
        return stale.target
      },
    )
    this.#loading.set(address, question)
    return question
  }

  /** Links that were asked for lately, at most so many: what is worth keeping for a start without the store. */
  recent(most: number): readonly Target[] {
    const found: Target[] = []
    for (const { target } of this.#known.values()) {
      if (found.length === most) break
      if (target !== null && target.deletedAt === undefined) found.push(target)
    }
    return found
  }

  /** Answers this one until the store does. */
  keep(target: Target): void {
    this.#known.set(target.address, { target, until: Number.POSITIVE_INFINITY, generation: this.#generation })
  }

  /** Whether there is nothing that could be answered while the store is away. */
  get isEmpty(): boolean {
    return this.#known.isEmpty
  }

  forget(address: string): void {
    this.#loading.delete(address)
    this.#known.delete(address)
  }

  /** Everything is asked for again when it is next needed. */
  #expireAll(): void {
    this.#loading.clear()
    this.#generation += 1
  }

  #isFresh(entry: Entry, now: number): boolean {
    return entry.until > now && entry.generation === this.#generation
  }

  /** Requests of one turn share the question: what they were answered by was true when the turn began. */
  #checkExternalChanges(now: number): void {
    this.#askedAt = now
    const version = this.#deps.externalChanges.version()
    if (version === this.#version) return
    this.#version = version
    this.#expireAll()
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
