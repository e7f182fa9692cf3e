import type { Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Whether a user's new links are private. Never edited after release. */
export const defaultLinkPrivacy: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .alterTable('users')
      .addColumn('default_link_privacy', 'text', (column) => column.notNull().defaultTo('public'))
      .execute()
  },
}
