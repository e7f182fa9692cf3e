/** Branded domains in SQL. What each method promises: domain-store.contract.ts. It does not know what a name may look like. */
import type { Kysely, Transaction } from 'kysely'
import type { BrandedDomain, DomainChange, DomainStore, NewDomain } from '../../../core/domains/domain-store.js'
import type { Schema } from '../schema.js'
import type { Transact } from '../transact.js'
import { builtInDomainsOf } from './built-in-store.js'
import { domainVersion, noteDomainChange } from './domain-changes.js'

export function sqlDomainStore(db: Kysely<Schema>, transact: Transact): DomainStore {
  return {
    add: (domain) => transact((tx) => add(tx, domain)),
    update: (organizationGuid, name, change) => transact((tx) => update(tx, organizationGuid, name, change)),
    assign: (name, groupGuid) => transact((tx) => assign(tx, name, groupGuid)),

    unassign: (name, groupGuid) =>
      transact(async (tx) => {
        const { numDeletedRows } = await tx
          .deleteFrom('group_domains')
          .where('domain', '=', name)
          .where('group_guid', '=', groupGuid)
          .executeTakeFirstOrThrow()
        if (numDeletedRows === 0n) return false
        await forgetPreferences(tx, name)
        await noteDomainChange(tx)
        return true
      }),

    remove: (organizationGuid, name, at) => transact((tx) => remove(tx, organizationGuid, name, at)),

    async get(name) {
      const rows = await selectDomains(db).where('domains.name', '=', name).execute()
      return domainsFrom(rows)[0]
    },

    async list(organizationGuid) {
      const rows = await selectDomains(db)
        .$if(organizationGuid !== undefined, (query) =>
          query.where('domains.organization_guid', '=', organizationGuid ?? ''),
        )
        .execute()
      return domainsFrom(rows)
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
      const group = await db
        .selectFrom('groups')
        .select('organization_guid')
        .where('guid', '=', groupGuid)
        .executeTakeFirst()
      return group?.organization_guid
    },
  }
}

async function add(
  tx: Transaction<Schema>,
  domain: NewDomain,
): Promise<'added' | 'taken' | 'built-in' | 'no-organization' | 'no-group'> {
  const { name, organizationGuid, groupGuids } = domain
  const organization = tx.selectFrom('organizations').select('guid').where('guid', '=', organizationGuid)
  if (!(await organization.executeTakeFirst())) return 'no-organization'
  if (!(await ownsGroups(tx, organizationGuid, groupGuids))) return 'no-group'

  // Before built-in domains are read, for its lock: one that takes the name at the same moment waits, or has taken it.
  await noteDomainChange(tx)
  if (await isBuiltIn(tx, name)) return 'built-in'

  // Then the name, so that whoever else adds or removes it at the same moment waits here; then whose it was before.
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
  await assignAll(tx, name, groupGuids)
  return 'added'
}

async function isBuiltIn(tx: Transaction<Schema>, name: string): Promise<boolean> {
  const builtIn = await builtInDomainsOf(tx)
  return builtIn.some((domain) => [domain.key, domain.name, ...domain.formerNames].includes(name))
}

/** Reads through the links only when the name was another organization's before, which hardly ever happens. */
async function holdsLinksOfOthers(tx: Transaction<Schema>, name: string, organizationGuid: string): Promise<boolean> {
  const before = await tx
    .selectFrom('removed_domains')
    .select('organization_guid')
    .where('name', '=', name)
    .executeTakeFirst()
  if (!before || before.organization_guid === organizationGuid) return false
  const link = await tx.selectFrom('links').select('id').where('domain', '=', name).limit(1).executeTakeFirst()
  return link !== undefined
}

async function update(
  tx: Transaction<Schema>,
  organizationGuid: string,
  name: string,
  change: DomainChange,
): Promise<'updated' | 'no-domain' | 'no-group'> {
  if (change.groupGuids && !(await ownsGroups(tx, organizationGuid, change.groupGuids))) return 'no-group'
  // Something is set in any case: the row is locked then, and racing changes of the groups come one after the other.
  const { numUpdatedRows } = await tx
    .updateTable('domains')
    .set({
      organization_guid: organizationGuid,
      ...(change.rootUrl !== undefined && { root_url: change.rootUrl }),
      ...(change.notFoundUrl !== undefined && { not_found_url: change.notFoundUrl }),
    })
    .where('name', '=', name)
    .where('organization_guid', '=', organizationGuid)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return 'no-domain'
  if (change.groupGuids) {
    await tx.deleteFrom('group_domains').where('domain', '=', name).execute()
    await assignAll(tx, name, change.groupGuids)
    await forgetPreferences(tx, name)
  }
  await noteDomainChange(tx)
  return 'updated'
}

async function assign(
  tx: Transaction<Schema>,
  name: string,
  groupGuid: string,
): Promise<'assigned' | 'no-domain' | 'no-group'> {
  // An update that changes nothing, for its lock: the domain cannot be removed before it is assigned.
  const domain = await tx
    .updateTable('domains')
    .set((row) => ({ created_by: row.ref('created_by') }))
    .where('name', '=', name)
    .returning('organization_guid')
    .executeTakeFirst()
  if (!domain) return 'no-domain'
  if (!(await ownsGroups(tx, domain.organization_guid, [groupGuid]))) return 'no-group'
  await assignAll(tx, name, [groupGuid])
  await noteDomainChange(tx)
  return 'assigned'
}

async function remove(tx: Transaction<Schema>, organizationGuid: string, name: string, at: number): Promise<boolean> {
  // Its assignments go with it.
  const { numDeletedRows } = await tx
    .deleteFrom('domains')
    .where('name', '=', name)
    .where('organization_guid', '=', organizationGuid)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) return false
  await tx.insertInto('removed_domains').values({ name, organization_guid: organizationGuid, removed_at: at }).execute()
  await forgetPreferences(tx, name)
  await noteDomainChange(tx)
  return true
}

async function ownsGroups(
  tx: Transaction<Schema>,
  organizationGuid: string,
  groupGuids: readonly string[],
): Promise<boolean> {
  if (groupGuids.length === 0) return true
  const rows = await tx
    .selectFrom('groups')
    .select('guid')
    .where('organization_guid', '=', organizationGuid)
    .where('guid', 'in', groupGuids)
    .execute()
  return rows.length === new Set(groupGuids).size
}

async function assignAll(tx: Transaction<Schema>, name: string, groupGuids: readonly string[]): Promise<void> {
  if (groupGuids.length === 0) return
  await tx
    .insertInto('group_domains')
    .values(groupGuids.map((group_guid) => ({ group_guid, domain: name })))
    .onConflict((conflict) => conflict.columns(['group_guid', 'domain']).doNothing())
    .execute()
}

/** Of groups that may not use the domain any more: it would come back unasked when they are given it again. */
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

/** One row for each group that uses a domain, and one for a domain that none uses. */
function selectDomains(db: Kysely<Schema>) {
  return db
    .selectFrom('domains')
    .leftJoin('group_domains', 'group_domains.domain', 'domains.name')
    .select([
      'domains.name',
      'domains.organization_guid',
      'domains.root_url',
      'domains.not_found_url',
      'domains.created_at',
      'domains.created_by',
      'group_domains.group_guid',
    ])
    .orderBy('domains.name')
    .orderBy('group_domains.group_guid')
}

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
    domains.push({
      name: row.name,
      organizationGuid: row.organization_guid,
      groupGuids,
      rootUrl: row.root_url ?? undefined,
      notFoundUrl: row.not_found_url ?? undefined,
      createdAt: row.created_at,
      createdBy: row.created_by,
    })
  }
  return domains
}
