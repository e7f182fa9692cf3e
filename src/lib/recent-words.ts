/**
 * A bounded map from four words to a value, in two generations like RecentMap. It concatenates no keys: it looks up the
 * first non-empty word and compares the entries that share it. Pass the words from the most specific to the least
 * (city, ..., country), so that few entries share one.
 */
export class RecentWords<V> {
  #young = new Map<string, Entry<V>>()
  #old = new Map<string, Entry<V>>()
  #size = 0
  readonly #half: number

  /** Holds between `size / 2` and `size` keys once full. */
  constructor(size: number) {
    this.#half = Math.max(1, Math.floor(size / 2))
  }

  get(first: string, second: string, third: string, fourth: string): V | undefined {
    const word = first || second || third || fourth
    const entry = find(this.#young.get(word), first, second, third, fourth)
    if (entry) return entry.value
    const older = find(this.#old.get(word), first, second, third, fourth)
    if (older) this.set(first, second, third, fourth, older.value)
    return older?.value
  }

  set(first: string, second: string, third: string, fourth: string, value: V): void {
    const word = first || second || third || fourth
    const entry = find(this.#young.get(word), first, second, third, fourth)
    if (entry) {
      entry.value = value
      return
    }
    if (this.#size >= this.#half) {
      this.#old = this.#young
      this.#young = new Map()
      this.#size = 0
    }
    this.#young.set(word, { first, second, third, fourth, value, next: this.#young.get(word) })
    this.#size++
  }

  delete(first: string, second: string, third: string, fourth: string): void {
    const word = first || second || third || fourth
    for (const generation of [this.#young, this.#old]) {
      const left: Entry<V>[] = []
      for (let entry = generation.get(word); entry; entry = entry.next) {
        if (!matches(entry, first, second, third, fourth)) left.push(entry)
        else if (generation === this.#young) this.#size--
      }
      generation.delete(word)
      for (const entry of left) generation.set(word, { ...entry, next: generation.get(word) })
    }
  }
}

interface Entry<V> {
  readonly first: string
  readonly second: string
  readonly third: string
  readonly fourth: string
  value: V
  /** The next entry with the same word. */
  readonly next: Entry<V> | undefined
}

function find<V>(
  from: Entry<V> | undefined,
  first: string,
  second: string,
  third: string,
  fourth: string,
): Entry<V> | undefined {
  for (let entry = from; entry; entry = entry.next) if (matches(entry, first, second, third, fourth)) return entry
  return undefined
}

function matches(entry: Entry<unknown>, first: string, second: string, third: string, fourth: string): boolean {
  return entry.first === first && entry.second === second && entry.third === third && entry.fourth === fourth
}
