import type { Target } from '../links/link.js'
import type { RawClick } from './click.js'

/** The redirect path's side of the journal: what is recorded here survives the death of the process. */
export interface Journal {
  /**
   * Notes a click and answers it: `answer` is called once the click is on disk, together with all others of the same
   * event-loop turn. If the journal cannot be written the visitor is answered all the same and the loss is counted.
   */
  record(target: Target, visit: Visit, answer: () => void): void
  status(): JournalStatus
}

/** The part of a raw click that is not known from the target. */
export type Visit = Omit<RawClick, 'address' | 'linkId' | 'groupGuid' | 'destination'>

export interface JournalStatus {
  /** Rows written by this process and before it. */
  readonly lastRow: number
  readonly recorded: number
  /** Clicks answered but not written, since the process started. */
  readonly lost: number
  /** Why the last write failed; undefined while writing works. */
  readonly failure: string | undefined
}

/** The pipeline's side: rows in order, from a cursor on. */
export interface JournalReader {
  readonly journalId: string
  /** Rows found so far that could not be read. */
  readonly damagedRows: number
  /** Rows after `row`, oldest first, holding at most about `clicks` clicks; empty when there are none. */
  read(row: number, clicks: number): readonly JournalRow[]
  /** Tells that rows up to this one are safe elsewhere and may be deleted. */
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
