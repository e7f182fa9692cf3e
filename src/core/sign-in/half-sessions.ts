/**
 * Between the password and the code of a second factor: that the password was right is remembered here, for a few
 * minutes and for one browser, so that it need not be sent twice. Only a hash of the browser's secret is kept.
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
  /** How the code reaches the user. */
  readonly by: 'sms' | 'app'
}

// As long as a code by SMS is good for.
const lifetime = 5 * 60_000

export async function beginHalfSession(deps: HalfSessionDeps, browser: string, login: string): Promise<void> {
  const at = deps.clock.now()
  await deps.accounts.addHalfSession({ secretHash: hashOf(browser), login, at, expiresAt: at + lifetime })
}

/** Undefined when it took too long, or somebody turned the second factor off meanwhile: then the password is enough. */
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
