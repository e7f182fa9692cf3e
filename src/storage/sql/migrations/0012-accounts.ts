import { type Kysely, type Migration, sql } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** The affected account of audit entries, and logins that are never reused. Never edited after release. */
export const accounts: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema.alterTable('audit_log').addColumn('account', 'text').execute()
    await db.schema.createIndex('audit_log_account').on('audit_log').columns(['account', 'at', 'guid']).execute()
    // Until now, entries of the operator had the login of the affected user. Quotes inside a value are escaped.
    await sql`update audit_log set account = login, login = 'operator' where details like '%"by":"operator"%'`.execute(
      db,
    )
    await db.schema
      .createTable('removed_users')
      .addColumn('login', 'text', (column) => column.primaryKey().notNull())
      .addColumn('removed_at', 'bigint', (column) => column.notNull())
      .execute()
  },
}
