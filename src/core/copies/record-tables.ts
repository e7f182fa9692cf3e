/** The records as whole tables, for archives and for moving them to another engine. */
import type { ArchiveColumn, StoredRow } from './values.js'

/** test/archives/round-trip.test.ts and move.test.ts test it on both engines. */
export interface RecordTables {
  /** What a copy contains, in the order in which it can be written: a row may refer to rows of tables before its own. */
  tables(of: CopyKind): readonly CopiedTable[]
  /** The tables that no archive contains, and why. */
  readonly leftOut: Readonly<Record<string, string>>
  /** Runs the work on the records as they are at one moment, while others may change them. */
  read<T>(work: (reader: TableReader) => Promise<T>): Promise<T>
  /** The number of rows of each table that has any, the best known tables first. */
  rowCounts(): Promise<Readonly<Record<string, number>>>
  /** Counts what cannot be decrypted. Names only kinds of which there is some. */
  undecryptable(kinds: readonly SecretKind[]): Promise<readonly LostRows[]>
  /** Writes everything or nothing. Refuses with `NotEmpty` if there are records already. */
  fill<T>(of: CopyKind, work: (writer: TableWriter) => Promise<T>): Promise<T>
}

/** A move takes everything along; an archive leaves out what only its own installation needs. */
export type CopyKind = 'archive' | 'archive with secrets' | 'move'

export interface CopiedTable {
  readonly name: string
  /** One sentence for the README. */
  readonly about: string
  readonly columns: readonly ArchiveColumn[]
  /** Columns that the copy leaves out because they are secret, but that cannot be empty. */
  readonly renewed: Readonly<Record<string, Renewal>>
}

export type Renewal = 'password hash' | 'token hash' | 'signing secret'

/** What is encrypted, in the singular. */
export type SecretKind = 'second factor' | 'unfinished second factor' | 'webhook' | 'kept answer' | 'provider session'

/** What cannot be decrypted. */
export interface LostRows {
  readonly kind: SecretKind
  readonly count: number
}

export interface TableReader {
  /** In pages; encrypted columns are plain. */
  rows(table: CopiedTable, which?: WhichRows): AsyncIterable<readonly StoredRow[]>
  /** The keys of the bytes of images, by SHA-256. */
  blobs(organizationGuid: string | undefined): Promise<readonly { readonly sha256: string; readonly key: string }[]>
  /** The groups of an organization; undefined when it does not exist. */
  groupsOf(organizationGuid: string): Promise<readonly string[] | undefined>
}

interface WhichRows {
  /** Undefined: of the whole service. */
  readonly organizationGuid?: string | undefined
  /** In the order of their key, compared byte by byte. */
  readonly sorted?: boolean
}

/** Reads what it wrote. */
export interface TableWriter extends TableReader {
  /** Rows with the same columns. */
  write(table: string, rows: readonly StoredRow[]): Promise<void>
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

  /** `1 organizations, 2 users` */
  get found(): string {
    const found = Object.entries(this.counts).map(([name, count]) => `${count} ${name}`)
    return found.slice(0, 3).join(', ')
  }
}
