/** Codes of the second factor: from an authenticator app, by SMS, or a recovery code. */
import { createHmac, hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { randomLowercase } from '../../lib/base36.js'
import type { TwoFactor } from '../accounts/account.js'
import type { AttemptStore, TwoFactorStore } from '../accounts/account-store.js'
import { type AuditDeps, audited } from '../accounts/audit.js'
import { codeText, type Sms } from './messages.js'

export interface SecondFactorDeps extends AuditDeps {
  readonly accounts: TwoFactorStore & AttemptStore
  /** Undefined when no SMS gateway is configured. */
  readonly sms: Sms | undefined
  readonly backgroundTasks: { failed(error: unknown): void }
}

export async function isValidCode(
  deps: SecondFactorDeps,
  login: string,
  /** Undefined when the user has passkeys only: then a recovery code. */
  factor: TwoFactor | undefined,
  given: string,
): Promise<boolean> {
  const code = given.replace(/[\s-]/g, '').toLowerCase()
  if (/^\d{6}$/.test(code)) return factor !== undefined && isValidSixDigitCode(deps, login, factor, code)
  if (!/^[0-9a-z]{10}$/.test(code)) return false
  return audited(
    deps,
    ({ accounts }) => accounts.useRecoveryCode(login, hashCode(login, code)),
    (used) => used && { action: 'recovery_code_used', login },
  )
}

/** Six digits, from the app or by SMS. */
export async function isValidSixDigitCode(
  deps: Pick<SecondFactorDeps, 'accounts' | 'clock'>,
  login: string,
  factor: TwoFactor,
  code: string,
): Promise<boolean> {
  const now = deps.clock.now()
  if (factor.by === 'sms') return deps.accounts.checkSmsCode(login, hashCode(login, code), now)
  const step = stepOfCode(factor.secret, code, now)
  return step !== undefined && deps.accounts.useTotpStep(login, step)
}

// A repeated request within half a minute sends nothing; at most ten messages an hour, because they cost money.
const minInterval = 30_000
const messagesPerHour = 10
const lifetime = 5 * 60_000
const triesPerCode = 5

export type SmsOutcome =
  | { readonly sms: 'sent' | 'failed' }
  /** Nothing was sent: the last message is less than half a minute old, or there were too many. `wait` in milliseconds. */
  | { readonly sms: 'recent' | 'too-many'; readonly wait: number }

export async function sendSmsCode(deps: SecondFactorDeps, login: string, phone: string): Promise<SmsOutcome> {
  const now = deps.clock.now()
  const budget = { key: hash('sha256', `sms\n${login}`), limit: messagesPerHour, window: 3_600_000 }
  const wait = await deps.accounts.countTry([budget], now)
  if (wait !== undefined) return { sms: 'too-many', wait }
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const sent = { login, codeHash: hashCode(login, code), tries: triesPerCode, sentAt: now, expiresAt: now + lifetime }
  if (!(await deps.accounts.addSmsCode(sent, now - minInterval))) {
    await deps.accounts.takeTryBack([budget.key])
    return { sms: 'recent', wait: minInterval }
  }
  try {
    if (!deps.sms) throw new Error('Cannot send SMS: set smsGatewayUrl.')
    await deps.sms.send(phone, codeText(code))
    return { sms: 'sent' }
  } catch (error) {
    // Recovery codes still work, so the sign-in asks for a code all the same.
    await deps.accounts.forgetSmsCode(login)
    deps.backgroundTasks.failed(error)
    return { sms: 'failed' }
  }
}

// Ten codes of ten characters, with 51 random bits each.
export function newRecoveryCodeSet(login: string): { codes: readonly string[]; hashes: readonly string[] } {
  const codes = Array.from({ length: 10 }, () => randomLowercase(10))
  return {
    codes: codes.map((code) => `${code.slice(0, 5)}-${code.slice(5)}`),
    hashes: codes.map((code) => hashCode(login, code)),
  }
}

/** Includes the login, so equal codes of two accounts have different hashes. */
function hashCode(login: string, code: string): string {
  return hash('sha256', `${login}\n${code}`)
}

// Codes of authenticator apps (RFC 6238 with its usual parameters: SHA-1, six digits, thirty seconds).

/** The time step of the code: the current one, or one before or after, to allow for clock skew; undefined if wrong. */
export function stepOfCode(secret: string, code: string, now: number): number | undefined {
  // Other characters may need more bytes than six, which the comparison does not accept.
  if (!/^\d{6}$/.test(code)) return undefined
  const current = Math.floor(now / 30_000)
  const steps = [current, current - 1, current + 1]
  return steps.find((step) => timingSafeEqual(Buffer.from(codeOfStep(secret, step)), Buffer.from(code)))
}

function codeOfStep(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  // The last four bits say where the 31 bits of the code begin (RFC 4226, 5.3).
  const number = digest.readUInt32BE(digest.readUInt8(19) & 15) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, '0')
}

const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function fromBase32(text: string): Buffer {
  const bits = [...text].map((character) => base32.indexOf(character).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** 160 bits, as RFC 4226 recommends: 32 characters of base32. */
export function newTotpSecret(): string {
  return Array.from(randomBytes(32), (byte) => base32[byte & 31]).join('')
}

/** The URI for the QR code that authenticator apps scan. */
export function otpauthUri(issuer: string, login: string, secret: string): string {
  const [name, label] = [issuer, login].map(encodeURIComponent)
  return `otpauth://totp/${name}:${label}?issuer=${name}&secret=${secret}&algorithm=SHA1&digits=6&period=30`
}
