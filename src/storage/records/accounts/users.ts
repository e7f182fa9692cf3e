import { type Kysely, sql, type Transaction } from 'kysely'
import type { User } from '../../../core/accounts/account.js'
import type {
  ActiveAnswer,
  FirstAccount,
  NewUser,
  RemovedUser,
  UserStore,
} from '../../../core/accounts/account-store.js'
import type { Transact } from '../../sql/database/transact.js'
import { codec } from '../../sql/tables/codec.js'
import { tableNames, tables } from '../../sql/tables/index.js'
import type { Schema } from '../../sql/tables/schema.js'
import { findRow, hasRow, insertRows, updateRows } from '../steps/rows.js'
import { lastAdminOf } from './members.js'
import { countPasskeys } from './passkeys.js'
import { endSessionsAndRequests, isLoginTaken, isTaken } from './sign-in.js'
import { addToken } from './tokens.js'

/** The users of the account store. */
export function sqlUsers(db: Kysely<Schema>, transact: Transact) {
  return {
    // Serializable: two processes that both found no user would otherwise both create one.
    bootstrap: (first) => transact((tx) => bootstrap(tx, first), 'serializable'),

    // Serializable: a login and an email address that are equal must not be assigned concurrently.
    addUser: (user) => transact((tx) => addUser(tx, user), 'serializable'),

    // Serializable: of two administrators removed concurrently, one must stay.
    removeUser: (login, at) => transact((tx) => removeUser(tx, login, at), 'serializable'),

    firstGroup: async () => (await firstGroup(db))?.guid,

    user: (login) => selectUser(db, login),

    users: async () => (await selectUsers(db).orderBy('users.login').execute()).map(userFrom),

    changeUser: (login, change, at) =>
      transact(async (tx) => {
        await updateRows(tx, 'users', { login }, { ...userColumns.columns(change), modified_at: at })
        return selectUser(tx, login)
      }),

    // Serializable: of two administrators deactivated concurrently, one must stay.
    setActive: (login, active, at) =>
      transact((tx) => (active ? activate(tx, login, at) : deactivateByPeople(tx, login, at)), 'serializable'),
  } satisfies UserStore
}

async function bootstrap(
  tx: Transaction<Schema>,
  { organization, group, user, token, at }: FirstAccount,
): Promise<boolean> {
  if (await tx.selectFrom('users').select('login').limit(1).executeTakeFirst()) return false

  const times = { created_at: at, modified_at: at }
  await insertRows(tx, 'organizations', { ...organization, ...times })
  await insertRows(tx, 'groups', { ...group, organization_guid: organization.guid, ...times })
  await insertRows(tx, 'users', {
    login: user.login,
    name: user.login,
    password_hash: user.passwordHash,
    default_group_guid: group.guid,
    ...times,
  })
  const { login } = user
  await insertRows(tx, 'organization_members', { organization_guid: organization.guid, login, role: 'admin' })
  await insertRows(tx, 'group_members', { group_guid: group.guid, login, role: 'admin' })
  await addToken(tx, { ...token, login, at })
  return true
}

async function addUser(
  tx: Transaction<Schema>,
  user: NewUser,
): Promise<'added' | 'taken' | 'email-taken' | 'no-group'> {
  const group = await findRow(tx, 'groups', { guid: user.groupGuid, is_active: 1 }, ['organization_guid'])
  if (!group) return 'no-group'
  const emailKey = user.email?.toLowerCase()
  if (await isLoginTaken(tx, user.login)) return 'taken'
  if (emailKey !== undefined && (await isTaken(tx, emailKey, ''))) return 'email-taken'

  await insertUser(tx, user)
  await joinGroup(tx, user.login, user.groupGuid, group.organization_guid)
  return 'added'
}

/** The user alone, without memberships. */
export async function insertUser(
  tx: Transaction<Schema>,
  user: NewUser & { readonly emailVerifiedAt?: number | undefined },
): Promise<void> {
  const emailKey = user.email?.toLowerCase()
  await insertRows(tx, 'users', {
    ...userColumns.columns({ ...user, emailKey, createdAt: user.at, modifiedAt: user.at }),
    default_group_guid: user.groupGuid,
  })
}

export async function joinGroup(
  tx: Transaction<Schema>,
  login: string,
  groupGuid: string,
  organizationGuid: string,
): Promise<void> {
  await insertRows(tx, 'organization_members', { organization_guid: organizationGuid, login, role: 'member' })
  await insertRows(tx, 'group_members', { group_guid: groupGuid, login, role: 'member' })
}

/** The oldest one, of all or of this organization. */
export async function firstGroup(
  db: Kysely<Schema>,
  organizationGuid?: string,
): Promise<{ readonly guid: string; readonly organization_guid: string } | undefined> {
  return db
    .selectFrom('groups')
    .select(['guid', 'organization_guid'])
    .where('is_active', '=', 1)
    .$if(organizationGuid !== undefined, (query) => query.where('organization_guid', '=', organizationGuid ?? ''))
    .orderBy('created_at')
    .orderBy('guid')
    .limit(1)
    .executeTakeFirst()
}

export async function removeUser(tx: Transaction<Schema>, login: string, at: number): Promise<RemovedUser> {
  if (!(await hasRow(tx, 'users', { login }))) return { outcome: 'no-user' }
  const alone = await lastAdminOf(tx, login)
  if (alone !== undefined) return { outcome: 'last-admin', organizationGuid: alone }

  const left = await tx
    .deleteFrom('organization_members')
    .where('login', '=', login)
    .returning('organization_guid')
    .execute()
  await tx
    .updateTable('tokens')
    .set({ revoked_at: at })
    .where('client_id', 'in', (own) => own.selectFrom('applications').select('client_id').where('login', '=', login))
    .where('revoked_at', 'is', null)
    .execute()
  await tx.deleteFrom('stream_access').where('kind', '=', 'login').where('subject', '=', login).execute()
  // An accepted invitation contains nothing but the email address.
  await tx.deleteFrom('invitations').where('accepted_by', '=', login).execute()
  for (const table of ownTables) await sql`delete from ${sql.table(table)} where login = ${login}`.execute(tx)
  await tx.insertInto('removed_users').values({ login, removed_at: at }).execute()
  return { outcome: 'removed', organizationGuids: left.map((row) => row.organization_guid).sort() }
}

export async function activate(tx: Transaction<Schema>, login: string, at: number): Promise<ActiveAnswer> {
  const isSwitched = await updateRows(tx, 'users', { login, is_active: 0 }, { is_active: 1, modified_at: at })
  return isSwitched ? { outcome: 'set' } : { outcome: await whyNot(tx, login) }
}

export async function deactivate(tx: Transaction<Schema>, login: string, at: number): Promise<ActiveAnswer> {
  const organizationGuid = await lastAdminOf(tx, login)
  if (organizationGuid !== undefined) return { outcome: 'last-admin', organizationGuid }
  const isSwitched = await updateRows(tx, 'users', { login, is_active: 1 }, { is_active: 0, modified_at: at })
  if (!isSwitched) return { outcome: await whyNot(tx, login) }
  await endSessionsAndRequests(tx, login)
  return { outcome: 'set' }
}

/** Then no provider activates the user again. */
async function deactivateByPeople(tx: Transaction<Schema>, login: string, at: number): Promise<ActiveAnswer> {
  const answer = await deactivate(tx, login, at)
  if (answer.outcome !== 'last-admin') await updateRows(tx, 'provisioned_users', { login }, { has_deactivated: 0 })
  return answer
}

async function whyNot(tx: Transaction<Schema>, login: string): Promise<'as-before' | 'no-user'> {
  return (await hasRow(tx, 'users', { login })) ? 'as-before' : 'no-user'
}

/** Tables whose rows belong to one account only; a table refers to those before it. */
const ownTables = [...tableNames.filter((name) => tables[name].owner === 'user'), 'group_members'].toReversed()

async function selectUser(db: Kysely<Schema>, login: string): Promise<User | undefined> {
  const row = await selectUsers(db).where('users.login', '=', login).executeTakeFirst()
  return row && userFrom(row)
}

function selectUsers(db: Kysely<Schema>) {
  return db
    .selectFrom('users')
    .leftJoin('two_factors', 'two_factors.login', 'users.login')
    .selectAll('users')
    .select('two_factors.kind')
    .select(countPasskeys)
}

type UserRow = Awaited<ReturnType<ReturnType<typeof selectUsers>['executeTakeFirstOrThrow']>>

const userColumns = codec('users', ['emailKey', 'emailVerifiedAt', 'passwordHash'])

function userFrom(row: UserRow): User {
  const isEmailVerified = row.email_verified_at !== null
  return userColumns.fieldsWith(row, { isEmailVerified, hasTwoFactor: row.kind !== null || Number(row.passkeys) > 0 })
}
