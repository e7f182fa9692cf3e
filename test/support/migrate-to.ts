import { Kysely, type Migration, type MigrationResultSet, Migrator, PostgresDialect, SqliteDialect } from 'kysely'
import Database from 'libsql'
import { Pool } from 'pg'
import * as migrations from '../../src/storage/sql/migrations/index.js'
import type { Schema } from '../../src/storage/sql/tables/schema.js'
import type { SqlEngine, TestDatabase } from './sql-engines.js'

/** Brings an empty database to where an older version left it. */
export function migrateTo(engine: SqlEngine, database: TestDatabase, name: string): Promise<void> {
  return withMigrator(engine, database, migrations, (migrator) => migrator.migrateTo(name))
}

/** Brings a database to where a newer version leaves it, which has these migrations too. */
export function migrateBeyond(engine: SqlEngine, database: TestDatabase, newer: Readonly<Record<string, Migration>>) {
  return withMigrator(engine, database, { ...migrations, ...newer }, (migrator) => migrator.migrateToLatest())
}

async function withMigrator(
  engine: SqlEngine,
  { location }: TestDatabase,
  known: Readonly<Record<string, Migration>>,
  migrate: (migrator: Migrator) => Promise<MigrationResultSet>,
): Promise<void> {
  const dialect =
    engine.name === 'postgres'
      ? new PostgresDialect({ pool: new Pool({ connectionString: location, max: 1 }) })
      : new SqliteDialect({ database: new Database(location) })
  const db = new Kysely<Schema>({ dialect })
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...known }) } })
  const { error } = await migrate(migrator)
  await db.destroy()
  if (error) throw error
}
