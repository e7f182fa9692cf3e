/**
 * Events for webhooks: written in the transaction of the change that they are about, so that an event is sent if and only
 * if the change was made. Nothing is written unless a webhook of the organization wants the event.
 */
import { sql, type Transaction } from 'kysely'
import { newGuid } from '../../../core/values/guid.js'
import { type NotedEvent, notedMessage, queueId } from '../../../core/webhooks/queued-events.js'
import type { Schema } from '../../sql/tables/schema.js'

export async function noteGroupEvent(tx: Transaction<Schema>, groupGuid: string, event: NotedEvent): Promise<void> {
  const organization = sql`(select organization_guid from groups where guid = ${groupGuid})`
  await insert(tx, organization, groupGuid, event)
}

export async function noteOrganizationEvent(
  tx: Transaction<Schema>,
  organizationGuid: string,
  event: NotedEvent,
): Promise<void> {
  await insert(tx, sql`${organizationGuid}`, undefined, event)
}

/** One statement. The types of the parameters are given, because PostgreSQL cannot guess them here. */
async function insert(
  tx: Transaction<Schema>,
  organization: ReturnType<typeof sql>,
  groupGuid: string | undefined,
  event: NotedEvent,
): Promise<void> {
  const message = notedMessage(newGuid('event'), groupGuid, event)
  await sql`
    insert into webhook_queue (id, webhook_guid, due_at, tries, done, events)
    select cast(${queueId(event.at)} as text) || guid, guid, cast(${event.at} as bigint), 0, 0, cast(${`[${message}]`} as text)
    from webhooks
    where organization_guid = ${organization} and is_active = 1 and events like ${`%"${event.type}"%`}`.execute(tx)
}
