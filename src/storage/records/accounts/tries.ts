import { sql } from 'kysely'
import type { AttemptStore } from '../../../core/accounts/account-store.js'
import type { Transact } from '../../sql/database/transact.js'
import { undoable } from '../../sql/database/undoable.js'

/** Counted attempts of the account store. */
export function sqlTries(transact: Transact) {
  /** Deletes expired counts whenever a new one starts, so the table has at most about a day of rows. */
  const forgetOld = (now: number) =>
    transact(async (tx) => {
      await tx
        .deleteFrom('counted_tries')
        .where('until', '<', now - 86_400_000)
        .execute()
    })

  return {
    async countTry(budgets, now) {
      let begun = false
      const wait = await undoable<number | undefined>(transact, async (tx, undo) => {
        // In a fixed order, so that two callers cannot deadlock.
        for (const { key, limit, window } of [...budgets].sort((one, other) => (one.key < other.key ? -1 : 1))) {
          const { count, until } = await tx
            .insertInto('counted_tries')
            .values({ key, count: 1, until: now + window })
            .onConflict((conflict) =>
              conflict.column('key').doUpdateSet({
                count: sql`case when counted_tries.until <= ${now} then 1 else counted_tries.count + 1 end`,
                until: sql`case when counted_tries.until <= ${now} then ${now + window} else counted_tries.until end`,
              }),
            )
            .returning(['count', 'until'])
            .executeTakeFirstOrThrow()
          if (count > limit) undo(until - now)
          begun ||= count === 1
        }
        return undefined
      })
      if (begun) await forgetOld(now)
      return wait
    },

    takeTryBack: (keys) =>
      transact(async (tx) => {
        for (const key of [...keys].sort()) {
          await tx
            .updateTable('counted_tries')
            .set((update) => ({ count: update('count', '-', 1) }))
            .where('key', '=', key)
            .where('count', '>', 0)
            .execute()
        }
      }),

    clearTries: (keys) =>
      transact(async (tx) => {
        for (const key of [...keys].sort()) await tx.deleteFrom('counted_tries').where('key', '=', key).execute()
      }),
  } satisfies AttemptStore
}
