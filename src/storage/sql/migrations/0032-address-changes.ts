import type { Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/**
 * Which addresses lead elsewhere, for the caches of other processes on SQLite; PostgreSQL has notifications. Never edited
 * after release.
 */
export const addressChanges: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .createTable('address_changes')
      // On SQLite this is the number of the row, one more than the largest.
      .addColumn('position', 'integer', (column) => column.primaryKey().notNull())
      .addColumn('writer', 'text', (column) => column.notNull())
      .addColumn('addresses', 'text', (column) => column.notNull())
      .execute()
  },
}
