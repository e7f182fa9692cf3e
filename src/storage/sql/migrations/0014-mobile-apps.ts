import { type Kysely, type Migration, sql } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Mobile apps that may open links of the built-in domains. Never edited after release. */
export const mobileApps: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .alterTable('mobile_apps')
      .addColumn('is_allowed', 'smallint', (column) => column.notNull().defaultTo(0))
      .execute()
    // Apps of the operator's organization were meant for the built-in domains; those of others were not.
    await sql`
      update mobile_apps set is_allowed = 1
      where organization_guid = (select guid from organizations order by created_at, guid limit 1)`.execute(db)
  },
}
