/** Whose turn it is and how far they are, in SQL. What is promised: stream-store.contract.ts. */
import type { Kysely } from 'kysely'
import type { StreamStore } from '../../../core/stream/stream-store.js'
import type { Schema } from '../database/schema.js'
import type { Transact } from '../database/transact.js'

export function sqlLeasedCursors(transact: Transact) {
  const held = (tx: Kysely<Schema>, name: string, holder: string) =>
    tx.updateTable('bookmarks').where('name', '=', name).where('holder', '=', holder)

  return {
    takeCursor: (name, holder, { from, now, staleBefore }) =>
      transact(async (tx) => {
        await tx
          .insertInto('bookmarks')
          .values({ name, holder, moved_at: now, position: from })
          .onConflict((conflict) => conflict.column('name').doNothing())
          .execute()
        const taken = await tx
          .updateTable('bookmarks')
          .set({ holder, moved_at: now })
          .where('name', '=', name)
          .where((eb) => eb.or([eb('holder', '=', holder), eb('moved_at', '<', staleBefore)]))
          .returning('position')
          .executeTakeFirst()
        return taken && Number(taken.position)
      }),

    moveCursor: (name, holder, to, now) =>
      transact(async (tx) => {
        const { numUpdatedRows } = await held(tx, name, holder).set({ position: to, moved_at: now }).executeTakeFirst()
        return numUpdatedRows > 0n
      }),

    leaveCursor: (name, holder) =>
      transact(async (tx) => {
        await held(tx, name, holder).set({ moved_at: 0 }).execute()
      }),
  } satisfies Partial<StreamStore>
}
