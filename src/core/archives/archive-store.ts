import type { ArchiveColumn, StoredRow } from './values.js'

/** The records as whole tables. test/archives/round-trip.test.ts tests it on both engines. */
export interface ArchiveStore {
  /** What an archive with or without secrets contains, in the order in which it can be written back. */
  tables(secrets: boolean): readonly ArchiveTable[]
  /** The tables that no archive contains, and why. */
  readonly leftOut: Readonly<Record<string, string>>
  /** Runs the work on the records as they are at one moment, while others may change them. */
  read<T>(work: (reader: ArchiveReader) => Promise<T>): Promise<T>
  /** The number of rows of each table that has any, the best known tables first. */
  rowCounts(): Promise<Readonly<Record<string, number>>>
  /** Writes everything or nothing. Refuses with `NotEmpty` if there are records already. */
  restore(work: (writer: ArchiveWriter) => Promise<void>): Promise<void>
}

export interface ArchiveTable {
  readonly name: string
  /** One sentence for the README. */
  readonly about: string
  readonly columns: readonly ArchiveColumn[]
  /** Columns that the archive leaves out because they are secret, but that cannot be empty. */
  readonly renewed: Readonly<Record<string, Renewal>>
}

export type Renewal = 'password hash' | 'token hash' | 'signing secret'

export interface ArchiveReader {
  /** Rows in the order of their key, compared byte by byte, in pages; encrypted columns are plain. */
  rows(table: ArchiveTable, organizationGuid: string | undefined): AsyncIterable<readonly StoredRow[]>
  /** The keys of the bytes of images, by SHA-256. */
  blobs(organizationGuid: string | undefined): Promise<readonly StoredBlob[]>
  /** The groups of an organization; undefined when it does not exist. */
  groupsOf(organizationGuid: string): Promise<readonly string[] | undefined>
}

export interface ArchiveScope {
  /** Undefined: the whole service. */
  readonly organizationGuid: string | undefined
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
