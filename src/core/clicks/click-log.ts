import type { Click } from './click.js'
import type { ClickArchive } from './click-archive.js'
import type { ClickBatch, LineRanges } from './click-batch.js'
import type { ClickCopier, ClickCopy, KnownPart, Rest } from './click-copy.js'
import type { ClickEraser } from './click-eraser.js'
import type { JournalPosition } from './journal.js'
import type { MetricsLog } from './metrics-query.js'

/** A destination of clicks: the click log, or the stream. Each stores its own cursor. */
export interface ClickSink {
  /** The last journal row that was appended; 0 before the first. */
  cursor(journalId: string): Promise<number>
  /** Appends the clicks and moves the journal's cursor atomically. */
  append(clicks: readonly Click[], upTo: JournalPosition): Promise<void>
}

/** What is asked of a click log, wherever it is. */
export interface ClickQueries extends MetricsLog, ClickArchive, ClickEraser {
  /** For operators. */
  size(): Promise<ClickLogSize>
  /** Time of the newest click after this time; undefined: there is none. */
  newestAfter(time: number): Promise<number | undefined>
}

/** Stores and counts enriched clicks. click-log.contract.ts defines the behaviour. */
export interface ClickLog extends ClickSink, ClickQueries, ClickCopier {
  /** Why it is unavailable at the moment, if known without a query. */
  readonly trouble?: string | undefined
  /** `append` for the many clicks of an import. */
  appendBatch(batch: ClickBatch, upTo: JournalPosition): Promise<void>
  /** As `ClickCopier`, with pauses. */
  copyClicks(folder: string, known: readonly KnownPart[], rest?: Rest): Promise<ClickCopy>
  /** Rows up to the cursor that batches skipped. */
  skippedRanges(journalId: string): Promise<LineRanges>
  /**
   * Does one bounded step of compaction: merges parts, and replaces clicks older than the retention by rollups with the same
   * counts. Appends and reports continue meanwhile. True when there is more to do.
   */
  compact(now: number): Promise<boolean>
  close(): Promise<void>
}

/** A click log as its engine opens it, for moving its clicks to another one. test/archives/move.test.ts tests both engines. */
export interface StoredClickLog extends ClickLog {
  /** The position of every journal and imported file. */
  positions(): Promise<readonly ClickPosition[]>
  /** Stores the positions of journals whose clicks were copied. */
  keepPositions(positions: readonly ClickPosition[]): Promise<void>
  /** Deletes all clicks and positions. */
  clear(): Promise<void>
}

export interface ClickPosition extends JournalPosition {
  readonly skippedRanges: LineRanges
}

export interface ClickLogSize {
  /** Clicks, and rollups of clicks past their retention. */
  readonly rows: number
  readonly bytes: number
}

export interface ClickLogOptions {
  /**
   * Days after which single clicks are dropped; undefined keeps them forever. Rollups per quarter of an hour remain, with
   * all fields except the exact time and the visitor. So counts of events stay the same in every window and bucket aligned
   * to a quarter of an hour (all but minutes), and visitors are no longer counted.
   */
  readonly retentionDays?: number | undefined
}
