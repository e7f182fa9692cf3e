/** The titles of links in SQL, for those who fetch them. What is promised: link-store.contract.ts. */
import type { LinkStore } from '../../../core/links/link-store.js'
import type { Transact } from '../database/transact.js'

export function sqlTitles(transact: Transact) {
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
  } satisfies Partial<LinkStore>
}
