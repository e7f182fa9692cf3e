/**
 * Everything the service keeps in a relational database, on whichever engine was opened. The queries are written once;
 * an engine brings only its connection and knows which of its errors pass by themselves. No HTTP, no rules of the product.
 */

import { type Kysely, Migrator, sql } from 'kysely'
import type { AccountStore } from '../../core/auth/account-store.js'
import type { LinkStore } from '../../core/links/link-store.js'
import { sqlAccountStore } from './account-store.js'
import { sqlLinkStore } from './link-store.js'
import { migrations } from './migrations/index.js'
import type { Schema } from './schema.js'
import { retrying, transactOn } from './transact.js'

export interface Records {
  readonly accounts: AccountStore
  readonly links: LinkStore
  /** Names of the migrations that `migrate` would run. Throws when the database is newer than this program. */
  pendingMigrations(): Promise<readonly string[]>
  /** Brings the schema up to date and answers what it ran. Opening never does this by itself. */
  migrate(): Promise<readonly string[]>
  /** Rejects when the database does not answer. */
  ping(): Promise<void>
  close(): Promise<void>
}

export interface RecordsOptions {
  /** The built-in domain that global hashes live on. */
  readonly defaultDomain: string
}

export interface Engine {
  readonly db: Kysely<Schema>
  /** The error means that nothing was written and that trying again may succeed. */
  readonly isTransient: (error: unknown) => boolean
  /** How many transactions of new links may be under way at once. */
  readonly parallelInserts: number
}

export function recordsOn(engine: Engine, options: RecordsOptions): Records {
  const { db, isTransient } = engine
  const transact = transactOn(db, isTransient)
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } })

  async function migrate(): Promise<readonly string[]> {
    await refuseNewer(db)
    const { error, results = [] } = await migrator.migrateToLatest()
    if (error) throw error
    return results.map((result) => result.migrationName)
  }

  return {
    accounts: sqlAccountStore(db, transact),
    links: sqlLinkStore(db, transact, { defaultDomain: options.defaultDomain, parallel: engine.parallelInserts }),
    async pendingMigrations() {
      await refuseNewer(db)
      const all = await migrator.getMigrations()
      return all.filter((migration) => !migration.executedAt).map((migration) => migration.name)
    },
    migrate: () => retrying(isTransient, migrate),
    async ping() {
      await sql`select 1`.execute(db)
    },
    close: () => db.destroy(),
  }
}

async function refuseNewer(db: Kysely<Schema>): Promise<void> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some((table) => table.name === 'kysely_migration')) return
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  const unknown = rows.map((row) => row.name).filter((name) => !(name in migrations))
  if (unknown.length === 0) return
  throw new Error(
    `The database was written by a newer version of shortlink (unknown migration ${unknown.join(', ')}): ` +
      'run that version, or restore a backup made before the upgrade.',
  )
}
