/** Branded domains in SQL. domain-store.contract.ts defines the behaviour. Does not know the rules for names. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { BrandedDomain, DomainChange, DomainStore, NewDomain } from '../../../core/domains/domain-store.js'
import type { Transact } from '../../sql/database/transact.js'
import { codec } from '../../sql/tables/codec.js'
import type { Schema } from '../../sql/tables/schema.js'
import { noteOrganizationEvent } from '../steps/note-event.js'
import { deleteRows, findRow, insertMissing, updateRows } from '../steps/rows.js'
import { builtInDomainsOf, domainVersion, lockDomains, noteDomainChange, sqlBuiltIn } from './built-in.js'
import { addPending, changePending, forgetPending, removePending, selectPending } from './pending-domains.js'

export function sqlDomainStore(db: Kysely<Schema>, transact: Transact): DomainStore {
  /**
   * Serializes all domain changes: the row with the version is the lock, taken before anything is read. So no domain
   * can be added, proven or removed between check and write, and no two changes deadlock.
   */
  const withDomainLock = <T>(done: T, work: (tx: Transaction<Schema>) => Promise<T>) =>
    transact(async (tx) => {
      await lockDomains(tx)
      const answer = await work(tx)
      if (answer === done) await noteDomainChange(tx)
      return answer
    })

  return {
    ...sqlBuiltIn(db, transact),

    add: (domain) =>
      withDomainLock('added', async (tx) => {
        const outcome = await add(tx, domain)
        const status = domain.isProven === false ? 'pending' : 'active'
        if (outcome === 'added') await noteStatus(tx, domain.organizationGuid, domain.name, status, domain.at)
        return outcome
      }),
    prove: (organizationGuid, name, alone) =>
      withDomainLock('proven', async (tx) => {
        const isWaiting = (await selectPending(tx, { organizationGuid, name })).length > 0
        const outcome = await prove(tx, organizationGuid, name, alone)
        if (outcome === 'proven' && isWaiting) await noteStatus(tx, organizationGuid, name, 'active', Date.now())
        return outcome
      }),
    update: (organizationGuid, name, change) =>
      withDomainLock('updated', (tx) => update(tx, organizationGuid, name, change)),
    assign: (name, groupGuid) => withDomainLock('assigned', (tx) => assign(tx, name, groupGuid)),

    unassign: (name, groupGuid) =>
      withDomainLock(true, async (tx) => {
        const deleted = await deleteRows(tx, 'group_domains', { domain: name, group_guid: groupGuid })
        if (!deleted) return false
        await forgetPreferences(tx, name)
        return true
      }),

    remove: (organizationGuid, name, at) =>
      withDomainLock(true, async (tx) => {
        const isRemoved = await remove(tx, organizationGuid, name, at)
        if (isRemoved) await noteStatus(tx, organizationGuid, name, 'removed', at)
        return isRemoved
      }),

    async get(name) {
      const rows = await selectDomains(db).where('domains.name', '=', name).execute()
      return domainsFrom(rows)[0]
    },

    async own(organizationGuid, name) {
      const rows = await selectDomains(db)
        .where('domains.name', '=', name)
        .where('domains.organization_guid', '=', organizationGuid)
        .execute()
      return domainsFrom(rows)[0] ?? (await selectPending(db, { organizationGuid, name }))[0]
    },

    async list(organizationGuid) {
      const rows = await selectDomains(db)
        .$if(organizationGuid !== undefined, (query) =>
          query.where('domains.organization_guid', '=', organizationGuid ?? ''),
        )
        .execute()
      const all = [...domainsFrom(rows), ...(await selectPending(db, { organizationGuid }))]
      return all.sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0))
    },

    async preferences() {
      const rows = await db
        .selectFrom('groups')
        .select(['guid', 'domain_preference as domain'])
        .where('domain_preference', 'is not', null)
        .$narrowType<{ domain: string }>()
        .execute()
      return new Map(rows.map((row) => [row.guid, row.domain]))
    },

    version: () => domainVersion(db),

    async organizationOf(groupGuid) {
      const group = await findRow(db, 'groups', { guid: groupGuid }, ['organization_guid'])
      return group?.organization_guid
    },
  }
}

/** For webhooks. */
function noteStatus(
  tx: Transaction<Schema>,
  organizationGuid: string,
  domain: string,
  status: 'pending' | 'active' | 'removed',
  at: number,
): Promise<void> {
  return noteOrganizationEvent(tx, organizationGuid, {
    type: 'domain.status_changed',
    at,
    details: { domain, status },
  })
}

async function add(
  tx: Transaction<Schema>,
  domain: NewDomain,
): Promise<'added' | 'taken' | 'built-in' | 'no-organization' | 'no-group'> {
  const { organizationGuid, groupGuids } = domain
  const organization = tx.selectFrom('organizations').select('guid').where('guid', '=', organizationGuid)
  if (!(await organization.executeTakeFirst())) return 'no-organization'
  if (!(await ownsGroups(tx, organizationGuid, groupGuids))) return 'no-group'
  if (await isBuiltIn(tx, domain.name)) return 'built-in'
  return domain.isProven === false ? wait(tx, domain) : addProven(tx, domain)
}

async function wait(tx: Transaction<Schema>, domain: NewDomain): Promise<'added' | 'taken'> {
  const { name, organizationGuid } = domain
  const proven = await tx.selectFrom('domains').select('name').where('name', '=', name).executeTakeFirst()
  if (proven || (await holdsLinksOfOthers(tx, name, organizationGuid))) return 'taken'
  return addPending(tx, domain)
}

async function prove(
  tx: Transaction<Schema>,
  organizationGuid: string,
  name: string,
  alone: boolean,
): Promise<'proven' | 'contested' | 'taken' | 'no-domain'> {
  const waiting = await selectPending(tx, { name })
  const own = waiting.find((domain) => domain.organizationGuid === organizationGuid)
  if (!own) {
    const proven = await findRow(tx, 'domains', { name }, ['organization_guid'])
    if (!proven) return 'no-domain'
    return proven.organization_guid === organizationGuid ? 'proven' : 'taken'
  }
  if (alone && waiting.length > 1) return 'contested'
  if (await isBuiltIn(tx, name)) return 'taken'
  // A group may have been moved or removed while the domain was pending.
  const groupGuids = await existingGroups(tx, organizationGuid, own.groupGuids)
  const outcome = await addProven(tx, { ...own, groupGuids, at: own.createdAt })
  return outcome === 'added' ? 'proven' : outcome
}

async function addProven(tx: Transaction<Schema>, domain: Omit<NewDomain, 'isProven'>): Promise<'added' | 'taken'> {
  const { name, organizationGuid, groupGuids } = domain
  const added = await tx
    .insertInto('domains')
    .values({
      name,
      organization_guid: organizationGuid,
      root_url: domain.rootUrl ?? null,
      not_found_url: domain.notFoundUrl ?? null,
      created_at: domain.at,
      created_by: domain.createdBy,
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .executeTakeFirstOrThrow()
  if (added.numInsertedOrUpdatedRows === 0n) return 'taken'
  if (await holdsLinksOfOthers(tx, name, organizationGuid)) {
    await tx.deleteFrom('domains').where('name', '=', name).execute()
    return 'taken'
  }
  await tx.deleteFrom('removed_domains').where('name', '=', name).execute()
  await forgetPending(tx, name)
  await assignAll(tx, name, groupGuids)
  return 'added'
}

async function isBuiltIn(tx: Transaction<Schema>, name: string): Promise<boolean> {
  const builtIn = await builtInDomainsOf(tx)
  return builtIn.some((domain) => [domain.key, domain.name, ...domain.formerNames].includes(name))
}

/**
 * True only if the name belonged to another organization before, which is rare. Ids begin with the domain, so the bounds
 * keep SQLite from scanning all links. Where text is sorted by a language, no upper bound holds for all scripts.
 */
async function holdsLinksOfOthers(tx: Transaction<Schema>, name: string, organizationGuid: string): Promise<boolean> {
  const before = await findRow(tx, 'removed_domains', { name }, ['organization_guid'])
  if (!before || before.organization_guid === organizationGuid) return false
  const link = await tx
    .selectFrom('links')
    .select('id')
    .where('id', '>=', `${name}/`)
    // The slash is followed by the zero.
    .$if(await sortsByBytes(tx), (query) => query.where('id', '<', `${name}0`))
    .where('domain', '=', name)
    .limit(1)
    .executeTakeFirst()
  return link !== undefined
}

async function sortsByBytes(tx: Transaction<Schema>): Promise<boolean> {
  const { rows } = await sql<{ answer: number }>`
    select case when cast('a' as text) > cast('B' as text) then 1 else 0 end as answer`.execute(tx)
  return rows[0]?.answer === 1
}

async function update(
  tx: Transaction<Schema>,
  organizationGuid: string,
  name: string,
  change: DomainChange,
): Promise<'updated' | 'no-domain' | 'no-group'> {
  if (change.groupGuids && !(await ownsGroups(tx, organizationGuid, change.groupGuids))) return 'no-group'
  const updated = await updateRows(
    tx,
    'domains',
    { name, organization_guid: organizationGuid },
    {
      organization_guid: organizationGuid,
      ...(change.rootUrl !== undefined && { root_url: change.rootUrl }),
      ...(change.notFoundUrl !== undefined && { not_found_url: change.notFoundUrl }),
    },
  )
  if (!updated) {
    return (await changePending(tx, organizationGuid, name, change)) ? 'updated' : 'no-domain'
  }
  if (change.groupGuids) {
    await tx.deleteFrom('group_domains').where('domain', '=', name).execute()
    await assignAll(tx, name, change.groupGuids)
    await forgetPreferences(tx, name)
  }
  return 'updated'
}

async function assign(
  tx: Transaction<Schema>,
  name: string,
  groupGuid: string,
): Promise<'assigned' | 'no-domain' | 'no-group'> {
  const domain = await tx.selectFrom('domains').select('organization_guid').where('name', '=', name).executeTakeFirst()
  if (!domain) return 'no-domain'
  if (!(await ownsGroups(tx, domain.organization_guid, [groupGuid]))) return 'no-group'
  await assignAll(tx, name, [groupGuid])
  return 'assigned'
}

async function remove(tx: Transaction<Schema>, organizationGuid: string, name: string, at: number): Promise<boolean> {
  // Its assignments are deleted with it.
  const deleted = await deleteRows(tx, 'domains', { name, organization_guid: organizationGuid })
  if (!deleted) return removePending(tx, organizationGuid, name)
  await tx.insertInto('removed_domains').values({ name, organization_guid: organizationGuid, removed_at: at }).execute()
  await forgetPreferences(tx, name)
  return true
}

async function ownsGroups(
  tx: Transaction<Schema>,
  organizationGuid: string,
  groupGuids: readonly string[],
): Promise<boolean> {
  return (await existingGroups(tx, organizationGuid, groupGuids)).length === new Set(groupGuids).size
}

async function existingGroups(
  tx: Transaction<Schema>,
  organizationGuid: string,
  groupGuids: readonly string[],
): Promise<readonly string[]> {
  if (groupGuids.length === 0) return []
  const rows = await tx
    .selectFrom('groups')
    .select('guid')
    .where('organization_guid', '=', organizationGuid)
    .where('guid', 'in', groupGuids)
    .execute()
  return rows.map(({ guid }) => guid)
}

async function assignAll(tx: Transaction<Schema>, name: string, groupGuids: readonly string[]): Promise<void> {
  if (groupGuids.length === 0) return
  await insertMissing(
    tx,
    'group_domains',
    groupGuids.map((group_guid) => ({ group_guid, domain: name })),
  )
}

/**
 * Removes preferences of groups that may no longer use the domain, so that they do not come back with a later
 * assignment.
 */
async function forgetPreferences(tx: Transaction<Schema>, name: string): Promise<void> {
  await tx
    .updateTable('groups')
    .set({ domain_preference: null })
    .where('domain_preference', '=', name)
    .where('guid', 'not in', (using) =>
      using.selectFrom('group_domains').select('group_domains.group_guid').where('group_domains.domain', '=', name),
    )
    .execute()
}

/** One row for each group that uses a domain, and one for a domain without groups. */
function selectDomains(db: Kysely<Schema>) {
  return db
    .selectFrom('domains')
    .leftJoin('group_domains', 'group_domains.domain', 'domains.name')
    .selectAll('domains')
    .select('group_domains.group_guid')
    .orderBy('domains.name')
    .orderBy('group_domains.group_guid')
}

const domainColumns = codec('domains')

type DomainRow = Awaited<ReturnType<ReturnType<typeof selectDomains>['execute']>>[number]

function domainsFrom(rows: readonly DomainRow[]): readonly BrandedDomain[] {
  const groups = new Map<string, string[]>()
  const domains: BrandedDomain[] = []
  for (const row of rows) {
    const known = groups.get(row.name)
    const groupGuids = known ?? []
    if (row.group_guid !== null) groupGuids.push(row.group_guid)
    if (known) continue
    groups.set(row.name, groupGuids)
    domains.push(domainColumns.fieldsWith(row, { isProven: true, groupGuids }))
  }
  return domains
}
