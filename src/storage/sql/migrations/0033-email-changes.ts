import type { Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** E-mail addresses that wait for their owner to follow the link sent to them. Never edited after release. */
export const emailChanges: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .createTable('email_changes')
      .addColumn('secret_hash', 'text', (column) => column.primaryKey().notNull())
      // One at a time: the link of a mistyped address must not work any more.
      .addColumn('login', 'text', (column) => column.notNull().unique().references('users.login'))
      .addColumn('email', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()
  },
}
