import type { Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Plans of organizations. Never edited after release. */
export const plans: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .createTable('organization_plans')
      .addColumn('organization_guid', 'text', (column) => column.primaryKey().references('organizations.guid'))
      .addColumn('plan', 'text', (column) => column.notNull())
      .addColumn('assigned_at', 'bigint', (column) => column.notNull())
      // Incremented by every change; the sum tells other processes that something changed.
      .addColumn('revision', 'bigint', (column) => column.notNull())
      .execute()
    // A lock row: transactions that spend for one organization run one after another.
    await db.schema
      .createTable('plan_turns')
      .addColumn('organization_guid', 'text', (column) => column.primaryKey())
      .addColumn('turns', 'bigint', (column) => column.notNull())
      .execute()
  },
}
