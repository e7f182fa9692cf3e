/** Access to the credentials of an account: only its owner, with an own token and the password. */

import { counted } from '../../lib/counted.js'
import type { Account } from '../accounts/account.js'
import type { AttemptStore, Budget, PasswordStore } from '../accounts/account-store.js'
import { type Actor, requireOwnToken } from '../accounts/actor.js'
import { verifyPassword } from '../accounts/secrets.js'
import { invalid, Refusal, type Resource } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import type { Mail, MailMessage } from './messages.js'
import { budgetKey } from './sign-in.js'

export interface OwnAccountDeps {
  readonly accounts: PasswordStore & AttemptStore
  readonly clock: Clock
}

/** Returns the account after checking the password again, because a stolen token must not be enough. */
export async function confirmPassword(
  deps: OwnAccountDeps,
  actor: Actor,
  password: string,
  field = 'password',
): Promise<Account> {
  requireOwnToken(actor)
  const budget = { key: budgetKey('own password', actor.login), limit: 10, window: 15 * 60_000 }
  await countTryOrThrow(deps, budget)
  const account = await ownAccount(deps, actor)
  if (!(await verifyPassword(account.passwordHash, password))) {
    throw invalid(field, 'This is not your password.', 'users')
  }
  await deps.accounts.clearTries([budget.key])
  return account
}

export async function ownAccount(deps: Pick<OwnAccountDeps, 'accounts'>, actor: Actor): Promise<Account> {
  const account = await deps.accounts.account(actor.login)
  if (!account) throw new Error(`the user ${actor.login} has a token but does not exist`)
  return account
}

export interface NotifyDeps {
  readonly accounts: PasswordStore & AttemptStore
  readonly mail: Mail
  readonly backgroundTasks: { run(work: () => Promise<void>): void }
}

/** Notifies the owner by mail, if there is an e-mail address. */
export function notifyOwner(
  deps: NotifyDeps,
  login: string,
  mailFor: (to: string, login: string) => MailMessage,
): void {
  deps.backgroundTasks.run(async () => {
    const account = await deps.accounts.account(login)
    if (account?.email !== undefined) await deps.mail.send(mailFor(account.email, login))
  })
}

export async function countTryOrThrow(deps: Pick<OwnAccountDeps, 'accounts' | 'clock'>, budget: Budget): Promise<void> {
  const wait = await deps.accounts.countTry([budget], deps.clock.now())
  if (wait !== undefined) throw tooOften(wait)
}

export function tooOften(wait: number, resource: Resource = 'users'): Refusal {
  const retryAfter = Math.ceil(wait / 1000)
  const message = `Too many tries. Try again in ${counted(retryAfter, 'second')}.`
  return new Refusal('RATE_LIMIT_EXCEEDED', message, { resource, retryAfter })
}
