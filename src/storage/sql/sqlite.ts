/**
 * SQLite, the embedded engine: one file and one connection that writes (sqlite-driver.ts). Opens and configures them, and
 * gives redirects a connection of their own while a long transaction holds the first. Knows no tables.
 */

import { type CompiledQuery, Kysely, type QueryResult, sql } from 'kysely'
import Database from 'libsql'
import { messageOf } from '../../lib/message-of.js'
import { OperatorError } from '../../lib/operator-error.js'
import { keysetPages } from './database/table-pages.js'
import { RequestTransactions } from './database/transact.js'
import type { Engine, EngineOptions, OnQuery } from './engine.js'
import { isBusy, SqliteConnection, SqliteDriver, sqliteDialect } from './sqlite-driver.js'
import { SqliteExternalChanges } from './sqlite-external-changes.js'
import { diskFault, isDamage, SqliteFaults } from './sqlite-faults.js'
import type { Schema } from './tables/schema.js'

export function openSqliteEngine(file: string, options: EngineOptions): Engine {
  const database = openFile(file, options.mapped)
  const { onQuery, onDamage, onFull } = options
  // Of all statements that write to the file, this one needs no table.
  const probe = () => db.transaction().execute((tx) => sql`pragma user_version = 0`.execute(tx))
  const faults = new SqliteFaults(file, { onDamage, onFull, probe })
  const driver = new SqliteDriver(database, file, faults, onQuery)
  const requests = new RequestTransactions()
  const db: Kysely<Schema> = new Kysely({ dialect: sqliteDialect(requests.sharing(driver)) })
  const visitors = new VisitorConnection(file, faults, onQuery)
  const externalChanges = new SqliteExternalChanges(database)
  return {
    db,
    requests,
    migrations: db,
    lookup: <Row>(query: CompiledQuery<Row>) => (driver.isHeld ? visitors.executeQuery(query) : db.executeQuery(query)),
    isTransient: isBusy,
    // There is one connection: a second transaction would wait for the first.
    parallelInserts: 1,
    readsJson: false,
    announce: externalChanges.announce,
    position: 'instr',
    tablePages: keysetPages,
    openFor: openFor(database),
    externalChanges,
    faults,
    async close() {
      visitors.close()
      await db.destroy()
    },
  }
}

const walBytes = 64 * 2 ** 20

export function openFile(file: string, mapped = true): Database.Database {
  try {
    const database = new Database(file)
    database.pragma('busy_timeout = 5000')
    database.pragma('journal_mode = WAL')
    // A commit survives a crash of the process; only `full` would also survive one of the machine.
    database.pragma('synchronous = NORMAL')
    database.pragma('foreign_keys = ON')
    // 8 MB of cached pages. After page splits SQLite walks through its whole cache at the end of the transaction: 64 MB
    // made new links among two million a third slower. Random hashes lie in pages all over the file: with the file mapped
    // into memory, lookups are a third faster. Without it, a transaction of many rows needs the pages that it changes.
    database.pragma(`cache_size = ${mapped ? -8192 : -32768}`)
    if (mapped) database.pragma('mmap_size = 2147418112')
    // A write-ahead log of 64 MB. Checkpoints (sqlite-driver.ts) usually keep it far below, but under constant load they
    // never reach its end; then the connection itself does the rest of one. While somebody reads for long, such as a
    // backup, it may grow further, and shrinks afterwards.
    database.pragma(`wal_autocheckpoint = ${walBytes / 4096}`)
    database.pragma(`journal_size_limit = ${walBytes}`)
    // From here on never wait inside the driver, which would block the process: transact.ts retries.
    database.pragma('busy_timeout = 0')
    return database
  } catch (error) {
    const reason = messageOf(error)
    if (isDamage(error)) {
      throw new OperatorError(
        `Cannot open the database file ${file}: it is damaged, or not a SQLite file. "shortlink doctor" names the backup to restore (${reason}).`,
      )
    }
    throw new OperatorError(
      diskFault(file, error) ??
        `Cannot open the database file ${file}: check that it is a SQLite file and writable (${reason})`,
    )
  }
}

/** SQLite has one write lock, so an open transaction began after the lock was last seen free. */
function openFor(database: Database.Database): () => Promise<number> {
  let freeAt = performance.now()
  return async () => {
    if (!isFree(database)) return performance.now() - freeAt
    freeAt = performance.now()
    return 0
  }
}

/** Takes the lock without writing, so that other processes see no change. */
function isFree(database: Database.Database): boolean {
  if (database.inTransaction) return false
  try {
    database.exec('BEGIN IMMEDIATE')
    database.exec('ROLLBACK')
    return true
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  }
}

/** Reads the last commit for redirects while a transaction holds the main connection. Opened on first use. */
class VisitorConnection {
  readonly #file: string
  readonly #faults: SqliteFaults
  readonly #onQuery: OnQuery | undefined
  #database: Database.Database | undefined
  #connection: SqliteConnection | undefined

  constructor(file: string, faults: SqliteFaults, onQuery: OnQuery | undefined) {
    this.#file = file
    this.#faults = faults
    this.#onQuery = onQuery
  }

  executeQuery<Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>> {
    if (!this.#connection) {
      this.#database = openFile(this.#file)
      this.#connection = new SqliteConnection(this.#database, this.#faults, this.#onQuery)
    }
    return this.#connection.executeQuery<Row>(query)
  }

  close(): void {
    this.#database?.close()
  }
}
