import { type Kysely, type Migration, sql } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Events wait for webhooks in the records instead of in the stream. Never edited after release. */
export const webhookQueue: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    const required = (column: { notNull(): typeof column }) => column.notNull()
    await db.schema
      .createTable('webhook_queue')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('webhook_guid', 'text', required as never)
      .addColumn('due_at', 'bigint', required as never)
      .addColumn('tries', 'integer', required as never)
      .addColumn('done', 'integer', required as never)
      .addColumn('events', 'text', required as never)
      .execute()
    await db.schema
      .createIndex('webhook_queue_due')
      .on('webhook_queue')
      .columns(['webhook_guid', 'due_at', 'id'])
      .execute()
    // Events that failed are sent as they were, those that are overdue from now on.
    const now = sql`cast(${Date.now()} as bigint)`
    await sql`
      insert into webhook_queue (id, webhook_guid, due_at, tries, done, events)
      select webhook_guid || '/' || event_id, webhook_guid, case when due < ${now} then ${now} else due end,
        tries, 0, '[' || payload || ']'
      from (
        select webhook_failures.*,
          failed_at + case tries when 1 then 30000 when 2 then 180000 when 3 then 720000 else 2700000 end as due
        from webhook_failures where state = 'waiting'
      ) as waiting`.execute(db)
    await sql`delete from webhook_failures where state = 'waiting'`.execute(db)
    // Of events that were not published yet, each webhook of the organization gets those that it wants.
    await sql`
      insert into webhook_queue (id, webhook_guid, due_at, tries, done, events)
      select outgoing_events.id || '/' || guid, guid, outgoing_events.at, 0, 0,
        '[{"event_id":"event/' || outgoing_events.id || '","type":"' || outgoing_events.type || '","at":' || outgoing_events.at ||
        case when outgoing_events.group_guid is null then '' else ',"group_guid":"' || outgoing_events.group_guid || '"' end ||
        ',"details":' || outgoing_events.details || '}]'
      from outgoing_events join webhooks on webhooks.organization_guid = outgoing_events.organization_guid
      where is_active = 1 and events like '%"' || outgoing_events.type || '"%'`.execute(db)
    await db.schema.dropTable('outgoing_events').execute()
    // Webhooks get new links from where the stream had them, or from now on.
    await sql`
      insert into bookmarks (name, holder, moved_at, position)
      select 'webhooks links', '', 0, coalesce((select position from bookmarks where name = 'links'), ${Date.now()})
      from organizations where guid = (select min(guid) from organizations)`.execute(db)
  },
}
