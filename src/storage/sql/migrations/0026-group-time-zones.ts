import type { Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** The time zone in which a group reads its numbers. Never edited after release. */
export const groupTimeZones: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema.alterTable('groups').addColumn('time_zone', 'text').execute()
  },
}
