import type { Target } from '../links/link.js'
import type { RawClick } from './click.js'

/** The writer side of the journal, for the redirect path. Recorded clicks survive a crash of the process. */
export interface Journal {
  /**
   * Records a click; calls `answer` once it is on disk, together with all others of the same event-loop turn. If the journal
   * cannot be written, `answer` is called all the same and the click is counted as lost.
   */
  record(target: Target, visit: Visit, answer: () => void): void
  status(): JournalStatus
}

/** The part of a raw click that is not known from the target. */
export type Visit = Omit<RawClick, 'address' | 'linkId' | 'groupGuid' | 'destination'>

export interface JournalStatus extends JournalRows {
  /** The journals of other processes with this data directory, by their ids; the figures below count them too. */
  readonly others?: Readonly<Record<string, JournalRows>>
  readonly recorded: number
  /** Clicks answered but not written since the process started. */
  readonly lost: number
  /** The same since the journal was made. */
  readonly lostEver: number
  readonly lastLostAt: number | undefined
  /** Why the last write failed; undefined while writing works. */
  readonly failure: string | undefined
  /** The copy in a second folder; undefined without one. */
  readonly copy?: JournalCopyStatus | undefined
}

export interface JournalCopyStatus {
  /** Rows that it does not have yet. */
  readonly behindRows: number
  /** Why it cannot be written. */
  readonly failure: string | undefined
}

export interface JournalRows {
  /** The last row, including rows of former processes. */
  readonly lastRow: number
  /** Ranges of row numbers that were never used. */
  readonly skipped: readonly SkippedRows[]
}

/** The numbers after `after` up to `last`. */
export interface SkippedRows {
  readonly after: number
  readonly last: number
}

/** How many rows were written after this one. */
export function rowsAfter({ lastRow, skipped }: JournalRows, row: number): number {
  const unused = skipped.map(({ after, last }) => Math.max(0, Math.min(lastRow, last) - Math.max(row, after)))
  return unused.reduce((rows, numbers) => rows - numbers, Math.max(0, lastRow - row))
}

/** How many rows of all journals a sink does not have. */
export function rowsWaiting(
  journal: JournalRows & Pick<JournalStatus, 'others'>,
  { row, otherRows = {} }: { readonly row: number; readonly otherRows?: Readonly<Record<string, number>> | undefined },
): number {
  const others = Object.entries(journal.others ?? {}).map(([id, rows]) => rowsAfter(rows, otherRows[id] ?? 0))
  return others.reduce((sum, rows) => sum + rows, rowsAfter(journal, row))
}

/** The reader side, for the pipeline: rows in order, from a cursor on. */
export interface JournalReader {
  readonly journalId: string
  /** Unreadable rows found so far. */
  readonly damagedRows: number
  /** Rows after `row`, oldest first, with at most about `clicks` clicks; empty when there are none. */
  read(row: number, clicks: number): readonly JournalRow[]
  /** Rows up to this one are stored elsewhere and may be deleted. */
  release(row: number): void
}

/** A row of one journal. */
export interface JournalPosition {
  readonly journalId: string
  readonly row: number
}

export interface JournalRow {
  readonly row: number
  readonly clicks: readonly RawClick[]
}
