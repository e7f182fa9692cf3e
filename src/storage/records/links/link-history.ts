/** The history of links in SQL. link-history.contract.ts defines the behaviour. */
import { type Kysely, sql, type Transaction } from 'kysely'
import { changedFields } from '../../../core/links/history-entry.js'
import type { ChangeContext, Link } from '../../../core/links/link.js'
import type { LinkStore } from '../../../core/links/link-store.js'
import { newGuid } from '../../../core/values/guid.js'
import type { Transact } from '../../sql/database/transact.js'
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
  const number = sql<number>`(select coalesce(max(number), 0) + 1 from link_history where link_id = ${id})`
  await tx
    .insertInto('link_history')
    .values({ ...historyColumns.columns(entry), number })
    .execute()
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

const historyColumns = codec('link_history', ['linkId'])
