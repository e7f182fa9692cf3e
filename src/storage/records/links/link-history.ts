/** The history of links in SQL. link-history.contract.ts defines the behaviour. */
import { type Insertable, type Kysely, sql, type Transaction } from 'kysely'
import { changedFields } from '../../../core/links/history-entry.js'
import type { ChangeContext, Link } from '../../../core/links/link.js'
import { type LinkStore, maxHistory } from '../../../core/links/link-store.js'
import { newGuid } from '../../../core/values/guid.js'
import { multiInsert, type Transact } from '../../sql/database/transact.js'
import { codec } from '../../sql/tables/codec.js'
import type { Schema } from '../../sql/tables/schema.js'

/** In the transaction of the change, which has locked the link. Links of stand-alone QR codes have no history. */
export async function addToHistory(
  tx: Transaction<Schema>,
  before: Link,
  after: Link,
  { login, clientId, at }: ChangeContext,
): Promise<void> {
  const changed = after.hidden ? undefined : changedFields(before, after)
  if (!changed) return
  const { id } = after
  const entry = { guid: newGuid('link-change'), linkId: id, login, clientId, createdAt: at, ...changed }
  const organization = sql<string | null>`(select organization_guid from groups where guid = ${after.groupGuid})`
  const next = sql<number>`(select coalesce(max(number), 0) + 1 from link_history where link_id = ${id})`
  const { number } = await tx
    .insertInto('link_history')
    .values({ ...historyColumns.columns(entry), number: next, organization_guid: organization })
    .returning('number')
    .executeTakeFirstOrThrow()
  await deleteFirst(tx, id, number)
}

async function deleteFirst(tx: Transaction<Schema>, linkId: string, newest: number): Promise<void> {
  if (newest <= maxHistory) return
  const ofLink = tx.deleteFrom('link_history').where('link_id', '=', linkId)
  await ofLink.where('number', '<=', newest - maxHistory).execute()
}

/** The tags of one link. */
export interface TagsChange {
  readonly linkId: string
  readonly before: readonly string[]
  readonly after: readonly string[]
}

export type AddTagsToHistory = (
  tx: Transaction<Schema>,
  changes: readonly TagsChange[],
  context: ChangeContext,
) => Promise<void>

/** Like `addToHistory`, for a change of nothing but tags in many links, which is one entry of its own in the audit log. */
export function tagHistory(db: Kysely<Schema>): AddTagsToHistory {
  const insert = multiInsert((rows: readonly Insertable<Schema['link_history']>[]) =>
    db.insertInto('link_history').values(rows),
  )
  return async (tx, changes, { login, clientId, at }) => {
    const links = changes.map(({ linkId }) => linkId)
    const last = await tx
      .selectFrom('link_history')
      .select(({ fn }) => ['link_id', fn.max('number').as('number')])
      .where('link_id', 'in', links)
      .groupBy('link_id')
      .execute()
    const numbers = new Map(last.map(({ link_id, number }) => [link_id, number]))
    const rows = changes.map(({ linkId, before, after }) => ({
      guid: newGuid('link-change'),
      link_id: linkId,
      number: (numbers.get(linkId) ?? 0) + 1,
      login,
      client_id: clientId ?? null,
      created_at: at,
      before: JSON.stringify({ tags: before }),
      after: JSON.stringify({ tags: after }),
    }))
    await insert(tx, rows)
    for (const { link_id, number } of rows) await deleteFirst(tx, link_id, number)
  }
}

export function sqlLinkHistory(
  db: Kysely<Schema>,
  transact: Transact,
): Pick<LinkStore, 'history' | 'historyEntry' | 'deleteOldHistory'> {
  const entriesOf = (linkId: string) => db.selectFrom('link_history').selectAll().where('link_id', '=', linkId)
  return {
    async history(linkId, { after, size }) {
      const rows = await entriesOf(linkId)
        .$if(after !== undefined, (query) => query.where('number', '<', after ?? 0))
        .orderBy('number', 'desc')
        .limit(size)
        .execute()
      return rows.map(historyColumns.fields)
    },

    async historyEntry(linkId, guid) {
      const row = await entriesOf(linkId).where('guid', '=', guid).executeTakeFirst()
      return row && historyColumns.fields(row)
    },

    deleteOldHistory: (before, limit) =>
      transact(async (tx) => {
        const old = tx.selectFrom('link_history').select('guid').where('created_at', '<', before).limit(limit)
        const { numDeletedRows } = await tx.deleteFrom('link_history').where('guid', 'in', old).executeTakeFirst()
        return Number(numDeletedRows)
      }),
  }
}

const historyColumns = codec('link_history', ['linkId', 'organizationGuid'])
