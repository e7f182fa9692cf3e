import { type Kysely, sql } from 'kysely'
import type { DescribedLink, LinkFacts, StreamReader, StreamStore } from '../../../core/stream/stream-store.js'
import { chunks } from '../../../lib/chunks.js'
import { changesRow, type Transact } from '../../sql/database/transact.js'
import type { Schema } from '../../sql/tables/schema.js'
import { claimedByNow } from '../steps/bookmarks.js'
import { deleteRows, hasRow, insertMissing } from '../steps/rows.js'

/** What the stream reads and stores in SQL. stream-store.contract.ts defines the behaviour. */
export function sqlStreamStore(db: Kysely<Schema>, transact: Transact, openFor: StreamStore['openFor']): StreamStore {
  const held = (tx: Kysely<Schema>, name: string, holder: string) =>
    tx.updateTable('bookmarks').where('name', '=', name).where('holder', '=', holder)

  return {
    allowReader: ({ kind, subject }, by, at) =>
      transact(async (tx) => {
        if (!(await isKnown(tx, { kind, subject }))) return 'unknown'
        const access = { kind, subject, allowed_by: by, allowed_at: at }
        return (await insertMissing(tx, 'stream_access', access)) ? 'allowed' : 'already'
      }),

    denyReader: ({ kind, subject }) => transact((tx) => deleteRows(tx, 'stream_access', { kind, subject })),

    async allowedReaders() {
      const rows = await db
        .selectFrom('stream_access')
        .selectAll()
        .orderBy('allowed_at')
        .orderBy('kind')
        .orderBy('subject')
        .execute()
      return rows.map((row) => ({
        kind: row.kind,
        subject: row.subject,
        allowedBy: row.allowed_by,
        allowedAt: Number(row.allowed_at),
      }))
    },

    // Times in the records are whole.
    openFor: async () => Math.ceil(await openFor()),

    async newLinks(after, before, size) {
      const rows = await db
        .selectFrom('links')
        .select(['id', 'created_at', 'group_guid'])
        .where(madeAt, '>=', after.createdAt)
        .where(madeAt, '<', before)
        .where((eb) => eb.or([eb(madeAt, '>', after.createdAt), eb('id', '>', after.id)]))
        .where('hidden', '=', 0)
        .orderBy(madeAt)
        .orderBy('id')
        .limit(size)
        .execute()
      return rows.map((row) => ({ id: row.id, createdAt: Number(row.created_at), groupGuid: row.group_guid }))
    },

    async describeLinks(ids) {
      const found = new Map<string, DescribedLink>()
      for (const some of chunks(ids, perStatement)) {
        for (const row of await selectLinks(db, some).execute()) {
          found.set(row.id, {
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
      return ids.flatMap((id) => found.get(id) ?? [])
    },

    async linkFacts(addresses) {
      const facts = new Map<string, LinkFacts>()
      for (const some of chunks(addresses, perStatement)) {
        for (const { address, kind, createdAt, login, globalAddress } of await selectFacts(db, some).execute()) {
          const globalHash = kind === 'global' ? address : globalAddress
          facts.set(address, { login: login ?? '', createdAt: Number(createdAt), globalHash: globalHash ?? undefined })
        }
      }
      return facts
    },

    takeCursor: (name, holder, { from, now, staleBefore }) =>
      transact(async (tx) => {
        await insertMissing(tx, 'bookmarks', { name, holder, moved_at: now, position: from })
        const taken = await tx
          .updateTable('bookmarks')
          .set({ holder, moved_at: now })
          .where('name', '=', name)
          .where((eb) => eb.or([eb('holder', '=', holder), eb('moved_at', '<', staleBefore)]))
          .returning('position')
          .executeTakeFirst()
        if (!taken) await claimedByNow(tx, name, now)
        return taken && Number(taken.position)
      }),

    moveCursor: (name, holder, to, now) =>
      transact((tx) => changesRow(held(tx, name, holder).set({ position: to, moved_at: now }))),

    leaveCursor: (name, holder) =>
      transact(async (tx) => {
        await held(tx, name, holder).set({ moved_at: 0 }).execute()
      }),
  }
}

/** Few statements, each far below the maximum number of parameters of both engines. */
const perStatement = 500

function isKnown(tx: Kysely<Schema>, { kind, subject }: StreamReader): Promise<boolean> {
  if (kind === 'organization') return hasRow(tx, 'organizations', { guid: subject })
  return hasRow(tx, 'users', { login: subject })
}

/** Must match the expression of the index `links_made`. */
const madeAt = sql<number>`created_at + 0`

function selectLinks(db: Kysely<Schema>, ids: readonly string[]) {
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

function selectFacts(db: Kysely<Schema>, addresses: readonly string[]) {
  return db
    .selectFrom('addresses')
    .leftJoin('links', 'links.id', 'addresses.link_id')
    .leftJoin('global_links', 'global_links.long_url_key', 'links.long_url_key')
    .select([
      'addresses.address',
      'addresses.kind',
      'addresses.created_at as createdAt',
      'links.created_by as login',
      'global_links.address as globalAddress',
    ])
    .where('addresses.address', 'in', addresses)
}
