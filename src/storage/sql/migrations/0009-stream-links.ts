import { type Kysely, type Migration, sql } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** An index and a table to publish new links to the stream. Never edited after release. */
export const streamLinks: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    // Times only grow, so every new link goes to the last page of the index. Without the id: few links share a time.
    // "+ 0", so that planners do not use it for the links of a large group.
    await db.schema.createIndex('links_made').on('links').expression(sql`(created_at + 0)`).execute()
    await db.schema
      .createTable('bookmarks')
      .addColumn('name', 'text', (column) => column.primaryKey().notNull())
      .addColumn('holder', 'text', (column) => column.notNull())
      .addColumn('moved_at', 'bigint', (column) => column.notNull())
      .addColumn('position', 'bigint', (column) => column.notNull())
      .execute()
  },
}
