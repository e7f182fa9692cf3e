/**
 * Numbers for pieces of bytes: the first one that was added is 0, the next one 1. Looking one up makes no string, which
 * is why an import stands on it: turning its lines into strings, and those into hashes, took half of its time.
 */
export class ByteTable {
  /** Of every piece added so far, side by side. */
  #bytes = new Uint8Array(1 << 12)
  /** Of the above, and of the bytes it was last asked about: four of them are read at once. */
  #view: DataView = new DataView(this.#bytes.buffer)
  #asked: { readonly data: Uint8Array; readonly view: DataView } = { data: this.#bytes, view: this.#view }
  #ends = new Uint32Array(1 << 6)
  #hashes = new Int32Array(1 << 6)
  /** Open addressing: a number and 1, or 0 where nothing is. At most half of them are taken. */
  #slots = new Int32Array(1 << 7)
  #size = 0

  /** How many there are, which is the number of the next one. */
  get size(): number {
    return this.#size
  }

  /** The bytes of all of them. */
  get length(): number {
    return this.#endOf(this.#size - 1)
  }

  /** The number of these bytes, or -1. Whoever knows their hash already hands it in. */
  find(data: Uint8Array, from: number, to: number, known?: number): number {
    const view = this.#viewOf(data)
    const hash = known ?? hashOf(view, from, to)
    const slots = this.#slots
    const mask = slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = (slots[slot] ?? 0) - 1
      if (number < 0 || (this.#hashes[number] === hash && this.#isIt(number, view, from, to))) return number
    }
  }

  /** The number of these bytes, which are not in the table yet. */
  add(data: Uint8Array, from: number, to: number): number {
    const number = this.#size++
    const start = this.#endOf(number - 1)
    const end = start + to - from
    if (end > this.#bytes.length) {
      this.#bytes = grown(this.#bytes, new Uint8Array(2 * end))
      this.#view = new DataView(this.#bytes.buffer)
    }
    if (number >= this.#ends.length) {
      this.#ends = grown(this.#ends, new Uint32Array(2 * this.#ends.length))
      this.#hashes = grown(this.#hashes, new Int32Array(2 * this.#hashes.length))
    }
    this.#bytes.set(data.subarray(from, to), start)
    this.#ends[number] = end
    this.#hashes[number] = hashOf(this.#viewOf(data), from, to)
    if (2 * this.#size > this.#slots.length) this.#spread()
    else this.#place(number)
    return number
  }

  /** As if it were new; its memory is kept. */
  clear(): void {
    this.#slots.fill(0)
    this.#size = 0
  }

  #spread(): void {
    this.#slots = new Int32Array(2 * this.#slots.length)
    for (let number = 0; number < this.#size; number++) this.#place(number)
  }

  #place(number: number): void {
    const mask = this.#slots.length - 1
    let slot = (this.#hashes[number] ?? 0) & mask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
    this.#slots[slot] = number + 1
  }

  #viewOf(data: Uint8Array): DataView {
    if (this.#asked.data !== data) {
      this.#asked = { data, view: new DataView(data.buffer, data.byteOffset, data.byteLength) }
    }
    return this.#asked.view
  }

  #isIt(number: number, view: DataView, from: number, to: number): boolean {
    const own = this.#view
    let start = this.#endOf(number - 1)
    if (this.#endOf(number) - start !== to - from) return false
    let at = from
    for (; at + 4 <= to; at += 4, start += 4) if (own.getInt32(start) !== view.getInt32(at)) return false
    for (; at < to; at++, start++) if (own.getUint8(start) !== view.getUint8(at)) return false
    return true
  }

  #endOf(number: number): number {
    return number < 0 ? 0 : (this.#ends[number] ?? 0)
  }
}

/** From 0, with `nextHash` for every four bytes, and for each of those that are left. */
export function hashOf(view: DataView, from: number, to: number): number {
  let hash = 0
  let at = from
  for (; at + 4 <= to; at += 4) hash = nextHash(hash, view.getInt32(at))
  for (; at < to; at++) hash = nextHash(hash, view.getUint8(at))
  return hash
}

/** Quick and even enough: every step mixes the upper bits, where the product is good, into the lower ones. */
export function nextHash(hash: number, word: number): number {
  // With one added, zeros count too.
  const product = (Math.imul(hash ^ word, 0x9e3779b1) + 1) | 0
  return product ^ (product >>> 15)
}

function grown<T extends Uint8Array | Uint32Array | Int32Array>(old: T, larger: T): T {
  larger.set(old)
  return larger
}
