import type { ColumnDefinitionBuilder, Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** What was changed in links. Never edited after release. */
export const linkHistory: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .createTable('link_history')
      .addColumn('guid', 'text', (column) => column.primaryKey().notNull())
      .addColumn('link_id', 'text', required)
      .addColumn('number', 'integer', required)
      .addColumn('login', 'text', required)
      .addColumn('client_id', 'text')
      .addColumn('created_at', 'bigint', required)
      .addColumn('before', 'text', required)
      .addColumn('after', 'text', required)
      .execute()
    await db.schema
      .createIndex('link_history_link')
      .unique()
      .on('link_history')
      .columns(['link_id', 'number'])
      .execute()
    await db.schema.createIndex('link_history_created').on('link_history').column('created_at').execute()
  },
}

function required(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull()
}
