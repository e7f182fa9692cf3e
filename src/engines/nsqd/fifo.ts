/** A FIFO queue with cheap removal: `Array.shift` copies a large array every time. */
export class Fifo<T> implements Iterable<T> {
  #items: T[] = []
  #head = 0

  get length(): number {
    return this.#items.length - this.#head
  }

  push(item: T): void {
    this.#items.push(item)
  }

  shift(): T | undefined {
    if (this.length === 0) return undefined
    const item = this.#items[this.#head++]
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) this.#compact()
    return item
  }

  /** Returns how many items it removed. */
  remove(unwanted: (item: T) => boolean): number {
    const before = this.length
    this.#compact()
    this.#items = this.#items.filter((item) => !unwanted(item))
    return before - this.length
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let index = this.#head; index < this.#items.length; index++) yield this.#items[index] as T
  }

  #compact(): void {
    this.#items = this.#items.slice(this.#head)
    this.#head = 0
  }
}
