import type { ColumnDefinitionBuilder, Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Answers of requests that were sent with an Idempotency-Key. Never edited after release. */
export const idempotencyKeys: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .createTable('idempotency_keys')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('fingerprint', 'text', required)
      .addColumn('status', 'integer', required)
      .addColumn('body', 'text', required)
      .addColumn('created_at', 'bigint', required)
      .execute()
    await db.schema.createIndex('idempotency_keys_created_at').on('idempotency_keys').column('created_at').execute()
  },
}

function required(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull()
}
