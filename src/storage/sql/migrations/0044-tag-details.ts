import type { Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Colours and descriptions of tags. Never edited after release. */
export const tagDetails: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .createTable('group_tag_details')
      .addColumn('group_guid', 'text', (column) => column.notNull())
      .addColumn('tag', 'text', (column) => column.notNull())
      .addColumn('color', 'text', (column) => column.notNull())
      .addColumn('description', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('group_tag_details_key', ['group_guid', 'tag'])
      .execute()
  },
}
