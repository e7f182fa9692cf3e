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

/** Their new place; undefined if they are still here. */
export async function movedTo({ clickStore }: MarkStores): Promise<string | undefined> {
  return (await clickStore.lease(mark).read())?.place
}

export async function requireNotMoved(stores: MarkStores): Promise<void> {
  const place = await movedTo(stores)
  if (place === undefined) return
  throw new OperatorError(
    `These records were moved to ${place}. Start the service with the options that "bin/shortlink move" printed. ` +
      'To go on with these instead: "bin/shortlink move --cancel" (docs/operating.md).',
  )
}
