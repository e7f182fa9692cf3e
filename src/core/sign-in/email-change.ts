/** Changing one's own e-mail address: requested with the password, done by a link that is sent to the new address. */
import { hash, randomBytes } from 'node:crypto'
import type { MailDelivery } from '../accounts/account.js'
import type { AttemptStore, EmailStore, PasswordStore, PendingEmail, UserStore } from '../accounts/account-store.js'
import type { Actor } from '../accounts/actor.js'
import { type AuditDeps, audited } from '../accounts/audit.js'
import { emailTaken, readUser, requireEmail } from '../accounts/users.js'
import { invalid, Refusal } from '../values/refusal.js'
import { emailChangedMail, emailChangeMail, emailChangeUrl, type Mail } from './messages.js'
import { confirmPassword, countTryOrThrow } from './own-account.js'
import { budgetKey } from './sign-in.js'

export interface EmailChangeDeps extends AuditDeps {
  readonly accounts: UserStore & PasswordStore & EmailStore & AttemptStore
  readonly mail: Mail
  readonly backgroundTasks: { run(work: () => Promise<void>): void; failed(error: unknown): void }
  readonly config: { readonly baseUrl: string }
}

const minutes = 60
const lifetime = minutes * 60_000

/**
 * Sends the link, and replaces an earlier request. Never returns it: following it proves that the mailbox is one's own. Does not say whether the address belongs to another account: only its
 * owner learns that, by following the link. At most five mails an hour.
 */
export async function requestEmailChange(
  deps: EmailChangeDeps,
  actor: Actor,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<{ readonly email: string; readonly expiresAt: number; readonly delivery: MailDelivery }> {
  requireEmail(email, 'users')
  const { login } = await confirmPassword(deps, actor, password)
  const user = await readUser(deps, actor)
  if (user.email === email && user.isEmailVerified) {
    throw invalid('email', 'This is already your e-mail address.', 'users')
  }
  await countTryOrThrow(deps, { key: budgetKey('email change', login), limit: 5, window: 60 * 60_000 })
  const secret = randomBytes(32).toString('base64url')
  const at = deps.clock.now()
  const expiresAt = at + lifetime
  await deps.accounts.addEmailChange({ secretHash: hash('sha256', secret), login, email, at, expiresAt })
  try {
    await deps.mail.send(
      emailChangeMail({ to: email, login, url: emailChangeUrl(deps.config.baseUrl, secret), minutes }),
    )
  } catch (error) {
    deps.backgroundTasks.failed(error)
    const message = 'The mail could not be sent, so nothing changes. Try again, or ask the operator about smtpUrl.'
    throw new Refusal('TEMPORARILY_UNAVAILABLE', message, { resource: 'users' })
  }
  return { email, expiresAt, delivery: deps.mail.delivery }
}

/** Undefined when the secret is unknown, used, replaced or expired. */
export function findEmailChange(deps: EmailChangeDeps, secret: string): Promise<PendingEmail | undefined> {
  return deps.accounts.emailChange(hash('sha256', secret), deps.clock.now())
}

/** The former address is told, too: its owner may not be the one who followed the link. */
export async function changeEmail(
  deps: EmailChangeDeps,
  secret: string,
): Promise<{ readonly login: string; readonly email: string }> {
  const at = deps.clock.now()
  const answer = await audited(
    deps,
    ({ accounts }) => accounts.useEmailChange(hash('sha256', secret), at),
    (given) => given.outcome === 'changed' && { action: 'email_changed', login: given.login },
  )
  if (answer.outcome === 'gone') {
    throw new Refusal('GONE', 'This link was already used or has expired. Request a new one.', { resource: 'users' })
  }
  if (answer.outcome === 'taken') throw emailTaken(answer.email)
  const { login, email, former } = answer
  if (former !== undefined && former !== email) {
    deps.backgroundTasks.run(() => deps.mail.send(emailChangedMail({ to: former, login, email })))
  }
  return { login, email }
}
