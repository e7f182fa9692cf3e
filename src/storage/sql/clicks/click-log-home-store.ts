/** Which click log belongs to the records, in SQL: a table of one row. */
import type { Kysely } from 'kysely'
import type { ClickLogHomeStore } from '../../../core/clicks/click-log-home-store.js'
import type { Schema } from '../database/schema.js'
import type { Transact } from '../database/transact.js'

/** The key of the only row. */
const only = 1

export function sqlClickLogHomeStore(db: Kysely<Schema>, transact: Transact): ClickLogHomeStore {
  return {
    async read() {
      const row = await db.selectFrom('click_log_home').selectAll().executeTakeFirst()
      return row && { id: row.id, place: row.place, holder: row.holder, heartbeat: Number(row.heartbeat) }
    },

    replace: (seen, next) =>
      transact(async (tx) => {
        if (!seen) {
          const { numInsertedOrUpdatedRows = 0n } = await tx
            .insertInto('click_log_home')
            .values({ only, ...next })
            .onConflict((conflict) => conflict.column('only').doNothing())
            .executeTakeFirst()
          return numInsertedOrUpdatedRows > 0n
        }
        const { numUpdatedRows } = await tx
          .updateTable('click_log_home')
          .set(next)
          .where('id', '=', seen.id)
          .where('holder', '=', seen.holder)
          .where('heartbeat', '=', seen.heartbeat)
          .executeTakeFirst()
        return numUpdatedRows > 0n
      }),
  }
}
