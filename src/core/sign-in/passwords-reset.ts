/** Setting a new password: with the current one, or with a link sent by mail. */
import { hash, randomBytes } from 'node:crypto'
import type { Account } from '../accounts/account.js'
import type { AttemptStore, PasswordStore } from '../accounts/account-store.js'
import type { Actor } from '../accounts/actor.js'
import { type AuditDeps, audited } from '../accounts/audit.js'
import { hashPassword } from '../accounts/secrets.js'
import { requirePassword } from '../accounts/users.js'
import { networkOf } from '../values/network.js'
import { Refusal } from '../values/refusal.js'
import { noPasswordMail, passwordChangedMail, resetMail, resetUrl } from './messages.js'
import { confirmPassword, type NotifyDeps, notifyOwner } from './own-account.js'
import { budgetKey, findAccount, hasPassword } from './sign-in.js'

export interface ResetDeps extends AuditDeps, NotifyDeps {
  readonly accounts: PasswordStore & AttemptStore
  readonly config: { readonly baseUrl: string; readonly passwordLogin: 'on' | 'off' }
}

const minutes = 60
const lifetime = minutes * 60_000

/**
 * Returns at once and always the same: neither the response nor its time reveals whether the account exists or has an
 * e-mail address. At most five requests an hour per account, and twenty per network. Whoever signs in with an identity
 * provider gets no link: a password would be a way around it.
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
    // Count unknown logins too, or they could be told apart and tried without limit.
    if ((await deps.accounts.countTry(budgets, at)) !== undefined) return
    if (!account?.isActive || account.email === undefined) return
    const { login, email: to } = account
    if (!mayHavePassword(deps, account)) return deps.mail.send(noPasswordMail({ to, login, url: deps.config.baseUrl }))
    const secret = randomBytes(32).toString('base64url')
    await deps.accounts.addReset({ secretHash: hash('sha256', secret), login, at, expiresAt: at + lifetime })
    await deps.mail.send(resetMail({ to, login, url: resetUrl(deps.config.baseUrl, secret), minutes }))
  })
}

function mayHavePassword({ config }: ResetDeps, account: Account): boolean {
  return config.passwordLogin === 'on' && hasPassword(account)
}

/** The login that the secret belongs to; undefined when it is unknown, used or expired, or passwords are off. */
export async function findReset(deps: ResetDeps, secret: string): Promise<{ login: string } | undefined> {
  if (deps.config.passwordLogin === 'off') return undefined
  const login = await deps.accounts.loginOfReset(hash('sha256', secret), deps.clock.now())
  return login === undefined ? undefined : { login }
}

/** Does not sign in: a second factor is still required. */
export async function resetPassword(deps: ResetDeps, secret: string, newPassword: string): Promise<{ login: string }> {
  requirePassword(newPassword)
  const secretHash = hash('sha256', secret)
  // Check the secret first: hashing a password takes tens of milliseconds and 20 MiB.
  if (!(await findReset(deps, secret))) throw resetIsGone()
  const passwordHash = await hashPassword(newPassword)
  const at = deps.clock.now()
  const login = await audited(
    deps,
    ({ accounts }) => accounts.useReset(secretHash, passwordHash, at),
    (owner) => owner !== undefined && { action: 'password_reset', login: owner },
  )
  if (login === undefined) throw resetIsGone()
  notifyOwner(deps, login, passwordChangedMail)
  return { login }
}

/** Ends all browser sessions. Access tokens stay valid, because programs depend on them; revoke them one by one. */
export async function changePassword(
  deps: ResetDeps,
  actor: Actor,
  passwords: { readonly current: string; readonly next: string },
): Promise<void> {
  if (deps.config.passwordLogin === 'off') {
    const message = 'Passwords are not used here. Sign in with the provider of your company.'
    throw new Refusal('FORBIDDEN', message, { resource: 'users' })
  }
  const { login } = await confirmPassword(deps, actor, passwords.current, 'currentPassword')
  requirePassword(passwords.next, 'newPassword')
  const passwordHash = await hashPassword(passwords.next)
  const at = deps.clock.now()
  await audited(
    deps,
    ({ accounts }) => accounts.setPassword(login, passwordHash, at),
    (set) => set && { action: 'password_changed', login },
  )
  notifyOwner(deps, login, passwordChangedMail)
}

function resetIsGone(): Refusal {
  const message = 'This link was already used or has expired. Request a new one.'
  return new Refusal('GONE', message, { resource: 'users' })
}
