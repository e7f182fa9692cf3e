import type { Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Whether a link passes the query of a visit on to its destination. Never edited after release. */
export const forwardQuery: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .alterTable('links')
      .addColumn('forward_query', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}
