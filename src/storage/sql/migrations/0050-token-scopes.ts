import type { Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** What tokens and applications may do, and until when. What exists keeps everything. Never edited after release. */
export const tokenScopes: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    for (const table of ['tokens', 'applications', 'oauth_codes'] as const) {
      await db.schema
        .alterTable(table)
        .addColumn('scopes', 'text', (column) => column.notNull().defaultTo('["all"]'))
        .execute()
    }
    await db.schema.alterTable('tokens').addColumn('group_guids', 'text').execute()
    await db.schema.alterTable('tokens').addColumn('expires_at', 'bigint').execute()
    await db.schema.alterTable('tokens').addColumn('replaced_by', 'text').execute()
    await db.schema
      .alterTable('bulk_jobs')
      .addColumn('is_limited_to_groups', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}
