import type { ColumnDefinitionBuilder, Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Images, the blobs with their bytes, and which QR codes use them. Never edited after release. */
export const images: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .createTable('image_blobs')
      .addColumn('sha256', 'text', (column) => column.primaryKey().notNull())
      .addColumn('blob_key', 'text', required)
      .execute()
    await db.schema
      .createTable('unused_blobs')
      .addColumn('blob_key', 'text', (column) => column.primaryKey().notNull())
      .addColumn('due_at', 'bigint', required)
      .execute()

    await db.schema
      .createTable('images')
      .addColumn('guid', 'text', (column) => column.primaryKey().notNull())
      .addColumn('group_guid', 'text', (column) => column.notNull().references('groups.guid'))
      .addColumn('sha256', 'text', (column) => column.notNull().references('image_blobs.sha256'))
      .addColumn('mime_type', 'text', required)
      .addColumn('width', 'integer', required)
      .addColumn('height', 'integer', required)
      .addColumn('size', 'integer', required)
      .addColumn('name', 'text', required)
      .addColumn('created_at', 'bigint', required)
      .addColumn('created_by', 'text', required)
      .execute()
    await db.schema.createIndex('images_group').on('images').columns(['group_guid', 'created_at', 'guid']).execute()
    await db.schema.createIndex('images_sha256').on('images').column('sha256').execute()

    await db.schema
      .createTable('qr_code_images')
      .addColumn('image_guid', 'text', (column) => column.notNull().references('images.guid'))
      .addColumn('qr_code_id', 'text', required)
      .addPrimaryKeyConstraint('qr_code_images_key', ['image_guid', 'qr_code_id'])
      .execute()
    await db.schema.createIndex('qr_code_images_code').on('qr_code_images').column('qr_code_id').execute()
  },
}

function required(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull()
}
