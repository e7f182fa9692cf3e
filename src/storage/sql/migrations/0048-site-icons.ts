import type { Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Icons of the sites that links lead to. Never edited after release. */
export const siteIcons: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .createTable('site_icons')
      .addColumn('host', 'text', (column) => column.primaryKey().notNull())
      .addColumn('image', 'text', (column) => column.notNull())
      .addColumn('fetched_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('site_icons_fetched').on('site_icons').column('fetched_at').execute()
  },
}
