import { type ColumnDefinitionBuilder, type Kysely, type Migration, sql } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** UTM templates of groups. Never edited after release. */
export const utmTemplates: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .createTable('utm_templates')
      .addColumn('guid', 'text', (column) => column.primaryKey().notNull())
      .addColumn('group_guid', 'text', required)
      .addColumn('name', 'text', required)
      .addColumn('source', 'text', orEmpty)
      .addColumn('medium', 'text', orEmpty)
      .addColumn('campaign', 'text', orEmpty)
      .addColumn('term', 'text', orEmpty)
      .addColumn('content', 'text', orEmpty)
      .addColumn('created_by', 'text', required)
      .addColumn('created_at', 'bigint', required)
      .addColumn('modified_at', 'bigint', required)
      .addUniqueConstraint('utm_templates_name', ['group_guid', 'name'])
      .execute()
  },
}

function required(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull()
}

function orEmpty(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull().defaultTo(sql.lit(''))
}
