import type { Click } from './click.js'
import type { ClickBatch } from './click-batch.js'
import type { JournalPosition } from './journal.js'
import type { LineRanges } from './line-ranges.js'
import type { MetricsLog } from './metrics-query.js'

/** Where clicks go: the click log counts them, a stream passes them on. Each remembers how far it has come. */
export interface ClickSink {
  /** The last journal row whose clicks are in it; 0 before the first. */
  cursor(journalId: string): Promise<number>
  /** Takes the clicks and moves the journal's cursor: both or neither, also when the process dies in between. */
  append(clicks: readonly Click[], upTo: JournalPosition): Promise<void>
}

/** Where enriched clicks are kept and counted. Its promises are the tests in click-log.contract.ts. */
export interface ClickLog extends ClickSink, MetricsLog {
  /** Why it cannot be used at the moment, where it knows without being asked for anything. */
  readonly trouble?: string | undefined
  /** `append` for the many clicks of an import. */
  appendBatch(batch: ClickBatch, upTo: JournalPosition): Promise<void>
  /** Rows up to the cursor that batches said to have passed over. */
  passedOver(journalId: string): Promise<LineRanges>
  /**
   * Does one bounded piece of upkeep: keeps reports fast as the log grows, and turns clicks past their time into totals
   * that answer the same. Appends and reports go on meanwhile, and no number changes. True when there is more to do.
   */
  compact(now: number): Promise<boolean>
  close(): Promise<void>
}

export interface ClickLogOptions {
  /**
   * After how many days single clicks are dropped; undefined keeps them for ever. What stays are totals per quarter of
   * an hour: they know everything a click knew but its exact time and its visitor. So events count the same in every
   * window and bucket that begins and ends on a quarter of an hour (all but minutes), and visitors are not counted.
   */
  readonly retentionDays?: number | undefined
}
