/**
 * How stores write: transactions, retried when the engine undid them because of another one, and steps of a request's own
 * transaction; batches, in which callers of the same event-loop turn share a transaction; and inserts of many rows. Knows
 * neither engine nor tables.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout } from 'node:timers/promises'
import {
  type Compilable,
  type CompiledQuery,
  type DatabaseConnection,
  DeleteResult,
  type Driver,
  type InsertResult,
  type Kysely,
  sql,
  type Transaction,
  UpdateResult,
} from 'kysely'
import { isOutage } from '../../../core/values/refusal.js'
import type { Schema } from '../tables/schema.js'
import { RequestTransaction } from './request-transaction.js'
import { unavailable } from './unavailable.js'

/** Runs the work in one transaction, and again if it only lost a race. */
export type Transact = <T>(work: (tx: Transaction<Schema>) => Promise<T>, isolation?: 'serializable') => Promise<T>

/**
 * The one place that retries. `isTransient` recognises errors after which nothing was written and a retry may succeed:
 * serialization failures, deadlocks, a locked file. So the work must have no effects outside its transaction.
 */
export function transactOn(
  db: Kysely<Schema>,
  isTransient: (error: unknown) => boolean,
  requests: RequestTransactions,
): Transact {
  return (work, isolation) => {
    const request = requests.current()
    if (request?.isolation) return request.step(work, isolation)
    if (request) return retrying(isTransient, () => request.step(work, isolation))
    const transaction = isolation ? db.transaction().setIsolationLevel(isolation) : db.transaction()
    return retrying(isTransient, () => transaction.execute(work))
  }
}

export interface RequestParts<Answer> {
  /** Runs first in the transaction; throws to undo everything. */
  readonly begin: (tx: Transaction<Schema>) => Promise<void>
  readonly work: () => Promise<Answer>
  /** Runs last. */
  readonly end: (tx: Transaction<Schema>, answer: Answer) => Promise<void>
  readonly isolation?: 'serializable'
}

/** Gives a request one transaction for all its steps. */
export class RequestTransactions {
  readonly #current = new AsyncLocalStorage<RequestTransaction>()
  #running = 0

  /** Of the caller; undefined outside `run`, and for background tasks that outlive it. */
  readonly current = (): RequestTransaction | undefined => {
    const request = this.#current.getStore()
    return request?.isOpen ? request : undefined
  }

  /** Whether the caller is inside `run`. */
  readonly isInside = (): boolean => this.current() !== undefined

  /** Runs the work once the caller's writes are committed: at the end of its request, or now outside of one. */
  afterCommit<Result>(work: () => Result): Result | undefined {
    const request = this.current()
    if (!request) return work()
    request.afterwards.push(work)
    return undefined
  }

  async run<Answer>(db: Kysely<Schema>, { begin, work, end, isolation }: RequestParts<Answer>): Promise<Answer> {
    const request = new RequestTransaction(db, begin, isolation)
    this.#running += 1
    try {
      // The end is a step like others: `begin` may read through stores too, and runs there if the work wrote nothing.
      const answer = await this.#current.run(request, async () => {
        const answer = await work()
        await request.commit((tx) => end(tx, answer))
        return answer
      })
      for (const work of request.afterwards) await work()
      return answer
    } catch (error) {
      await request.rollback()
      throw error
    } finally {
      this.#running -= 1
      // While it is enabled, Node before version 24 follows every promise of the process: an await takes three times as long.
      if (this.#running === 0) this.#current.disable()
    }
  }

  /** Gives the connection of a request's transaction to its reads, too; it is released after the last of them. */
  sharing(driver: Driver): Driver {
    /** How many callers use a connection that a request shares; the transaction itself is the first. */
    const users = new Map<DatabaseConnection, number>()
    return {
      init: driver.init.bind(driver),
      beginTransaction: driver.beginTransaction.bind(driver),
      commitTransaction: driver.commitTransaction.bind(driver),
      rollbackTransaction: driver.rollbackTransaction.bind(driver),
      destroy: driver.destroy.bind(driver),

      acquireConnection: () => {
        const shared = this.current()?.connection
        if (!shared) return driver.acquireConnection()
        users.set(shared, (users.get(shared) ?? 1) + 1)
        return Promise.resolve(shared)
      },

      releaseConnection: (connection) => {
        const count = users.get(connection) ?? 1
        if (count === 1) return driver.releaseConnection(connection)
        if (count === 2) users.delete(connection)
        else users.set(connection, count - 1)
        return Promise.resolve()
      },
    }
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
      if (batch.length === 1 || isOutage(error)) for (const { reject } of batch) reject(error)
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

export type MultiInsert<Row, Returned> = (
  tx: Transaction<Schema>,
  rows: readonly Row[],
) => Promise<{
  /** Number of rows written; fewer than given when some conflicted. */
  readonly count: number
  /** The rows of a `returning` clause. */
  readonly rows: readonly Returned[]
}>

/**
 * An insert of several rows, compiled once for each number of rows; compiling it every time took a tenth of the time of a
 * new link. All rows must have the same columns in the same order.
 */
export function multiInsert<Row extends object, Returned>(
  build: (rows: readonly Row[]) => Compilable<Returned>,
): MultiInsert<Row, Returned> {
  const compiled = new Map<string, CompiledQuery<Returned>>()
  return async (tx, rows) => {
    const [first] = rows
    if (!first) return { count: 0, rows: [] }
    let shared = rows.length < sharesFrom ? nothingShared : sharedColumns(rows)
    if (compiled.size > maxCompiled && !compiled.has(keyOf(rows, shared))) shared = nothingShared
    const key = keyOf(rows, shared)
    let query = compiled.get(key)
    if (!query) {
      const columns = Object.keys(first)
      query = build(rows).compile()
      if (query.parameters.length !== rows.length * columns.length) {
        throw new Error(`not every value is a parameter in: ${query.sql}`)
      }
      if (shared.size > 0) query = { ...query, sql: withShared(query.sql, columns, shared) }
      compiled.set(key, query)
    }
    const result = await tx.executeQuery<Returned>({ ...query, parameters: parametersOf(rows, shared) })
    return { count: Number(result.numAffectedRows ?? result.rows.length), rows: result.rows }
  }
}

/**
 * From this many rows on, a value that a column has in all of them is one parameter: each one takes SQLite about 1 us, and
 * a new link takes a tenth less time.
 */
const sharesFrom = 4
const nothingShared: ReadonlySet<string> = new Set()

/** Beyond this many statements, for sizes and shared columns, a new one shares nothing: a connection keeps some hundreds prepared. */
const maxCompiled = 80

function keyOf(rows: readonly unknown[], shared: ReadonlySet<string>): string {
  return `${rows.length}:${[...shared].join()}`
}

/** The columns that have the same value in all rows. */
function sharedColumns<Row extends object>(rows: readonly Row[]): ReadonlySet<string> {
  const [first] = rows
  const shared = new Set(Object.keys(first ?? {}) as (keyof Row & string)[])
  for (const row of rows) for (const name of shared) if (row[name] !== first?.[name]) shared.delete(name)
  return shared
}

/** The shared values, then the others row by row. */
function parametersOf<Row extends object>(rows: readonly Row[], shared: ReadonlySet<string>): readonly unknown[] {
  const parameters: unknown[] = [...shared].map((name) => rows[0]?.[name as keyof Row])
  for (const row of rows) for (const name in row) if (!shared.has(name)) parameters.push(row[name])
  return parameters
}

/** Numbers the placeholders in the order of `parametersOf`. */
function withShared(text: string, columns: readonly string[], shared: ReadonlySet<string>): string {
  const numbers = new Map([...shared].map((name, index) => [name, index + 1]))
  let placeholders = 0
  let others = shared.size
  return text.replace(
    /\?|\$\d+/g,
    ([sign]) => `${sign}${numbers.get(columns[placeholders++ % columns.length] ?? '') ?? ++others}`,
  )
}

/**
 * Like `multiInsert`, for PostgreSQL and many rows: they are one parameter, as JSON. Thousands of parameters took the
 * driver and the server most of the time of an insert. Rows that conflict on this column are left out.
 */
export function jsonInsert<Row extends object>(table: keyof Schema, conflict: string): MultiInsert<Row, unknown> {
  return async (tx, rows) => {
    const [first] = rows
    if (!first) return { count: 0, rows: [] }
    const columns = sql.join(Object.keys(first).map((name) => sql.ref(name)))
    const { numAffectedRows } = await sql`
      insert into ${sql.table(table)} (${columns})
      select ${columns} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::json)
      on conflict (${sql.ref(conflict)}) do nothing`.execute(tx)
    return { count: Number(numAffectedRows ?? 0n), rows: [] }
  }
}

/** Runs an insert, update or delete, and tells whether it changed a row. */
export async function changesRow(query: {
  executeTakeFirstOrThrow(): Promise<UpdateResult | DeleteResult | InsertResult>
}): Promise<boolean> {
  const result = await query.executeTakeFirstOrThrow()
  if (result instanceof UpdateResult) return result.numUpdatedRows > 0n
  if (result instanceof DeleteResult) return result.numDeletedRows > 0n
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
}
