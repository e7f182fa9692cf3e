/**
 * A refresh token changes with each use (docs/oauth.md#refresh-tokens). Its first half stays the same for all that come of one
 * consent, so that an old one is recognised, however old, without keeping it.
 */
import { createHmac } from 'node:crypto'
import type { NewToken } from '../accounts/account-store.js'
import { hashToken } from '../accounts/authenticate.js'
import { newTokenSecret } from '../accounts/secrets.js'

const accessLifetime = 60 * 60_000
const refreshLifetime = 90 * 86_400_000

/** The first refresh token of a consent. */
export function withRefreshToken(token: NewToken): { token: NewToken; refreshToken: string; expiresIn: number } {
  const refreshToken = newTokenSecret() + newTokenSecret()
  const stored = { refreshKey: keyOf(refreshToken), refreshHash: hashToken(refreshToken), ...expiryAt(token.at) }
  return { token: { ...token, ...stored }, refreshToken, expiresIn: accessLifetime / 1000 }
}

/**
 * The next secrets follow from the refresh token that was sent and a random value in the store: a repeated request gets
 * the same ones, and neither a thief of an old refresh token nor a reader of the store can compute them.
 */
export function derivedFrom(refreshToken: string, salt: string): { access: string; refresh: string } {
  const part = (of: string) => createHmac('sha256', salt).update(`${of} ${refreshToken}`).digest('hex').slice(0, half)
  return { access: part('access'), refresh: refreshToken.slice(0, half) + part('refresh') }
}

export function keyOf(refreshToken: string): string {
  return hashToken(refreshToken.slice(0, half))
}

/** The length of a token. */
const half = 40

export function expiryAt(at: number): { expiresAt: number; refreshExpiresAt: number } {
  return { expiresAt: at + accessLifetime, refreshExpiresAt: at + refreshLifetime }
}
