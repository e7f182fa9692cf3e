import type { Transaction } from 'kysely'
import type { Schema } from '../../sql/tables/schema.js'

/** A claim by a process whose clock is ahead counts as made now. Otherwise nobody could follow it for as long as it is ahead. */
export async function claimedByNow(tx: Transaction<Schema>, name: string, now: number): Promise<void> {
  await tx
    .updateTable('bookmarks')
    .set({ moved_at: now })
    .where('name', '=', name)
    .where('moved_at', '>', now)
    .execute()
}
