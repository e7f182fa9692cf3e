import { type ColumnDefinitionBuilder, type Kysely, type Migration, sql } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** QR codes, their tags, and links that are hidden because they belong to a stand-alone code. Never edited after release. */
export const qrCodes: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .createTable('qr_codes')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('group_guid', 'text', required)
      .addColumn('link_id', 'text', required)
      .addColumn('address', 'text', required)
      .addColumn('title', 'text')
      .addColumn('archived', 'smallint', (column) => column.notNull().defaultTo(0))
      .addColumn('design', 'text')
      .addColumn('gs1', 'text')
      .addColumn('created_by', 'text', required)
      .addColumn('created_at', 'bigint', required)
      .addColumn('modified_at', 'bigint', required)
      .addColumn('deleted_at', 'bigint')
      .execute()
    await db.schema.createIndex('qr_codes_group').on('qr_codes').columns(['group_guid', 'created_at', 'id']).execute()
    await db.schema.createIndex('qr_codes_link').on('qr_codes').column('link_id').execute()

    await db.schema
      .createTable('qr_code_tags')
      .addColumn('code_id', 'text', required)
      .addColumn('tag', 'text', required)
      .addColumn('position', 'integer', required)
      .addColumn('group_guid', 'text', required)
      .addColumn('created_at', 'bigint', required)
      .addPrimaryKeyConstraint('qr_code_tags_key', ['code_id', 'tag'])
      .execute()
    await db.schema
      .createIndex('qr_code_tags_page')
      .on('qr_code_tags')
      .columns(['group_guid', 'tag', 'created_at', 'code_id'])
      .execute()

    await db.schema
      .alterTable('links')
      .addColumn('hidden', 'smallint', (column) => column.notNull().defaultTo(0))
      .execute()
    // Only links that are hidden: making any other costs nothing more than before.
    await db.schema
      .createIndex('links_hidden')
      .on('links')
      .columns(['group_guid', 'id'])
      .where(sql.ref('hidden'), '=', sql.lit(1))
      .execute()
  },
}

function required(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull()
}
