/**
 * One transaction for all that a request writes, through any store, and for the answer that is kept of it. Stores know
 * nothing of this: while `run` runs, transact.ts makes their transactions steps of this one, and the driver gives their
 * reads its connection, so that they see what was written. It begins with the first step, so that the checks before it
 * hold no connection.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type ControlledTransaction,
  type DatabaseConnection,
  type Driver,
  type Kysely,
  sql,
  type Transaction,
  type TransactionSettings,
} from 'kysely'
import type { Schema } from './schema.js'
import { unavailable } from './unavailable.js'

export interface RequestParts<Answer> {
  /** Runs first in the transaction; throws to undo everything. */
  readonly begin: (tx: Transaction<Schema>) => Promise<void>
  readonly work: () => Promise<Answer>
  /** Runs last. */
  readonly end: (tx: Transaction<Schema>, answer: Answer) => Promise<void>
}

export class RequestTransactions {
  readonly #current = new AsyncLocalStorage<RequestTransaction>()
  #running = 0

  /** Whether the caller is inside `run`. */
  readonly isInside = (): boolean => this.current() !== undefined

  /** Of the caller; undefined outside `run`, and for background tasks that outlive it. */
  current(): RequestTransaction | undefined {
    const request = this.#current.getStore()
    return request?.isOpen ? request : undefined
  }

  /** Runs the work once the caller's writes are committed: at the end of its request, or now outside of one. */
  afterCommit<Result>(work: () => Result): Result | undefined {
    const request = this.current()
    if (!request) return work()
    request.afterwards.push(work)
    return undefined
  }

  async run<Answer>(db: Kysely<Schema>, { begin, work, end }: RequestParts<Answer>): Promise<Answer> {
    const request = new RequestTransaction(db, begin)
    this.#running += 1
    try {
      const answer = await this.#current.run(request, work)
      await request.commit((tx) => end(tx, answer))
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
}

type Step<Answer> = (tx: Transaction<Schema>) => Promise<Answer>

// Far longer than any request; a request that waits for something else must not keep SQLite's only connection.
const maxOpen = 30_000

export class RequestTransaction {
  /** While the transaction is open. */
  connection: DatabaseConnection | undefined
  isOpen = true
  readonly afterwards: (() => unknown)[] = []
  readonly #db: Kysely<Schema>
  readonly #begin: (tx: Transaction<Schema>) => Promise<void>
  #tx: ControlledTransaction<Schema> | undefined
  #isolation: 'serializable' | undefined
  #lastStep: Promise<unknown> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

  constructor(db: Kysely<Schema>, begin: (tx: Transaction<Schema>) => Promise<void>) {
    this.#db = db
    this.#begin = begin
  }

  /** One step at a time: savepoints nest. A failed step is undone; the ones before it stay. */
  step<Answer>(work: Step<Answer>, isolation?: 'serializable'): Promise<Answer> {
    const done = this.#lastStep.then(() => this.#step(work, isolation))
    this.#lastStep = done.catch(() => {})
    return done
  }

  async commit(end: Step<void>): Promise<void> {
    await this.step(end)
    this.isOpen = false
    clearTimeout(this.#timer)
    await this.#tx?.commit().execute()
    this.#tx = undefined
  }

  async rollback(): Promise<void> {
    this.isOpen = false
    await this.#undo()
  }

  async #step<Answer>(work: Step<Answer>, isolation: 'serializable' | undefined): Promise<Answer> {
    if (!this.isOpen) throw unavailable(new Error('the transaction of the request has ended'))
    if (!this.#tx) return this.#firstStep(work, isolation)
    if (isolation !== undefined && isolation !== this.#isolation) {
      throw new Error(`a later step of a request needs a ${isolation} transaction: let it be the first`)
    }
    const tx = this.#tx
    await sql`savepoint step`.execute(tx)
    try {
      const answer = await work(tx)
      await sql`release savepoint step`.execute(tx)
      return answer
    } catch (error) {
      await sql`rollback to savepoint step`.execute(tx)
      throw error
    }
  }

  /** If it fails, nothing was written yet: a retry begins a new transaction, which sees what others wrote meanwhile. */
  async #firstStep<Answer>(work: Step<Answer>, isolation: 'serializable' | undefined): Promise<Answer> {
    const starting = this.#db.startTransaction()
    const tx = await (isolation ? starting.setIsolationLevel(isolation) : starting).execute()
    this.#tx = tx
    this.#isolation = isolation
    this.#timer = setTimeout(() => void this.rollback().catch(() => {}), maxOpen).unref()
    try {
      await this.#begin(tx)
      return await work(tx)
    } catch (error) {
      await this.#undo()
      throw error
    }
  }

  async #undo(): Promise<void> {
    clearTimeout(this.#timer)
    const tx = this.#tx
    this.#tx = undefined
    this.connection = undefined
    if (tx && !tx.isRolledBack) await tx.rollback().execute()
  }
}

/** Gives the connection of a request's transaction to its reads; it is released after the last of them. */
export class RequestDriver implements Driver {
  readonly #driver: Driver
  readonly #requests: RequestTransactions
  /** How many callers use a connection that a request shares. */
  readonly #users = new Map<DatabaseConnection, number>()

  constructor(driver: Driver, requests: RequestTransactions) {
    this.#driver = driver
    this.#requests = requests
  }

  init(): Promise<void> {
    return this.#driver.init()
  }

  acquireConnection(): Promise<DatabaseConnection> {
    const shared = this.#requests.current()?.connection
    if (!shared) return this.#driver.acquireConnection()
    this.#users.set(shared, (this.#users.get(shared) ?? 0) + 1)
    return Promise.resolve(shared)
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    await this.#driver.beginTransaction(connection, settings)
    const request = this.#requests.current()
    if (!request) return
    request.connection = connection
    this.#users.set(connection, 1)
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#driver.commitTransaction(connection)
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#driver.rollbackTransaction(connection)
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const users = this.#users.get(connection)
    if (users !== undefined && users > 1) {
      this.#users.set(connection, users - 1)
      return
    }
    this.#users.delete(connection)
    await this.#driver.releaseConnection(connection)
  }

  destroy(): Promise<void> {
    return this.#driver.destroy()
  }
}
