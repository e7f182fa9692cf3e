import type { Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Where sessions were begun, so that people recognise theirs. Never edited after release. */
export const sessionOrigins: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema.alterTable('sessions').addColumn('ip_address', 'text').execute()
    await db.schema.alterTable('sessions').addColumn('user_agent', 'text').execute()
  },
}
