import { hourlyCleanUp } from '../../lib/clean-up.js'
import type { PeriodicTask } from '../../lib/periodic-task.js'
import type { Clock } from '../values/time.js'
import type { LinkStore } from './link-store.js'

export interface OldHistoryDeps {
  readonly links: Pick<LinkStore, 'deleteOldHistory'>
  readonly clock: Clock
  readonly days: number
  /** Called when they cannot be deleted; tried again an hour later. */
  readonly onFailure: (error: unknown) => void
}

/** Deletes entries that are too old from the history of links. Several processes may do it. */
export function oldHistory({ links, clock, days, onFailure }: OldHistoryDeps): PeriodicTask {
  const keptFor = days * 24 * 3_600_000
  return hourlyCleanUp((limit) => links.deleteOldHistory(clock.now() - keptFor, limit), onFailure)
}
