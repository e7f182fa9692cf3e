/**
 * Invitations to a group. An administrator invites an e-mail address with a role; the recipient of the mail can accept.
 * Must not know how mail is sent, nor what the page behind the link looks like.
 */
import { hash, randomBytes } from 'node:crypto'
import type { Invitation, MailDelivery } from '../accounts/account.js'
import type {
  Accepted,
  AttemptStore,
  Budget,
  InvitationStore,
  Invitee,
  NewInvitation,
} from '../accounts/account-store.js'
import {
  type Actor,
  type GroupRole,
  requireOrganizationAdmin,
  requireOrganizationAuditor,
  requireOwnToken,
} from '../accounts/actor.js'
import { type AuditDeps, audited, type NewAuditEntry } from '../accounts/audit.js'
import { hashPassword } from '../accounts/secrets.js'
import { requireEmail, requireLogin, requirePassword } from '../accounts/users.js'
import { isGuid, newGuid } from '../values/guid.js'
import { requireName } from '../values/names.js'
import { invalid, Refusal } from '../values/refusal.js'
import { invitationMail, invitationUrl, type Mail } from './messages.js'
import { tooOften } from './own-account.js'
import { budgetKey } from './sign-in.js'

export interface InvitationDeps extends AuditDeps {
  readonly accounts: AttemptStore & InvitationStore
}

export interface InviteDeps extends InvitationDeps {
  readonly accounts: AttemptStore & InvitationStore
  readonly mail: Mail
  readonly backgroundTasks: { failed(error: unknown): void }
  readonly config: { readonly baseUrl: string }
}

export interface AcceptDeps extends InvitationDeps {
  /** The token cache, which includes roles. */
  readonly tokens: { clear(): void }
}

export interface InvitationInput {
  readonly email: string
  readonly organizationGuid: string
  readonly groupGuid: string
  readonly role: GroupRole
}

const days = 7
const lifetime = days * 86_400_000

export interface Invited {
  readonly invitation: Invitation
  /** Without a mail server, for the administrator to pass on; otherwise only its recipient gets it. */
  readonly url: string | undefined
}

/** Creates an invitation and sends it by mail; if the mail server refuses it, the invitation is revoked. */
export async function invite(deps: InviteDeps, actor: Actor, input: InvitationInput): Promise<Invited> {
  // An application that could invite users would keep its access through them.
  requireOwnToken(actor)
  requireInvitation(actor, input)
  const budgets = budgetsFor(input)
  const wait = await deps.accounts.countTry(budgets, deps.clock.now())
  if (wait !== undefined) throw tooOften(wait, 'invitations')
  try {
    return await inviteByMail(deps, actor, input)
  } catch (error) {
    // A refused invitation, or one that was not sent, does not count.
    await deps.accounts.takeTryBack(budgets.map(({ key }) => key))
    throw error
  }
}

/** Creates an invitation without sending it; the caller sends the secret, or passes it on. */
export async function makeInvitation(
  deps: InvitationDeps,
  actor: Actor,
  input: InvitationInput,
  delivery: MailDelivery = 'not_sent',
): Promise<{ readonly invitation: Invitation; readonly secret: string }> {
  requireInvitation(actor, input)
  const secret = randomBytes(32).toString('base64url')
  const secretHash = hash('sha256', secret)
  const at = deps.clock.now()
  const invitedBy = actor.login
  const draft = { guid: newGuid('invitation'), secretHash, ...input, invitedBy, delivery, at, expiresAt: at + lifetime }
  const outcome = await audited(
    deps,
    ({ accounts }) => accounts.addInvitation(draft),
    (answer) => answer === 'added' && invitationNote('invitation_made', invitedBy, draft),
  )
  const invitation = outcome === 'added' ? await deps.accounts.findInvitation(secretHash, at) : undefined
  if (!invitation) {
    const message = 'The group does not exist or does not belong to the organization.'
    throw new Refusal('FORBIDDEN', message, { resource: 'groups' })
  }
  return { invitation, secret }
}

export async function listInvitations(
  deps: InvitationDeps,
  actor: Actor,
  organizationGuid: string | undefined,
): Promise<readonly Invitation[]> {
  requireOrganizationAuditor(actor, organizationGuid)
  return deps.accounts.listInvitations(organizationGuid, deps.clock.now())
}

export async function readInvitation(
  deps: InvitationDeps,
  actor: Actor,
  organizationGuid: string,
  guid: string,
): Promise<Invitation> {
  const found = (await listInvitations(deps, actor, organizationGuid)).find((each) => each.guid === guid)
  if (!found) throw noInvitation()
  return found
}

export async function revokeInvitation(
  deps: InvitationDeps,
  actor: Actor,
  organizationGuid: string | undefined,
  guid: string,
): Promise<void> {
  requireOrganizationAdmin(actor, organizationGuid)
  if (!isGuid(guid) || !(await revokeAudited(deps, actor, organizationGuid, guid))) {
    throw noInvitation()
  }
}

function noInvitation(): Refusal {
  const message = 'There is no such invitation, or it was accepted or revoked before.'
  return new Refusal('NOT_FOUND', message, { resource: 'invitations' })
}

/** Undefined when it is unknown, revoked, accepted or expired. */
export function findInvitation(deps: InvitationDeps, secret: string): Promise<Invitation | undefined> {
  return deps.accounts.findInvitation(hash('sha256', secret), deps.clock.now())
}

/** A new user, or the login of a signed-in user. */
export type InvitedUser =
  | { readonly login: string; readonly name: string; readonly password: string }
  | { readonly login: string }

export async function acceptInvitation(
  deps: AcceptDeps,
  secret: string,
  invitedUser: InvitedUser,
): Promise<{ readonly login: string; readonly invitation: Invitation }> {
  const secretHash = hash('sha256', secret)
  // Check the secret first: hashing a password takes tens of milliseconds and 20 MiB.
  if (!(await deps.accounts.findInvitation(secretHash, deps.clock.now()))) throw gone()
  const { login } = invitedUser
  const invitee = await inviteeFrom(invitedUser)
  const at = deps.clock.now()
  const answer = await audited(
    deps,
    ({ accounts }) => accounts.acceptInvitation(secretHash, invitee, at),
    (given) => given.outcome === 'accepted' && invitationNote('invitation_accepted', login, given.invitation),
  )
  if (answer.outcome !== 'accepted') throw refusalFor(answer.outcome, login)
  deps.tokens.clear()
  return { login, invitation: answer.invitation }
}

async function inviteByMail(deps: InviteDeps, actor: Actor, input: InvitationInput): Promise<Invited> {
  const { delivery } = deps.mail
  const { invitation, secret } = await makeInvitation(deps, actor, input, delivery)
  const { email, organizationName, guid } = invitation
  const url = invitationUrl(deps.config.baseUrl, secret)
  try {
    await deps.mail.send(invitationMail({ email, invitedBy: actor.login, organizationName, url, days }))
  } catch (error) {
    await revokeAudited(deps, actor, input.organizationGuid, guid)
    deps.backgroundTasks.failed(error)
    const message = 'The mail could not be sent, so nobody was invited. Try again, or ask the operator about smtpUrl.'
    throw new Refusal('TEMPORARILY_UNAVAILABLE', message, { resource: 'invitations' })
  }
  return { invitation, url: delivery === 'sent' ? undefined : url }
}

function requireInvitation(actor: Actor, { organizationGuid, email }: InvitationInput): void {
  requireOrganizationAdmin(actor, organizationGuid)
  requireEmail(email, 'invitations')
}

/** Five mails a day to one address and a hundred an hour from one organization, so no mailbox is flooded. */
function budgetsFor({ email, organizationGuid }: InvitationInput): readonly Budget[] {
  return [
    { key: budgetKey('invitation to', email.toLowerCase()), limit: 5, window: 86_400_000 },
    { key: budgetKey('invitations of', organizationGuid), limit: 100, window: 3_600_000 },
  ]
}

function revokeAudited(
  deps: InvitationDeps,
  actor: Actor,
  organizationGuid: string | undefined,
  guid: string,
): Promise<boolean> {
  const at = deps.clock.now()
  return audited(
    deps,
    ({ accounts }) => accounts.revokeInvitation(guid, organizationGuid, at),
    (revoked) => revoked && { action: 'invitation_revoked', login: actor.login, organizationGuid, subject: guid },
  )
}

async function inviteeFrom(invitedUser: InvitedUser): Promise<Invitee> {
  if (!('password' in invitedUser)) return invitedUser
  requireLogin(invitedUser.login)
  requireName(invitedUser.name, 'users')
  requirePassword(invitedUser.password)
  return { login: invitedUser.login, name: invitedUser.name, passwordHash: await hashPassword(invitedUser.password) }
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
  const message = 'This invitation was accepted, revoked, or has expired. Ask for a new one.'
  return new Refusal('GONE', message, { resource: 'invitations' })
}

function invitationNote(
  action: 'invitation_made' | 'invitation_accepted',
  login: string,
  { guid, organizationGuid, email, groupGuid, role }: Omit<NewInvitation, 'secretHash' | 'delivery' | 'at'>,
): NewAuditEntry {
  return { action, login, organizationGuid, subject: guid, details: { email, group: groupGuid, role } }
}
