/**
 * SCIM: an identity provider keeps its users and groups here. Users are those of the service, who sign in with the
 * provider; groups give roles as those of a sign-in do. Must not know the messages of SCIM.
 */
import { randomUUID } from 'node:crypto'
import { emailRule } from '../../lib/credentials.js'
import { isSameText } from '../../lib/same-text.js'
import { addAuditEntry, audited, type NewAuditEntry } from '../accounts/audit.js'
import type {
  ActiveChange,
  GroupFields,
  Moved,
  Person,
  ProvisionedGroup,
  ProvisionedPage,
  ProvisionedUser,
  Provisioner,
} from '../accounts/provisioning-store.js'
import { tooOften } from '../sign-in/own-account.js'
import { budgetKey, unknownAccountHash } from '../sign-in/sign-in.js'
import { isPlain, maxNameLength } from '../values/names.js'
import { networkOf } from '../values/network.js'
import { invalid, Refusal } from '../values/refusal.js'
import { loginFor, nameFor } from './access.js'
import { type ProviderSettings, plainIssuer } from './provider.js'
import { accessOfProvider, type ProviderDeps, roleEntry, tokenEntries } from './provider-sign-in.js'

/** As the provider sends it. */
export type GivenPerson = Omit<Person, 'name'>

/** The provider whose token it is. Of one network, a hundred wrong ones within 15 minutes are noted. */
export async function authenticateProvider(
  deps: ProviderDeps,
  token: string,
  address: string,
): Promise<ProviderSettings> {
  // First, so that wrong ones do not lock it out; it is too long to be guessed.
  const provider = deps.identityProviders.find(({ settings }) => isSameText(token, settings.scimToken ?? ''))
  if (provider?.settings.scimToken !== undefined) return provider.settings
  const budget = { key: budgetKey('scim', networkOf(address)), limit: 100, window: 15 * 60_000 }
  const wait = await deps.accounts.countTry([budget], deps.clock.now())
  if (wait !== undefined) throw tooOften(wait)
  await addAuditEntry(deps, { action: 'sign_in_failed', login: undefined, address, details: { through: 'scim' } })
  throw new Refusal('FORBIDDEN', 'The token is not that of scimToken, or of a provider in oidcProviders.')
}

export async function createPerson(
  deps: ProviderDeps,
  settings: ProviderSettings,
  given: GivenPerson,
): Promise<ProvisionedUser> {
  const by = await provisionerOf(deps, settings)
  const id = randomUUID()
  // Last, since it may be one of the others.
  const claims = { email: given.email, sub: id, [settings.loginClaim]: given.userName }
  const login = loginFor(claims, settings)
  const draft = { ...named(given, login), id, login, passwordHash: unknownAccountHash }
  const added = await audited(
    deps,
    ({ accounts }) => accounts.addProvisionedUser(by, draft),
    (answer) => {
      if (answer.outcome !== 'done') return undefined
      const { how, user, moved } = answer
      const details = { through: settings.id, identity: given.externalId ?? given.userName }
      const action = how === 'created' ? 'user_added' : 'identity_linked'
      const entry: NewAuditEntry =
        how === 'created'
          ? { action, login: undefined, account: user.login, details }
          : { action, login: user.login, details }
      return [entry, ...activeEntries(answer, settings), ...movedEntries([moved], settings)]
    },
  )
  if (added.outcome === 'taken') throw taken(added.field)
  deps.tokens.clear()
  return added.user
}

export async function changePerson(
  deps: ProviderDeps,
  settings: ProviderSettings,
  id: string,
  edit: (user: ProvisionedUser) => GivenPerson,
): Promise<ProvisionedUser> {
  const by = await provisionerOf(deps, settings)
  const changed = await audited(
    deps,
    ({ accounts }) => accounts.changeProvisionedUser(by, id, (user) => named(edit(user), user.login)),
    (answer) => {
      if (answer.outcome !== 'done') return undefined
      const { user, isEmailChanged } = answer
      const details = { through: settings.id }
      const entry = { action: 'email_changed', login: undefined, account: user.login, details } as const
      return [...(isEmailChanged ? [entry] : []), ...activeEntries(answer, settings)]
    },
  )
  if (changed.outcome === 'unknown') throw notFound('user', id)
  if (changed.outcome === 'taken') throw taken(changed.field)
  deps.tokens.clear()
  return changed.user
}

export async function removePerson(deps: ProviderDeps, settings: ProviderSettings, id: string): Promise<void> {
  const by = await provisionerOf(deps, settings)
  const details = { through: settings.id }
  const removed = await audited(
    deps,
    ({ accounts }) => accounts.removeProvisionedUser(by, id),
    (answer) => {
      if (answer.outcome === 'unknown') return undefined
      if (answer.outcome === 'kept')
        return [{ action: 'sessions_ended', login: answer.login, details }, ...movedEntries([answer.moved], settings)]
      const entry = { action: 'user_removed', login: undefined, account: answer.login, details } as const
      const concerned = answer.organizationGuids.map((organizationGuid) => ({ ...entry, organizationGuid }))
      return concerned.length === 0 ? entry : concerned
    },
  )
  if (removed.outcome === 'unknown') throw notFound('user', id)
  deps.tokens.clear()
}

export function listPeople(deps: ProviderDeps, { issuer }: ProviderSettings, page: ProvisionedPage) {
  return deps.accounts.provisionedUsers(plainIssuer(issuer), page)
}

export function listGroups(deps: ProviderDeps, { issuer }: ProviderSettings, page: ProvisionedPage) {
  return deps.accounts.provisionedGroups(plainIssuer(issuer), page)
}

/** Without an id, a new one. Undefined when it was removed. */
export async function editGroup(
  deps: ProviderDeps,
  settings: ProviderSettings,
  id: string | undefined,
  edit: (group: ProvisionedGroup | undefined) => GroupFields | undefined,
): Promise<ProvisionedGroup | undefined> {
  const by = await provisionerOf(deps, settings)
  const checked = (group: ProvisionedGroup | undefined) => requireGroup(edit(group))
  const changed = await audited(
    deps,
    ({ accounts }) => accounts.editProvisionedGroup(by, id ?? randomUUID(), checked),
    (answer) => answer.outcome === 'done' && movedEntries(answer.moved, settings),
  )
  if (changed.outcome === 'unknown') throw notFound('group', id)
  if (changed.outcome === 'taken') throw taken(changed.field)
  if (changed.outcome === 'no-user') {
    const message = `There is no user with the id ${JSON.stringify(changed.id)}. Create the user first.`
    throw invalid('members', message, 'groups')
  }
  deps.tokens.clear()
  return changed.group
}

async function provisionerOf(deps: ProviderDeps, settings: ProviderSettings): Promise<Provisioner> {
  const accessOf = await accessOfProvider(deps, settings)
  const { issuer, endTokens } = settings
  return { issuer: plainIssuer(issuer), accessOf, endTokens, at: deps.clock.now() }
}

/** With what the user is called here. */
function named(given: GivenPerson, login: string): Person {
  const { userName, externalId, displayName, formattedName, givenName, familyName, email, isActive } = given
  requireText('userName', userName, 'users')
  for (const [field, text] of Object.entries({ externalId, displayName, formattedName, givenName, familyName })) {
    if (text !== undefined) requireText(field, text, 'users')
  }
  if (email !== undefined && !emailRule.test(email))
    throw invalid('emails', `The address is not valid. Allowed: ${emailRule.allowed}.`, 'users')
  const name = nameFor({ name: displayName ?? formattedName, given_name: givenName, family_name: familyName }, login)
  return { userName, externalId, displayName, formattedName, givenName, familyName, email, isActive, name }
}

function requireGroup(group: GroupFields | undefined): GroupFields | undefined {
  if (group) requireText('displayName', group.name, 'groups')
  if (group?.externalId !== undefined) requireText('externalId', group.externalId, 'groups')
  return group
}

function requireText(field: string, text: string, resource: 'users' | 'groups'): void {
  if (text.trim() === '' || !isPlain(text, maxNameLength)) {
    const message = `Send ${field} with 1 to ${maxNameLength} characters, without control characters.`
    throw invalid(field, message, resource)
  }
}

function activeEntries({ user, effect, revoked }: ActiveChange, { id }: ProviderSettings): readonly NewAuditEntry[] {
  const { login } = user
  const details = { through: id }
  const tokens = tokenEntries(revoked, login, id)
  if (effect === undefined) return tokens
  if (effect === 'kept') return [{ action: 'sessions_ended', login, details }, ...tokens]
  return [{ action: `user_${effect}`, login: undefined, account: login, details }, ...tokens]
}

function movedEntries(moved: readonly Moved[], { id }: ProviderSettings): readonly NewAuditEntry[] {
  return moved.flatMap(({ login, changes, revoked }) => [
    ...changes.map((change) => roleEntry(change, login, id)),
    ...tokenEntries(revoked, login, id),
  ])
}

export function notFound(what: 'user' | 'group', id = ''): Refusal {
  return new Refusal('NOT_FOUND', `There is no ${what} with the id ${JSON.stringify(id.slice(0, 64))}.`)
}

function taken(field: string): Refusal {
  return new Refusal('CONFLICT', `Another one has this ${field}.`, { field })
}
