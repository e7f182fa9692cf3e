import type { Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Jobs without a file: what they have to do, and where their next step begins. Never edited after release. */
export const jobSteps: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema.alterTable('bulk_jobs').addColumn('input', 'text').execute()
    await db.schema.alterTable('bulk_jobs').addColumn('place', 'text').execute()
  },
}
