/** Built-in domains in SQL. domain-store.contract.ts defines the behaviour. Does not know when a name changes. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { BuiltInDomain, BuiltInState, DomainStore } from '../../../core/domains/domain-store.js'
import type { Transact } from '../../sql/database/transact.js'
import type { Schema } from '../../sql/tables/schema.js'

export function sqlBuiltIn(db: Kysely<Schema>, transact: Transact) {
  return {
    listBuiltIn: () => builtInDomainsOf(db),

    changeBuiltIn: (decide) =>
      transact(async (tx) => {
        // First, as the lock: concurrent domain changes wait here.
        await noteDomainChange(tx)
        const { domains, answer } = await decide(await stateIn(tx))
        if (domains) await replace(tx, domains)
        return answer
      }),
  } satisfies Partial<DomainStore>
}

export async function builtInDomainsOf(db: Kysely<Schema>): Promise<readonly BuiltInDomain[]> {
  const rows = await db.selectFrom('built_in_domains').selectAll().orderBy('key').execute()
  return rows.map(({ key, name, former_names, position }) => ({
    key,
    name,
    formerNames: former_names === '' ? [] : former_names.split('\n'),
    position: position ?? undefined,
  }))
}

/** Replaces all rows: there are few, and two domains may exchange their names. */
async function replace(tx: Transaction<Schema>, domains: readonly BuiltInDomain[]): Promise<void> {
  await tx.deleteFrom('built_in_domains').execute()
  if (domains.length === 0) return
  const rows = domains.map(({ key, name, formerNames, position }) => ({
    key,
    name,
    former_names: formerNames.join('\n'),
    position: position ?? null,
  }))
  await tx.insertInto('built_in_domains').values(rows).execute()
}

async function stateIn(tx: Transaction<Schema>): Promise<BuiltInState> {
  const hasLinks = (key: string) => holdsLinks(tx, key)
  return {
    domains: await builtInDomainsOf(tx),
    hasLinks,

    async ownerOf(name) {
      const owners = (table: 'domains' | 'removed_domains') =>
        tx.selectFrom(table).select('organization_guid').where('name', '=', name).executeTakeFirst()
      const owner = await owners('domains')
      if (owner) return owner.organization_guid
      const before = await owners('removed_domains')
      return before && (await hasLinks(name)) ? before.organization_guid : undefined
    },

    async keysOfLinks() {
      const links = await tx
        .selectFrom('links')
        .select(({ fn }) => ['domain', fn.max('created_at').as('newest')])
        .groupBy('domain')
        .execute()
      // The domain part of the addresses.
      const globals = await tx
        .selectFrom('global_links')
        .select(({ fn }) => [
          sql<string>`rtrim(address, ${backHalfCharacters})`.as('start'),
          fn.max('created_at').as('newest'),
        ])
        .groupBy('start')
        .execute()
      const branded = await tx
        .selectFrom('domains')
        .select('name')
        .union(tx.selectFrom('removed_domains').select('name'))
        .execute()
      const newest = new Map<string, number>()
      for (const row of links) newest.set(row.domain, Number(row.newest))
      for (const row of globals) {
        const key = row.start.replace(/\/$/, '')
        newest.set(key, Math.max(newest.get(key) ?? 0, Number(row.newest)))
      }
      for (const { name } of branded) newest.delete(name)
      return [...newest].sort(([, one], [, other]) => other - one).map(([key]) => key)
    },
  }
}

async function holdsLinks(tx: Transaction<Schema>, key: string): Promise<boolean> {
  const link = await tx.selectFrom('links').select('id').where('domain', '=', key).limit(1).executeTakeFirst()
  if (link) return true
  const start = `${key}/`
  const global = await tx
    .selectFrom('global_links')
    .select('address')
    .where(sql`substr(address, 1, ${sql.lit(start.length)})`, '=', start)
    .limit(1)
    .executeTakeFirst()
  return global !== undefined
}

const backHalfCharacters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-'

/**
 * Call it in every transaction that changes domains, their groups or group preferences: processes that cache them
 * poll this version every few seconds and reload only when it changed.
 */
export async function noteDomainChange(tx: Transaction<Schema>): Promise<void> {
  await tx
    .updateTable('domain_changes')
    .set((row) => ({ version: row('version', '+', 1) }))
    .execute()
}

/** An update that changes nothing: no other process changes domains until this transaction ends. */
export async function lockDomains(tx: Transaction<Schema>): Promise<void> {
  await tx
    .updateTable('domain_changes')
    .set((row) => ({ version: row.ref('version') }))
    .execute()
}

export async function domainVersion(db: Kysely<Schema>): Promise<number> {
  const { version } = await db.selectFrom('domain_changes').select('version').executeTakeFirstOrThrow()
  return version
}
