/**
 * Transactions: retried when the engine undid them because of another transaction, and shared by callers of the same
 * event-loop turn where that saves commits. Knows neither engine nor tables.
 */
import { setTimeout } from 'node:timers/promises'
import type { Kysely, Transaction } from 'kysely'
import type { Schema } from './schema.js'
import { isUnavailable, unavailable } from './unavailable.js'

/** Runs the work in one transaction, and again if it only lost a race. */
export type Transact = <T>(work: (tx: Transaction<Schema>) => Promise<T>, isolation?: 'serializable') => Promise<T>

/**
 * The one place that retries. `isTransient` recognises errors after which nothing was written and a retry may succeed:
 * serialization failures, deadlocks, a locked file. So the work must have no effects outside its transaction.
 */
export function transactOn(db: Kysely<Schema>, isTransient: (error: unknown) => boolean): Transact {
  return (work, isolation) => {
    const transaction = isolation ? db.transaction().setIsolationLevel(isolation) : db.transaction()
    return retrying(isTransient, () => transaction.execute(work))
  }
}

/** Thrown by work that notices itself that another transaction was faster. */
export class LostRace extends Error {
  override readonly name = 'LostRace'
}

// About four seconds of pauses on average, longer than any transaction. They block nobody.
const maxAttempts = 22
const maxPause = 500

export async function retrying<T>(isTransient: (error: unknown) => boolean, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof LostRace || isTransient(error))) throw error
      if (attempt === maxAttempts) throw unavailable(error)
    }
    // Full jitter: transactions that failed together must not retry together.
    await setTimeout(Math.random() * Math.min(maxPause, 4 * 2 ** attempt))
  }
}

export interface BatchLimits {
  /** Maximum items in one run. */
  readonly size: number
  /** Maximum concurrent runs; further items wait for the next run. */
  readonly parallel: number
}

/**
 * Callers of the same event-loop turn share one run, and so one commit. A lone caller waits until the end of its turn. If
 * a shared run fails, each item is tried alone, so no caller fails because of another's item; unless the database is
 * unavailable.
 */
export function inBatches<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  limits: BatchLimits,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = []
  let running = 0
  let scheduled = false

  function schedule(): void {
    if (scheduled || waiting.length === 0 || running >= limits.parallel) return
    scheduled = true
    setImmediate(start)
  }

  function start(): void {
    scheduled = false
    while (waiting.length > 0 && running < limits.parallel) {
      running += 1
      void settle(waiting.splice(0, limits.size)).finally(() => {
        running -= 1
        schedule()
      })
    }
  }

  /** Never rejects: failures go to the callers. */
  async function settle(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await run(batch.map(({ item }) => item))
      if (results.length !== batch.length) throw new Error(`a batch of ${batch.length} had ${results.length} results`)
      for (const [index, result] of results.entries()) batch[index]?.resolve(result)
    } catch (error) {
      if (batch.length === 1 || isUnavailable(error)) for (const { reject } of batch) reject(error)
      else await Promise.all(batch.map((one) => settle([one])))
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      schedule()
    })
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}
