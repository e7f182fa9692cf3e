/**
 * Events for webhooks: written in the transaction of the change that they are about, so that an event is sent if and only
 * if the change was made. Nothing is written unless a webhook of the organization wants the event.
 */
import { sql, type Transaction } from 'kysely'
import { newGuid } from '../../../core/values/guid.js'
import { type NotedEvent, notedMessage, queueId } from '../../../core/webhooks/queued-events.js'
import type { Schema } from '../../sql/tables/schema.js'

/** Of one type, and of one time. */
export async function noteGroupEvents(
  tx: Transaction<Schema>,
  groupGuid: string,
  events: readonly NotedEvent[],
): Promise<void> {
  await insert(tx, organizationOf(groupGuid), groupGuid, events)
}

/** Whether it is worth reading what the event would say. */
export async function isEventWanted(
  tx: Transaction<Schema>,
  groupGuid: string,
  type: NotedEvent['type'],
): Promise<boolean> {
  const { rows } = await sql`select 1 from webhooks where ${wanting(organizationOf(groupGuid), type)} limit 1`.execute(
    tx,
  )
  return rows.length > 0
}

export async function noteOrganizationEvent(
  tx: Transaction<Schema>,
  organizationGuid: string,
  event: NotedEvent,
): Promise<void> {
  await insert(tx, sql`${organizationGuid}`, undefined, [event])
}

type Fragment = ReturnType<typeof sql>

function organizationOf(groupGuid: string): Fragment {
  return sql`(select organization_guid from groups where guid = ${groupGuid})`
}

function wanting(organization: Fragment, type: NotedEvent['type']): Fragment {
  return sql`organization_guid = ${organization} and is_active = 1 and events like ${`%"${type}"%`}`
}

/** One statement. The types of the parameters are given, because PostgreSQL cannot guess them here. */
async function insert(
  tx: Transaction<Schema>,
  organization: Fragment,
  groupGuid: string | undefined,
  events: readonly NotedEvent[],
): Promise<void> {
  const [first] = events
  if (!first) return
  const { type, at } = first
  const messages = events.map((event) => notedMessage(newGuid('event'), groupGuid, event)).join(',')
  await sql`
    insert into webhook_queue (id, webhook_guid, due_at, tries, done, events)
    select cast(${queueId(at)} as text) || guid, guid, cast(${at} as bigint), 0, 0, cast(${`[${messages}]`} as text)
    from webhooks where ${wanting(organization, type)}`.execute(tx)
}
