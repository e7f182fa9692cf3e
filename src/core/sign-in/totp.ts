/** Codes of authenticator apps (RFC 6238 with its usual parameters: SHA-1, six digits, thirty seconds). */
import { Secret, TOTP } from 'otpauth'

/** The time step the code belongs to: now, one before or one after, for clocks that differ; undefined when none. */
export function stepOfCode(secret: string, code: string, now: number): number | undefined {
  // Anything else may have six characters and more than six bytes, which cannot be compared.
  if (!/^\d{6}$/.test(code)) return undefined
  const delta = TOTP.validate({ secret: Secret.fromBase32(secret), token: code, timestamp: now, window: 1 })
  return delta === null ? undefined : TOTP.counter({ timestamp: now }) + delta
}

/** 160 bits, as RFC 4226 recommends. */
export function newTotpSecret(): string {
  return new Secret({ size: 20 }).base32
}

/** What authenticator apps read from a QR code. */
export function otpauthUri(issuer: string, login: string, secret: string): string {
  return new TOTP({ issuer, label: login, secret }).toString()
}
