/**
 * One transaction for all that a request writes, through any store, and for the answer that is kept of it. Stores know
 * nothing of this: transact.ts makes their transactions steps of this one, and the driver gives their reads its
 * connection, so that they see what was written. It begins with the first step, so that the checks before it hold no
 * connection.
 */
import { type ControlledTransaction, type DatabaseConnection, type Kysely, sql, type Transaction } from 'kysely'
import { SerialQueue } from '../../../lib/serial-queue.js'
import type { Schema } from '../tables/schema.js'
import { unavailable } from './unavailable.js'

type Step<Answer> = (tx: Transaction<Schema>) => Promise<Answer>

// Far longer than any request; a request that waits for something else must not keep SQLite's only connection.
const maxOpen = 30_000

export class RequestTransaction {
  /** While the transaction is open. */
  connection: DatabaseConnection | undefined
  isOpen = true
  readonly afterwards: (() => unknown)[] = []
  /** Whether it needs this from its first step on. Then it sees one state, so a step that lost a race loses it again. */
  readonly isolation: 'serializable' | undefined
  readonly #db: Kysely<Schema>
  readonly #begin: (tx: Transaction<Schema>) => Promise<void>
  #tx: ControlledTransaction<Schema> | undefined
  #isolation: 'serializable' | undefined
  readonly #steps = new SerialQueue()
  #timer: NodeJS.Timeout | undefined

  constructor(
    db: Kysely<Schema>,
    begin: (tx: Transaction<Schema>) => Promise<void>,
    isolation: 'serializable' | undefined,
  ) {
    this.#db = db
    this.#begin = begin
    this.isolation = isolation
  }

  /** One step at a time: savepoints nest. A failed step is undone; the ones before it stay. */
  step<Answer>(work: Step<Answer>, isolation?: 'serializable'): Promise<Answer> {
    return this.#steps.run(() => this.#step(work, isolation))
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
  async #firstStep<Answer>(work: Step<Answer>, needed: 'serializable' | undefined): Promise<Answer> {
    const isolation = this.isolation ?? needed
    const starting = this.#db.startTransaction()
    const tx = await (isolation ? starting.setIsolationLevel(isolation) : starting).execute()
    this.#tx = tx
    await tx.getExecutor().provideConnection(async (connection) => {
      this.connection = connection
    })
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
