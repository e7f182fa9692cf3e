/**
 * The outbox of events: written in the transaction of the change that they are about, so that an event is published if and
 * only if the change was made. Nothing is written unless a webhook of the organization wants the event.
 */
import { sql, type Transaction } from 'kysely'
import { newGuid } from '../../../core/values/guid.js'
import type { WebhookEvent } from '../../../core/webhooks/webhook.js'
import type { Schema } from '../../sql/tables/schema.js'

export interface NotedEvent {
  readonly type: WebhookEvent
  readonly at: number
  readonly details: Readonly<Record<string, unknown>>
}

export async function noteGroupEvent(tx: Transaction<Schema>, groupGuid: string, event: NotedEvent): Promise<void> {
  const organization = sql`(select organization_guid from groups where guid = ${groupGuid})`
  await insert(tx, organization, groupGuid, event)
}

export async function noteOrganizationEvent(
  tx: Transaction<Schema>,
  organizationGuid: string,
  event: NotedEvent,
): Promise<void> {
  await insert(tx, sql`${organizationGuid}`, null, event)
}

/** One statement. The types of the parameters are given, because PostgreSQL cannot guess them here. */
async function insert(
  tx: Transaction<Schema>,
  organization: ReturnType<typeof sql>,
  groupGuid: string | null,
  { type, at, details }: NotedEvent,
): Promise<void> {
  await sql`
    insert into outgoing_events (id, organization_guid, group_guid, type, at, details)
    select cast(${newGuid('event')} as text), organization_guid, cast(${groupGuid} as text), cast(${type} as text),
      cast(${at} as bigint), cast(${JSON.stringify(details)} as text)
    from webhooks
    where organization_guid = ${organization} and is_active = 1 and events like ${`%"${type}"%`}
    limit 1`.execute(tx)
}
