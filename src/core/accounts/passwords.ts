import { hash, verify } from '@node-rs/argon2'

/**
 * The library's defaults: argon2id, 19 MiB, two passes, one lane. The parameters are part of the hash, so they can be
 * raised without touching stored passwords.
 */
export function hashPassword(password: string): Promise<string> {
  return hash(password)
}

export function verifyPassword(passwordHash: string, password: string): Promise<boolean> {
  return verify(passwordHash, password)
}
