/** What the running service does for an export: it alone can read the click log. The command writes everything else. */
import type { ArchivedClicks, ClickArchive, ClickFiles, ClickRange, Quarter } from '../clicks/click-archive.js'
import { Refusal } from '../values/refusal.js'

export interface ArchiveAdministrationDeps {
  /** Undefined on a stopped service, where the command opens the click log itself. */
  readonly clickArchive?: ClickArchive
}

export function clickQuarters(deps: ArchiveAdministrationDeps, which: ArchivedClicks): Promise<readonly Quarter[]> {
  return archiveOf(deps).quarters(which)
}

/** The paths are those of the machine of the service. */
export async function writeClicks(
  deps: ArchiveAdministrationDeps,
  { parquet, ndjson, ...range }: ClickRange & ClickFiles,
): Promise<number> {
  try {
    return await archiveOf(deps).writeClicks(range, { parquet, ndjson })
  } catch (error) {
    if (error instanceof Refusal) throw error
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error)
    throw new Refusal('TEMPORARILY_UNAVAILABLE', `The running service cannot write the clicks: ${reason}`)
  }
}

function archiveOf({ clickArchive }: ArchiveAdministrationDeps): ClickArchive {
  if (clickArchive) return clickArchive
  throw new Refusal('TEMPORARILY_UNAVAILABLE', 'Clicks are exported by the service. Start it first.')
}
