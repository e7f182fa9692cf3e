/** Records that were moved to another database name their new place, so that nobody goes on with the old ones by mistake. */
import { OperatorError } from '../../lib/operator-error.js'
import type { ClickStore } from '../clicks/click-store.js'

interface MarkStores {
  readonly clickStore: Pick<ClickStore, 'lease'>
}

/** Kept like a lease that no process can take. */
const mark = 'moved'

export async function markMoved({ clickStore }: MarkStores, place: string): Promise<void> {
  const lease = clickStore.lease(mark)
  const before = await lease.read()
  await lease.replace(before, { id: mark, place, holder: '', heartbeat: (before?.heartbeat ?? 0) + 1 })
}

/** False if there was no mark. */
export async function unmarkMoved({ clickStore }: MarkStores): Promise<boolean> {
  const lease = clickStore.lease(mark)
  const before = await lease.read()
  return before !== undefined && lease.replace(before, undefined)
}

export async function requireNotMoved({ clickStore }: MarkStores): Promise<void> {
  const moved = await clickStore.lease(mark).read()
  if (!moved) return
  throw new OperatorError(
    `These records were moved to ${moved.place}. Start the service with the options that "bin/shortlink move" printed. ` +
      'To go on with these instead: "bin/shortlink move --cancel" (docs/operating.md).',
  )
}
