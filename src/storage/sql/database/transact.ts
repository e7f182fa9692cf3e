import { setTimeout } from 'node:timers/promises'
import type { Kysely, Transaction } from 'kysely'
import type { Schema } from './schema.js'
import { unavailable } from './unavailable.js'

/** Runs the work as one transaction, and again when the engine says that it only lost a race. */
export type Transact = <T>(work: (tx: Transaction<Schema>) => Promise<T>, isolation?: 'serializable') => Promise<T>

/**
 * The one place that retries. `isTransient` tells which errors of the engine mean "nothing happened, try again":
 * serialization failures, deadlocks, a locked file. The work must therefore have no effects outside its transaction.
 */
export function transactOn(db: Kysely<Schema>, isTransient: (error: unknown) => boolean): Transact {
  return (work, isolation) => {
    const transaction = isolation ? db.transaction().setIsolationLevel(isolation) : db.transaction()
    return retrying(isTransient, () => transaction.execute(work))
  }
}

/** Thrown by work that found out by itself that another transaction overtook it. */
export class LostRace extends Error {
  override readonly name = 'LostRace'
}

export async function retrying<T>(isTransient: (error: unknown) => boolean, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof LostRace || isTransient(error))) throw error
      if (attempt === attempts) throw unavailable(error)
    }
    // Full jitter: racers that failed together must not come back together.
    await setTimeout(Math.random() * Math.min(longestPauseMs, 4 * 2 ** attempt))
  }
}

// About four seconds of pauses in the mean, longer than any transaction of ours lasts. Nothing is blocked meanwhile.
const attempts = 22
const longestPauseMs = 500
