import { Kysely, Migrator, PostgresDialect, SqliteDialect } from 'kysely'
import Database from 'libsql'
import { Pool } from 'pg'
import * as migrations from '../../src/storage/sql/migrations/index.js'
import type { Schema } from '../../src/storage/sql/tables/schema.js'
import type { SqlEngine, TestDatabase } from './sql-engines.js'

/** Brings an empty database to where an older version left it. */
export async function migrateTo(engine: SqlEngine, { location }: TestDatabase, name: string): Promise<void> {
  const dialect =
    engine.name === 'postgres'
      ? new PostgresDialect({ pool: new Pool({ connectionString: location, max: 1 }) })
      : new SqliteDialect({ database: new Database(location) })
  const db = new Kysely<Schema>({ dialect })
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } })
  const { error } = await migrator.migrateTo(name)
  await db.destroy()
  if (error) throw error
}
