import type { ArchiveTable } from './tables.js'
import type { StoredRow } from './values.js'

/** The records as whole tables. test/archives/round-trip.test.ts tests it on both engines. */
export interface ArchiveStore {
  /** Runs the work on the records as they are at one moment, while others may change them. */
  read<T>(work: (reader: ArchiveReader) => Promise<T>): Promise<T>
  /** The number of rows of each table that has any. */
  rowCounts(): Promise<Readonly<Record<string, number>>>
  /** Writes everything or nothing. Refuses with `NotEmpty` if there are records already. */
  restore(work: (writer: ArchiveWriter) => Promise<void>): Promise<void>
}

export interface ArchiveReader {
  /** Rows in the order of their key, compared byte by byte, in pages; encrypted columns are plain. */
  rows(table: ArchiveTable, scope: ArchiveScope): AsyncIterable<readonly StoredRow[]>
  /** The keys of the bytes of images, by SHA-256. */
  blobs(scope: ArchiveScope): Promise<readonly StoredBlob[]>
  /** The groups of an organization; undefined when it does not exist. */
  groupsOf(organizationGuid: string): Promise<readonly string[] | undefined>
}

export interface ArchiveScope {
  /** Undefined: the whole service. */
  readonly organizationGuid: string | undefined
  /** Whether secret columns are read. */
  readonly secrets: boolean
}

export interface StoredBlob {
  readonly sha256: string
  readonly key: string
  readonly mimeType: string
}

export interface ArchiveWriter {
  write(table: ArchiveTable, rows: readonly StoredRow[]): Promise<void>
  useBlob(sha256: string, key: string): Promise<void>
}

/** There are records already. */
export class NotEmpty extends Error {
  override readonly name = 'NotEmpty'

  constructor(
    /** The number of rows of the tables that have any. */
    readonly counts: Readonly<Record<string, number>>,
  ) {
    super('there are records already')
  }
}
