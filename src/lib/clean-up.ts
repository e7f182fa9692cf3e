import { PeriodicTask } from './periodic-task.js'

const interval = 3_600_000
// One transaction of SQLite blocks the event loop, so it deletes few rows.
const deletedAtOnce = 500

/** Deletes old rows every hour. `deleteSome` returns how many it deleted. */
export function hourlyCleanUp(
  deleteSome: (limit: number) => Promise<number>,
  onFailure: (error: unknown) => void,
): PeriodicTask {
  const deleteAll = async (signal: AbortSignal) => {
    let deleted = deletedAtOnce
    while (deleted === deletedAtOnce && !signal.aborted) deleted = await deleteSome(deletedAtOnce)
  }
  return new PeriodicTask(interval, deleteAll, onFailure)
}
