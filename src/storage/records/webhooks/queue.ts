/** The queue of webhooks in SQL. webhook-store.contract.ts defines the behaviour. */
import type { Kysely, Transaction } from 'kysely'
import {
  notedMessage,
  type QueuedEvents,
  type QueueProgress,
  type QueueRow,
  queueId,
} from '../../../core/webhooks/queued-events.js'
import type { WebhookStore } from '../../../core/webhooks/webhook-store.js'
import { chunks } from '../../../lib/chunks.js'
import type { Transact } from '../../sql/database/transact.js'
import type { Schema } from '../../sql/tables/schema.js'
import { claimedByNow } from '../steps/bookmarks.js'
import { findRow } from '../steps/rows.js'

export function sqlWebhookQueue(
  db: Kysely<Schema>,
  transact: Transact,
): Pick<
  WebhookStore,
  'enqueue' | 'sourcePosition' | 'claim' | 'release' | 'due' | 'correctDueTimes' | 'firstDue' | 'noteExpired'
> {
  return {
    enqueue: (events, source) =>
      transact(async (tx) => {
        await insertEvents(tx, await ofActiveWebhooks(tx, events))
        if (!source) return
        const row = { name: bookmarkOf(source.name), holder: '', moved_at: 0, position: source.position }
        await tx
          .insertInto('bookmarks')
          .values(row)
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ position: source.position }))
          .execute()
      }),

    async sourcePosition(name) {
      const row = await findRow(db, 'bookmarks', { name: bookmarkOf(name) }, ['position'])
      return row && Number(row.position)
    },

    async claim(webhookGuid, { holder, now, renewBefore, staleBefore, size, except }) {
      const name = claimOf(webhookGuid)
      const held = await findRow(db, 'bookmarks', { name, holder }, ['moved_at'])
      if (!held || held.moved_at < renewBefore) {
        const claimed = await transact(async (tx) => {
          const row = await tx
            .insertInto('bookmarks')
            .values({ name, holder, moved_at: now, position: 0 })
            .onConflict((conflict) =>
              conflict
                .column('name')
                .doUpdateSet({ holder, moved_at: now })
                .where((eb) =>
                  eb.or([eb('bookmarks.holder', '=', holder), eb('bookmarks.moved_at', '<', staleBefore)]),
                ),
            )
            .returning('name')
            .executeTakeFirst()
          if (!row) await claimedByNow(tx, name, now)
          return row
        })
        if (!claimed) return []
      }
      const rows = await db
        .selectFrom('webhook_queue')
        .select(['id', 'tries', 'done', 'events'])
        .where('webhook_guid', '=', webhookGuid)
        .where('due_at', '<=', now)
        .$if(except.length > 0, (query) => query.where('id', 'not in', except))
        .orderBy('due_at')
        .orderBy('id')
        .limit(size)
        .execute()
      return rows.map((row) => ({ ...row, events: JSON.parse(row.events) as QueueRow['events'] }))
    },

    release: (holder) =>
      transact(async (tx) => {
        const own = tx.deleteFrom('bookmarks').where('holder', '=', holder)
        await own.where('name', 'like', claimOf('%')).execute()
      }),

    async due(webhookGuids, now) {
      if (webhookGuids.length === 0) return []
      const rows = await db
        .selectFrom('webhooks')
        .select('guid')
        .where('guid', 'in', webhookGuids)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('webhook_queue')
              .select('id')
              .whereRef('webhook_guid', '=', 'webhooks.guid')
              .where('due_at', '<=', now),
          ),
        )
        .execute()
      return rows.map(({ guid }) => guid)
    },

    correctDueTimes: (webhookGuids, now, longestPause) =>
      transact(async (tx) => {
        if (webhookGuids.length === 0) return
        await tx
          .updateTable('webhook_queue')
          .set({ due_at: now })
          .where('webhook_guid', 'in', webhookGuids)
          .where('due_at', '>', now)
          .where((eb) => eb.or([eb('tries', '=', 0), eb('due_at', '>', now + longestPause)]))
          .execute()
      }),

    async firstDue() {
      const oldest = db.selectFrom('webhook_queue').select((eb) => eb.fn.min('due_at').as('at'))
      const { at } = await oldest.executeTakeFirstOrThrow()
      return at === null ? undefined : Number(at)
    },

    noteExpired: (until) =>
      transact(async (tx) => {
        // Others wait until this one is done.
        const { position: after } = await tx
          .insertInto('bookmarks')
          .values({ name: expiredName, holder: '', moved_at: until, position: until })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ moved_at: until }))
          .returning('position')
          .executeTakeFirstOrThrow()
        if (after >= until) return 0
        const links = await tx
          .selectFrom('links')
          .innerJoin('groups', 'groups.guid', 'links.group_guid')
          .innerJoin('webhooks', 'webhooks.organization_guid', 'groups.organization_guid')
          .select(['links.id', 'links.long_url', 'links.group_guid', 'links.expires_at', 'webhooks.guid'])
          .where('links.expires_at', '>', after)
          .where('links.expires_at', '<=', until)
          // Nobody may have looked for a long time before a webhook wants them.
          .whereRef('links.expires_at', '>', 'webhooks.created_at')
          .where('links.deleted_at', 'is', null)
          .where('links.hidden', '=', 0)
          .where('webhooks.is_active', '=', 1)
          .where('webhooks.events', 'like', '%"link.expired"%')
          .execute()
        const events = links.map(({ id, long_url, group_guid, expires_at, guid: webhookGuid }) => {
          const dueAt = expires_at ?? 0
          const details = { shortlink: id, long_url, expiration_at: expires_at }
          const name = `expired/${id}/${dueAt}`
          const message = notedMessage(name, group_guid, { type: 'link.expired', at: dueAt, details })
          return { id: `${name}/${webhookGuid}`, webhookGuid, dueAt, tries: 0, events: [message] }
        })
        await insertEvents(tx, events)
        await tx.updateTable('bookmarks').set({ position: until }).where('name', '=', expiredName).execute()
        return links.length
      }),
  }
}

/** A webhook that was turned off meanwhile gets nothing. */
async function ofActiveWebhooks(tx: Transaction<Schema>, events: readonly QueuedEvents[]) {
  const guids = [...new Set(events.map(({ webhookGuid }) => webhookGuid))]
  if (guids.length === 0) return []
  const rows = await tx
    .selectFrom('webhooks')
    .select('guid')
    .where('guid', 'in', guids)
    .where('is_active', '=', 1)
    .execute()
  const active = new Set(rows.map(({ guid }) => guid))
  return events.filter(({ webhookGuid }) => active.has(webhookGuid))
}

async function insertEvents(tx: Transaction<Schema>, queued: readonly QueuedEvents[]): Promise<void> {
  for (const some of chunks(queued, 50)) {
    const rows = some.map(({ webhookGuid, dueAt, tries, events, id = queueId(dueAt) + webhookGuid }) => ({
      id,
      webhook_guid: webhookGuid,
      due_at: dueAt,
      tries,
      done: 0,
      events: `[${events.join(',')}]`,
    }))
    await tx
      .insertInto('webhook_queue')
      .values(rows)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute()
  }
}

/** In the transaction that records the attempts. */
export async function moveOn(tx: Transaction<Schema>, { rows, retries }: QueueProgress): Promise<void> {
  const over = rows.filter(({ isOver }) => isOver).map(({ id }) => id)
  for (const some of chunks(over, 500)) await tx.deleteFrom('webhook_queue').where('id', 'in', some).execute()
  for (const { id, done } of rows.filter(({ isOver }) => !isOver)) {
    await tx.updateTable('webhook_queue').set({ done }).where('id', '=', id).execute()
  }
  await insertEvents(tx, await ofActiveWebhooks(tx, retries))
}

export async function dropQueue(tx: Transaction<Schema>, webhookGuid: string): Promise<void> {
  await tx.deleteFrom('webhook_queue').where('webhook_guid', '=', webhookGuid).execute()
  await tx.deleteFrom('bookmarks').where('name', '=', claimOf(webhookGuid)).execute()
}

export async function deleteOldEvents(tx: Transaction<Schema>, before: number, limit: number): Promise<number> {
  const old = tx.selectFrom('webhook_queue').select('id').where('due_at', '<', before).limit(limit)
  const { numDeletedRows } = await tx.deleteFrom('webhook_queue').where('id', 'in', old).executeTakeFirst()
  return Number(numDeletedRows)
}

/** The time up to which expired links have events. */
const expiredName = 'webhook events'

function claimOf(webhookGuid: string): string {
  return `webhook/${webhookGuid}`
}

function bookmarkOf(source: string): string {
  return `webhooks ${source}`
}
