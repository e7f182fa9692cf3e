import type { Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** The click log that belongs to these records. Never edited after release. */
export const clickLogHome: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .createTable('click_log_home')
      .addColumn('only', 'integer', (column) => column.primaryKey().notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('place', 'text', (column) => column.notNull())
      .addColumn('holder', 'text', (column) => column.notNull())
      .addColumn('heartbeat', 'bigint', (column) => column.notNull())
      .execute()
  },
}
