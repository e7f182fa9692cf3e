/** Which clicks of other products were counted, in SQL. import-store.contract.ts defines the behaviour. */
import { type Kysely, sql } from 'kysely'
import type { ClickMark, ImportStore } from '../../../core/imports/import-store.js'
import { chunks } from '../../../lib/chunks.js'
import type { Transact } from '../../sql/database/transact.js'
import type { Schema } from '../../sql/tables/schema.js'

export function sqlClickMarks(
  db: Kysely<Schema>,
  transact: Transact,
): Pick<ImportStore, 'clickMarks' | 'noteClicks' | 'settleClicks'> {
  return {
    async clickMarks(source, addresses) {
      const marks = new Map<string, ClickMark>()
      for (const some of chunks(addresses, rowsAtOnce)) {
        const rows = await db
          .selectFrom('imported_clicks')
          .select(['address', 'counted_until', 'counted'])
          .where('source', '=', source)
          .where('address', 'in', some)
          .where('counted_until', 'is not', null)
          .execute()
        for (const row of rows) marks.set(row.address, { at: Number(row.counted_until), count: Number(row.counted) })
      }
      return marks
    },

    noteClicks: (source, marks) =>
      transact(async (tx) => {
        // Sorted, so that racing imports lock in the same order.
        const sorted = [...marks].sort(([one], [other]) => (one < other ? -1 : 1))
        const rows = sorted.map(([address, { at, count }]) => ({ source, address, noted_until: at, noted: count }))
        const isLater = sql<boolean>`excluded.noted_until >= imported_clicks.noted_until`
        for (const some of chunks(rows, rowsAtOnce)) {
          await tx
            .insertInto('imported_clicks')
            .values(some)
            .onConflict((conflict) =>
              conflict
                .columns(['source', 'address'])
                .doUpdateSet((eb) => ({
                  noted_until: eb.ref('excluded.noted_until'),
                  noted: eb.ref('excluded.noted'),
                }))
                .where(isLater),
            )
            .execute()
        }
      }),

    settleClicks: (source) =>
      transact(async (tx) => {
        await tx
          .updateTable('imported_clicks')
          .set((eb) => ({ counted_until: eb.ref('noted_until'), counted: eb.ref('noted') }))
          .where('source', '=', source)
          .where(sql<boolean>`(counted_until is null or counted_until <> noted_until or counted <> noted)`)
          .execute()
      }),
  }
}

const rowsAtOnce = 500
