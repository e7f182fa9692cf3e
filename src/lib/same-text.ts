import { createHash, timingSafeEqual } from 'node:crypto'

/** Takes the same time whatever the texts have in common, so that a secret cannot be guessed character by character. */
export function isSameText(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
