/**
 * Half sessions: after the password and before the code of the second factor. Remembers for a few minutes, for one
 * browser, that the password was right. Stores only a hash of the browser's secret.
 */
import { hash } from 'node:crypto'
import type { AccountStore } from '../accounts/account-store.js'
import type { Clock } from '../values/clock.js'

export interface HalfSessionDeps {
  readonly accounts: AccountStore
  readonly clock: Clock
}

export interface HalfSession {
  readonly login: string
  /** How the user gets the code. */
  readonly by: 'sms' | 'app'
}

// The lifetime of an SMS code.
const lifetime = 5 * 60_000

export async function beginHalfSession(deps: HalfSessionDeps, browser: string, login: string): Promise<void> {
  const at = deps.clock.now()
  await deps.accounts.addHalfSession({ secretHash: hashOf(browser), login, at, expiresAt: at + lifetime })
}

/** Undefined when it expired, or when the second factor was turned off in the meantime: then the password is enough. */
export async function findHalfSession(deps: HalfSessionDeps, browser: string): Promise<HalfSession | undefined> {
  const login = await deps.accounts.halfSession(hashOf(browser), deps.clock.now())
  const account = login === undefined ? undefined : await deps.accounts.account(login)
  return account?.twoFactor && { login: account.login, by: account.twoFactor.by }
}

export async function endHalfSession(deps: HalfSessionDeps, browser: string): Promise<void> {
  await deps.accounts.endHalfSession(hashOf(browser))
}

function hashOf(browser: string): string {
  return hash('sha256', `half session\n${browser}`)
}
