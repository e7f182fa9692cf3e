import type { Kysely, Transaction } from 'kysely'
import type {
  ActiveChange,
  AddedUser,
  ChangedGroup,
  ChangedUser,
  DroppedUser,
  GroupFields,
  Moved,
  Person,
  ProvisionedGroup,
  ProvisionedPage,
  ProvisionedUser,
  Provisioner,
  ProvisioningStore,
  UserDraft,
} from '../../../core/accounts/provisioning-store.js'
import { chunks } from '../../../lib/chunks.js'
import type { Transact } from '../../sql/database/transact.js'
import { codec } from '../../sql/tables/codec.js'
import type { Schema } from '../../sql/tables/schema.js'
import { countRows, deleteRows, findRow, hasRow, insertMissing, insertRows, updateRows, upsert } from '../steps/rows.js'
import { hasGroup, lockUser } from './members.js'
import { addProvidedUser } from './provided-users.js'
import { giveProviderRoles } from './provider-roles.js'
import { provisionedGroupsOf } from './provisioned.js'
import { endSessionsAndRequests, setEmail } from './sign-in.js'
import { revokeAllTokens } from './tokens.js'
import { activate, deactivate, firstGroup, removeUser } from './users.js'

/** Users and groups of SCIM. core/accounts/provisioning.contract.ts defines the behaviour. */
export function sqlProvisioning(db: Kysely<Schema>, transact: Transact): ProvisioningStore {
  // Serializable, as a sign-in: roles follow from groups that others may be changing.
  const change = <Answer>(work: (tx: Transaction<Schema>) => Promise<Answer>) => transact(work, 'serializable')
  return {
    addProvisionedUser: (by, draft) => change((tx) => addUser(tx, by, draft)),
    changeProvisionedUser: (by, id, edit) => change((tx) => changeUser(tx, by, id, edit)),
    removeProvisionedUser: (by, id) => change((tx) => dropUser(tx, by, id)),
    async provisionedUsers(issuer, page) {
      const { total, rows } = await listed(db, 'provisioned_users', issuer, page)
      return { total, items: rows.map(userFrom) }
    },

    editProvisionedGroup: (by, id, edit) => change((tx) => editGroup(tx, by, id, edit)),
    async provisionedGroups(issuer, page) {
      const { total, rows } = await listed(db, 'provisioned_groups', issuer, page)
      const items: ProvisionedGroup[] = []
      for (const row of rows) items.push(await groupFrom(db, row))
      return { total, items }
    },
  }
}

const userColumns = codec('provisioned_users', ['issuer', 'userNameKey', 'hasDeactivated'])
const groupColumns = codec('provisioned_groups', ['issuer', 'nameKey'])

function userFrom(row: object): ProvisionedUser {
  const { attributes, ...fields } = userColumns.fields(row)
  return { ...fields, ...attributes }
}

async function groupFrom(db: Kysely<Schema>, row: { readonly id: string }): Promise<ProvisionedGroup> {
  const members = await db
    .selectFrom('provisioned_members as member')
    .innerJoin('provisioned_groups as group', 'group.id', 'member.group_id')
    .innerJoin('provisioned_users as user', (join) =>
      join.onRef('user.login', '=', 'member.login').onRef('user.issuer', '=', 'group.issuer'),
    )
    .select('user.id')
    .where('group_id', '=', row.id)
    .orderBy('user.id')
    .execute()
  return groupColumns.fieldsWith(row, { members: members.map(({ id }) => id) })
}

async function listed(
  db: Kysely<Schema>,
  table: 'provisioned_users' | 'provisioned_groups',
  issuer: string,
  { where, offset, size }: ProvisionedPage,
) {
  const name = table === 'provisioned_users' ? 'user_name_key' : 'name_key'
  const value = where?.field === 'name' ? where.value.toLowerCase() : (where?.value ?? '')
  const column = { id: 'id', name, externalId: 'external_id' }[where?.field ?? 'id']
  const total = await countRows(db, table as 'provisioned_users', { issuer, ...(where && { [column]: value }) })
  const rows = await db
    .selectFrom(table)
    .selectAll()
    .where('issuer', '=', issuer)
    .$if(where !== undefined, (query) => query.where(column as 'id', '=', value))
    .orderBy('created_at')
    .orderBy('id')
    .offset(offset)
    .limit(size)
    .execute()
  return { total, rows }
}

async function addUser(tx: Transaction<Schema>, by: Provisioner, draft: UserDraft): Promise<AddedUser> {
  const { issuer, at } = by
  const taken = await takenField(tx, issuer, draft)
  if (taken) return { outcome: 'taken', field: taken }
  const known = await loginOfExternalId(tx, issuer, draft.externalId)
  if (known !== undefined && (await hasRow(tx, 'provisioned_users', { issuer, login: known })))
    return { outcome: 'taken', field: 'externalId' }
  const group = await firstGroup(tx)
  if (!group) throw new Error('there is no group yet')
  // SCIM does not say whether somebody has verified the address.
  const given = { isMember: by.accessOf([]).roles === undefined, isEmailVerified: false, at }
  const login = known ?? (await addProvidedUser(tx, { ...draft, ...given }, group))
  const { id } = draft
  const columns = columnsOf({ ...draft, givenEmail: draft.email })
  const row = { id, issuer, login, has_deactivated: 0, created_at: at, modified_at: at, ...columns }
  await insertRows(tx, 'provisioned_users', { ...row, is_active: 1 })
  const change = await setActive(tx, { ...row, is_active: 1 }, draft.isActive, by)
  // Nobody is in a group yet: whoever was known keeps what the last sign-in gave until the provider sends theirs.
  const isFollowing = known === undefined && (await hasRow(tx, 'provisioned_groups', { issuer }))
  const moved = isFollowing ? await follow(tx, login, by) : { login, changes: [], revoked: [] }
  const user = userFrom({ ...row, is_active: Number(draft.isActive) })
  return { outcome: 'done', how: known === undefined ? 'created' : 'linked', user, ...change, moved }
}

async function changeUser(
  tx: Transaction<Schema>,
  by: Provisioner,
  id: string,
  edit: (user: ProvisionedUser) => Person,
): Promise<ChangedUser> {
  const { issuer, at } = by
  const row = await findRow(tx, 'provisioned_users', { id, issuer })
  if (!row) return { outcome: 'unknown' }
  const former = userFrom(row)
  const person = edit(former)
  const taken = await takenField(tx, issuer, person, id)
  if (taken) return { outcome: 'taken', field: taken }
  const { login } = row
  await lockUser(tx, login)
  const modifiedAt = Math.max(at, row.modified_at + 1)
  const isEmailChanged = await followProfile(tx, login, former, person, at)
  const givenEmail = isEmailChanged ? person.email : former.givenEmail
  const changed = { ...columnsOf({ ...person, givenEmail }), modified_at: modifiedAt }
  await updateRows(tx, 'provisioned_users', { id }, changed)
  const change = await setActive(tx, row, person.isActive, by)
  const user = userFrom({ ...row, ...changed, is_active: Number(person.isActive) })
  return { outcome: 'done', user, ...change, isEmailChanged }
}

async function dropUser(tx: Transaction<Schema>, by: Provisioner, id: string): Promise<DroppedUser> {
  const row = await findRow(tx, 'provisioned_users', { id, issuer: by.issuer }, ['login'])
  if (!row) return { outcome: 'unknown' }
  const { login } = row
  const removed = await removeUser(tx, login, by.at)
  if (removed.outcome === 'removed') return { outcome: 'removed', login, organizationGuids: removed.organizationGuids }
  const groups = await tx.selectFrom('provisioned_groups').select('id').where('issuer', '=', by.issuer).execute()
  for (const { id: groupId } of groups) await deleteRows(tx, 'provisioned_members', { group_id: groupId, login })
  const revoked = await endTokens(tx, login, by)
  const moved = { ...(await follow(tx, login, by)), revoked }
  await endSessionsAndRequests(tx, login)
  await deleteRows(tx, 'provisioned_users', { id })
  return { outcome: 'kept', login, moved }
}

async function takenField(
  tx: Transaction<Schema>,
  issuer: string,
  { userName, externalId }: Person,
  except = '',
): Promise<'userName' | 'externalId' | undefined> {
  const named = await findRow(tx, 'provisioned_users', { issuer, user_name_key: userName.toLowerCase() }, ['id'])
  if (named && named.id !== except) return 'userName'
  const external = externalId && (await findRow(tx, 'provisioned_users', { issuer, external_id: externalId }, ['id']))
  return external && external.id !== except ? 'externalId' : undefined
}

async function loginOfExternalId(tx: Transaction<Schema>, issuer: string, id: string | undefined) {
  if (id === undefined) return undefined
  for (const spelled of spellings(issuer)) {
    const identity = await findRow(tx, 'identities', { issuer: spelled, external_id: id }, ['login'])
    if (identity) return identity.login
  }
  return undefined
}

/** Sessions and identities have the issuer as the provider spells it. */
function spellings(issuer: string): readonly string[] {
  return [issuer, `${issuer}/`]
}

function columnsOf({ userName, externalId, ...person }: Person) {
  const { displayName, formattedName, givenName, familyName, email, givenEmail, name } = person
  return {
    user_name: userName,
    user_name_key: userName.toLowerCase(),
    external_id: externalId ?? null,
    attributes: JSON.stringify({ displayName, formattedName, givenName, familyName, email, givenEmail, name }),
  }
}

/** What a person changed here since is theirs. Returns whether the address is another one. */
async function followProfile(
  tx: Transaction<Schema>,
  login: string,
  former: Person,
  { name, email }: Person,
  at: number,
): Promise<boolean> {
  if (name !== former.name) await updateRows(tx, 'users', { login, name: former.name }, { name, modified_at: at })
  const user = email === undefined ? undefined : await findRow(tx, 'users', { login }, ['email'])
  if (email === undefined || !user || user.email === email) return false
  // Without one, that of the provider was not free.
  if (user.email !== null && user.email !== former.givenEmail) return false
  return (await setEmail(tx, login, email, at)) === 'set'
}

interface ActiveRow {
  readonly id: string
  readonly login: string
  readonly is_active: number
  readonly has_deactivated: number
}

async function setActive(
  tx: Transaction<Schema>,
  row: ActiveRow,
  active: boolean,
  by: Provisioner,
): Promise<Pick<ActiveChange, 'effect' | 'revoked'>> {
  const { at } = by
  const { id, login } = row
  const wasOn = row.is_active === 1
  if (active) {
    if (wasOn) return { effect: undefined, revoked: [] }
    await updateRows(tx, 'provisioned_users', { id }, { is_active: 1, has_deactivated: 0 })
    const isActivated = row.has_deactivated === 1 && (await activate(tx, login, at)).outcome === 'set'
    return { effect: isActivated ? 'activated' : undefined, revoked: [] }
  }
  // Also when it is said again: an operator may have activated the user, or there may be another administrator now.
  const { outcome } = await deactivate(tx, login, at)
  const hasDeactivated = outcome === 'set' ? 1 : wasOn ? 0 : row.has_deactivated
  await updateRows(tx, 'provisioned_users', { id }, { is_active: 0, has_deactivated: hasDeactivated })
  const revoked = await endTokens(tx, login, by)
  if (outcome === 'set') return { effect: 'deactivated', revoked }
  await endSessionsAndRequests(tx, login)
  return { effect: outcome === 'last-admin' ? 'kept' : undefined, revoked }
}

async function editGroup(
  tx: Transaction<Schema>,
  by: Provisioner,
  id: string,
  edit: (group: ProvisionedGroup | undefined) => GroupFields | undefined,
): Promise<ChangedGroup> {
  const { issuer, at } = by
  const row = await findRow(tx, 'provisioned_groups', { id, issuer })
  const former = row && (await groupFrom(tx, row))
  const group = edit(former)
  const nameKey = group?.name.toLowerCase()
  const named = nameKey && (await findRow(tx, 'provisioned_groups', { issuer, name_key: nameKey }, ['id']))
  if (named && named.id !== id) return { outcome: 'taken', field: 'displayName' }
  const external = group?.externalId
  const same = external && (await findRow(tx, 'provisioned_groups', { issuer, external_id: external }, ['id']))
  if (same && same.id !== id) return { outcome: 'taken', field: 'externalId' }
  const before = await loginsOf(tx, issuer, former?.members)
  const wanted = await loginsOf(tx, issuer, group?.members)
  const missing = group?.members.find((each) => !wanted.has(each))
  if (missing !== undefined) return { outcome: 'no-user', id: missing }

  if (group) {
    const times = { created_at: row?.created_at ?? at, modified_at: row ? Math.max(at, row.modified_at + 1) : at }
    const fields = { name: group.name, name_key: group.name.toLowerCase(), external_id: group.externalId ?? null }
    await upsert(tx, 'provisioned_groups', { id }, { issuer, ...fields, ...times })
  } else if (!(await deleteRows(tx, 'provisioned_groups', { id, issuer }))) return { outcome: 'unknown' }
  // Another name may mean other roles for everybody who is in the group.
  const isRenamed = former?.name !== group?.name || former?.externalId !== group?.externalId
  const logins = new Set<string>()
  for (const [userId, login] of new Map([...before, ...wanted])) {
    const key = { group_id: id, login }
    const isJoining = !before.has(userId) && (await insertMissing(tx, 'provisioned_members', key))
    const isLeaving = !wanted.has(userId) && (await deleteRows(tx, 'provisioned_members', key))
    if (isJoining || isLeaving || isRenamed) logins.add(login)
  }
  const moved: Moved[] = []
  for (const login of [...logins].sort()) moved.push(await follow(tx, login, by))
  const changed = group && (await findRow(tx, 'provisioned_groups', { id }))
  return { outcome: 'done', group: changed && (await groupFrom(tx, changed)), moved }
}

/** By id of the user; without those whom the provider does not have. */
async function loginsOf(tx: Transaction<Schema>, issuer: string, ids: readonly string[] = []) {
  const found = new Map<string, string>()
  for (const some of chunks(ids, idsAtOnce)) {
    const query = tx.selectFrom('provisioned_users').select(['id', 'login']).where('issuer', '=', issuer)
    for (const { id, login } of await query.where('id', 'in', some).execute()) found.set(id, login)
  }
  return found
}

// Engines take so many parameters only.
const idsAtOnce = 1000

/** The roles that follow from the groups of SCIM now. */
async function follow(tx: Transaction<Schema>, login: string, by: Provisioner): Promise<Moved> {
  const { issuer, accessOf } = by
  await lockUser(tx, login)
  const { mayEnter, roles } = accessOf((await provisionedGroupsOf(tx, issuer, login)) ?? [])
  const changes = await giveProviderRoles(tx, login, { issuer, roles })
  const isOut = !mayEnter || (roles !== undefined && !(await hasGroup(tx, login)))
  if (!isOut) return { login, changes, revoked: [] }
  await tx.deleteFrom('sessions').where('login', '=', login).where('issuer', 'in', spellings(issuer)).execute()
  return { login, changes, revoked: await endTokens(tx, login, by) }
}

async function endTokens(tx: Transaction<Schema>, login: string, { endTokens, at }: Provisioner) {
  return endTokens ? revokeAllTokens(tx, login, at) : []
}
