import { type Kysely, type Migration, sql } from 'kysely'
import type { Schema } from '../database/schema.js'

/** Which mobile apps may open the links of all organizations. Never edited after release. */
export const mobileApps: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .alterTable('mobile_apps')
      .addColumn('is_allowed', 'smallint', (column) => column.notNull().defaultTo(0))
      .execute()
    // Those of the organization that runs the service were meant for its domains; others never should have been there.
    await sql`
      update mobile_apps set is_allowed = 1
      where organization_guid = (select guid from organizations order by created_at, guid limit 1)`.execute(db)
  },
}
