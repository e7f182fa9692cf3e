import { type ColumnDefinitionBuilder, type Kysely, type Migration, sql } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Sites, their former addresses, and what they refer to. Never edited after release. */
export const sites: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .createTable('sites')
      .addColumn('guid', 'text', (column) => column.primaryKey().notNull())
      .addColumn('group_guid', 'text', required)
      .addColumn('link_id', 'text', required)
      .addColumn('address', 'text', required)
      .addColumn('status', 'text', required)
      .addColumn('draft', 'text', required)
      .addColumn('live', 'text')
      .addColumn('qr_code_id', 'text')
      .addColumn('published_at', 'bigint')
      .addColumn('created_by', 'text', required)
      .addColumn('created_at', 'bigint', required)
      .addColumn('modified_at', 'bigint', required)
      .execute()
    await db.schema.createIndex('sites_group').on('sites').columns(['group_guid', 'created_at', 'guid']).execute()
    await db.schema
      .createTable('site_redirects')
      .addColumn('guid', 'text', (column) => column.primaryKey().notNull())
      .addColumn('site_guid', 'text', required)
      .addColumn('address', 'text', required)
      .addColumn('status', 'text', required)
      .addColumn('created_at', 'bigint', required)
      .addColumn('modified_at', 'bigint', required)
      .addUniqueConstraint('site_redirects_address', ['site_guid', 'address'])
      .execute()
    await db.schema
      .createTable('site_links')
      .addColumn('link_id', 'text', required)
      .addColumn('site_guid', 'text', required)
      .addColumn('type', 'text', required)
      .addColumn('is_used', 'smallint', flag)
      .addColumn('is_live', 'smallint', flag)
      .addColumn('was_live', 'smallint', flag)
      .addPrimaryKeyConstraint('site_links_key', ['link_id', 'site_guid'])
      .execute()
    await db.schema.createIndex('site_links_site').on('site_links').column('site_guid').execute()
    await db.schema
      .createTable('site_images')
      .addColumn('image_guid', 'text', required)
      .addColumn('site_guid', 'text', required)
      .addPrimaryKeyConstraint('site_images_key', ['image_guid', 'site_guid'])
      .execute()
    await db.schema.createIndex('site_images_site').on('site_images').column('site_guid').execute()
    await db.schema.alterTable('links').addColumn('site_guid', 'text').execute()
    // Only the links of sites: making any other costs nothing more than before.
    await db.schema
      .createIndex('links_site')
      .unique()
      .on('links')
      .column('site_guid')
      .where(sql.ref('site_guid'), 'is not', sql.lit(null))
      .execute()
  },
}

function required(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull()
}

function flag(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull().defaultTo(0)
}
