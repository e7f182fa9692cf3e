import type { ColumnDefinitionBuilder, Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Users of identity providers: who they are there, which roles and sessions come from there. Never edited after release. */
export const identities: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .createTable('identities')
      .addColumn('issuer', 'text', required)
      .addColumn('subject', 'text', required)
      .addColumn('login', 'text', required)
      .addColumn('created_at', 'bigint', required)
      .addColumn('last_sign_in_at', 'bigint', required)
      .addPrimaryKeyConstraint('identities_key', ['issuer', 'subject'])
      .execute()
    await db.schema.createIndex('identities_login').on('identities').column('login').execute()
    await db.schema
      .createTable('provider_sign_ins')
      .addColumn('state_hash', 'text', (column) => column.primaryKey().notNull())
      .addColumn('browser_hash', 'text', required)
      .addColumn('provider', 'text', required)
      .addColumn('next', 'text', required)
      .addColumn('created_at', 'bigint', required)
      .addColumn('expires_at', 'bigint', required)
      .execute()
    for (const table of ['organization_members', 'group_members'] as const) {
      await db.schema.alterTable(table).addColumn('given_by', 'text').execute()
      await db.schema.alterTable(table).addColumn('former_role', 'text').execute()
    }
    for (const column of ['issuer', 'subject', 'provider_session', 'provider_tokens'] as const) {
      await db.schema.alterTable('sessions').addColumn(column, 'text').execute()
    }
    await db.schema.alterTable('sessions').addColumn('checked_at', 'bigint').execute()
    await db.schema.alterTable('sessions').addColumn('confirmed_at', 'bigint').execute()
    await db.schema.createIndex('sessions_identity').on('sessions').columns(['issuer', 'subject']).execute()
  },
}

function required(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull()
}
