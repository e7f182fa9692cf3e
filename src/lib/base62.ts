import { randomFillSync } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Random characters of `[0-9A-Za-z]`, each equally likely: bytes past the last multiple of 62 are thrown away. */
export function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    const byte = randomByte()
    if (byte < 248) text += alphabet[byte % 62]
  }
  return text
}

/** Asking the system for a few bytes costs 2 us, for a pool of them hardly more; every new link draws some. */
const pool = Buffer.alloc(1024)
let used = pool.length

function randomByte(): number {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  return pool[used++] ?? 0
}
