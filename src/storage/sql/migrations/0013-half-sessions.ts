import type { Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Sign-ins between password and second factor. Never edited after release. */
export const halfSessions: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .createTable('half_sessions')
      .addColumn('secret_hash', 'text', (column) => column.primaryKey().notNull())
      .addColumn('login', 'text', (column) => column.notNull().references('users.login'))
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('half_sessions_login').on('half_sessions').column('login').execute()
    await db.schema.createIndex('half_sessions_expires').on('half_sessions').column('expires_at').execute()
  },
}
