/**
 * An LRU cache of redirect targets, with negative entries for unknown addresses. A hit is a Map lookup. Use cases that
 * change a link call `forget`. The cache polls for changes by other processes at most once a millisecond. Notifications can
 * get lost, so entries also have a maximum age.
 *
 * A changed link becomes stale and is asked for at once; a visitor who comes first waits for the answer. Its former target
 * is served only while the store fails to tell the new one.
 */
import { RecentMap } from '../../lib/recent-map.js'
import type { Clock } from '../values/time.js'
import type { Target } from './link.js'
import type { LinkStore } from './link-store.js'

export interface RedirectCacheDeps {
  readonly links: Pick<LinkStore, 'target'>
  readonly clock: Clock
  readonly externalChanges: ExternalChanges
  /** Runs the work once the caller's writes are committed; at once by default. */
  readonly afterCommit?: (work: () => void) => void
}

/** Reports changes that other processes make to the same records. */
export interface ExternalChanges {
  /** Maximum age of a cache entry in milliseconds. */
  readonly maxAge: number
  /** Changes when another process may have changed anything. May call back. Cheap enough to call every millisecond. */
  version(): number
  /** Calls back with the addresses that another process changed, where the store knows them. */
  onChange(listener: (addresses: readonly string[]) => void): void
}

interface Entry {
  /** `null`: the address does not exist. */
  readonly target: Target | null
  /** When the entry becomes stale. Stale entries are still served while the store fails. */
  until: number
  /** Entries of an older generation are stale too. */
  readonly generation: number
}

/** How long a stale entry is served before the store is queried again, while the store fails. */
const staleFor = 1000

export class RedirectCache {
  readonly #deps: RedirectCacheDeps
  readonly #known: RecentMap<string, Entry>
  readonly #loading = new Map<string, Promise<Target | null>>()
  /** Changed addresses whose new target is to be asked for. */
  readonly #changed = new Set<string>()
  #asking = false
  #version: number
  #generation = 0
  #checkedAt = Number.NEGATIVE_INFINITY

  constructor(deps: RedirectCacheDeps, size: number) {
    this.#deps = deps
    this.#known = new RecentMap(size)
    this.#version = deps.externalChanges.version()
    deps.externalChanges.onChange((addresses) => {
      for (const address of addresses) this.#change(address)
    })
  }

  /** A target, `null` for an address that does not exist, or `undefined` on a cache miss. */
  peek(address: string, now: number): Target | null | undefined {
    // The check takes 7 us, a third of a whole redirect; a busy service serves about forty redirects per millisecond.
    if (now !== this.#checkedAt) this.#checkExternalChanges(now)
    const entry = this.#known.get(address)
    return entry !== undefined && this.#isFresh(entry, now) ? entry.target : undefined
  }

  /**
   * Queries the store and caches the result. Concurrent misses of one address share one query. If the store fails, a
   * stale entry is served: a stale redirect is better than none.
   */
  load(address: string): Promise<Target | null> {
    const waiting = this.#loading.get(address)
    if (waiting) return waiting
    const generation = this.#generation
    const until = this.#deps.clock.now() + this.#deps.externalChanges.maxAge
    // A query that `forget` removed meanwhile may have read the old state: its result is not cached.
    const isCurrent = () => this.#loading.get(address) === query && this.#loading.delete(address)
    const query: Promise<Target | null> = this.#deps.links.target(address).then(
      (found) => {
        const target = found ?? null
        if (isCurrent()) this.#known.set(address, { target, until, generation })
        return target
      },
      (error) => {
        const current = isCurrent()
        const stale = this.#known.get(address)
        if (stale === undefined) throw error
        const soon = this.#deps.clock.now() + staleFor
        if (current) this.#known.set(address, { target: stale.target, until: soon, generation: this.#generation })
        return stale.target
      },
    )
    this.#loading.set(address, query)
    return query
  }

  /** Recently used links, at most `max`: saved for a start while the store is down. */
  recent(max: number): readonly Target[] {
    const found: Target[] = []
    for (const { target } of this.#known.values()) {
      if (found.length === max) break
      if (target !== null && target.deletedAt === undefined) found.push(target)
    }
    return found
  }

  /** Caches a target without an expiry. */
  keep(target: Target): void {
    this.#known.set(target.address, { target, until: Number.POSITIVE_INFINITY, generation: this.#generation })
  }

  get isEmpty(): boolean {
    return this.#known.isEmpty
  }

  /** A read before the commit of the change would cache the old target again. */
  forget(address: string): void {
    if (this.#deps.afterCommit) this.#deps.afterCommit(() => this.#change(address))
    else this.#change(address)
  }

  #change(address: string): void {
    this.#loading.delete(address)
    const entry = this.#known.get(address)
    if (entry === undefined) return
    if (entry.target === null) {
      // The address exists now: "not found" would be wrong for as long as the store fails.
      this.#known.delete(address)
      return
    }
    entry.until = Number.NEGATIVE_INFINITY
    this.#changed.add(address)
    if (!this.#asking) void this.#askForChanged()
  }

  /** One after the other: a change of thousands of links must not keep visitors from the store. Never rejects. */
  async #askForChanged(): Promise<void> {
    this.#asking = true
    for (const address of this.#changed) {
      this.#changed.delete(address)
      const entry = this.#known.get(address)
      // A visitor may have asked already, and the next one asks a failing store again.
      if (entry !== undefined && !this.#isFresh(entry, this.#deps.clock.now())) await this.load(address).catch(() => {})
    }
    this.#asking = false
  }

  /** Makes all entries stale. */
  #expireAll(): void {
    this.#loading.clear()
    this.#generation += 1
  }

  #isFresh(entry: Entry, now: number): boolean {
    return entry.until > now && entry.generation === this.#generation
  }

  /** Requests in the same event-loop turn share one check: the cache was current when the turn began. */
  #checkExternalChanges(now: number): void {
    this.#checkedAt = now
    const version = this.#deps.externalChanges.version()
    if (version === this.#version) return
    this.#version = version
    this.#expireAll()
  }
}

/** The current state of an address. An unknown address is a result, not an error. */
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
