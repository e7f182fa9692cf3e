import { type ColumnDefinitionBuilder, type Kysely, type Migration, sql } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Users and groups that identity providers keep here by SCIM. Never edited after release. */
export const provisioning: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema.alterTable('identities').addColumn('external_id', 'text').execute()
    // What it is unless `scimIdClaim` says otherwise.
    await sql`update identities set external_id = subject`.execute(db)
    await db.schema.createIndex('identities_external_id').on('identities').columns(['external_id', 'issuer']).execute()
    await db.schema
      .createTable('provisioned_users')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('issuer', 'text', required)
      .addColumn('login', 'text', required)
      .addColumn('user_name', 'text', required)
      .addColumn('user_name_key', 'text', required)
      .addColumn('external_id', 'text')
      .addColumn('attributes', 'text', required)
      .addColumn('is_active', 'integer', required)
      .addColumn('has_deactivated', 'integer', required)
      .addColumn('created_at', 'bigint', required)
      .addColumn('modified_at', 'bigint', required)
      .execute()
    await db.schema
      .createTable('provisioned_groups')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('issuer', 'text', required)
      .addColumn('name', 'text', required)
      .addColumn('name_key', 'text', required)
      .addColumn('external_id', 'text')
      .addColumn('created_at', 'bigint', required)
      .addColumn('modified_at', 'bigint', required)
      .execute()
    await db.schema
      .createTable('provisioned_members')
      .addColumn('group_id', 'text', required)
      .addColumn('login', 'text', required)
      .addPrimaryKeyConstraint('provisioned_members_key', ['group_id', 'login'])
      .execute()
    await db.schema.createIndex('provisioned_members_login').on('provisioned_members').column('login').execute()
    for (const [table, column] of [
      ['provisioned_users', 'user_name_key'],
      ['provisioned_users', 'external_id'],
      ['provisioned_users', 'login'],
      ['provisioned_groups', 'name_key'],
    ] as const) {
      const index = db.schema.createIndex(`${table}_${column}`).on(table).columns([column, 'issuer'])
      await index.unique().execute()
    }
  },
}

function required(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull()
}
