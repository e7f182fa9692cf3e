/**
 * The embedded engine: one SQLite file, one connection that writes, all calls synchronous inside the driver. Knows nothing
 * of the tables. Three things are asked of it: a statement outside a transaction never slips into somebody else's open
 * transaction; the way from Kysely to the engine is short, for it lies on the path of every shorten call; and redirects go
 * on while many statements follow each other, in one transaction or in several.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import Database from 'libsql'
import { OperatorError } from '../../lib/operator-error.js'
import { TurnClock } from '../../lib/turn-clock.js'
import type { Schema } from './database/schema.js'
import { unavailable } from './database/unavailable.js'
import { type Records, type RecordsOptions, recordsOn } from './records.js'
import { Checkpoints } from './sqlite-checkpoints.js'
import { sqliteExternalChanges } from './sqlite-external-changes.js'

export async function openSqlite(file: string, options: RecordsOptions = {}): Promise<Records> {
  const database = openFile(file)
  const driver = new SqliteDriver(database, new Checkpoints(file))
  const db = new Kysely<Schema>({ dialect: sqliteDialect(driver) })
  const visitors = new VisitorConnection(file)
  // One connection: a second transaction could only wait for the first.
  const externalChanges = sqliteExternalChanges(database, file)
  const engine = {
    db,
    migrations: db,
    lookup: <Row>(query: CompiledQuery<Row>) => (driver.isHeld ? visitors.executeQuery(query) : db.executeQuery(query)),
    isTransient,
    parallelInserts: 1,
    announce: async () => {},
    position: 'instr' as const,
    openFor: openFor(database),
    externalChanges,
    async close() {
      visitors.close()
      await db.destroy()
    },
  }
  const records = recordsOn(engine, options)
  await records.ping()
  return records
}

function openFile(file: string): Database.Database {
  try {
    const database = new Database(file)
    database.pragma('busy_timeout = 5000')
    database.pragma('journal_mode = WAL')
    // A commit survives the death of the process; only `full` would also survive that of the machine.
    database.pragma('synchronous = NORMAL')
    database.pragma('foreign_keys = ON')
    // Our choice: 8 MB of cached pages. Where page splits change the order of pages, SQLite walks through all it has
    // cached at the end of the transaction: 64 MB made new links among two million a third slower. Random hashes are
    // found in pages all over the file: where the system maps it into memory, such lookups are a third faster.
    database.pragma('cache_size = -8192')
    database.pragma('mmap_size = 2147418112')
    // Our choice: a log of 256 MB at most. Checkpoints usually keep it far below; while links are made without a pause
    // they never quite reach its end, and then the connection itself must finish their work once.
    database.pragma('wal_autocheckpoint = 64000')
    // From here on nobody waits inside the driver, which would stop the whole process: transact.ts tries again.
    database.pragma('busy_timeout = 0')
    return database
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new OperatorError(
      `Cannot open the database file ${file}: check that it is a SQLite file and writable (${reason})`,
    )
  }
}

/** Another process (a command while the service runs) holds the write lock. */
function isTransient(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')
}

/** Who changes anything holds the one lock there is: what is open now was begun after it was last seen free. */
function openFor(database: Database.Database): () => Promise<number> {
  let freeAt = performance.now()
  return async () => {
    if (!isFree(database)) return performance.now() - freeAt
    freeAt = performance.now()
    return 0
  }
}

/** Writes nothing, so that nobody elsewhere forgets what they know. */
function isFree(database: Database.Database): boolean {
  if (database.inTransaction) return false
  try {
    database.exec('BEGIN IMMEDIATE')
    database.exec('ROLLBACK')
    return true
  } catch (error) {
    if (isTransient(error)) return false
    throw error
  }
}

function sqliteDialect(driver: SqliteDriver): Dialect {
  return {
    createDriver: () => driver,
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new TransactionalDdlAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
}

/** SQLite can roll back a half-done migration; Kysely's own adapter does not make use of it. */
class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** Hands its one connection to one holder at a time, in the order they asked. */
class SqliteDriver implements Driver {
  readonly #database: Database.Database
  readonly #checkpoints: Checkpoints
  readonly #connection: SqliteConnection
  readonly #waiting: ((connection: SqliteConnection) => void)[] = []
  #held = false

  constructor(database: Database.Database, checkpoints: Checkpoints) {
    this.#database = database
    this.#checkpoints = checkpoints
    this.#connection = new SqliteConnection(database)
  }

  /** Somebody would have to wait. */
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
    // IMMEDIATE: a transaction that begins by reading could not be upgraded once another process has written.
    this.#database.exec('BEGIN IMMEDIATE')
  }

  async commitTransaction(): Promise<void> {
    this.#database.exec('COMMIT')
    this.#checkpoints.afterCommit()
  }

  async rollbackTransaction(): Promise<void> {
    // Some errors (a full disk) have already rolled back; a second time would hide them behind an error of its own.
    if (this.#database.inTransaction) this.#database.exec('ROLLBACK')
  }

  async destroy(): Promise<void> {
    await this.#checkpoints.close()
    // Cached statements keep the file half open until they are collected, so SQLite would not empty the log itself.
    this.#database.pragma('wal_checkpoint(TRUNCATE)')
    this.#database.close()
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #database: Database.Database
  readonly #prepared = new Map<string, Prepared>()
  readonly #turn = new TurnClock()

  constructor(database: Database.Database) {
    this.#database = database
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    // Between two statements others may do something else. Nobody gets at the connection meanwhile: whoever holds it goes on.
    if (this.#turn.elapsed > longestTurn) await nextTurn()
    try {
      return this.#execute(sql, parameters)
    } catch (error) {
      // Inside a transaction transact.ts tries again. A read alone meets a lock only while the file is being recovered.
      if (isTransient(error) && !this.#database.inTransaction) throw unavailable(error)
      throw error
    }
  }

  #execute<R>(sql: string, parameters: readonly unknown[]): QueryResult<R> {
    const { statement, reader } = this.#prepare(sql)
    // Always `all` for rows: `get` after `all` on one statement answers the row before (libsql 0.5.29).
    if (reader) return { rows: statement.all(parameters) as R[] }
    const { changes } = statement.run(parameters)
    return { rows: [], numAffectedRows: BigInt(changes) }
  }

  // biome-ignore lint/correctness/useYield: the interface wants a generator, and nothing streams from SQLite
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming from SQLite is not supported: read in pages.')
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql)
    if (known) return known
    const statement = this.#database.prepare(sql)
    const prepared = { statement, reader: statement.reader }
    // First in, first out is enough: the bound only guards against statements built without end.
    for (const oldest of this.#prepared.keys()) {
      if (this.#prepared.size < preparedStatements) break
      this.#prepared.delete(oldest)
    }
    this.#prepared.set(sql, prepared)
    return prepared
  }
}

/**
 * For visitors who come while somebody holds the connection, which may be for many turns: they read what was committed last.
 * Opened when the first of them comes.
 */
class VisitorConnection {
  readonly #file: string
  #database: Database.Database | undefined
  #connection: SqliteConnection | undefined

  constructor(file: string) {
    this.#file = file
  }

  executeQuery<Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>> {
    if (!this.#connection) {
      this.#database = openFile(this.#file)
      this.#connection = new SqliteConnection(this.#database)
    }
    return this.#connection.executeQuery<Row>(query)
  }

  close(): void {
    this.#database?.close()
  }
}

// Our choice: what a visitor does not notice. A turn lasts this long and one more statement.
const longestTurn = 3

interface Prepared {
  readonly statement: Database.Statement
  readonly reader: boolean
}

// Our choice: preparing costs 10 us. Our own queries are some tens, and each size of a batch is one more.
const preparedStatements = 500
