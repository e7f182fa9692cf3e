import type { Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Processes tell each other by notifications what live readers follow. Never edited after release. */
export const liveNotices: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema.dropTable('held_topics').execute()
  },
}
