/** What the running service does for exports and backups: it alone can read the click log. The command does everything else. */
import type { ArchivedClicks, ClickArchive, ClickFiles, ClickRange, Partition } from '../clicks/click-archive.js'
import type { ClickCopier, ClickCopy, KnownPart } from '../clicks/click-copy.js'
import { Refusal } from '../values/refusal.js'

/** Undefined on a stopped service, where the command opens the click log itself. */
export interface ClickCopyDeps {
  readonly clickArchive?: ClickArchive
  readonly clickCopier?: ClickCopier
}

export function clickPartitions({ clickArchive }: ClickCopyDeps, which: ArchivedClicks): Promise<readonly Partition[]> {
  return explained(clickArchive, (clicks) => clicks.partitions(which))
}

/** The paths are those of the machine of the service. */
export function writeClicks(
  { clickArchive }: ClickCopyDeps,
  { parquet, ndjson, ...range }: ClickRange & ClickFiles,
): Promise<number> {
  return explained(clickArchive, (clicks) => clicks.writeClicks(range, { parquet, ndjson }))
}

/** The folder is one of the machine of the service. */
export function copyClicks(
  { clickCopier }: ClickCopyDeps,
  { folder, known }: { readonly folder: string; readonly known: readonly KnownPart[] },
): Promise<ClickCopy> {
  return explained(clickCopier, (clicks) => clicks.copyClicks(folder, known))
}

async function explained<Clicks, T>(clicks: Clicks | undefined, work: (clicks: Clicks) => Promise<T>): Promise<T> {
  if (!clicks) throw new Refusal('TEMPORARILY_UNAVAILABLE', 'Clicks are copied by the service. Start it first.')
  try {
    return await work(clicks)
  } catch (error) {
    if (error instanceof Refusal) throw error
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error)
    throw new Refusal('TEMPORARILY_UNAVAILABLE', `The running service cannot copy the clicks: ${reason}`)
  }
}
