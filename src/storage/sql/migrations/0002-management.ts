import type { ColumnDefinitionBuilder, Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/**
 * Branded domains, keyword history, tags per group, deep links, mobile apps, campaigns and channels, OAuth
 * applications. Never edited after release.
 */
export const management: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await domains(db)
    await linkDetails(db)
    await campaigns(db)
    await applications(db)
  },
}

async function domains(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable('domains')
    .addColumn('name', 'text', key)
    .addColumn('organization_guid', 'text', (column) => column.notNull().references('organizations.guid'))
    .addColumn('root_url', 'text')
    .addColumn('not_found_url', 'text')
    .addColumn('created_at', 'bigint', required)
    .addColumn('created_by', 'text', required)
    .execute()
  await db.schema.createIndex('domains_organization').on('domains').column('organization_guid').execute()

  await db.schema
    .createTable('group_domains')
    .addColumn('group_guid', 'text', (column) => column.notNull().references('groups.guid'))
    .addColumn('domain', 'text', (column) => column.notNull().references('domains.name').onDelete('cascade'))
    .addPrimaryKeyConstraint('group_domains_key', ['group_guid', 'domain'])
    .execute()
  await db.schema.createIndex('group_domains_domain').on('group_domains').column('domain').execute()

  // Owners of links on names that are currently not a domain.
  await db.schema
    .createTable('removed_domains')
    .addColumn('name', 'text', key)
    .addColumn('organization_guid', 'text', (column) => column.notNull().references('organizations.guid'))
    .addColumn('removed_at', 'bigint', required)
    .execute()

  // One row: the number of changes to domains, assignments and preferences. Processes that cache them compare it.
  await db.schema.createTable('domain_changes').addColumn('version', 'integer', required).execute()
  await db.insertInto('domain_changes').values({ version: 0 }).execute()
}

async function linkDetails(db: Kysely<Schema>): Promise<void> {
  // One row for each time a keyword was pointed at a link; the current one has no end.
  await db.schema
    .createTable('keyword_history')
    .addColumn('guid', 'text', key)
    .addColumn('address', 'text', required)
    .addColumn('link_id', 'text', required)
    .addColumn('group_guid', 'text', required)
    .addColumn('login', 'text', required)
    .addColumn('long_url', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('first_created_at', 'bigint', required)
    .addColumn('deactivated_at', 'bigint')
    .execute()
  await db.schema
    .createIndex('keyword_history_address')
    .on('keyword_history')
    .columns(['address', 'created_at'])
    .execute()

  // Tags of a group with their number of uses; the row of the total is the lock of concurrent writers.
  await db.schema
    .createTable('group_tags')
    .addColumn('group_guid', 'text', required)
    .addColumn('type', 'text', required)
    .addColumn('tag', 'text', required)
    .addColumn('uses', 'integer', required)
    .addPrimaryKeyConstraint('group_tags_key', ['group_guid', 'type', 'tag'])
    .execute()
  await db.schema
    .createTable('group_tag_totals')
    .addColumn('group_guid', 'text', required)
    .addColumn('type', 'text', required)
    .addColumn('total', 'integer', required)
    .addPrimaryKeyConstraint('group_tag_totals_key', ['group_guid', 'type'])
    .execute()

  await db.schema
    .createTable('link_deeplinks')
    .addColumn('guid', 'text', key)
    .addColumn('link_id', 'text', required)
    .addColumn('position', 'integer', required)
    .addColumn('app_guid', 'text', required)
    .addColumn('os', 'text', required)
    .addColumn('app_uri_path', 'text', required)
    .addColumn('install_url', 'text', required)
    .addColumn('install_type', 'text', required)
    .addColumn('brand_guid', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('modified_at', 'bigint', required)
    .execute()
  await db.schema.createIndex('link_deeplinks_link').on('link_deeplinks').columns(['link_id', 'position']).execute()

  await db.schema
    .createTable('mobile_apps')
    .addColumn('guid', 'text', key)
    .addColumn('organization_guid', 'text', (column) => column.notNull().references('organizations.guid'))
    .addColumn('name', 'text', required)
    .addColumn('os', 'text', required)
    .addColumn('store_url', 'text', required)
    .addColumn('uri_scheme', 'text', required)
    .addColumn('association', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('modified_at', 'bigint', required)
    .execute()
  await db.schema.createIndex('mobile_apps_organization').on('mobile_apps').column('organization_guid').execute()
}

async function campaigns(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable('campaigns')
    .addColumn('guid', 'text', key)
    .addColumn('group_guid', 'text', required)
    .addColumn('name', 'text', required)
    .addColumn('description', 'text', required)
    .addColumn('created_by', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('modified_at', 'bigint', required)
    .execute()
  await db.schema.createIndex('campaigns_group').on('campaigns').columns(['group_guid', 'created_at']).execute()

  await db.schema
    .createTable('channels')
    .addColumn('guid', 'text', key)
    .addColumn('group_guid', 'text', required)
    .addColumn('name', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('modified_at', 'bigint', required)
    .execute()
  await db.schema.createIndex('channels_group').on('channels').columns(['group_guid', 'created_at']).execute()

  await db.schema
    .createTable('campaign_channels')
    .addColumn('campaign_guid', 'text', (column) => column.notNull().references('campaigns.guid'))
    .addColumn('channel_guid', 'text', (column) => column.notNull().references('channels.guid'))
    .addPrimaryKeyConstraint('campaign_channels_key', ['campaign_guid', 'channel_guid'])
    .execute()
  await db.schema.createIndex('campaign_channels_channel').on('campaign_channels').column('channel_guid').execute()

  await db.schema
    .createTable('channel_links')
    .addColumn('channel_guid', 'text', (column) => column.notNull().references('channels.guid'))
    .addColumn('campaign_guid', 'text', (column) => column.notNull().references('campaigns.guid'))
    .addColumn('link_id', 'text', required)
    .addPrimaryKeyConstraint('channel_links_key', ['channel_guid', 'campaign_guid', 'link_id'])
    .execute()
  await db.schema.createIndex('channel_links_link').on('channel_links').columns(['link_id', 'campaign_guid']).execute()
  await db.schema
    .createIndex('channel_links_campaign')
    .on('channel_links')
    .columns(['campaign_guid', 'link_id'])
    .execute()
}

async function applications(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable('applications')
    .addColumn('client_id', 'text', key)
    .addColumn('secret_hash', 'text', required)
    .addColumn('login', 'text', (column) => column.notNull().references('users.login'))
    .addColumn('name', 'text', required)
    .addColumn('description', 'text', required)
    .addColumn('link', 'text', required)
    .addColumn('redirect_uris', 'text', required)
    .addColumn('require_pkce', 'smallint', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('revoked_at', 'bigint')
    .execute()
  await db.schema.createIndex('applications_login').on('applications').column('login').execute()
}

function key(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.primaryKey().notNull()
}

function required(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull()
}
