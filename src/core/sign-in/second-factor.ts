/** Codes of a second factor: from an authenticator app, by SMS, or one of the recovery codes kept for bad days. */
import { hash, randomInt } from 'node:crypto'
import { randomLowercase } from '../../lib/base36.js'
import type { TwoFactor } from '../accounts/account.js'
import type { AccountStore } from '../accounts/account-store.js'
import { type AuditDeps, audited } from '../accounts/audit.js'

import { codeText, type Sms } from './messages.js'
import { stepOfCode } from './totp.js'

export interface SecondFactorDeps extends AuditDeps {
  readonly accounts: AccountStore
  /** Undefined when the service has no way to send any. */
  readonly sms: Sms | undefined
  readonly backgroundTasks: { failed(error: unknown): void }
}

export async function isRightCode(
  deps: SecondFactorDeps,
  login: string,
  factor: TwoFactor,
  given: string,
): Promise<boolean> {
  const code = given.replace(/[\s-]/g, '').toLowerCase()
  if (/^\d{6}$/.test(code)) return isRightNumber(deps, login, factor, code)
  if (!/^[0-9a-z]{10}$/.test(code)) return false
  return audited(
    deps,
    ({ accounts }) => accounts.useRecoveryCode(login, hashCode(login, code)),
    (used) => used && { action: 'recovery_code_used', login },
  )
}

/** Six digits: from the app, or those that were sent. */
export async function isRightNumber(
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

// Our choice: a second request within half a minute means the first message, and no more than ten an hour are paid for.
const notAgainWithin = 30_000
const messagesPerHour = 10
const lifetime = 5 * 60_000
const triesPerCode = 5

/** The milliseconds to wait when too many messages were sent to this account. */
export async function sendSmsCode(deps: SecondFactorDeps, login: string, phone: string): Promise<number | undefined> {
  const now = deps.clock.now()
  const budget = { key: hash('sha256', `sms\n${login}`), limit: messagesPerHour, window: 3_600_000 }
  const wait = await deps.accounts.countTry([budget], now)
  if (wait !== undefined) return wait
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const sent = { login, codeHash: hashCode(login, code), tries: triesPerCode, sentAt: now, expiresAt: now + lifetime }
  if (!(await deps.accounts.addSmsCode(sent, now - notAgainWithin))) {
    await deps.accounts.takeTryBack([budget.key])
    return undefined
  }
  try {
    if (!deps.sms) throw new Error('No SMS can be sent: set smsGatewayUrl.')
    await deps.sms.send(phone, codeText(code))
  } catch (error) {
    // Recovery codes still open the account, so whoever is signing in is asked for a code all the same.
    await deps.accounts.forgetSmsCode(login)
    deps.backgroundTasks.failed(error)
  }
  return undefined
}

// Our choice: ten codes of ten characters, 51 random bits each.
export function newRecoveryCodeSet(login: string): { codes: readonly string[]; hashes: readonly string[] } {
  const codes = Array.from({ length: 10 }, () => randomLowercase(10))
  return {
    codes: codes.map((code) => `${code.slice(0, 5)}-${code.slice(5)}`),
    hashes: codes.map((code) => hashCode(login, code)),
  }
}

/** With the login, so that equal codes of two accounts look different. */
function hashCode(login: string, code: string): string {
  return hash('sha256', `${login}\n${code}`)
}
