/** The click log for a command: that of the running service, which alone can read it, or one that the command opens itself. */
import { existsSync } from 'node:fs'
import type { Config } from '../config/config.js'
import type { ArchivedClicks, ClickArchive } from '../core/clicks/click-archive.js'
import type { ClickCopier } from '../core/clicks/click-copy.js'
import type { ClickLog } from '../core/clicks/click-log.js'
import { askService, controlSocketPath, longTimeout } from '../edges/control/client.js'
import { Closing } from '../lib/closing.js'
import { OperatorError } from '../lib/operator-error.js'
import { holdClickLog } from '../runtime/stores/click-log-home.js'
import { openClickLog } from '../runtime/threads/open-click-log.js'
import { journalFolders } from '../storage/journal/folders.js'
import { journalIdIn, lastRowIn, segmentsIn } from '../storage/journal/segments.js'
import type { Records } from '../storage/records/records.js'
import { runningService } from './administration.js'

export async function withClicks<T>(
  config: Config,
  records: Records,
  work: (clicks: ClickArchive & ClickCopier) => Promise<T>,
): Promise<T> {
  const clicks = clicksOfService(controlSocketPath(config.dataDir))
  return (await runningService(config)) ? work(clicks) : withClickLog(config, records, work)
}

function clicksOfService(socket: string): ClickArchive & ClickCopier {
  const answered = <Result>(asked: { readonly result: Result } | undefined): Result => {
    if (asked) return asked.result
    throw new OperatorError('The service was stopped meanwhile. Run the command again.')
  }
  const groupsOf = ({ groups }: ArchivedClicks) => groups && { groups: [...groups] }
  return {
    partitions: async (which) =>
      answered(await askService(socket, 'clickPartitions', { before: which.before, ...groupsOf(which) })),
    async writeClicks(which, { parquet, ndjson }) {
      const given = {
        before: which.before,
        from: which.from,
        ...groupsOf(which),
        ...(parquet !== undefined && { parquet }),
        ...(ndjson !== undefined && { ndjson }),
      }
      return answered(await askService(socket, 'writeClicks', given, longTimeout))
    },
    copyClicks: async (folder, known) =>
      answered(await askService(socket, 'copyClicks', { folder, known: [...known] }, longTimeout)),
  }
}

/** Refuses while the journal has clicks that are not in the log: only the service counts them. */
export async function withClickLog<T>(
  config: Config,
  records: Records,
  work: (log: ClickLog) => Promise<T>,
): Promise<T> {
  const closing = new Closing()
  try {
    const lease = await holdClickLog(config, records)
    if (lease) closing.add(lease)
    const log = closing.add(await openClickLog(config))
    for (const folder of journalFolders(config.dataDir)) await requireCounted(folder, log)
    return await work(log)
  } finally {
    await closing.close()
  }
}

async function requireCounted(journal: string, log: ClickLog): Promise<void> {
  const last = existsSync(journal) ? segmentsIn(journal).at(-1) : undefined
  if (!last || lastRowIn(last) <= (await log.cursor(journalIdIn(journal)))) return
  throw new OperatorError(
    `The journal ${journal} has clicks that are not counted yet. Start the service, which counts them, and run this again.`,
  )
}
