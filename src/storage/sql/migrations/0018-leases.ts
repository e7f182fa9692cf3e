import type { Kysely, Migration } from 'kysely'
import { sql } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Leases by name. The click log's lease moves here from its own table. Never edited after release. */
export const leases: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .createTable('leases')
      .addColumn('name', 'text', (column) => column.primaryKey().notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('place', 'text', (column) => column.notNull())
      .addColumn('holder', 'text', (column) => column.notNull())
      .addColumn('heartbeat', 'bigint', (column) => column.notNull())
      .execute()
    await sql`insert into leases (name, id, place, holder, heartbeat)
      select 'click-log', id, place, holder, heartbeat from click_log_home`.execute(db)
    await db.schema.dropTable('click_log_home').execute()
  },
}
