import type { MetricsLog } from '../metrics/query.js'
import type { Click } from './click.js'

/** Where enriched clicks are kept and counted. Its promises are the tests in click-log.contract.ts. */
export interface ClickLog extends MetricsLog {
  /** The last journal row whose clicks are in the log; 0 before the first. */
  cursor(journalId: string): Promise<number>
  /** Appends the clicks and moves the journal's cursor: both or neither, also when the process dies in between. */
  append(clicks: readonly Click[], upTo: JournalPosition): Promise<void>
  close(): Promise<void>
}

export interface JournalPosition {
  readonly journalId: string
  readonly row: number
}
