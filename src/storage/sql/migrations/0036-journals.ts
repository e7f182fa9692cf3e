import type { Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Which journals there are, and what waits in them, so that one that does not come back is noticed. Never edited after release. */
export const journals: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .createTable('journals')
      .addColumn('journal_id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('place', 'text', (column) => column.notNull())
      .addColumn('waiting_rows', 'bigint', (column) => column.notNull())
      .addColumn('waiting_since', 'bigint')
      .addColumn('seen_at', 'bigint', (column) => column.notNull())
      .execute()
  },
}
