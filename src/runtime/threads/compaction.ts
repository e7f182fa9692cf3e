/** Compacts the click log, in at most a third of the time; the rest is for clicks, reports and redirects. */

import { setTimeout as wait } from 'node:timers/promises'
import type { ClickLog } from '../../core/clicks/click-log.js'
import { systemClock } from '../../core/values/time.js'
import type { Warn } from '../../lib/logger.js'
import { messageOf } from '../../lib/message-of.js'

export interface CompactionDeps {
  readonly log: Pick<ClickLog, 'compact'>
  readonly isBusy: () => boolean
  /** Ends it. */
  readonly signal: AbortSignal
  readonly fail: Warn
}

/** Sorting is due every few million clicks and purging once a day, so a minute's delay does not matter. */
const interval = 60_000
const firstAfter = 2_000
/** While busy, compaction waits, but at most ten minutes, because reports get slower meanwhile. */
const busyPause = 1_000
const maxDelay = 600_000

export async function compactRegularly({ log, isBusy, signal, fail }: CompactionDeps): Promise<void> {
  let pause = firstAfter
  let lastAt = performance.now()
  while (await wait(pause, true, { signal }).catch(() => false)) {
    const began = performance.now()
    if (isBusy() && began - lastAt < maxDelay) {
      pause = busyPause
      continue
    }
    lastAt = began
    try {
      const more = await log.compact(systemClock.now())
      pause = more ? 2 * (performance.now() - began) : interval
    } catch (error) {
      // Closing the log interrupts the step; it was rolled back and runs after the next start.
      if (signal.aborted) return
      const reason = messageOf(error)
      fail({ reason }, 'cannot compact the click log; reports get slower, nothing is lost')
      pause = interval
    }
  }
}
