/** Leases in SQL: a row for each, by name. */
import type { Kysely } from 'kysely'
import type { LeaseStore } from '../../../core/clicks/click-store.js'
import type { Schema } from '../database/schema.js'
import type { Transact } from '../database/transact.js'

export function sqlLease(db: Kysely<Schema>, transact: Transact, name: string): LeaseStore {
  return {
    async read() {
      const row = await db.selectFrom('leases').selectAll().where('name', '=', name).executeTakeFirst()
      return row && { id: row.id, place: row.place, holder: row.holder, heartbeat: Number(row.heartbeat) }
    },

    replace: (seen, next) =>
      transact(async (tx) => {
        if (!seen) {
          if (!next) return false
          const { numInsertedOrUpdatedRows = 0n } = await tx
            .insertInto('leases')
            .values({ name, ...next })
            .onConflict((conflict) => conflict.column('name').doNothing())
            .executeTakeFirst()
          return numInsertedOrUpdatedRows > 0n
        }
        const asSeen = { name, id: seen.id, holder: seen.holder, heartbeat: seen.heartbeat }
        if (!next) {
          const { numDeletedRows } = await tx
            .deleteFrom('leases')
            .where((row) => row.and(asSeen))
            .executeTakeFirst()
          return numDeletedRows > 0n
        }
        const { numUpdatedRows } = await tx
          .updateTable('leases')
          .set(next)
          .where((row) => row.and(asSeen))
          .executeTakeFirst()
        return numUpdatedRows > 0n
      }),
  }
}
