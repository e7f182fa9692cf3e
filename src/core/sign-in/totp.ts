/** Codes of authenticator apps (RFC 6238 with its usual parameters: SHA-1, six digits, thirty seconds). */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const stepSeconds = 30

/** The time step the code belongs to: now, one before or one after, for clocks that differ; undefined when none. */
export function stepOfCode(secret: string, code: string, now: number): number | undefined {
  const current = Math.floor(now / 1000 / stepSeconds)
  if (!/^\d{6}$/.test(code)) return undefined
  const given = Buffer.from(code)
  let found: number | undefined
  // All three are compared, whichever is right.
  for (const step of [current - 1, current, current + 1]) {
    if (timingSafeEqual(Buffer.from(codeAt(secret, step)), given)) found = step
  }
  return found
}

export function codeAt(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 0x0f
  const number = digest.readUInt32BE(offset) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, '0')
}

/** 160 bits, as RFC 4226 recommends. */
export function newTotpSecret(): string {
  return toBase32(randomBytes(20))
}

/** What authenticator apps read from a QR code. */
export function otpauthUri(issuer: string, login: string, secret: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(login)}`
  const issued = `issuer=${encodeURIComponent(issuer)}`
  return `otpauth://totp/${label}?secret=${secret}&${issued}&algorithm=SHA1&digits=6&period=${stepSeconds}`
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function toBase32(bytes: Buffer): string {
  let bits = ''
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0')
  return (bits.match(/.{5}/g) ?? []).map((five) => alphabet[Number.parseInt(five, 2)]).join('')
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)))
}
