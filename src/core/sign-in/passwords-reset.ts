/** New passwords: for whoever knows the old one, and by mail for whoever has forgotten it. */
import { hash, randomBytes } from 'node:crypto'
import type { AccountStore } from '../accounts/account-store.js'
import type { Actor } from '../accounts/actor.js'
import { type AuditDeps, audited } from '../accounts/audit.js'
import { hashPassword } from '../accounts/passwords.js'
import { requirePassword } from '../accounts/users.js'
import { networkOf } from '../values/network.js'
import { Refusal } from '../values/refusal.js'
import { passwordChangedMail, resetMail, resetUrl } from './messages.js'
import { confirmPassword, type TellDeps, tellOwner } from './own-account.js'
import { budgetKey, findAccount } from './sign-in.js'

export interface ResetDeps extends AuditDeps, TellDeps {
  readonly accounts: AccountStore
  readonly config: { readonly baseUrl: string }
}

const minutes = 60
const lifetime = minutes * 60_000

/**
 * Answers at once and always the same: whether there is such an account, and whether it has an address, shows neither
 * in the answer nor in the time it takes. // Our choice: five an hour for one account, twenty from one address.
 */
export async function requestReset(deps: ResetDeps, emailOrLogin: string, address: string): Promise<void> {
  deps.backgroundTasks.run(async () => {
    const account = await findAccount(deps, emailOrLogin)
    const window = 3_600_000
    const budgets = [
      { key: budgetKey('reset', account?.login ?? emailOrLogin.trim().toLowerCase()), limit: 5, window },
      { key: budgetKey('reset from', networkOf(address)), limit: 20, window },
    ]
    const at = deps.clock.now()
    // Counted for logins that nobody has, too: otherwise they would cost less, and could be tried without end.
    if ((await deps.accounts.countTry(budgets, at)) !== undefined) return
    if (!account?.isActive || account.email === undefined) return
    const { login, email: to } = account
    const secret = randomBytes(32).toString('base64url')
    await deps.accounts.addReset({ secretHash: hash('sha256', secret), login, at, expiresAt: at + lifetime })
    await deps.mail.send(resetMail({ to, login, url: resetUrl(deps.config.baseUrl, secret), minutes }))
  })
}

/** Whose password the secret sets; undefined when it is unknown, used or over. */
export async function findReset(deps: ResetDeps, secret: string): Promise<{ login: string } | undefined> {
  const login = await deps.accounts.loginOfReset(hash('sha256', secret), deps.clock.now())
  return login === undefined ? undefined : { login }
}

/** Signs nobody in: the second factor, where it is on, is still asked for. */
export async function resetPassword(deps: ResetDeps, secret: string, newPassword: string): Promise<{ login: string }> {
  requirePassword(newPassword)
  const secretHash = hash('sha256', secret)
  // Hashing costs tens of milliseconds and 20 MiB: not for a secret that is no good.
  if ((await deps.accounts.loginOfReset(secretHash, deps.clock.now())) === undefined) throw resetIsGone()
  const passwordHash = await hashPassword(newPassword)
  const at = deps.clock.now()
  const login = await audited(
    deps,
    ({ accounts }) => accounts.useReset(secretHash, passwordHash, at),
    (owner) => owner !== undefined && { action: 'password_reset', login: owner },
  )
  if (login === undefined) throw resetIsGone()
  tellOwner(deps, login, passwordChangedMail)
  return { login }
}

/** Ends all browser sessions. // Our choice: access tokens stay good, programs depend on them; they are revoked one by one. */
export async function changePassword(
  deps: ResetDeps,
  actor: Actor,
  passwords: { readonly current: string; readonly next: string },
): Promise<void> {
  const { login } = await confirmPassword(deps, actor, passwords.current, 'currentPassword')
  requirePassword(passwords.next, 'newPassword')
  const passwordHash = await hashPassword(passwords.next)
  const at = deps.clock.now()
  await audited(
    deps,
    ({ accounts }) => accounts.setPassword(login, passwordHash, at),
    (set) => set && { action: 'password_changed', login },
  )
  tellOwner(deps, login, passwordChangedMail)
}

function resetIsGone(): Refusal {
  const message = 'This link was used before or is over. Ask for a new one.'
  return new Refusal('GONE', message, { resource: 'users' })
}
