import type { Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** The only domains that a token reaches. Never edited after release. */
export const tokenDomains: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema.alterTable('tokens').addColumn('domains', 'text').execute()
  },
}
