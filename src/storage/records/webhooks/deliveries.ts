/** The delivery log of webhooks in SQL, and events that failed. webhook-store.contract.ts defines the behaviour. */
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { Webhook, WebhookEvent } from '../../../core/webhooks/webhook.js'
import type {
  Attempt,
  AttemptedEvent,
  DeadLetter,
  Delivery,
  LogLimits,
  LogPage,
  StateChange,
  WebhookStore,
} from '../../../core/webhooks/webhook-store.js'
import { chunks } from '../../../lib/chunks.js'
import type { Transact } from '../../sql/database/transact.js'
import { codec } from '../../sql/tables/codec.js'
import type { Schema } from '../../sql/tables/schema.js'
import { findRow, newestFirst, readHeldRow } from '../steps/rows.js'
import { deleteOldEvents, dropQueue, moveOn } from './queue.js'

type Deliveries = Pick<
  WebhookStore,
  'record' | 'deleteOld' | 'deliveries' | 'delivery' | 'deadLetters' | 'redeliver' | 'marked'
>

export function sqlDeliveries(
  db: Kysely<Schema>,
  transact: Transact,
  webhookFrom: (row: Selectable<Schema['webhooks']>) => Webhook,
): Deliveries {
  return {
    record: (attempts, limits, progress) =>
      transact(async (tx) => {
        const changes: StateChange[] = []
        // Always in the same order, so that two processes do not wait for each other.
        const guids = [...new Set(attempts.map(({ webhookGuid }) => webhookGuid))].sort()
        for (const guid of guids) {
          const own = attempts.filter(({ webhookGuid }) => webhookGuid === guid)
          const row = await readHeldRow(tx, 'webhooks', { guid })
          if (!row) continue
          await addToLog(tx, own.slice(-limits.entries))
          await keepFailures(tx, own)
          await keepNewest(tx, attemptRows, guid, limits.entries)
          if (own.some(({ failure }) => failure !== undefined))
            await keepNewest(tx, deadLetterRows, guid, limits.deadLetters)
          const changed = await changeState(tx, row, own, limits)
          if (changed) changes.push({ webhook: webhookFrom(changed.row), change: changed.change })
        }
        if (progress) await moveOn(tx, progress)
        return changes
      }),

    deleteOld: (before, limit) =>
      transact(async (tx) => {
        const deleted = await deleteOldAttempts(tx, before, limit)
        const failures = await deleteOldFailures(tx, before, limit - deleted)
        return deleted + failures + (await deleteOldEvents(tx, before, limit - deleted - failures))
      }),

    async deliveries(webhookGuid, { after, size, onlyFailed }) {
      const all = db
        .selectFrom('webhook_deliveries')
        .selectAll()
        .where('webhook_guid', '=', webhookGuid)
        .$if(onlyFailed === true, (query) => query.where('failure', 'is not', null))
      return (await newestFirst(all, ['at', 'id'], after && [after.at, after.id], size).execute()).map(deliveryFrom)
    },

    async delivery(webhookGuid, id) {
      const row = await findRow(db, 'webhook_deliveries', { id, webhook_guid: webhookGuid })
      return row && { ...deliveryFrom(row), payloads: eventsIn(row.events).map(([, payload]) => payload) }
    },

    async deadLetters(webhookGuid, { after, size }: LogPage): Promise<readonly DeadLetter[]> {
      const dead = db
        .selectFrom('webhook_failures')
        .selectAll()
        .where('webhook_guid', '=', webhookGuid)
        .where('state', '=', 'dead')
      const rows = await newestFirst(dead, ['failed_at', 'id'], after && [after.at, after.id], size).execute()
      return rows.map(({ id, event_id, failed_at, tries, status, failure, payload }) => ({
        id,
        at: failed_at,
        eventId: event_id,
        eventTypes: typesIn([payload]),
        tries,
        status: status ?? undefined,
        failure,
        payload,
      }))
    },

    redeliver: (webhookGuid, which, check) =>
      transact(async (tx) => {
        if ('since' in which) {
          const marked = await tx
            .updateTable('webhook_failures')
            .set({ state: 'marked' })
            .where('webhook_guid', '=', webhookGuid)
            .where('state', '=', 'dead')
            .where('failed_at', '>=', which.since)
            .returning('payload')
            .execute()
          check?.(typesIn(marked.map(({ payload }) => payload)))
          return marked.length
        }
        const row = await findRow(tx, 'webhook_deliveries', { id: which.delivery, webhook_guid: webhookGuid })
        const events = row ? eventsIn(row.events) : []
        check?.(typesIn(events.map(([, payload]) => payload)))
        for (const [index, [eventId, payload]] of events.entries()) {
          await tx
            .insertInto('webhook_failures')
            .values({
              webhook_guid: webhookGuid,
              event_id: eventId,
              id: `${which.delivery}${index}`,
              state: 'marked',
              tries: 1,
              failed_at: which.at,
              status: null,
              failure: '',
              payload,
            })
            .onConflict((conflict) => conflict.columns(['webhook_guid', 'event_id']).doUpdateSet({ state: 'marked' }))
            .execute()
        }
        return events.length
      }),

    async marked(webhookGuids, size) {
      if (webhookGuids.length === 0) return []
      const rows = await db
        .selectFrom('webhook_failures')
        .select(['webhook_guid', 'event_id', 'tries', 'payload'])
        .where('webhook_guid', 'in', webhookGuids)
        .where('state', '=', 'marked')
        .orderBy('failed_at')
        .orderBy('id')
        .limit(size)
        .execute()
      return rows.map(({ webhook_guid, event_id, tries, payload }) => ({
        webhookGuid: webhook_guid,
        eventId: event_id,
        tries,
        payload,
      }))
    },
  }
}

async function addToLog(tx: Transaction<Schema>, attempts: readonly Attempt[]): Promise<void> {
  for (const some of chunks(attempts, 50)) {
    const rows = some.map(({ id, webhookGuid, at, durationMs, status, failure, answer, events }) => ({
      id,
      webhook_guid: webhookGuid,
      at,
      status: status ?? null,
      failure: failure ?? null,
      answer,
      duration_ms: durationMs,
      tries: Math.max(0, ...events.map(({ tries }) => tries)),
      next_try_at: nextTryOf(events),
      events: JSON.stringify(events.map(({ eventId, payload }) => [eventId, payload])),
    }))
    await tx.insertInto('webhook_deliveries').values(rows).execute()
  }
}

function nextTryOf(events: readonly AttemptedEvent[]): number | null {
  const times = events.flatMap(({ nextTryAt }) => nextTryAt ?? [])
  return times.length === 0 ? null : Math.min(...times)
}

async function keepFailures(tx: Transaction<Schema>, attempts: readonly Attempt[]): Promise<void> {
  for (const { id, webhookGuid, at, status, failure, events } of attempts) {
    if (failure === undefined) {
      // Only events that failed before are there.
      const before = events.filter(({ tries }) => tries > 1).map(({ eventId }) => eventId)
      for (const some of chunks(before, 500)) {
        await tx
          .deleteFrom('webhook_failures')
          .where('webhook_guid', '=', webhookGuid)
          .where('event_id', 'in', some)
          .execute()
      }
      continue
    }
    for (const [index, { eventId, tries, nextTryAt, payload }] of events.entries()) {
      // Others wait in the queue.
      if (nextTryAt !== undefined) continue
      const last = {
        id: `${id}${index}`,
        state: 'dead' as const,
        tries,
        failed_at: at,
        status: status ?? null,
        failure,
      }
      await tx
        .insertInto('webhook_failures')
        .values({ webhook_guid: webhookGuid, event_id: eventId, payload, ...last })
        .onConflict((conflict) => conflict.columns(['webhook_guid', 'event_id']).doUpdateSet(last))
        .execute()
    }
  }
}

async function deleteOldAttempts(tx: Transaction<Schema>, before: number, limit: number): Promise<number> {
  const old = tx.selectFrom('webhook_deliveries').select('id').where('at', '<', before).limit(limit)
  const { numDeletedRows } = await tx.deleteFrom('webhook_deliveries').where('id', 'in', old).executeTakeFirst()
  return Number(numDeletedRows)
}

/** By the columns of the index, so that payloads are not read. */
async function deleteOldFailures(tx: Transaction<Schema>, before: number, limit: number): Promise<number> {
  const columns = ['webhook_guid', 'state', 'failed_at', 'id'] as const
  const old = tx.selectFrom('webhook_failures').select(columns).where('failed_at', '<', before).limit(limit)
  const { numDeletedRows } = await tx
    .deleteFrom('webhook_failures')
    .where(({ eb, refTuple }) => eb(refTuple(...columns), 'in', old.$asTuple(...columns)))
    .executeTakeFirst()
  return Number(numDeletedRows)
}

const attemptRows = { table: sql`webhook_deliveries`, time: sql`at`, which: sql`` }
const deadLetterRows = { table: sql`webhook_failures`, time: sql`failed_at`, which: sql`and state = 'dead'` }

/** Of the attempts or the dead letters of a webhook. */
async function keepNewest(
  tx: Transaction<Schema>,
  { table, time, which }: typeof attemptRows,
  guid: string,
  count: number,
): Promise<void> {
  const own = sql`from ${table} where webhook_guid = ${guid} ${which}`
  const newestFirst = sql`order by ${time} desc, id desc limit 1 offset ${count}`
  const { rows } = await sql<{ at: number; id: string }>`select ${time} as at, id ${own} ${newestFirst}`.execute(tx)
  for (const { at, id } of rows) await sql`delete ${own} and (${time}, id) <= (${at}, ${id})`.execute(tx)
}

/** Undefined when the state stays. */
async function changeState(
  tx: Transaction<Schema>,
  row: Selectable<Schema['webhooks']>,
  attempts: readonly Attempt[],
  { alertAfter, deactivateBefore }: LogLimits,
): Promise<{ row: Selectable<Schema['webhooks']>; change: StateChange['change'] } | undefined> {
  let { failures, alerted_at } = row
  for (const { failure, at } of attempts) {
    failures = failure === undefined ? 0 : failures + 1
    if (failures === 0) alerted_at = null
    else if (failures >= alertAfter) alerted_at ??= at
  }
  const last = attempts.at(-1)
  const isOver = alerted_at !== null && alerted_at <= deactivateBefore
  const isDeactivated = row.is_active === 1 && (isOver || attempts.some(({ isGone }) => isGone))
  if (failures === row.failures && alerted_at === row.alerted_at && !isDeactivated) return undefined
  const off = isDeactivated && { is_active: 0, deactivated_at: last?.at ?? null }
  const changed = await tx
    .updateTable('webhooks')
    .set({ failures, alerted_at, ...off, ...((isDeactivated || alerted_at === null) && { alert_delivery: null }) })
    .where('guid', '=', row.guid)
    .returningAll()
    .executeTakeFirstOrThrow()
  if (isDeactivated) {
    await dropQueue(tx, row.guid)
    return { row: changed, change: 'deactivated' }
  }
  if ((alerted_at === null) === (row.alerted_at === null)) return undefined
  return { row: changed, change: alerted_at === null ? 'recovered' : 'alerted' }
}

const deliveryColumns = codec('webhook_deliveries', ['webhookGuid', 'events'])

function deliveryFrom(row: Selectable<Schema['webhook_deliveries']>): Delivery {
  const events = eventsIn(row.events)
  return deliveryColumns.fieldsWith(row, {
    eventIds: events.map(([eventId]) => eventId),
    eventTypes: typesIn(events.map(([, payload]) => payload)),
  })
}

/** Not parsed: a page of the log may contain thousands of events. The type is the first of these in each of them. */
function typeIn(payload: string): WebhookEvent | undefined {
  return /"event_type":"([^"]*)"/.exec(payload)?.[1] as WebhookEvent | undefined
}

/** Each once. */
function typesIn(payloads: readonly string[]): readonly WebhookEvent[] {
  return [...new Set(payloads.flatMap((payload) => typeIn(payload) ?? []))]
}

/** Stored by us. */
function eventsIn(json: string): readonly (readonly [eventId: string, payload: string])[] {
  return JSON.parse(json) as [string, string][]
}
