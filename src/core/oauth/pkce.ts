/** Proof Key for Code Exchange (RFC 7636), by S256 only: `plain` proves nothing to whoever saw the request. */
import { hash, timingSafeEqual } from 'node:crypto'

/** A SHA-256 digest in base64url, without padding. */
export function isChallenge(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text)
}

export function isVerifier(text: string): boolean {
  return /^[A-Za-z0-9._~-]{43,128}$/.test(text)
}

export function proves(verifier: string, challenge: string): boolean {
  const made = Buffer.from(hash('sha256', verifier, 'base64url'))
  const wanted = Buffer.from(challenge)
  return isVerifier(verifier) && made.length === wanted.length && timingSafeEqual(made, wanted)
}
