/**
 * A copy of the click log for a backup: files that only the same engine reads back. test/backups/round-trip.test.ts tests
 * it on both engines.
 */
export interface ClickCopier {
  /**
   * Copies the log as it is at one moment into a folder, while clicks are appended. A part whose rows are those of a known
   * file is not written again.
   */
  copyClicks(folder: string, known: readonly KnownPart[]): Promise<ClickCopy>
}

/** Called between two files with the milliseconds that the last one took: others may need the processor more. */
export type Rest = (worked: number) => Promise<void>

/** A file with some of the log's rows: those of a month, or a whole table of texts. */
export interface KnownPart {
  /** Of the file: `clicks-2026-11.parquet` */
  readonly name: string
  /** Depends on the rows, not on their order: equal fingerprints mean equal rows. */
  readonly fingerprint: string
}

export interface CopiedPart extends KnownPart {
  readonly rows: number
  /** False: there is a known file with the same rows. */
  readonly written: boolean
}

export interface ClickCopy {
  readonly engine: 'duckdb' | 'clickhouse'
  /** Clicks, with totals as the clicks they stand for. */
  readonly clicks: number
  readonly parts: readonly CopiedPart[]
  /** Journal rows of the copy that the stream has not got; undefined or 0: none. */
  readonly unpublished?: number
}
