import { randomBytes } from 'node:crypto'
import { randomBase62 } from '../../lib/base62.js'
import { newGuid } from '../values/guid.js'
import { hashToken } from './authenticate.js'

/** An access token's secret: 40 lower-case hex characters (docs/api/identity.md#access-tokens). */
export function newTokenSecret(): string {
  return randomBytes(20).toString('hex')
}

// Our choice: 119 random bits, no characters that need quoting in a shell.
export function newPassword(): string {
  return randomBase62(20)
}

/** A token as the store takes it, without its secret. */
export function tokenFrom(secret: string): { guid: string; secretHash: string; hint: string } {
  return { guid: newGuid('token'), secretHash: hashToken(secret), hint: secret.slice(-4) }
}
