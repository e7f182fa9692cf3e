/** The click log for a command that needs it while the service is stopped. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/config.js'
import type { ClickLog } from '../core/clicks/click-log.js'
import { Closing } from '../lib/closing.js'
import { OperatorError } from '../lib/operator-error.js'
import { holdClickLog } from '../open/click-log-home.js'
import { journalIdIn, lastRowIn, segmentsIn } from '../storage/journal/segments.js'
import type { Records } from '../storage/records/records.js'
import { openClickLog } from '../worker/open-click-log.js'

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
    await requireCounted(join(config.dataDir, 'journal'), log)
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
