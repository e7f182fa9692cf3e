import type { Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Which clicks of other products were counted, so that a second import counts only later ones. Never edited after release. */
export const importedClicks: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .createTable('imported_clicks')
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('address', 'text', (column) => column.notNull())
      .addColumn('counted_until', 'bigint')
      .addColumn('counted', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('noted_until', 'bigint', (column) => column.notNull())
      .addColumn('noted', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('imported_clicks_key', ['source', 'address'])
      .execute()
  },
}
