/**
 * Kysely's driver for SQLite: one connection, which one caller holds at a time, and checkpoints after its commits. The
 * calls are synchronous inside libsql, so long work yields to the event loop between statements. Knows no tables.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import Database from 'libsql'
import AsyncConnection from 'libsql/promise'
import { settleIndex } from '../../lib/sqlite-index.js'
import { unavailable } from './database/unavailable.js'
import type { OnQuery } from './engine.js'
import { SqliteFaults } from './sqlite-faults.js'

/** Hands its connection to one caller at a time, first come, first served. */
export class SqliteDriver implements Driver {
  readonly #database: Database.Database
  readonly #checkpoints: Checkpoints
  readonly #connection: SqliteConnection
  readonly #faults: SqliteFaults
  readonly #waiting: ((connection: SqliteConnection) => void)[] = []
  #held = false

  constructor(database: Database.Database, file: string, faults = new SqliteFaults(file), onQuery?: OnQuery) {
    this.#database = database
    this.#faults = faults
    this.#checkpoints = new Checkpoints(file, faults)
    this.#connection = new SqliteConnection(database, faults, onQuery)
  }

  get isHeld(): boolean {
    return this.#held
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#held) return new Promise((resolve) => this.#waiting.push(resolve))
    this.#held = true
    return this.#connection
  }

  async releaseConnection(): Promise<void> {
    const next = this.#waiting.shift()
    if (next) next(this.#connection)
    else this.#held = false
  }

  async beginTransaction(): Promise<void> {
    this.#connection.begin()
  }

  async commitTransaction(): Promise<void> {
    this.#connection.commit()
    this.#checkpoints.afterCommit()
  }

  async rollbackTransaction(): Promise<void> {
    // Some errors (a full disk) have already rolled back; a second rollback would fail and hide them.
    if (this.#database.inTransaction) this.#database.exec('ROLLBACK')
  }

  async destroy(): Promise<void> {
    // Requests go on when their client is gone. Waiting in line lets their transactions end.
    await this.acquireConnection()
    await this.#checkpoints.close()
    this.#faults.close()
    this.#emptyWal()
    this.#database.close()
    // Whoever comes later is told that the database is closed.
    await this.releaseConnection()
  }

  /** Cached statements keep the file half open until they are collected, so SQLite would not do it itself. */
  #emptyWal(): void {
    try {
      this.#faults.requireWritable()
      this.#database.pragma('wal_checkpoint(TRUNCATE)')
    } catch {
      // On a full or damaged disk it stays: the next process reads it.
    }
  }
}

export function sqliteDialect(driver: Driver): Dialect {
  return {
    createDriver: () => driver,
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new TransactionalDdlAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
}

/** SQLite can roll back a half-done migration; Kysely's own adapter does not use that. */
class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** Maximum milliseconds of statements in one event-loop turn: more would delay redirects noticeably. */
const maxTurnLength = 3

// Preparing a statement costs 10 us. The service has some tens of queries, and some for each size of a batch.
const maxPrepared = 500

export class SqliteConnection implements DatabaseConnection {
  readonly #database: Database.Database
  readonly #prepared = new Map<string, Prepared>()
  readonly #faults: SqliteFaults
  readonly #onQuery: OnQuery | undefined
  #turnBegan: number | undefined

  constructor(database: Database.Database, faults: SqliteFaults, onQuery?: OnQuery) {
    this.#database = database
    this.#faults = faults
    this.#onQuery = onQuery
  }

  begin(): void {
    this.#faults.requireWritable()
    // IMMEDIATE: a transaction that begins with a read cannot become a write after another process has written.
    this.#run('BEGIN IMMEDIATE')
  }

  commit(): void {
    this.#run('COMMIT')
    // Without a row: reading one made a small commit a third longer.
    settleIndex(() => this.#prepare('SELECT 1 FROM sqlite_schema WHERE 0').statement.run([]))
  }

  async executeQuery<R>({ query, sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    // The caller keeps the connection meanwhile, so no other statement slips into its transaction.
    if (this.#turnLength() > maxTurnLength) await nextTurn()
    if (!isRead(query) && !this.#database.inTransaction) return this.#executeInTransaction(sql, parameters)
    try {
      return this.#execute(sql, parameters)
    } catch (error) {
      // transact.ts retries transactions. A single read is locked out only while the file is being recovered.
      if (isBusy(error) && !this.#database.inTransaction) throw unavailable(error)
      throw error
    }
  }

  // biome-ignore lint/correctness/useYield: the interface requires a generator
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming from SQLite is not supported: read in pages.')
  }

  /** Milliseconds since the first statement in this event-loop turn. */
  #turnLength(): number {
    const now = performance.now()
    if (this.#turnBegan !== undefined) return now - this.#turnBegan
    this.#turnBegan = now
    setImmediate(() => {
      this.#turnBegan = undefined
    })
    return 0
  }

  /**
   * A write outside a transaction gets one of its own. libsql 0.5.29 does not reset a statement that fails, so one that
   * met the lock of another process would keep its snapshot: the connection would read old rows and never write again.
   */
  #executeInTransaction<R>(sql: string, parameters: readonly unknown[]): QueryResult<R> {
    this.begin()
    try {
      const result = this.#execute<R>(sql, parameters)
      this.commit()
      return result
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK')
      throw error
    }
  }

  #execute<R>(sql: string, parameters: readonly unknown[]): QueryResult<R> {
    const begun = performance.now()
    try {
      return this.#query<R>(sql, parameters)
    } catch (error) {
      throw this.#faults.translated(error)
    } finally {
      this.#onQuery?.(performance.now() - begun)
    }
  }

  #run(sql: string): void {
    try {
      this.#database.exec(sql)
    } catch (error) {
      throw this.#faults.translated(error)
    }
  }

  #query<R>(sql: string, parameters: readonly unknown[]): QueryResult<R> {
    const { statement, reader } = this.#prepare(sql)
    // Always `all`: in libsql 0.5.29, `get` after `all` on one statement returns the row before.
    if (reader) return { rows: statement.all(parameters) as R[] }
    const { changes } = statement.run(parameters)
    return { rows: [], numAffectedRows: BigInt(changes) }
  }

  #prepare(sql: string): Prepared {
    const prepared = this.#prepared.get(sql) ?? this.#prepareNew(sql)
    // The one that was not used for the longest time is the first to go.
    this.#prepared.delete(sql)
    this.#prepared.set(sql, prepared)
    return prepared
  }

  #prepareNew(sql: string): Prepared {
    const [oldest] = this.#prepared.keys()
    if (oldest !== undefined && this.#prepared.size === maxPrepared) this.#prepared.delete(oldest)
    const statement = this.#database.prepare(sql)
    return { statement, reader: statement.reader }
  }
}

/** Raw SQL outside a transaction only reads: pragmas, and the catalogue of tables. */
function isRead({ kind }: CompiledQuery['query']): boolean {
  return kind === 'SelectQueryNode' || kind === 'RawNode'
}

interface Prepared {
  readonly statement: Database.Statement
  readonly reader: boolean
}

/** Another process, such as a command while the service runs, holds the write lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')
}

// A commit of a busy service writes some hundred pages, so the WAL stays below some ten thousand pages. A quiet service
// checkpoints once a second at most.
const maxCommits = 50
const maxDelay = 1000

/**
 * Checkpoints: moves commits from the write-ahead log into the file, on a thread of the driver. With two million links a
 * checkpoint takes 230 ms for every thousand new ones, because their random hashes touch pages all over the file.
 * SQLite's default, a checkpoint by the committing connection, would block the process that long.
 */
class Checkpoints {
  readonly #file: string
  readonly #faults: SqliteFaults
  #connection: AsyncConnection | undefined
  #commits = 0
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #closed = false

  constructor(file: string, faults: SqliteFaults) {
    this.#file = file
    this.#faults = faults
  }

  afterCommit(): void {
    this.#commits += 1
    this.#schedule()
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#running
    this.#connection?.close()
  }

  #schedule(): void {
    if (this.#running || this.#closed || this.#commits === 0) return
    if (this.#commits >= maxCommits) this.#start()
    else this.#timer ??= setTimeout(() => this.#start(), maxDelay).unref()
  }

  #start(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#commits = 0
    this.#running = this.#checkpoint().finally(() => {
      this.#running = undefined
      this.#schedule()
    })
  }

  async #checkpoint(): Promise<void> {
    try {
      this.#faults.requireWritable()
      this.#connection ??= new AsyncConnection(this.#file, {})
      // PASSIVE neither waits for other connections nor blocks them.
      await this.#connection.exec('PRAGMA wal_checkpoint(PASSIVE)')
    } catch {
      // The WAL keeps its content. A full or broken disk is reported by the next commit that fails on it.
    }
  }
}
