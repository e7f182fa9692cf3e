/** Links in the order in which they were made. What is promised: stream-store.contract.ts. Called outside the HTTP thread. */
import { type Kysely, sql } from 'kysely'
import type { DescribedLink, StreamStore } from '../../../core/stream/stream-store.js'
import type { Schema } from '../database/schema.js'

export function sqlNewLinks(db: Kysely<Schema>, openFor: StreamStore['openFor']) {
  return {
    // Times in the records are whole.
    openFor: async () => Math.ceil(await openFor()),

    async newLinks(after, before, size) {
      const rows = await db
        .selectFrom('links')
        .select(['id', 'created_at', 'group_guid'])
        .where(madeAt, '>=', after.createdAt)
        .where(madeAt, '<', before)
        .where((eb) => eb.or([eb(madeAt, '>', after.createdAt), eb('id', '>', after.id)]))
        .orderBy(madeAt)
        .orderBy('id')
        .limit(size)
        .execute()
      return rows.map((row) => ({ id: row.id, createdAt: Number(row.created_at), groupGuid: row.group_guid }))
    },

    async describeLinks(ids) {
      const found: DescribedLink[] = []
      for (let from = 0; from < ids.length; from += perStatement) {
        const rows = await select(db, ids.slice(from, from + perStatement)).execute()
        for (const row of rows) {
          found.push({
            id: row.id,
            createdAt: Number(row.created_at),
            groupGuid: row.group_guid,
            longUrl: row.long_url,
            createdBy: row.created_by,
            clientId: row.client_id ?? undefined,
            keyword: row.keyword ?? undefined,
            globalHash: row.global_hash ?? undefined,
          })
        }
      }
      return found
    },
  } satisfies Partial<StreamStore>
}

/** As the index `links_made` has it. */
const madeAt = sql<number>`created_at + 0`

/** Our choice: few statements, each far below the number of parameters that either engine takes. */
const perStatement = 500

function select(db: Kysely<Schema>, ids: readonly string[]) {
  return db
    .selectFrom('links')
    .leftJoin('global_links', 'global_links.long_url_key', 'links.long_url_key')
    .select((eb) => [
      'links.id',
      'links.created_at',
      'links.group_guid',
      'links.long_url',
      'links.created_by',
      'links.client_id',
      'global_links.address as global_hash',
      eb
        .selectFrom('addresses')
        .select('addresses.address')
        .whereRef('addresses.link_id', '=', 'links.id')
        .where('addresses.kind', '=', 'keyword')
        .orderBy('addresses.created_at')
        .orderBy('addresses.address')
        .limit(1)
        .as('keyword'),
    ])
    .where('links.id', 'in', ids)
}
