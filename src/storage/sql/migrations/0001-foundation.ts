import { type ColumnDefinitionBuilder, type Kysely, type Migration, sql } from 'kysely'
import type { Schema } from '../tables/schema.js'

/**
 * Organizations, groups, users, tokens, links and their addresses. Never edited after release.
 *
 * Accounts use foreign keys. Links and addresses do not: every shorten call writes them, an address is claimed before
 * its link exists, and on PostgreSQL each reference would lock the group's row.
 */
export const foundation: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await accounts(db)
    await links(db)
  },
}

async function accounts(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable('organizations')
    .addColumn('guid', 'text', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('modified_at', 'bigint', required)
    .addColumn('is_active', 'smallint', (column) => column.notNull().defaultTo(1))
    .execute()

  await db.schema
    .createTable('groups')
    .addColumn('guid', 'text', (column) => column.primaryKey().notNull())
    .addColumn('organization_guid', 'text', (column) => column.notNull().references('organizations.guid'))
    .addColumn('name', 'text', required)
    .addColumn('domain_preference', 'text')
    .addColumn('created_at', 'bigint', required)
    .addColumn('modified_at', 'bigint', required)
    .addColumn('is_active', 'smallint', (column) => column.notNull().defaultTo(1))
    .execute()
  await db.schema.createIndex('groups_organization').on('groups').column('organization_guid').execute()

  await db.schema
    .createTable('users')
    .addColumn('login', 'text', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text', required)
    .addColumn('email', 'text')
    .addColumn('password_hash', 'text', required)
    .addColumn('default_group_guid', 'text', (column) => column.notNull().references('groups.guid'))
    .addColumn('created_at', 'bigint', required)
    .addColumn('modified_at', 'bigint', required)
    .addColumn('is_active', 'smallint', (column) => column.notNull().defaultTo(1))
    .execute()

  // Keys begin with the login: every authenticated request reads what one user can access.
  await db.schema
    .createTable('organization_members')
    .addColumn('organization_guid', 'text', (column) => column.notNull().references('organizations.guid'))
    .addColumn('login', 'text', (column) => column.notNull().references('users.login'))
    .addColumn('role', 'text', required)
    .addPrimaryKeyConstraint('organization_members_key', ['login', 'organization_guid'])
    .execute()
  await db.schema
    .createIndex('organization_members_organization')
    .on('organization_members')
    .column('organization_guid')
    .execute()

  await db.schema
    .createTable('group_members')
    .addColumn('group_guid', 'text', (column) => column.notNull().references('groups.guid'))
    .addColumn('login', 'text', (column) => column.notNull().references('users.login'))
    .addColumn('role', 'text', required)
    .addPrimaryKeyConstraint('group_members_key', ['login', 'group_guid'])
    .execute()
  await db.schema.createIndex('group_members_group').on('group_members').column('group_guid').execute()

  await db.schema
    .createTable('tokens')
    .addColumn('guid', 'text', (column) => column.primaryKey().notNull())
    .addColumn('secret_hash', 'text', (column) => column.notNull().unique())
    .addColumn('hint', 'text', required)
    .addColumn('login', 'text', (column) => column.notNull().references('users.login'))
    .addColumn('client_id', 'text')
    .addColumn('label', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('last_used_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .execute()
  await db.schema.createIndex('tokens_login').on('tokens').column('login').execute()
}

async function links(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable('links')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('domain', 'text', required)
    .addColumn('hash', 'text', required)
    .addColumn('group_guid', 'text', required)
    .addColumn('long_url', 'text', required)
    .addColumn('long_url_key', 'text', required)
    .addColumn('reuse_key', 'text', (column) => column.unique())
    .addColumn('title', 'text')
    .addColumn('archived', 'smallint', (column) => column.notNull().defaultTo(0))
    .addColumn('created_at', 'bigint', required)
    .addColumn('modified_at', 'bigint', required)
    .addColumn('created_by', 'text', required)
    .addColumn('client_id', 'text')
    .addColumn('expires_at', 'bigint')
    .addColumn('deleted_at', 'bigint')
    .addColumn('edited_at', 'bigint')
    .addColumn('dynamic_routing', 'text')
    .execute()
  await db.schema.createIndex('links_group').on('links').columns(['group_guid', 'created_at', 'id']).execute()

  await db.schema
    .createTable('link_tags')
    .addColumn('link_id', 'text', required)
    .addColumn('tag', 'text', required)
    .addColumn('position', 'integer', required)
    .addColumn('group_guid', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .addPrimaryKeyConstraint('link_tags_key', ['link_id', 'tag'])
    .execute()
  // Repeats the link's group and time, so that a page of one tag is read in order from this index alone.
  await db.schema
    .createIndex('link_tags_page')
    .on('link_tags')
    .columns(['group_guid', 'tag', 'created_at', 'link_id'])
    .execute()

  await db.schema
    .createTable('addresses')
    .addColumn('address', 'text', (column) => column.primaryKey().notNull())
    .addColumn('kind', 'text', required)
    .addColumn('link_id', 'text')
    .addColumn('long_url_key', 'text')
    .addColumn('created_at', 'bigint', required)
    .execute()
  // Keywords only: a hash address is the id of its link, and every new link would touch a random page of the index.
  await db.schema
    .createIndex('addresses_keyword')
    .on('addresses')
    .column('link_id')
    .where(sql.ref('kind'), '=', 'keyword')
    .execute()

  await db.schema
    .createTable('global_links')
    .addColumn('long_url_key', 'text', (column) => column.primaryKey().notNull())
    .addColumn('address', 'text', required)
    .addColumn('long_url', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .execute()
}

function required(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull()
}
