/** New passwords: for whoever knows the old one, and by mail for whoever has forgotten it. */
import { hash, randomBytes } from 'node:crypto'
import { requirePassword } from '../administration/users.js'
import { type NoteParts, note } from '../audit/audit.js'
import type { Actor } from '../auth/actor.js'
import { hashPassword } from '../auth/passwords.js'
import { networkOf } from '../limits/address.js'
import { Refusal } from '../refusal.js'
import type { IdentityStore } from './identity-store.js'
import { type Mail, passwordChangedMail, resetMail, resetUrl } from './messages.js'
import { confirmPassword } from './own-account.js'
import { budgetKey, findAccount } from './sign-in.js'
import type { ThrottleStore } from './throttle-store.js'

export interface ResetParts extends NoteParts {
  readonly identity: IdentityStore
  readonly throttle: ThrottleStore
  readonly mail: Mail
  readonly errands: { run(work: () => Promise<void>): void }
  readonly config: { readonly baseUrl: string }
}

const minutes = 60
const lifetime = minutes * 60_000

/**
 * Answers at once and always the same: whether there is such an account, and whether it has an address, shows neither
 * in the answer nor in the time it takes. // Our choice: five mails an hour to one account, twenty from one address.
 */
export async function requestReset(parts: ResetParts, emailOrLogin: string, address: string): Promise<void> {
  parts.errands.run(async () => {
    const account = await findAccount(parts, emailOrLogin)
    if (!account?.isActive || account.email === undefined) return
    const { login, email: to } = account
    const window = 3_600_000
    const budgets = [
      { key: budgetKey('reset', login), limit: 5, window },
      { key: budgetKey('reset from', networkOf(address)), limit: 20, window },
    ]
    const at = parts.clock.now()
    if ((await parts.throttle.take(budgets, at)) !== undefined) return
    const secret = randomBytes(32).toString('base64url')
    await parts.identity.addReset({ secretHash: hash('sha256', secret), login, at, expiresAt: at + lifetime })
    await parts.mail.send(resetMail({ to, login, url: resetUrl(parts.config.baseUrl, secret), minutes }))
  })
}

/** Whose password the secret sets; undefined when it is unknown, used or over. */
export async function findReset(parts: ResetParts, secret: string): Promise<{ login: string } | undefined> {
  const login = await parts.identity.reset(hash('sha256', secret), parts.clock.now())
  return login === undefined ? undefined : { login }
}

/** Signs nobody in: the second factor, where it is on, is still asked for. */
export async function resetPassword(
  parts: ResetParts,
  secret: string,
  newPassword: string,
): Promise<{ login: string }> {
  requirePassword(newPassword)
  const secretHash = hash('sha256', secret)
  // Hashing costs tens of milliseconds and 20 MiB: not for a secret that is no good.
  if ((await parts.identity.reset(secretHash, parts.clock.now())) === undefined) throw resetIsGone()
  const login = await parts.identity.useReset(secretHash, await hashPassword(newPassword), parts.clock.now())
  if (login === undefined) throw resetIsGone()
  await note(parts, { action: 'password_reset', login })
  tellOwner(parts, login)
  return { login }
}

/** Ends all browser sessions. // Our choice: access tokens stay good, programs depend on them; they are revoked one by one. */
export async function changePassword(
  parts: ResetParts,
  actor: Actor,
  passwords: { readonly current: string; readonly next: string },
): Promise<void> {
  const { login } = await confirmPassword(parts, actor, passwords.current, 'currentPassword')
  requirePassword(passwords.next, 'newPassword')
  await parts.identity.setPassword(login, await hashPassword(passwords.next), parts.clock.now())
  await note(parts, { action: 'password_changed', login })
  tellOwner(parts, login)
}

function tellOwner(parts: ResetParts, login: string): void {
  parts.errands.run(async () => {
    const account = await parts.identity.account(login)
    if (account?.email !== undefined) await parts.mail.send(passwordChangedMail(account.email, login))
  })
}

function resetIsGone(): Refusal {
  const message = 'This link was used before or is over. Ask for a new one.'
  return new Refusal('GONE', message, { resource: 'users' })
}
