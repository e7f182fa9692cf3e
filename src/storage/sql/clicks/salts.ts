/** The salts of days, in SQL. What is promised: click-store.contract.ts. */
import type { ClickStore } from '../../../core/clicks/click-store.js'
import type { Transact } from '../database/transact.js'

export function sqlSalts(transact: Transact) {
  return {
    settleSalts: (drawn, since) =>
      transact(async (tx) => {
        await tx.deleteFrom('visitor_salts').where('day', '<', since).execute()
        await tx
          .insertInto('visitor_salts')
          .values([...drawn].map(([day, salt]) => ({ day, salt })))
          .onConflict((conflict) => conflict.column('day').doNothing())
          .execute()
        const rows = await tx.selectFrom('visitor_salts').selectAll().orderBy('day').execute()
        return new Map(rows.map(({ day, salt }) => [Number(day), salt]))
      }),
  } satisfies Partial<ClickStore>
}
