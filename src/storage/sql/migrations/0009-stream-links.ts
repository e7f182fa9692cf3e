import { type Kysely, type Migration, sql } from 'kysely'
import type { Schema } from '../database/schema.js'

/** What it takes to follow the links that are made. Never edited after release. */
export const streamLinks: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    // Times only grow, so that every new link goes to the last page of it. Without the id: those of one moment are few.
    // Plus nothing, so that no list of a group's links is read along it: planners do when the group is large.
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
