/** Codes of authenticator apps (RFC 6238 with its usual parameters: SHA-1, six digits, thirty seconds). */
import { Secret, TOTP } from 'otpauth'

/** The time step of the code: the current one, or one before or after, to allow for clock skew; undefined if wrong. */
export function stepOfCode(secret: string, code: string, now: number): number | undefined {
  // Other characters may need more bytes than six, which the comparison does not accept.
  if (!/^\d{6}$/.test(code)) return undefined
  const delta = TOTP.validate({ secret: Secret.fromBase32(secret), token: code, timestamp: now, window: 1 })
  return delta === null ? undefined : TOTP.counter({ timestamp: now }) + delta
}

/** 160 bits, as RFC 4226 recommends. */
export function newTotpSecret(): string {
  return new Secret({ size: 20 }).base32
}

/** The URI for the QR code that authenticator apps scan. */
export function otpauthUri(issuer: string, login: string, secret: string): string {
  return new TOTP({ issuer, label: login, secret }).toString()
}
