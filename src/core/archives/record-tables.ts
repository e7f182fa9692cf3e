/**
 * All tables of the records, for moving them to another engine as they are: unlike an archive, which leaves out what only
 * its own installation needs.
 */
import type { StoredRow } from './values.js'

/** test/archives/move.test.ts tests it from each engine to the other. */
export interface RecordTables {
  /** Runs the work on the tables as they are at one moment. */
  read<T>(work: (reader: TableReader) => Promise<T>): Promise<T>
  /** Counts what cannot be decrypted. Names only kinds of which there is some. */
  undecryptable(kinds: readonly SecretKind[]): Promise<readonly LostRows[]>
  /** Writes everything or nothing. Refuses with `NotEmpty` if there are records already. */
  fill<T>(work: (writer: TableWriter) => Promise<T>): Promise<T>
}

/** What is encrypted, in the singular. */
export type SecretKind = 'second factor' | 'unfinished second factor' | 'webhook' | 'kept answer'

/** What cannot be decrypted. */
export interface LostRows {
  readonly kind: SecretKind
  readonly count: number
}

export interface TableReader {
  /** Their names, in the order in which they can be written: a row may refer to rows of tables before its own. */
  readonly tables: readonly string[]
  /** In pages, in any order; encrypted columns are plain. */
  rows(table: string): AsyncIterable<readonly StoredRow[]>
}

/** Reads what it wrote. */
export interface TableWriter extends TableReader {
  write(table: string, rows: readonly StoredRow[]): Promise<void>
}
