/**
 * Invitations: an administrator names an address, a group and a role; whoever reads mail there comes in. It must not
 * know how mail travels or what the page looks like that the link leads to.
 */
import { hash, randomBytes } from 'node:crypto'
import { requireEmail, requireLogin, requirePassword } from '../administration/users.js'
import { type NoteParts, note } from '../audit/audit.js'
import { type Actor, type GroupRole, requireOrganizationAdmin } from '../auth/actor.js'
import { hashPassword } from '../auth/passwords.js'
import { isGuid, newGuid } from '../guid.js'
import { requireName } from '../names.js'
import { invalid, Refusal } from '../refusal.js'
import type { Accepted, Invitation, InvitationStore, Invitee } from './invitation-store.js'
import { invitationMail, invitationUrl, type Mail } from './messages.js'

export interface InvitationParts extends NoteParts {
  readonly invitations: InvitationStore
}

export interface InviteParts extends InvitationParts {
  readonly mail: Mail
  readonly errands: { failed(error: unknown): void }
  readonly config: { readonly baseUrl: string }
}

export interface AcceptParts extends InvitationParts {
  /** A role is part of what is remembered about an actor. */
  readonly tokens: { clear(): void }
}

export interface InvitationWish {
  readonly email: string
  readonly organizationGuid: string
  readonly groupGuid: string
  readonly role: GroupRole
}

/** The operator may do anything. */
export type Inviter = Actor | 'operator'

const days = 7
const lifetime = days * 86_400_000

/** Sends the mail, too: an invitation that could not be sent is taken back. */
export async function invite(parts: InviteParts, actor: Actor, wish: InvitationWish): Promise<Invitation> {
  const { invitation, secret } = await makeInvitation(parts, actor, wish)
  const { email, organizationName, guid } = invitation
  const url = invitationUrl(parts.config.baseUrl, secret)
  try {
    await parts.mail.send(invitationMail({ email, invitedBy: actor.login, organizationName, url, days }))
  } catch (error) {
    await parts.invitations.revoke(guid, undefined, parts.clock.now())
    parts.errands.failed(error)
    const message = 'The mail could not be sent, so nobody was invited. Try again, or ask the operator about smtpUrl.'
    throw new Refusal('TEMPORARILY_UNAVAILABLE', message, { resource: 'invitations' })
  }
  await noteInvitation(parts, actor, 'invitation_made', invitation)
  return invitation
}

/** Without mail: whoever has the secret passes it on. */
export async function makeInvitation(
  parts: InvitationParts,
  by: Inviter,
  wish: InvitationWish,
): Promise<{ readonly invitation: Invitation; readonly secret: string }> {
  if (by !== 'operator') requireOrganizationAdmin(by, wish.organizationGuid)
  requireEmail(wish.email, 'invitations')
  const secret = randomBytes(32).toString('base64url')
  const secretHash = hash('sha256', secret)
  const at = parts.clock.now()
  const outcome = await parts.invitations.add({
    guid: newGuid('invitation'),
    secretHash,
    ...wish,
    invitedBy: loginOf(by),
    at,
    expiresAt: at + lifetime,
  })
  const invitation = outcome === 'added' ? await parts.invitations.find(secretHash, at) : undefined
  if (!invitation) {
    const message = 'The group does not exist or is not one of the organization.'
    throw new Refusal('FORBIDDEN', message, { resource: 'groups' })
  }
  return { invitation, secret }
}

export async function listInvitations(
  parts: InvitationParts,
  by: Inviter,
  organizationGuid: string | undefined,
): Promise<readonly Invitation[]> {
  if (by !== 'operator') requireOrganizationAdmin(by, organizationGuid ?? '')
  return parts.invitations.list(organizationGuid, parts.clock.now())
}

export async function revokeInvitation(
  parts: InvitationParts,
  by: Inviter,
  organizationGuid: string | undefined,
  guid: string,
): Promise<void> {
  if (by !== 'operator') requireOrganizationAdmin(by, organizationGuid ?? '')
  if (!isGuid(guid) || !(await parts.invitations.revoke(guid, organizationGuid, parts.clock.now()))) {
    const message = 'There is no such invitation, or it was accepted or revoked before.'
    throw new Refusal('NOT_FOUND', message, { resource: 'invitations' })
  }
  await note(parts, { action: 'invitation_revoked', login: loginOf(by), organizationGuid, subject: guid })
}

/** Undefined when it is unknown, revoked, accepted or over. */
export function findInvitation(parts: InvitationParts, secret: string): Promise<Invitation | undefined> {
  return parts.invitations.find(hash('sha256', secret), parts.clock.now())
}

/** Somebody new, or the login of somebody who is signed in. */
export type Newcomer =
  | { readonly login: string; readonly name: string; readonly password: string }
  | { readonly login: string }

export async function acceptInvitation(
  parts: AcceptParts,
  secret: string,
  newcomer: Newcomer,
): Promise<{ readonly login: string; readonly invitation: Invitation }> {
  const secretHash = hash('sha256', secret)
  // Hashing costs tens of milliseconds and 20 MiB: not for a secret that is no good.
  if (!(await parts.invitations.find(secretHash, parts.clock.now()))) throw gone()
  const answer = await parts.invitations.accept(secretHash, await inviteeFrom(newcomer), parts.clock.now())
  if (answer.outcome !== 'accepted') throw refusalFor(answer.outcome, newcomer.login)
  parts.tokens.clear()
  const { invitation } = answer
  await noteInvitation(parts, newcomer, 'invitation_accepted', invitation)
  return { login: newcomer.login, invitation }
}

async function inviteeFrom(newcomer: Newcomer): Promise<Invitee> {
  if (!('password' in newcomer)) return newcomer
  requireLogin(newcomer.login)
  requireName(newcomer.name, 'users')
  requirePassword(newcomer.password)
  return { login: newcomer.login, name: newcomer.name, passwordHash: await hashPassword(newcomer.password) }
}

function refusalFor(outcome: Exclude<Accepted['outcome'], 'accepted'>, login: string): Refusal {
  switch (outcome) {
    case 'gone':
      return gone()
    case 'login-taken':
      return invalid('login', `The login "${login}" is taken. Choose another.`, 'users')
    case 'email-taken':
      return new Refusal('CONFLICT', 'There is an account with this address. Sign in to accept.', { resource: 'users' })
    case 'no-user':
      return new Refusal('NOT_FOUND', `There is no user "${login}".`, { resource: 'users' })
  }
}

function gone(): Refusal {
  const message = 'This invitation was accepted, revoked, or is over. Ask for a new one.'
  return new Refusal('GONE', message, { resource: 'invitations' })
}

function noteInvitation(
  parts: InvitationParts,
  by: { readonly login: string },
  action: 'invitation_made' | 'invitation_accepted',
  { guid, organizationGuid, email, groupGuid, role }: Invitation,
): Promise<void> {
  const details = { email, group: groupGuid, role }
  return note(parts, { action, login: by.login, organizationGuid, subject: guid, details })
}

function loginOf(by: Inviter): string {
  return by === 'operator' ? by : by.login
}
