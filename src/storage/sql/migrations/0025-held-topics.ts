import type { Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Topics that live readers of some process want, for the other processes that publish them. Never edited after release. */
export const heldTopics: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .createTable('held_topics')
      .addColumn('topic', 'text', (column) => column.primaryKey().notNull())
      .addColumn('held_until', 'bigint', (column) => column.notNull())
      .execute()
  },
}
