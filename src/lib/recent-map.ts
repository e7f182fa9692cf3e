/**
 * A bounded map that keeps recently used entries, in two generations: when the young one is full it becomes the old
 * one, and the old one is dropped. A read costs one or two Map lookups and no bookkeeping per hit; the redirect path
 * uses it instead of a linked-list LRU for that reason.
 */
export class RecentMap<K, V> {
  #young = new Map<K, V>()
  #old = new Map<K, V>()
  readonly #half: number

  /** Holds between `size / 2` and `size` entries once full. */
  constructor(size: number) {
    this.#half = Math.max(1, Math.floor(size / 2))
  }

  get(key: K): V | undefined {
    const value = this.#young.get(key)
    if (value !== undefined) return value
    const older = this.#old.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  set(key: K, value: V): void {
    if (this.#young.size >= this.#half && !this.#young.has(key)) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }

  /** The values, recently used ones first. */
  *values(): Iterable<V> {
    yield* this.#young.values()
    for (const [key, value] of this.#old) if (!this.#young.has(key)) yield value
  }

  get isEmpty(): boolean {
    return this.#young.size === 0 && this.#old.size === 0
  }

  delete(key: K): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }

  clear(): void {
    this.#young.clear()
    this.#old.clear()
  }
}

/** Longer texts are rare and hostile: they are worked out each time, so that they cannot fill the memory. */
const longest = 512

/**
 * `work` with a memory of at most `size` recent answers. Texts must be strings of their own, as those are that come out
 * of JSON or the head of a request: one cut out of a larger string would keep all of it alive.
 */
export function remembered<T extends object>(size: number, work: (text: string) => T): (text: string) => T {
  const known = new RecentMap<string, T>(size)
  return (text) => {
    if (text.length > longest) return work(text)
    const answer = known.get(text)
    if (answer) return answer
    const fresh = work(text)
    known.set(text, fresh)
    return fresh
  }
}
