/**
 * All tables of the records, for moving them to another engine as they are: unlike an archive, which leaves out what only
 * its own installation needs.
 */
import { archiveTables } from './tables.js'
import type { StoredRow } from './values.js'

export interface RecordTable {
  readonly name: string
  /** The columns of its primary key. */
  readonly key: readonly string[]
  /** Columns that are encrypted in the database. */
  readonly encrypted: readonly string[]
}

/** In the order in which they can be written: a row may refer to rows of tables before its own. */
export const recordTables: readonly RecordTable[] = [
  table('image_blobs', ['sha256']),
  ...archiveTables.map(({ name, key, columns }) => ({
    ...{ name, key },
    encrypted: columns.flatMap((column) => ('encrypted' in column && column.encrypted ? [column.name] : [])),
  })),
  table('bookmarks', ['name']),
  table('bulk_jobs', ['guid']),
  table('bulk_results', ['job_guid', 'first_row']),
  table('counted_tries', ['key']),
  table('domain_changes', ['version']),
  table('email_changes', ['secret_hash']),
  table('half_sessions', ['secret_hash']),
  table('held_topics', ['topic']),
  table('idempotency_keys', ['id'], ['body']),
  table('oauth_codes', ['code_hash']),
  table('outgoing_events', ['id']),
  table('password_resets', ['secret_hash']),
  table('sms_codes', ['login']),
  table('two_factor_setups', ['login'], ['value']),
  table('unused_blobs', ['blob_key']),
  table('webhook_deliveries', ['id']),
  table('webhook_failures', ['webhook_guid', 'event_id']),
]

/** The tables that are not copied, and why. */
export const notMoved = {
  address_changes: 'notices for the caches of processes that run now',
  journals: 'what waits in the journals of processes that run now',
  leases: 'which process does what: each start claims them anew',
  visitor_salts: 'with SQLite they are in a file instead',
} as const

/** test/archives/move.test.ts tests it from each engine to the other. */
export interface RecordTables {
  /** Runs the work on the tables as they are at one moment. */
  read<T>(work: (reader: TableReader) => Promise<T>): Promise<T>
  /** Counts the rows of these tables that cannot be decrypted. Names only tables that have some. */
  undecryptable(tables: readonly RecordTable[]): Promise<readonly LostRows[]>
  /** Writes everything or nothing. Refuses with `NotEmpty` if there are records already. */
  fill<T>(work: (writer: TableWriter) => Promise<T>): Promise<T>
}

/** Rows of a table that cannot be decrypted. */
export interface LostRows {
  readonly table: string
  readonly count: number
}

export interface TableReader {
  /** In pages, in any order; encrypted columns are plain. */
  rows(table: RecordTable): AsyncIterable<readonly StoredRow[]>
}

/** Reads what it wrote. */
export interface TableWriter extends TableReader {
  write(table: RecordTable, rows: readonly StoredRow[]): Promise<void>
}

function table(name: string, key: readonly string[], encrypted: readonly string[] = []): RecordTable {
  return { name, key, encrypted }
}
