/** Proof Key for Code Exchange (RFC 7636), S256 only: `plain` does not protect against someone who saw the request. */
import { hash, timingSafeEqual } from 'node:crypto'

/** A SHA-256 digest in base64url, without padding. */
export function isChallenge(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text)
}

export function isVerifier(text: string): boolean {
  return /^[A-Za-z0-9._~-]{43,128}$/.test(text)
}

export function matchesChallenge(verifier: string, challenge: string): boolean {
  const actual = Buffer.from(hash('sha256', verifier, 'base64url'))
  const expected = Buffer.from(challenge)
  return isVerifier(verifier) && actual.length === expected.length && timingSafeEqual(actual, expected)
}
