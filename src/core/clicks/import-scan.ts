/**
 * Where the values of a line are, without making anything of them: most lines are flat objects of texts, and their fields
 * are found in a third of the time that JSON.parse takes. It never judges a line: whatever is not plainly one of these is
 * left to import-line.ts, which also says what is wrong with it.
 */

import { hashOf, nextHash } from '../../lib/byte-table.js'

/** A line's fields, by number. */
export const field = {
  link: 0,
  at: 1,
  ip: 2,
  userAgent: 3,
  referrer: 4,
  kind: 5,
  country: 6,
  region: 7,
  city: 8,
  count: 9,
} as const

const names = ['link', 'at', 'ip', 'user_agent', 'referrer', 'kind', 'country', 'region', 'city', 'count']
const namesAsBytes = names.map((name) => Buffer.from(name))

export class LineScan {
  readonly #from = new Uint32Array(names.length)
  readonly #to = new Uint32Array(names.length)
  readonly #hashes = new Int32Array(names.length)
  /** A bit for each field that has a value. */
  #present = 0
  #escaped = false
  #hash = 0
  /** Of the bytes it reads: four of them at once. */
  #view: { readonly data: Uint8Array; readonly view: DataView } | undefined
  /** Programs write the fields of every line in one order: what came after this one last time. */
  readonly #next = new Uint8Array(names.length + 1)

  has(which: number): boolean {
    return (this.#present & (1 << which)) !== 0
  }

  /** Where its value begins, behind the quote; 0 where there is none. */
  from(which: number): number {
    return this.#from[which] ?? 0
  }

  /** Where its value ends, as written, escapes and all; 0 where there is none. */
  to(which: number): number {
    return this.#to[which] ?? 0
  }

  /** The hash of its value, as ByteTable has it. */
  hash(which: number): number {
    return this.#hashes[which] ?? 0
  }

  /** False when the line needs a closer look. A line feed must follow it: that is where every search ends. */
  read(data: Uint8Array, start: number): boolean {
    this.#from.fill(0)
    this.#to.fill(0)
    this.#hashes.fill(0)
    this.#present = 0
    const view = this.#viewOf(data)
    let named = 0
    let before = names.length
    let at = start
    if (data[at] !== openBrace) return false
    do {
      const key = afterBlanks(data, at + 1)
      if (data[key] !== quote) return false
      const keyEnd = this.#endOfText(view, key + 1)
      if (keyEnd < 0) return false
      const which = this.#fieldOf(data, key + 1, keyEnd, before)
      if (which < 0 && this.#escaped) return false
      at = afterBlanks(data, keyEnd + 1)
      if (data[at] !== colon) return false
      at = afterBlanks(data, at + 1)
      if (data[at] === quote) {
        const end = this.#endOfText(view, at + 1)
        if (end < 0) return false
        if (which >= 0) {
          this.#from[which] = at + 1
          this.#to[which] = end
          this.#hashes[which] = this.#hash
          this.#present |= 1 << which
        } else if (this.#escaped) return false
        at = end + 1
      } else {
        if (!isNull(data, at)) return false
        at += 4
      }
      if (which >= 0) {
        // Twice the same: of two values the last one counts, which is nothing to be clever about.
        if ((named & (1 << which)) !== 0) return false
        named |= 1 << which
        this.#next[before] = which
        before = which
      }
      at = afterBlanks(data, at)
    } while (data[at] === comma)
    return data[at] === closeBrace && data[afterBlanks(data, at + 1)] === lineFeed
  }

  /**
   * Where the closing quote is, or -1. Hashes what it passes; says whether there are escapes, which it does not check. One
   * way over the bytes instead of two, in steps of four as long as there is nothing special among them.
   */
  #endOfText(view: DataView, from: number): number {
    const last = view.byteLength - 4
    let hash = 0
    let at = from
    for (; at <= last; at += 4) {
      const word = view.getInt32(at)
      if (hasSpecial(word)) break
      hash = nextHash(hash, word)
    }
    this.#escaped = false
    for (; at <= last + 3; at++) {
      const byte = view.getUint8(at)
      if (byte === quote) {
        this.#hash = hash
        return at
      }
      if (byte === backslash) return this.#endOfEscaped(view, from, at)
      if (byte < blank) return -1
      hash = nextHash(hash, byte)
    }
    return -1
  }

  #endOfEscaped(view: DataView, from: number, backslashAt: number): number {
    this.#escaped = true
    for (let at = backslashAt; at < view.byteLength; at++) {
      const byte = view.getUint8(at)
      if (byte === quote) {
        this.#hash = hashOf(view, from, at)
        return at
      }
      if (byte < blank) return -1
      // What follows is part of it, unless the line is over.
      if (byte === backslash && ++at < view.byteLength && view.getUint8(at) < blank) return -1
    }
    return -1
  }

  #viewOf(data: Uint8Array): DataView {
    if (this.#view?.data !== data) {
      this.#view = { data, view: new DataView(data.buffer, data.byteOffset, data.byteLength) }
    }
    return this.#view.view
  }

  #fieldOf(data: Uint8Array, from: number, to: number, before: number): number {
    const likely = this.#next[before] ?? 0
    if (isName(likely, data, from, to)) return likely
    for (let which = 0; which < names.length; which++) if (isName(which, data, from, to)) return which
    return -1
  }
}

const openBrace = 0x7b
const closeBrace = 0x7d
const quote = 0x22
const colon = 0x3a
const comma = 0x2c
const backslash = 0x5c
const blank = 0x20
const tab = 0x09
const carriageReturn = 0x0d
const lineFeed = 0x0a

/** Whether one of the four bytes is a quote, a backslash or a control character. */
function hasSpecial(word: number): boolean {
  const quotes = word ^ 0x22222222
  const backslashes = word ^ 0x5c5c5c5c
  // A byte's highest bit is set where it was 0, or below a blank, before something was taken away from it.
  const found =
    ((quotes - 0x01010101) & ~quotes) | ((backslashes - 0x01010101) & ~backslashes) | ((word - 0x20202020) & ~word)
  return (found & 0x80808080) !== 0
}

function afterBlanks(data: Uint8Array, from: number): number {
  let at = from
  for (let byte = data[at]; byte === blank || byte === tab || byte === carriageReturn; byte = data[at]) at++
  return at
}

function isName(which: number, data: Uint8Array, from: number, to: number): boolean {
  const name = namesAsBytes[which]
  if (!name || name.length !== to - from) return false
  for (let index = 0; index < name.length; index++) if (name[index] !== data[from + index]) return false
  return true
}

function isNull(data: Uint8Array, at: number): boolean {
  return data[at] === 0x6e && data[at + 1] === 0x75 && data[at + 2] === 0x6c && data[at + 3] === 0x6c
}
