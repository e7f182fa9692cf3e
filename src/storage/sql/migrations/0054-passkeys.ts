import type { ColumnDefinitionBuilder, Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Passkeys, and the challenges that wait for an answer. Never edited after release. */
export const passkeys: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .createTable('passkeys')
      .addColumn('guid', 'text', (column) => column.primaryKey().notNull())
      .addColumn('login', 'text', required)
      .addColumn('name', 'text', required)
      .addColumn('credential_id', 'text', (column) => column.notNull().unique())
      .addColumn('public_key', 'text', required)
      .addColumn('counter', 'bigint', required)
      .addColumn('transports', 'text', required)
      .addColumn('created_at', 'bigint', required)
      .addColumn('last_used_at', 'bigint')
      .execute()
    await db.schema.createIndex('passkeys_login').on('passkeys').column('login').execute()
    await db.schema
      .createTable('passkey_challenges')
      .addColumn('challenge_hash', 'text', (column) => column.primaryKey().notNull())
      .addColumn('bound_to', 'text', required)
      .addColumn('created_at', 'bigint', required)
      .addColumn('expires_at', 'bigint', required)
      .execute()
    await db.schema.createIndex('passkey_challenges_expiry').on('passkey_challenges').column('expires_at').execute()
  },
}

function required(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull()
}
