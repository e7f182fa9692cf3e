/** Random names: back-halves of links, and characters for guids and secrets. */
import { randomFillSync } from 'node:crypto'
import { reservedSegments } from './address.js'

/** Generates a new hash, optionally with a fixed prefix. */
export type DrawHash = (prefix?: string) => string

/** Seven characters of `[0-9A-Za-z]`: 3.5 trillion hashes. On a collision another one is drawn. */
export function randomHash(prefix = ''): string {
  const hash = prefix + randomBase62(7 - prefix.length)
  // Some reserved segments, such as `metrics` and `healthz`, have seven characters too.
  return reservedSegments.has(hash) ? randomHash(prefix) : hash
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Random characters of `[0-9A-Za-z]`, uniformly distributed: bytes past the last multiple of 62 are rejected. */
export function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    const byte = randomByte()
    if (byte < 248) text += alphabet[byte % 62]
  }
  return text
}

/** A call to randomBytes costs 2 us whether it returns few bytes or many; every new link needs some. */
const pool = Buffer.alloc(1024)
let used = pool.length

function randomByte(): number {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  return pool[used++] ?? 0
}
