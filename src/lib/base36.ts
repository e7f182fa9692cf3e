import { randomBytes } from 'node:crypto'

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'

/** Random characters of `[0-9a-z]`, uniformly distributed: bytes past the last multiple of 36 are rejected. */
export function randomLowercase(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length + 8)) {
      if (byte < 252 && text.length < length) text += alphabet[byte % 36]
    }
  }
  return text
}
