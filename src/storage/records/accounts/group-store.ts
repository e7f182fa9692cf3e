/** Groups and organizations in SQL. group-store.contract.ts defines the behaviour. */
import { type Kysely, type SelectQueryBuilder, sql, type Transaction } from 'kysely'
import type {
  Group,
  GroupChange,
  GroupChanged,
  GroupStore,
  Organization,
  PreferredDomain,
} from '../../../core/accounts/group-store.js'
import type { Announce } from '../../sql/database/announce.js'
import type { Transact } from '../../sql/database/transact.js'
import { codec } from '../../sql/tables/codec.js'
import type { Schema } from '../../sql/tables/schema.js'
import { noteDomainChange } from '../domains/built-in.js'
import { linesOf } from '../links/link-row.js'
import { alphabet } from '../links/write-tags.js'
import { leaveRoots } from '../sites/site-store.js'
import { hasRow, insertRows, updateRows } from '../steps/rows.js'
import { onlyGroupOf, sqlMembers } from './members.js'

export function sqlGroupStore(db: Kysely<Schema>, transact: Transact, announce: Announce): GroupStore {
  return {
    ...sqlMembers(db, transact),
    groups: (guids) => selectGroups(db, guids),

    organizations: (guids) => selectOrganizations(db, guids),

    renameOrganization: (guid, name, at) =>
      transact(async (tx) => {
        await tx.updateTable('organizations').set({ name, modified_at: at }).where('guid', '=', guid).execute()
        return (await selectOrganizations(tx, [guid]))[0]
      }),

    addOrganization: (organization) =>
      transact(async (tx) => {
        const { guid, name, admin, at } = organization
        if (!(await hasRow(tx, 'users', { login: admin }))) return 'no-user'
        await tx.insertInto('organizations').values({ guid, name, created_at: at, modified_at: at }).execute()
        await insertRows(tx, 'organization_members', { organization_guid: guid, login: admin, role: 'admin' })
        return 'added'
      }),

    addGroup: (group) =>
      transact(async (tx) => {
        const { guid, name, organizationGuid: organization_guid, at } = group
        if (!(await hasRow(tx, 'organizations', { guid: organization_guid }))) return 'no-organization'
        await insertRows(tx, 'groups', { guid, name, organization_guid, created_at: at, modified_at: at })
        return 'added'
      }),

    // Serializable: a domain may be removed, or the group moved, between the check and the write.
    changeGroup: (guid, change, at) => transact((tx) => changeGroup(tx, guid, change, at, announce), 'serializable'),

    // Serializable: of the last two groups of an organization, removed concurrently, one must stay.
    removeGroup: (guid, at) => transact((tx) => removeGroup(tx, guid, at, announce), 'serializable'),

    restoreGroup: (guid, at) =>
      transact((tx) => updateRows(tx, 'groups', { guid, is_active: 0 }, { is_active: 1, modified_at: at })),

    preferDomain: (guid, domain, at) => transact((tx) => preferDomain(tx, guid, domain, at), 'serializable'),

    async tags(groupGuid, type) {
      const rows = await db
        .selectFrom('group_tags')
        .select('tag')
        .where('group_guid', '=', groupGuid)
        .where('type', '=', type)
        .where('uses', '>', 0)
        .execute()
      return rows.map((row) => row.tag).sort(alphabet.compare)
    },
  }
}

async function changeGroup(
  tx: Transaction<Schema>,
  guid: string,
  change: GroupChange,
  at: number,
  announce: Announce,
): Promise<GroupChanged> {
  const [before] = await selectGroups(tx, [guid])
  if (!before) return { outcome: 'no-group' }

  const organizationGuid = change.organizationGuid ?? before.organizationGuid
  const domains = change.domains ?? before.domains
  const foreign = await foreignDomains(tx, domains, organizationGuid)
  if (foreign.length > 0) return { outcome: 'foreign-domains', domains: foreign }

  if (change.domains) await replaceDomains(tx, guid, change.domains)
  if (change.domains) await noteDomainChange(tx)
  const { domainPreference: preferred } = before
  const lost = preferred !== undefined && before.domains.includes(preferred) && !domains.includes(preferred)
  await updateRows(
    tx,
    'groups',
    { guid },
    {
      organization_guid: organizationGuid,
      modified_at: at,
      ...groupColumns.columns({ name: change.name, timeZone: change.timeZone }),
      ...(lost && { domain_preference: null }),
    },
  )
  const moves = organizationGuid !== before.organizationGuid
  if (moves) await joinOrganization(tx, guid, organizationGuid)
  const freed = moves ? await leaveRoots(tx, guid, at) : []
  if (moves) await announce(tx, freed)

  const [group] = await selectGroups(tx, [guid])
  return group ? { outcome: 'changed', group, freed } : { outcome: 'no-group' }
}

async function removeGroup(
  tx: Transaction<Schema>,
  guid: string,
  at: number,
  announce: Announce,
): ReturnType<GroupStore['removeGroup']> {
  const others = await tx
    .selectFrom('groups as other')
    .innerJoin('groups as removed', 'removed.organization_guid', 'other.organization_guid')
    .select('other.guid')
    .where('removed.guid', '=', guid)
    .where('other.guid', '<>', guid)
    .where('other.is_active', '=', 1)
    .limit(1)
    .executeTakeFirst()
  const group = await tx.selectFrom('groups').select('is_active').where('guid', '=', guid).executeTakeFirst()
  if (group?.is_active !== 1) return { outcome: 'no-group' }
  if (!others) return { outcome: 'last-group' }
  const logins = await onlyGroupOf(tx, guid)
  if (logins.length > 0) return { outcome: 'only-group', logins }
  await updateRows(tx, 'groups', { guid, is_active: 1 }, { is_active: 0, modified_at: at })
  await replaceDomains(tx, guid, [])
  await tx.updateTable('groups').set({ domain_preference: null }).where('guid', '=', guid).execute()
  await noteDomainChange(tx)
  const freed = await leaveRoots(tx, guid, at)
  await announce(tx, freed)
  return { outcome: 'removed', freed }
}

async function foreignDomains(
  tx: Transaction<Schema>,
  domains: readonly string[],
  organizationGuid: string,
): Promise<readonly string[]> {
  if (domains.length === 0) return []
  const own = await tx
    .selectFrom('domains')
    .select('name')
    .where('organization_guid', '=', organizationGuid)
    .where('name', 'in', [...domains])
    .execute()
  const names = new Set(own.map((domain) => domain.name))
  return domains.filter((domain) => !names.has(domain))
}

async function replaceDomains(tx: Transaction<Schema>, guid: string, domains: readonly string[]): Promise<void> {
  await tx.deleteFrom('group_domains').where('group_guid', '=', guid).execute()
  if (domains.length === 0) return
  await insertRows(
    tx,
    'group_domains',
    [...new Set(domains)].map((domain) => ({ group_guid: guid, domain })),
  )
}

/** The members of a moved group join its new organization. */
async function joinOrganization(tx: Transaction<Schema>, groupGuid: string, organizationGuid: string): Promise<void> {
  await tx
    .insertInto('organization_members')
    .columns(['organization_guid', 'login', 'role'])
    .expression((select) =>
      select
        .selectFrom('group_members')
        .select([
          sql<string>`cast(${organizationGuid} as text)`.as('organization_guid'),
          'login',
          sql<'member'>`'member'`.as('role'),
        ])
        .where('group_guid', '=', groupGuid),
    )
    .onConflict((conflict) => conflict.columns(['login', 'organization_guid']).doNothing())
    .execute()
}

async function preferDomain(
  tx: Transaction<Schema>,
  guid: string,
  domain: PreferredDomain | undefined,
  at: number,
): Promise<'preferred' | 'not-assigned'> {
  if (domain?.branded) {
    if (!(await hasRow(tx, 'group_domains', { group_guid: guid, domain: domain.name }))) return 'not-assigned'
  }
  await updateRows(tx, 'groups', { guid }, { domain_preference: domain?.name ?? null, modified_at: at })
  await noteDomainChange(tx)
  return 'preferred'
}

type Guids = readonly string[] | 'all'

async function selectOrganizations(db: Kysely<Schema>, guids: Guids): Promise<readonly Organization[]> {
  const rows = await oldestFirst(
    db.selectFrom('organizations').selectAll().select(organizationDomains.as('domains')),
    guids,
  )
  return rows.map((row) => organizationColumns.fieldsWith(row, { domains: linesOf(row.domains) }))
}

async function selectGroups(db: Kysely<Schema>, guids: Guids): Promise<readonly Group[]> {
  const rows = await oldestFirst(db.selectFrom('groups').selectAll().select(groupDomains.as('domains')), guids)
  return rows.map((row) => groupColumns.fieldsWith(row, { domains: linesOf(row.domains) }))
}

async function oldestFirst<Row>(
  rows: SelectQueryBuilder<Schema, 'organizations' | 'groups', Row>,
  guids: Guids,
): Promise<readonly Row[]> {
  if (guids.length === 0) return []
  const wanted = guids === 'all' ? rows : rows.where('guid', 'in', [...guids])
  return wanted.orderBy('created_at').orderBy('guid').execute()
}

const organizationColumns = codec('organizations')
const groupColumns = codec('groups')

const lineFeed = sql.lit('\n')

const groupDomains = sql<string | null>`(
  select string_agg(assigned.domain, ${lineFeed} order by assigned.domain)
  from group_domains assigned where assigned.group_guid = groups.guid
)`

const organizationDomains = sql<string | null>`(
  select string_agg(owned.name, ${lineFeed} order by owned.name)
  from domains owned where owned.organization_guid = organizations.guid
)`
