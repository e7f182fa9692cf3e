/** The outbox of events in SQL (database/note-event.ts writes it). webhook-store.contract.ts defines the behaviour. */
import type { Kysely } from 'kysely'
import type { WebhookEvent } from '../../../core/webhooks/webhook.js'
import type { WebhookStore } from '../../../core/webhooks/webhook-store.js'
import { chunks } from '../../../lib/chunks.js'
import type { Transact } from '../../sql/database/transact.js'
import type { Schema } from '../../sql/tables/schema.js'

export function sqlOutgoingEvents(
  db: Kysely<Schema>,
  transact: Transact,
): Pick<WebhookStore, 'outgoingEvents' | 'forgetEvents' | 'noteExpired'> {
  return {
    async outgoingEvents(size) {
      const rows = await db.selectFrom('outgoing_events').selectAll().orderBy('at').orderBy('id').limit(size).execute()
      return rows.map((row) => ({
        id: row.id,
        organizationGuid: row.organization_guid,
        groupGuid: row.group_guid ?? undefined,
        // Written by us.
        type: row.type as WebhookEvent,
        at: row.at,
        details: JSON.parse(row.details) as Record<string, unknown>,
      }))
    },

    forgetEvents: (ids) =>
      transact(async (tx) => {
        for (const some of chunks(ids, 500)) await tx.deleteFrom('outgoing_events').where('id', 'in', some).execute()
      }),

    noteExpired: (after, until) =>
      transact(async (tx) => {
        const links = await tx
          .selectFrom('links')
          .innerJoin('groups', 'groups.guid', 'links.group_guid')
          .select(['links.id', 'links.long_url', 'links.group_guid', 'groups.organization_guid', 'links.expires_at'])
          .where('links.expires_at', '>', after)
          .where('links.expires_at', '<=', until)
          .where('links.deleted_at', 'is', null)
          .where('links.hidden', '=', 0)
          .where('groups.organization_guid', 'in', (from) =>
            from
              .selectFrom('webhooks')
              .select('webhooks.organization_guid')
              .where('is_active', '=', 1)
              .where('events', 'like', '%"link.expired"%'),
          )
          .execute()
        for (const some of chunks(links, 100)) {
          const rows = some.map(({ id, long_url, group_guid, organization_guid, expires_at }) => ({
            // The same again when this is repeated after a crash.
            id: `expired/${id}/${expires_at}`,
            organization_guid,
            group_guid,
            type: 'link.expired',
            at: expires_at ?? 0,
            details: JSON.stringify({ shortlink: id, long_url, expiration_at: expires_at }),
          }))
          await tx
            .insertInto('outgoing_events')
            .values(rows)
            .onConflict((conflict) => conflict.column('id').doNothing())
            .execute()
        }
        return links.length
      }),
  }
}
