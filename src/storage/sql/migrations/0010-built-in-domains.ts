import type { Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/**
 * Built-in domains: the key that stored addresses begin with, and its current name. The next start fills the table.
 * Never edited after release.
 */
export const builtInDomains: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .createTable('built_in_domains')
      .addColumn('key', 'text', (column) => column.primaryKey().notNull())
      .addColumn('name', 'text', (column) => column.notNull().unique())
      // One per line, newest first.
      .addColumn('former_names', 'text', (column) => column.notNull())
      .addColumn('position', 'integer')
      .execute()
  },
}
