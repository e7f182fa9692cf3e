import type { Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Daily visitor salts, shared by several processes. Never edited after release. */
export const visitorSalts: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .createTable('visitor_salts')
      .addColumn('day', 'integer', (column) => column.primaryKey().notNull())
      .addColumn('salt', 'text', (column) => column.notNull())
      .execute()
  },
}
