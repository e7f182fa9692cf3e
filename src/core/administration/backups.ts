/** What the running service does for a backup: it alone can read the click log. The command copies everything else. */
import type { ClickCopier, ClickCopy, KnownPart } from '../clicks/click-copy.js'
import { Refusal } from '../values/refusal.js'

export interface BackupAdministrationDeps {
  /** Undefined on a stopped service, where the command opens the click log itself. */
  readonly clickCopier?: ClickCopier
}

/** The folder is one of the machine of the service. */
export async function copyClicks(
  { clickCopier }: BackupAdministrationDeps,
  { folder, known }: { readonly folder: string; readonly known: readonly KnownPart[] },
): Promise<ClickCopy> {
  if (!clickCopier) throw new Refusal('TEMPORARILY_UNAVAILABLE', 'Clicks are copied by the service. Start it first.')
  try {
    return await clickCopier.copyClicks(folder, known)
  } catch (error) {
    if (error instanceof Refusal) throw error
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error)
    throw new Refusal('TEMPORARILY_UNAVAILABLE', `The running service cannot copy the clicks: ${reason}`)
  }
}
