/** The titles of links in SQL, for those who fetch them. What the method promises: title-store.contract.ts. */
import type { TitleStore } from '../../../core/titles/title-store.js'
import type { Transact } from '../database/transact.js'

export function sqlTitleStore(transact: Transact): TitleStore {
  return {
    fillTitle: (linkId, longUrl, title) =>
      transact(async (tx) => {
        const { numUpdatedRows } = await tx
          .updateTable('links')
          .set({ title })
          .where('id', '=', linkId)
          .where('long_url', '=', longUrl)
          .where('title', 'is', null)
          .where('deleted_at', 'is', null)
          .executeTakeFirstOrThrow()
        return numUpdatedRows > 0n
      }),
  }
}
