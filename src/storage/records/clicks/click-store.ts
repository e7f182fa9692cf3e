import type { Kysely } from 'kysely'
import type { BatchTarget } from '../../../core/clicks/click-batch.js'
import type { ClickStore, LeaseStore } from '../../../core/clicks/click-store.js'
import { chunks } from '../../../lib/chunks.js'
import type { Transact } from '../../sql/database/transact.js'
import type { Schema } from '../../sql/tables/schema.js'
import { addressesWithLinks } from '../links/link-store.js'
import { deleteRows, insertMissing, updateRows, upsert } from '../steps/rows.js'

/** What processes agree on about clicks, in SQL. click-store.contract.ts defines the behaviour. */
export function sqlClickStore(db: Kysely<Schema>, transact: Transact): ClickStore {
  return {
    lease: (name) => sqlLease(db, transact, name),

    storeSalts: (drawn, since) =>
      transact(async (tx) => {
        await tx.deleteFrom('visitor_salts').where('day', '<', since).execute()
        await insertMissing(
          tx,
          'visitor_salts',
          [...drawn].map(([day, salt]) => ({ day, salt })),
        )
        const rows = await tx.selectFrom('visitor_salts').selectAll().orderBy('day').execute()
        return new Map(rows.map(({ day, salt }) => [Number(day), salt]))
      }),

    async journals() {
      const rows = await db.selectFrom('journals').selectAll().orderBy('journal_id').execute()
      return rows.map((row) => ({
        journalId: row.journal_id,
        place: row.place,
        waitingRows: Number(row.waiting_rows),
        waitingSince: row.waiting_since === null ? undefined : Number(row.waiting_since),
        seenAt: Number(row.seen_at),
      }))
    },

    async reportJournal({ journalId, place, waitingRows, waitingSince, seenAt }) {
      const state = { place, waiting_rows: waitingRows, waiting_since: waitingSince ?? null, seen_at: seenAt }
      await transact((tx) => upsert(tx, 'journals', { journal_id: journalId }, state))
    },

    removeJournal: (journalId) => transact((tx) => deleteRows(tx, 'journals', { journal_id: journalId })),

    // Called outside the HTTP thread.
    async importTargets(addresses) {
      const led = new Map<string, BatchTarget>()
      for (const some of chunks(addresses, perStatement)) {
        for (const { address, linkId, groupGuid, destination } of await selectTargets(db, some).execute()) {
          led.set(address, {
            address,
            linkId: linkId ?? '',
            groupGuid: groupGuid ?? '',
            destination: destination ?? '',
          })
        }
      }
      return led
    },
  }
}

/** Few statements, each far below the maximum number of parameters of both engines. */
const perStatement = 500

function selectTargets(db: Kysely<Schema>, addresses: readonly string[]) {
  return addressesWithLinks(db)
    .select(({ fn }) => [
      'addresses.address',
      'addresses.link_id as linkId',
      'links.group_guid as groupGuid',
      fn.coalesce('links.long_url', 'global_links.long_url').as('destination'),
    ])
    .where('addresses.address', 'in', addresses)
}

/** A lease is a row, found by its name. */
function sqlLease(db: Kysely<Schema>, transact: Transact, name: string): LeaseStore {
  return {
    async read() {
      const row = await db.selectFrom('leases').selectAll().where('name', '=', name).executeTakeFirst()
      return row && { id: row.id, place: row.place, holder: row.holder, heartbeat: Number(row.heartbeat) }
    },

    replace: (seen, next) =>
      transact(async (tx) => {
        if (!seen) return next !== undefined && insertMissing(tx, 'leases', { name, ...next })
        const asSeen = { name, id: seen.id, holder: seen.holder, heartbeat: seen.heartbeat }
        return next ? updateRows(tx, 'leases', asSeen, next) : deleteRows(tx, 'leases', asSeen)
      }),
  }
}
