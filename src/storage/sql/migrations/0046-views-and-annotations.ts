import type { ColumnDefinitionBuilder, Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Views and annotations of groups. Never edited after release. */
export const viewsAndAnnotations: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .createTable('views')
      .addColumn('guid', 'text', (column) => column.primaryKey().notNull())
      .addColumn('group_guid', 'text', required)
      .addColumn('name', 'text', required)
      .addColumn('page', 'text', required)
      .addColumn('query', 'text', required)
      .addColumn('created_by', 'text', required)
      .addColumn('created_at', 'bigint', required)
      .addColumn('modified_at', 'bigint', required)
      .addUniqueConstraint('views_name', ['group_guid', 'page', 'name'])
      .execute()
    await db.schema
      .createTable('annotations')
      .addColumn('guid', 'text', (column) => column.primaryKey().notNull())
      .addColumn('group_guid', 'text', required)
      .addColumn('happened_at', 'bigint', required)
      .addColumn('text', 'text', required)
      .addColumn('created_by', 'text', required)
      .addColumn('created_at', 'bigint', required)
      .addColumn('modified_at', 'bigint', required)
      .execute()
    await db.schema.createIndex('annotations_group').on('annotations').columns(['group_guid', 'happened_at']).execute()
  },
}

function required(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull()
}
