import { type ColumnDefinitionBuilder, type Kysely, type Migration, sql } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Webhooks, their deliveries, and the events that are waiting for the stream. Never edited after release. */
export const webhooks: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .createTable('webhooks')
      .addColumn('guid', 'text', (column) => column.primaryKey().notNull())
      .addColumn('organization_guid', 'text', (column) => column.notNull().references('organizations.guid'))
      .addColumn('group_guid', 'text')
      .addColumn('name', 'text', required)
      .addColumn('events', 'text', required)
      .addColumn('url', 'text', required)
      .addColumn('batch', 'integer', required)
      .addColumn('is_active', 'integer', required)
      .addColumn('fetch_tags', 'integer', required)
      .addColumn('oauth_url', 'text')
      .addColumn('client_id', 'text')
      .addColumn('client_secret', 'text')
      .addColumn('secret', 'text', required)
      .addColumn('previous_secret', 'text')
      .addColumn('previous_until', 'bigint')
      .addColumn('created_at', 'bigint', required)
      .addColumn('modified_at', 'bigint', required)
      .addColumn('modified_by', 'text', required)
      .addColumn('failures', 'integer', (column) => column.notNull().defaultTo(sql.lit(0)))
      .addColumn('alerted_at', 'bigint')
      .addColumn('deactivated_at', 'bigint')
      .execute()
    await db.schema
      .createIndex('webhooks_organization')
      .on('webhooks')
      .columns(['organization_guid', 'created_at', 'guid'])
      .execute()

    await db.schema
      .createTable('webhook_deliveries')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('webhook_guid', 'text', required)
      .addColumn('at', 'bigint', required)
      .addColumn('status', 'integer')
      .addColumn('failure', 'text')
      .addColumn('answer', 'text', required)
      .addColumn('duration_ms', 'integer', required)
      .addColumn('tries', 'integer', required)
      .addColumn('next_try_at', 'bigint')
      .addColumn('events', 'text', required)
      .execute()
    await db.schema
      .createIndex('webhook_deliveries_webhook')
      .on('webhook_deliveries')
      .columns(['webhook_guid', 'at', 'id'])
      .execute()

    await db.schema
      .createTable('webhook_failures')
      .addColumn('webhook_guid', 'text', required)
      .addColumn('event_id', 'text', required)
      .addColumn('id', 'text', required)
      .addColumn('state', 'text', required)
      .addColumn('tries', 'integer', required)
      .addColumn('failed_at', 'bigint', required)
      .addColumn('status', 'integer')
      .addColumn('failure', 'text', required)
      .addColumn('payload', 'text', required)
      .addPrimaryKeyConstraint('webhook_failures_key', ['webhook_guid', 'event_id'])
      .execute()
    await db.schema
      .createIndex('webhook_failures_state')
      .on('webhook_failures')
      .columns(['webhook_guid', 'state', 'failed_at', 'id'])
      .execute()

    await db.schema
      .createTable('outgoing_events')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('organization_guid', 'text', required)
      .addColumn('group_guid', 'text')
      .addColumn('type', 'text', required)
      .addColumn('at', 'bigint', required)
      .addColumn('details', 'text', required)
      .execute()
    await db.schema.createIndex('outgoing_events_at').on('outgoing_events').columns(['at', 'id']).execute()

    await db.schema
      .createTable('reached_limits')
      .addColumn('organization_guid', 'text', required)
      .addColumn('name', 'text', required)
      .addColumn('month', 'bigint', required)
      .addColumn('percent', 'integer', required)
      .addPrimaryKeyConstraint('reached_limits_key', ['organization_guid', 'name', 'month', 'percent'])
      .execute()

    // For link.expired. Few links expire, so the index is small.
    await sql`create index links_expiring on links (expires_at) where expires_at is not null`.execute(db)
  },
}

function required(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull()
}
