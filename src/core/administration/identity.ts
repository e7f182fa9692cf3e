/** Accounts from the command line: what the operator does for people who are locked out or not in yet. */
import { type AuditPage, type AuditParts, doneTo, noting, readAuditLogAsOperator } from '../audit/audit.js'
import type { AccountStore } from '../auth/account-store.js'
import type { GroupRole } from '../auth/actor.js'
import type { ApplicationStore } from '../auth/application-store.js'
import { hashPassword } from '../auth/passwords.js'
import type { GroupStore } from '../groups/group-store.js'
import { Refusal } from '../refusal.js'
import type { IdentityStore } from '../sign-in/identity-store.js'
import type { Invitation } from '../sign-in/invitation-store.js'
import { type InvitationParts, listInvitations, makeInvitation, revokeInvitation } from '../sign-in/invitations.js'
import type { TwoFactorStore } from '../sign-in/two-factor-store.js'
import { replaceSecretAndNote } from './applications.js'
import { lastAdmin } from './members.js'
import { newPassword, newTokenSecret } from './secrets.js'
import { emailTaken, noUser, requireEmail, requirePassword } from './users.js'

export interface IdentityAdministrationParts extends InvitationParts {
  readonly audit: AuditParts['audit']
  readonly accounts: AccountStore
  readonly groups: GroupStore
  readonly identity: IdentityStore
  readonly twoFactors: TwoFactorStore
  readonly applications: ApplicationStore
  /** Tells whoever remembers who may what that this has changed. */
  readonly onAccessChanged?: () => void
}

/** Ends the user's browser sessions. */
export async function setPasswordAsOperator(
  parts: IdentityAdministrationParts,
  wish: { login: string; password?: string | undefined },
): Promise<{ login: string; password: string | undefined }> {
  const { login } = wish
  if (wish.password !== undefined) requirePassword(wish.password)
  const password = wish.password ?? newPassword()
  const passwordHash = await hashPassword(password)
  const at = parts.clock.now()
  const set = await noting(
    parts,
    ({ identity }) => identity.setPassword(login, passwordHash, at),
    (done) => done && { action: 'password_changed', ...doneTo(login, 'operator') },
  )
  if (!set) throw noUser(login)
  // Only what was generated is shown, once.
  return { login, password: wish.password === undefined ? password : undefined }
}

export async function setEmailAsOperator(
  parts: IdentityAdministrationParts,
  wish: { login: string; email: string },
): Promise<{ login: string; email: string }> {
  const { login, email } = wish
  requireEmail(email, 'users')
  const at = parts.clock.now()
  const outcome = await noting(
    parts,
    ({ identity }) => identity.setEmail(login, email, at),
    (answer) => answer === 'set' && { action: 'email_changed', ...doneTo(login, 'operator') },
  )
  if (outcome === 'no-user') throw noUser(login)
  if (outcome === 'taken') throw emailTaken(email)
  return { login, email }
}

/** For somebody who lost phone and recovery codes. */
export async function turnTwoFactorOffAsOperator(
  parts: IdentityAdministrationParts,
  wish: { login: string },
): Promise<{ login: string }> {
  const { login } = wish
  const off = await noting(
    parts,
    ({ twoFactors }) => twoFactors.turnOff(login),
    (done) => done && { action: 'two_factor_off', ...doneTo(login, 'operator') },
  )
  if (!off) throw new Refusal('NOT_FOUND', `There is no user "${login}" with a second factor.`, { resource: 'users' })
  return { login }
}

/**
 * For somebody who has left: nothing they have lets them in any more, and what they made stays. The only active
 * administrator of an organization is needed.
 */
export async function deactivateUser(
  parts: IdentityAdministrationParts,
  wish: { login: string },
): Promise<{ login: string }> {
  await setActive(parts, wish.login, false)
  return { login: wish.login }
}

/** Tokens and keys are good again; sessions are not. */
export async function activateUser(
  parts: IdentityAdministrationParts,
  wish: { login: string },
): Promise<{ login: string }> {
  await setActive(parts, wish.login, true)
  return { login: wish.login }
}

async function setActive(parts: IdentityAdministrationParts, login: string, active: boolean): Promise<void> {
  const at = parts.clock.now()
  const action = active ? 'user_activated' : 'user_deactivated'
  const answer = await noting(
    parts,
    ({ identity }) => identity.setActive(login, active, at),
    ({ outcome }) => outcome === 'set' && { action, ...doneTo(login, 'operator') },
  )
  if (answer.outcome === 'no-user') throw noUser(login)
  if (answer.outcome === 'last-admin') throw lastAdmin(login, answer.organizationGuid)
  // Also where it was so before: a command that was cut off may be given again.
  parts.onAccessChanged?.()
}

/** No mail is sent: the operator passes the link on. */
export async function inviteAsOperator(
  parts: IdentityAdministrationParts,
  wish: { email: string; role?: GroupRole | undefined; groupGuid?: string | undefined },
): Promise<Invitation & { secret: string }> {
  const groupGuid = wish.groupGuid ?? (await parts.accounts.firstGroup())
  const [group] = groupGuid === undefined ? [] : await parts.groups.groups([groupGuid])
  if (!group?.isActive)
    throw new Refusal('NOT_FOUND', `There is no group "${groupGuid ?? ''}".`, { resource: 'groups' })
  const { organizationGuid } = group
  const { email, role = 'member' } = wish
  const made = await makeInvitation(parts, 'operator', { email, role, groupGuid: group.guid, organizationGuid })
  return { ...made.invitation, secret: made.secret }
}

export function listInvitationsAsOperator(parts: IdentityAdministrationParts): Promise<readonly Invitation[]> {
  return listInvitations(parts, 'operator', undefined)
}

export async function revokeInvitationAsOperator(
  parts: IdentityAdministrationParts,
  wish: { guid: string },
): Promise<{ guid: string }> {
  await revokeInvitation(parts, 'operator', undefined, wish.guid)
  return wish
}

/** The old secret is useless at once. */
export async function rotateApplicationSecret(
  parts: IdentityAdministrationParts,
  wish: { clientId: string },
): Promise<{ clientId: string; clientSecret: string }> {
  const { clientId } = wish
  const clientSecret = newTokenSecret()
  const login = (await parts.applications.get(clientId))?.login
  if (login === undefined || !(await replaceSecretAndNote(parts, { clientId, login, clientSecret, by: 'operator' }))) {
    const message = `There is no application "${clientId}", or it was revoked before.`
    throw new Refusal('NOT_FOUND', message, { resource: 'apps' })
  }
  return { clientId, clientSecret }
}

export function listAuditLog(
  parts: IdentityAdministrationParts,
  wish: { login?: string | undefined; size?: number | undefined; searchAfter?: string | undefined },
): Promise<AuditPage> {
  return readAuditLogAsOperator(parts, { login: wish.login, size: wish.size ?? 50, searchAfter: wish.searchAfter })
}
