import { emailRule, loginRule, passwordRule } from '../../lib/credentials.js'
import { requireName } from '../values/names.js'
import { invalid, quoted, Refusal } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import type { User, UserChange } from './account.js'
import type { UserStore } from './account-store.js'
import { type Actor, operator, requireGroup } from './actor.js'
import { type AuditDeps, audited, changedBy } from './audit.js'
import { hashPassword, newPassword } from './secrets.js'

export interface UserDeps extends AuditDeps {
  readonly accounts: UserStore
  /** Clears caches of permissions. */
  readonly onAccessChanged?: () => void
}

export interface UserListDeps {
  readonly accounts: UserStore
}

export interface UserInput {
  readonly login: string
  readonly name?: string | undefined
  readonly email?: string | undefined
  readonly password?: string | undefined
  readonly groupGuid?: string | undefined
}

export interface CreatedUser {
  readonly login: string
  readonly groupGuid: string
  /** Set only when it was generated; returned once. */
  readonly password: string | undefined
}

export function listUsers(deps: UserListDeps): Promise<readonly User[]> {
  return deps.accounts.users()
}

export async function createUser(deps: UserDeps, actor: Actor, input: UserInput): Promise<CreatedUser> {
  const { login, name = login, email } = input
  requireLogin(login)
  if (email !== undefined) requireEmail(email, 'users')
  if (input.password !== undefined) requirePassword(input.password)
  const groupGuid = input.groupGuid ?? (await deps.accounts.firstGroup())
  if (groupGuid === undefined) {
    throw new Refusal('NOT_FOUND', 'There is no group yet. Start the service once to create the first group.', {
      resource: 'groups',
    })
  }

  const password = input.password ?? newPassword()
  const passwordHash = await hashPassword(password)
  const user = { login, name, email, passwordHash, groupGuid, at: deps.clock.now() }
  const outcome = await audited(
    deps,
    ({ accounts }) => accounts.addUser(user),
    (answer) => answer === 'added' && { action: 'user_added', ...changedBy(actor, login), subject: groupGuid },
  )
  if (outcome === 'taken')
    throw invalid('login', `The login "${login}" is taken or was used before. Choose another.`, 'users')
  if (outcome === 'email-taken') throw emailTaken(email ?? '')
  if (outcome === 'no-group') {
    throw new Refusal('NOT_FOUND', `There is no group "${groupGuid}".`, { resource: 'groups' })
  }
  return { login, groupGuid, password: input.password === undefined ? password : undefined }
}

/** Cannot be undone; deactivate a user to lock them out temporarily. */
export async function removeUser(deps: UserDeps, actor: Actor, input: { login: string }): Promise<{ login: string }> {
  const { login } = input
  const at = deps.clock.now()
  const answer = await audited(
    deps,
    ({ accounts }) => accounts.removeUser(login, at),
    (removed) => {
      if (removed.outcome !== 'removed') return undefined
      const entry = { action: 'user_removed', ...changedBy(actor, login) } as const
      // One entry for each organization that loses a member; without any, one that only the operator sees.
      const concerned = removed.organizationGuids.map((organizationGuid) => ({ ...entry, organizationGuid }))
      return concerned.length === 0 ? entry : concerned
    },
  )
  if (answer.outcome === 'no-user') throw noUser(login)
  if (answer.outcome === 'last-admin') throw lastAdmin(actor, login, answer.organizationGuid)
  deps.onAccessChanged?.()
  return { login }
}

export function noUser(login: string): Refusal {
  return new Refusal('NOT_FOUND', `There is no user "${login}".`, { resource: 'users' })
}

export function requireLogin(login: string): void {
  // The audit log uses this login for commands on the server.
  if (login === operator.login) throw invalid('login', 'The login "operator" is reserved. Choose another.', 'users')
  if (!loginRule.test(login)) {
    throw invalid('login', `"${login}" is not a valid login. Allowed: ${loginRule.allowed}.`, 'users')
  }
}

export function requireEmail(email: string, resource: 'invitations' | 'users'): void {
  if (!emailRule.test(email)) {
    throw invalid('email', `"${email}" is not a valid e-mail address. Allowed: ${emailRule.allowed}.`, resource)
  }
}

export function emailTaken(email: string): Refusal {
  return invalid('email', `The address "${email}" belongs to another account. Choose another.`, 'users')
}

export function requirePassword(password: string, field = 'password'): void {
  if (!passwordRule.test(password)) {
    throw invalid(field, `This is not a valid password. Allowed: ${passwordRule.allowed}.`, 'users')
  }
}

/** The operator is told the command; everybody else what to do, because they have no shell. */
export function lastAdmin(actor: Actor, login: string, organizationGuid: string): Refusal {
  const message = actor.isOperator
    ? `The user "${login}" is the only active administrator of the organization ${organizationGuid}. Add another ` +
      `administrator first: shortlink member set LOGIN --organization ${organizationGuid} --role org-admin.`
    : `${quoted(login)} is the only active administrator of this organization. Make another member an administrator first.`
  return invalid('login', message, 'users')
}

export interface OwnUserDeps {
  readonly accounts: UserStore
}

export interface ChangeUserDeps extends OwnUserDeps {
  readonly clock: Clock
  /** Cached actors contain the default group and the default link privacy. */
  readonly tokens: { clear(): void }
}

export async function readUser(deps: OwnUserDeps, actor: Actor): Promise<User> {
  return asSeenBy(actor, await deps.accounts.user(actor.login))
}

/** Users may change their own name and defaults whatever their role. */
export async function changeUser(deps: ChangeUserDeps, actor: Actor, change: UserChange): Promise<User> {
  if (change.defaultGroupGuid !== undefined) requireGroup(actor, change.defaultGroupGuid)
  if (change.name !== undefined) requireName(change.name, 'users')
  const user = await deps.accounts.changeUser(actor.login, change, deps.clock.now())
  if (change.defaultGroupGuid !== undefined || change.defaultLinkPrivacy !== undefined) deps.tokens.clear()
  return asSeenBy({ ...actor, defaultGroupGuid: change.defaultGroupGuid ?? actor.defaultGroupGuid }, user)
}

/** With the actor's effective default group, which may differ from the stored choice. */
function asSeenBy(actor: Pick<Actor, 'login' | 'defaultGroupGuid'>, user: User | undefined): User {
  if (!user) throw new Error(`the user ${actor.login} has a token but does not exist`)
  return { ...user, defaultGroupGuid: actor.defaultGroupGuid }
}
