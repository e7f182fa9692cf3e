import type { Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Applications that register themselves, and tokens that are renewed. Never edited after release. */
export const selfRegisteredApplications: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .alterTable('applications')
      .addColumn('is_public', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
    await db.schema.alterTable('applications').addColumn('allowed_at', 'bigint').execute()
    for (const column of ['refresh_key', 'refresh_hash', 'former_refresh_hash', 'refresh_salt'] as const) {
      await db.schema.alterTable('tokens').addColumn(column, 'text').execute()
    }
    for (const column of ['refreshed_at', 'refresh_expires_at'] as const) {
      await db.schema.alterTable('tokens').addColumn(column, 'bigint').execute()
    }
    await db.schema.createIndex('tokens_refresh_key').unique().on('tokens').column('refresh_key').execute()
  },
}
