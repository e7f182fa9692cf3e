import type { Kysely, Migration } from 'kysely'
import type { Schema } from '../database/schema.js'

/**
 * The service's own short domains: the key that stored addresses begin with, and the name it goes by. The next start
 * fills it. Never edited after release.
 */
export const builtInDomains: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .createTable('built_in_domains')
      .addColumn('key', 'text', (column) => column.primaryKey().notNull())
      .addColumn('name', 'text', (column) => column.notNull().unique())
      // One a line, the latest first.
      .addColumn('former_names', 'text', (column) => column.notNull())
      .addColumn('position', 'integer')
      .execute()
  },
}
