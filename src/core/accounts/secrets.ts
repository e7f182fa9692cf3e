import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { newGuid } from '../values/guid.js'
import { randomBase62 } from '../values/random.js'
import { hashToken } from './authenticate.js'

/**
 * The library's defaults: argon2id, 19 MiB, two passes, one lane. The parameters are part of the hash, so raising them
 * does not break stored passwords.
 */
export function hashPassword(password: string): Promise<string> {
  return hash(password)
}

export function verifyPassword(passwordHash: string, password: string): Promise<boolean> {
  return verify(passwordHash, password)
}

/** An access token's secret: 40 lower-case hex characters (docs/api/identity.md#access-tokens). */
export function newTokenSecret(): string {
  return randomBytes(20).toString('hex')
}

// 119 random bits, without characters that need quoting in a shell.
export function newPassword(): string {
  return randomBase62(20)
}

/** The stored fields of a token, without its secret. */
export function tokenFrom(secret: string): { guid: string; secretHash: string; hint: string } {
  return { guid: newGuid('token'), secretHash: hashToken(secret), hint: secret.slice(-4) }
}
