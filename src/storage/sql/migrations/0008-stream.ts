import type { Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Who may read the stream. Never edited after release. */
export const stream: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .createTable('stream_access')
      // `organization` or `login`; then the guid or the login.
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('allowed_by', 'text', (column) => column.notNull())
      .addColumn('allowed_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('stream_access_key', ['kind', 'subject'])
      .execute()
  },
}
