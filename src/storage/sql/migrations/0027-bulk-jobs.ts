import type { ColumnDefinitionBuilder, Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Jobs on files with many rows, and the outcomes of their rows. Never edited after release. */
export const bulkJobs: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .createTable('bulk_jobs')
      .addColumn('guid', 'text', (column) => column.primaryKey().notNull())
      .addColumn('organization_guid', 'text', required)
      .addColumn('group_guid', 'text', required)
      .addColumn('action', 'text', required)
      .addColumn('domain', 'text')
      .addColumn('strict', 'smallint', required)
      .addColumn('name', 'text', required)
      .addColumn('size', 'bigint', required)
      .addColumn('parts', 'text', required)
      .addColumn('created_by', 'text', required)
      .addColumn('client_id', 'text')
      .addColumn('created_at', 'bigint', required)
      .addColumn('state', 'text', required)
      .addColumn('rows_total', 'integer')
      .addColumn('rows_done', 'integer', zero)
      .addColumn('created', 'integer', zero)
      .addColumn('changed', 'integer', zero)
      .addColumn('refused', 'integer', zero)
      .addColumn('error', 'text')
      .addColumn('started_at', 'bigint')
      .addColumn('finished_at', 'bigint')
      .addColumn('holder', 'text')
      .addColumn('lease_until', 'bigint', zero)
      .execute()
    await db.schema
      .createIndex('bulk_jobs_group')
      .on('bulk_jobs')
      .columns(['group_guid', 'created_at', 'guid'])
      .execute()
    await db.schema.createIndex('bulk_jobs_state').on('bulk_jobs').columns(['state', 'created_at']).execute()
    await db.schema
      .createTable('bulk_results')
      .addColumn('job_guid', 'text', required)
      .addColumn('first_row', 'integer', required)
      .addColumn('outcomes', 'text', required)
      .addPrimaryKeyConstraint('bulk_results_key', ['job_guid', 'first_row'])
      .execute()
  },
}

function required(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull()
}

function zero(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull().defaultTo(0)
}
