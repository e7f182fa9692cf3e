/**
 * Roles that identity providers give and take. A membership remembers who gave its role (`given_by`), and the lower role
 * that people had given before (`former_role`), which comes back when the provider takes its own away.
 */
import type { Transaction } from 'kysely'
import type { OrganizationRole } from '../../../core/accounts/actor.js'
import type { MemberRole } from '../../../core/accounts/group-store.js'
import type { GivenRole, IdentityEntry, RoleChange } from '../../../core/accounts/identity-store.js'
import { isSameIssuer } from '../../../core/identity-providers/provider.js'
import type { Schema } from '../../sql/tables/schema.js'
import { deleteRows, findRow, upsert } from '../steps/rows.js'
import { givenByPeople, lastAdminOf } from './members.js'

/** Call it in a serializable transaction with the user locked. Returns what is different now. */
export async function giveProviderRoles(
  tx: Transaction<Schema>,
  login: string,
  { issuer, roles }: Pick<IdentityEntry, 'issuer' | 'roles'>,
): Promise<readonly RoleChange[]> {
  if (!roles) return []
  const wanted = await existing(tx, roles)
  const groups = await groupChanges(tx, login, issuer, wanted)
  // After the groups, since a membership of the organization stays as long as one of its groups has the user.
  return [...groups, ...(await organizationChanges(tx, login, issuer, wanted))]
}

interface Wanted {
  /** By group, with its organization. */
  readonly groups: ReadonlyMap<string, { readonly role: MemberRole; readonly organizationGuid: string }>
  readonly organizations: ReadonlyMap<string, OrganizationRole>
}

/** The highest role for each group and organization that is still there. */
async function existing(tx: Transaction<Schema>, roles: readonly GivenRole[]): Promise<Wanted> {
  const groups = new Map<string, { readonly role: MemberRole; readonly organizationGuid: string }>()
  const organizations = new Map<string, OrganizationRole>()
  for (const given of roles) {
    if (given.in === 'group') {
      const group = await findRow(tx, 'groups', { guid: given.guid, is_active: 1 }, ['organization_guid'])
      if (!group) continue
      const organizationGuid = group.organization_guid
      groups.set(given.guid, { role: higher(groups.get(given.guid)?.role, given.role), organizationGuid })
      organizations.set(organizationGuid, higher(organizations.get(organizationGuid), 'member'))
    } else if (await findRow(tx, 'organizations', { guid: given.guid, is_active: 1 }, ['guid'])) {
      organizations.set(given.guid, higher(organizations.get(given.guid), given.role))
    }
  }
  return { groups, organizations }
}

async function groupChanges(
  tx: Transaction<Schema>,
  login: string,
  issuer: string,
  { groups }: Wanted,
): Promise<readonly RoleChange[]> {
  const rows = await tx
    .selectFrom('group_members')
    .innerJoin('groups', 'groups.guid', 'group_members.group_guid')
    .selectAll('group_members')
    .select('organization_guid')
    .where('login', '=', login)
    .orderBy('group_guid')
    .execute()
  const before = new Map(rows.map((row) => [row.group_guid, row]))
  const changes: RoleChange[] = []
  for (const guid of new Set([...groups.keys(), ...before.keys()])) {
    const row = before.get(guid)
    const next = nextRole<MemberRole>(row, groups.get(guid)?.role, issuer)
    if (next === 'as-before') continue
    const key = { login, group_guid: guid }
    await (next ? upsert(tx, 'group_members', key, next) : deleteRows(tx, 'group_members', key))
    const organizationGuid = row?.organization_guid ?? groups.get(guid)?.organizationGuid ?? ''
    if (next?.role !== row?.role) changes.push({ in: 'group', guid, organizationGuid, role: next?.role })
  }
  return changes
}

async function organizationChanges(
  tx: Transaction<Schema>,
  login: string,
  issuer: string,
  { organizations }: Wanted,
): Promise<readonly RoleChange[]> {
  const rows = await tx
    .selectFrom('organization_members')
    .selectAll()
    .where('login', '=', login)
    .orderBy('organization_guid')
    .execute()
  const before = new Map(rows.map((row) => [row.organization_guid, row]))
  const changes: RoleChange[] = []
  for (const guid of new Set([...organizations.keys(), ...before.keys()])) {
    const row = before.get(guid)
    const wanted = organizations.get(guid) ?? (row && (await isInGroupOf(tx, login, guid)) ? 'member' : undefined)
    const next = nextRole<OrganizationRole>(row, wanted, issuer)
    if (next === 'as-before') continue
    const isDemoted = row?.role === 'admin' && next?.role !== 'admin'
    if (isDemoted && (await lastAdminOf(tx, login, guid)) !== undefined) continue
    const key = { login, organization_guid: guid }
    await (next ? upsert(tx, 'organization_members', key, next) : deleteRows(tx, 'organization_members', key))
    if (next?.role !== row?.role) changes.push({ in: 'organization', guid, organizationGuid: guid, role: next?.role })
  }
  return changes
}

async function isInGroupOf(tx: Transaction<Schema>, login: string, organizationGuid: string): Promise<boolean> {
  const row = await tx
    .selectFrom('group_members')
    .innerJoin('groups', 'groups.guid', 'group_members.group_guid')
    .select('login')
    .where('login', '=', login)
    .where('organization_guid', '=', organizationGuid)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export type AnyRole = MemberRole | OrganizationRole

export interface Held<Role> {
  readonly role: Role
  readonly given_by: string | null
  readonly former_role: Role | null
}

/** Undefined: the membership ends. */
function nextRole<Role extends AnyRole>(
  row: Held<Role> | undefined,
  wanted: Role | undefined,
  issuer: string,
): Held<Role> | 'as-before' | undefined {
  const isOurs = typeof row?.given_by === 'string' && isSameIssuer(row.given_by, issuer)
  // Undefined when people gave none. A role of another provider never becomes theirs.
  const byPeople = row && row.given_by === null ? row.role : row?.former_role
  if (wanted === undefined) {
    if (!isOurs) return 'as-before'
    return byPeople ? { role: byPeople, ...givenByPeople } : undefined
  }
  if (row && !isOurs && higher(row.role, wanted) === row.role) return 'as-before'
  if (byPeople && higher(byPeople, wanted) === byPeople) return { role: byPeople, ...givenByPeople }
  if (isOurs && row?.role === wanted) return 'as-before'
  return { role: wanted, given_by: issuer, former_role: byPeople ?? null }
}

const ranks: readonly AnyRole[] = ['reader', 'member', 'auditor', 'admin']

export function higher<Role extends AnyRole>(one: Role | undefined, other: Role): Role {
  return one !== undefined && ranks.indexOf(one) >= ranks.indexOf(other) ? one : other
}
