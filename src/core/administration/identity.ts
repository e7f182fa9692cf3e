/** Account commands of the operator: for users who are locked out, and for invitations. */

import type { Invitation } from '../accounts/account.js'
import type { AccountStore } from '../accounts/account-store.js'
import type { Actor, GroupRole } from '../accounts/actor.js'
import type { ApplicationStore } from '../accounts/application-store.js'
import { replaceSecretAudited } from '../accounts/applications.js'
import { type AuditLogDeps, type AuditPage, audited, changedBy, readAuditLog } from '../accounts/audit.js'
import type { GroupStore } from '../accounts/group-store.js'
import { hashPassword, newPassword, newTokenSecret } from '../accounts/secrets.js'
import { emailTaken, lastAdmin, noUser, requireEmail, requirePassword } from '../accounts/users.js'
import * as invitations from '../sign-in/invitations.js'
import { Refusal } from '../values/refusal.js'

export interface IdentityDeps extends invitations.InvitationDeps {
  readonly audit: AuditLogDeps['audit']
  readonly accounts: AccountStore
  readonly groups: GroupStore
  readonly applications: ApplicationStore
  /** Clears caches of permissions. */
  readonly onAccessChanged?: () => void
}

interface NamedUser {
  readonly login: string
}

/** Also ends the user's browser sessions. */
export async function setPassword(
  deps: IdentityDeps,
  actor: Actor,
  input: { login: string; password?: string | undefined },
): Promise<{ login: string; password: string | undefined }> {
  const { login } = input
  if (input.password !== undefined) requirePassword(input.password)
  const password = input.password ?? newPassword()
  const passwordHash = await hashPassword(password)
  const at = deps.clock.now()
  const set = await audited(
    deps,
    ({ accounts }) => accounts.setPassword(login, passwordHash, at),
    (done) => done && { action: 'password_changed', ...changedBy(actor, login) },
  )
  if (!set) throw noUser(login)
  // Only a generated password is returned, once.
  return { login, password: input.password === undefined ? password : undefined }
}

export async function setEmail(
  deps: IdentityDeps,
  actor: Actor,
  input: { login: string; email: string },
): Promise<{ login: string; email: string }> {
  const { login, email } = input
  requireEmail(email, 'users')
  const at = deps.clock.now()
  const outcome = await audited(
    deps,
    ({ accounts }) => accounts.setEmail(login, email, at),
    (answer) => answer === 'set' && { action: 'email_changed', ...changedBy(actor, login) },
  )
  if (outcome === 'no-user') throw noUser(login)
  if (outcome === 'taken') throw emailTaken(email)
  return { login, email }
}

/** For users who lost their phone, or their passkeys, and recovery codes. */
export async function turnTwoFactorOff(deps: IdentityDeps, actor: Actor, { login }: NamedUser): Promise<NamedUser> {
  const off = await audited(
    deps,
    ({ accounts }) => accounts.turnTwoFactorOff(login, true),
    (done) => done && { action: 'two_factor_off', ...changedBy(actor, login) },
  )
  if (!off) throw new Refusal('NOT_FOUND', `There is no user "${login}" with a second factor.`, { resource: 'users' })
  return { login }
}

/**
 * For users who have left: all their credentials are refused, and their links stay. Refused for the only active
 * administrator of an organization.
 */
export async function deactivateUser(deps: IdentityDeps, actor: Actor, { login }: NamedUser): Promise<NamedUser> {
  await setActive(deps, actor, login, false)
  return { login }
}

/** Tokens and API keys work again; sessions do not. */
export async function activateUser(deps: IdentityDeps, actor: Actor, { login }: NamedUser): Promise<NamedUser> {
  await setActive(deps, actor, login, true)
  return { login }
}

async function setActive(deps: IdentityDeps, actor: Actor, login: string, active: boolean): Promise<void> {
  const at = deps.clock.now()
  const action = active ? 'user_activated' : 'user_deactivated'
  const answer = await audited(
    deps,
    ({ accounts }) => accounts.setActive(login, active, at),
    ({ outcome }) => outcome === 'set' && { action, ...changedBy(actor, login) },
  )
  if (answer.outcome === 'no-user') throw noUser(login)
  if (answer.outcome === 'last-admin') throw lastAdmin(actor, login, answer.organizationGuid)
  // Also when nothing changed: an interrupted command can be repeated.
  deps.onAccessChanged?.()
}

/** Sends no mail: the operator passes the link on. */
export async function invite(
  deps: IdentityDeps,
  actor: Actor,
  input: { email: string; role?: GroupRole | undefined; groupGuid?: string | undefined },
): Promise<Invitation & { secret: string }> {
  const groupGuid = input.groupGuid ?? (await deps.accounts.firstGroup())
  const [group] = groupGuid === undefined ? [] : await deps.groups.groups([groupGuid])
  if (!group?.isActive)
    throw new Refusal('NOT_FOUND', `There is no group "${groupGuid ?? ''}".`, { resource: 'groups' })
  const { organizationGuid } = group
  const { email, role = 'member' } = input
  const made = await invitations.makeInvitation(deps, actor, { email, role, groupGuid: group.guid, organizationGuid })
  return { ...made.invitation, secret: made.secret }
}

export function listInvitations(deps: IdentityDeps, actor: Actor): Promise<readonly Invitation[]> {
  return invitations.listInvitations(deps, actor, undefined)
}

export async function revokeInvitation(
  deps: IdentityDeps,
  actor: Actor,
  input: { guid: string },
): Promise<{ guid: string }> {
  await invitations.revokeInvitation(deps, actor, undefined, input.guid)
  return input
}

/** Invalidates the old secret at once. */
export async function rotateApplicationSecret(
  deps: IdentityDeps,
  actor: Actor,
  input: { clientId: string },
): Promise<{ clientId: string; clientSecret: string }> {
  const { clientId } = input
  const clientSecret = newTokenSecret()
  const login = (await deps.applications.get(clientId))?.login
  if (login === undefined || !(await replaceSecretAudited(deps, actor, { clientId, login, clientSecret }))) {
    const message = `There is no application "${clientId}", or it was revoked before.`
    throw new Refusal('NOT_FOUND', message, { resource: 'apps' })
  }
  return { clientId, clientSecret }
}

export function listAuditLog(
  deps: IdentityDeps,
  actor: Actor,
  input: { login?: string | undefined; size?: number | undefined; searchAfter?: string | undefined },
): Promise<AuditPage> {
  const { login, size = 50, searchAfter } = input
  return readAuditLog(deps, actor, undefined, { login, size, searchAfter })
}
