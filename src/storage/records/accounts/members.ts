import { type Kysely, sql, type Transaction } from 'kysely'
import type { OrganizationRole } from '../../../core/accounts/actor.js'
import type { GroupStore, Member, MemberRole, OnlyMembers } from '../../../core/accounts/group-store.js'
import type { Transact } from '../../sql/database/transact.js'
import type { Schema } from '../../sql/tables/schema.js'
import { deleteRows, findRow, hasRow, holdRow, insertMissing, upsert } from '../steps/rows.js'

/** The members of the group store. */
export function sqlMembers(db: Kysely<Schema>, transact: Transact) {
  return {
    setGroupRole: (login, groupGuid, role, only) =>
      transact((tx) => setGroupRole(tx, { login, only }, groupGuid, role)),
    // Serializable, like leaving and deactivating: of two administrators who go concurrently, one must stay.
    setOrganizationRole: (login, organizationGuid, role, only) =>
      transact((tx) => setOrganizationRole(tx, { login, only }, organizationGuid, role), 'serializable'),

    leaveGroup: (login, groupGuid) => transact((tx) => leaveGroup(tx, login, groupGuid)),
    leaveOrganization: (login, guid) => transact((tx) => leaveOrganization(tx, login, guid), 'serializable'),

    async members() {
      const groups = await db.selectFrom('group_members').selectAll().execute()
      const organizations = await db.selectFrom('organization_members').selectAll().execute()
      const all: Member[] = [
        ...organizations.map((row) => ({
          login: row.login,
          in: 'organization' as const,
          guid: row.organization_guid,
          role: row.role,
        })),
        ...groups.map((row) => ({ login: row.login, in: 'group' as const, guid: row.group_guid, role: row.role })),
      ]
      return all.sort((one, other) => (one.login < other.login ? -1 : one.login > other.login ? 1 : 0))
    },

    async organizationMembers(organizationGuid) {
      const people = await db
        .selectFrom('organization_members as member')
        .innerJoin('users', 'users.login', 'member.login')
        .select(['users.login', 'users.name', 'users.email', 'users.is_active', 'member.role'])
        .where('member.organization_guid', '=', organizationGuid)
        .orderBy('users.login')
        .execute()
      const roles = await db
        .selectFrom('group_members as member')
        .innerJoin('groups', 'groups.guid', 'member.group_guid')
        .select(['member.login', 'groups.guid', 'member.role'])
        .where('groups.organization_guid', '=', organizationGuid)
        .where('groups.is_active', '=', 1)
        .orderBy('groups.created_at')
        .orderBy('groups.guid')
        .execute()
      const logins = db
        .selectFrom('organization_members')
        .select('login')
        .where('organization_guid', '=', organizationGuid)
      // Identities have the issuer as the provider spells it.
      const identities = await db
        .selectFrom('identities as known')
        .select(['known.login', sql<string>`rtrim(known.issuer, '/')`.as('issuer')])
        .where('known.login', 'in', logins)
        .union(
          db
            .selectFrom('provisioned_users as known')
            .select(['known.login', 'known.issuer'])
            .where('known.login', 'in', logins),
        )
        .orderBy('issuer')
        .execute()
      return people.map(({ login, name, email, is_active, role }) => ({
        login,
        name,
        email: email ?? undefined,
        isActive: is_active === 1,
        role,
        groups: roles.filter((each) => each.login === login).map((each) => ({ groupGuid: each.guid, role: each.role })),
        issuers: identities.filter((each) => each.login === login).map(({ issuer }) => issuer),
      }))
    },
  } satisfies Partial<GroupStore>
}

/** A role that people set is theirs: identity providers no longer take it away. */
export const givenByPeople = { given_by: null, former_role: null }

interface Person {
  readonly login: string
  readonly only: OnlyMembers
}

async function setGroupRole(
  tx: Transaction<Schema>,
  { login, only }: Person,
  groupGuid: string,
  role: MemberRole,
): Promise<'set' | 'no-user' | 'no-group'> {
  if (!(await hasRow(tx, 'users', { login }))) return 'no-user'
  const group = await findRow(tx, 'groups', { guid: groupGuid, is_active: 1 }, ['organization_guid'])
  if (!group) return 'no-group'
  if (only && !(await isMember(tx, login, group.organization_guid))) return 'no-user'
  await insertMissing(tx, 'organization_members', { organization_guid: group.organization_guid, login, role: 'member' })
  await upsert(tx, 'group_members', { login, group_guid: groupGuid }, { role, ...givenByPeople })
  return 'set'
}

async function setOrganizationRole(
  tx: Transaction<Schema>,
  { login, only }: Person,
  organizationGuid: string,
  role: OrganizationRole,
): Promise<'set' | 'no-user' | 'no-organization' | 'last-admin' | 'last-group'> {
  if (!(await lockUser(tx, login))) return 'no-user'
  if (!(await hasRow(tx, 'organizations', { guid: organizationGuid }))) return 'no-organization'
  if (only && !(await isMember(tx, login, organizationGuid))) return 'no-user'
  if (role !== 'admin' && (await lastAdminOf(tx, login, organizationGuid)) !== undefined) return 'last-admin'
  // Administrators and auditors reach all groups.
  if (role === 'member') {
    const isLast = (await hasGroup(tx, login)) && !(await hasGroup(tx, login, { adminOf: organizationGuid }))
    if (isLast) return 'last-group'
  }
  await upsert(tx, 'organization_members', { login, organization_guid: organizationGuid }, { role, ...givenByPeople })
  return 'set'
}

async function leaveGroup(
  tx: Transaction<Schema>,
  login: string,
  groupGuid: string,
): Promise<'left' | 'not-a-member' | 'last-group'> {
  await lockUser(tx, login)
  const isLast = (await hasGroup(tx, login)) && !(await hasGroup(tx, login, { memberOf: groupGuid }))
  if (isLast) return 'last-group'
  const deleted = await deleteRows(tx, 'group_members', { login, group_guid: groupGuid })
  return deleted ? 'left' : 'not-a-member'
}

async function leaveOrganization(
  tx: Transaction<Schema>,
  login: string,
  organizationGuid: string,
): Promise<'left' | 'not-a-member' | 'last-admin'> {
  if ((await lastAdminOf(tx, login, organizationGuid)) !== undefined) return 'last-admin'
  const deleted = await deleteRows(tx, 'organization_members', { login, organization_guid: organizationGuid })
  if (!deleted) return 'not-a-member'
  await tx
    .deleteFrom('group_members')
    .where('login', '=', login)
    .where('group_guid', 'in', (groups) =>
      groups.selectFrom('groups').select('guid').where('organization_guid', '=', organizationGuid),
    )
    .execute()
  return 'left'
}

/** Locks the membership, so that nobody who leaves at the same time is added again. */
async function isMember(tx: Transaction<Schema>, login: string, organizationGuid: string): Promise<boolean> {
  return holdRow(tx, 'organization_members', { login, organization_guid: organizationGuid })
}

/** Orders the changes of a user's memberships, of which each may be the last. False: there is no such user. */
export function lockUser(tx: Transaction<Schema>, login: string): Promise<boolean> {
  return holdRow(tx, 'users', { login })
}

/** Whether the user can use a group, without one of their memberships. */
export async function hasGroup(tx: Transaction<Schema>, login: string, without: Without = {}): Promise<boolean> {
  return (await withoutGroup(tx, [login], without)).length === 0
}

interface Without {
  readonly memberOf?: string
  readonly adminOf?: string
}

/** Those of the users who can use no group, without one of their memberships. */
async function withoutGroup(
  tx: Transaction<Schema>,
  logins: readonly string[],
  { memberOf = '', adminOf = '' }: Without,
): Promise<readonly string[]> {
  if (logins.length === 0) return []
  const found = await tx
    .selectFrom('users')
    .select('users.login')
    .where('users.login', 'in', logins)
    .where(({ and, not, exists, selectFrom }) =>
      and([
        not(
          exists(
            selectFrom('group_members as member')
              .innerJoin('groups', 'groups.guid', 'member.group_guid')
              .innerJoin('organizations', 'organizations.guid', 'groups.organization_guid')
              .select('member.login')
              .whereRef('member.login', '=', 'users.login')
              .where('member.group_guid', '<>', memberOf)
              .where('groups.is_active', '=', 1)
              .where('organizations.is_active', '=', 1),
          ),
        ),
        not(
          exists(
            selectFrom('organization_members as admin')
              .innerJoin('organizations', 'organizations.guid', 'admin.organization_guid')
              .innerJoin('groups', 'groups.organization_guid', 'organizations.guid')
              .select('admin.login')
              .whereRef('admin.login', '=', 'users.login')
              .where('admin.role', 'in', ['admin', 'auditor'])
              .where('admin.organization_guid', '<>', adminOf)
              .where('groups.is_active', '=', 1)
              .where('organizations.is_active', '=', 1),
          ),
        ),
      ]),
    )
    .orderBy('users.login')
    .execute()
  return found.map(({ login }) => login)
}

/** The active users whose only group this is. Locks its members, whose other memberships could end at the same time. */
export async function onlyGroupOf(tx: Transaction<Schema>, groupGuid: string): Promise<readonly string[]> {
  const members = await tx
    .updateTable('users')
    .set((row) => ({ name: row.ref('name') }))
    .where('is_active', '=', 1)
    .where('login', 'in', (rows) =>
      rows
        .selectFrom('group_members')
        .innerJoin('groups', 'groups.guid', 'group_members.group_guid')
        .innerJoin('organizations', 'organizations.guid', 'groups.organization_guid')
        .select('group_members.login')
        .where('group_members.group_guid', '=', groupGuid)
        .where('organizations.is_active', '=', 1),
    )
    .returning('login')
    .execute()
  return withoutGroup(
    tx,
    members.map(({ login }) => login),
    { memberOf: groupGuid },
  )
}

/**
 * An organization (or the given one) in which this user is the only active administrator. Call it in a serializable
 * transaction, because others may be leaving concurrently.
 */
export async function lastAdminOf(
  tx: Transaction<Schema>,
  login: string,
  organizationGuid?: string,
): Promise<string | undefined> {
  const left = await tx
    .selectFrom('organization_members as member')
    .innerJoin('users', 'users.login', 'member.login')
    .innerJoin('organizations', 'organizations.guid', 'member.organization_guid')
    .select('organizations.guid')
    .where('users.login', '=', login)
    .where('users.is_active', '=', 1)
    .where('member.role', '=', 'admin')
    .where('organizations.is_active', '=', 1)
    .$if(organizationGuid !== undefined, (query) => query.where('organizations.guid', '=', organizationGuid ?? ''))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('organization_members as other')
            .innerJoin('users as colleague', 'colleague.login', 'other.login')
            .select('other.login')
            .whereRef('other.organization_guid', '=', 'member.organization_guid')
            .where('other.role', '=', 'admin')
            .where('colleague.is_active', '=', 1)
            .where('other.login', '<>', login),
        ),
      ),
    )
    .orderBy('organizations.guid')
    .limit(1)
    .executeTakeFirst()
  return left?.guid
}
