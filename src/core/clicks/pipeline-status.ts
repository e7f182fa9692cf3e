import type { TrafficClass } from './click.js'

/** How far the pipeline has come, for readiness and metrics. Counts are since the process started. */
export interface PipelineStatus extends SinkStatus {
  readonly delivered: Readonly<Record<TrafficClass, number>>
  readonly dropped: Readonly<Record<string, number>>
  /** Journal rows that could not be read, and whose clicks are lost. */
  readonly damagedRows: number
  /** When the last of them was found; undefined: none was. */
  readonly damagedAt: number | undefined
  /** The same for who else gets the clicks, by name. */
  readonly others: Readonly<Record<string, SinkStatus>>
  /** How the stream follows links; undefined where there is none. */
  readonly links?: Following | undefined
  /** How often the worker thread had to be started again. */
  readonly restarts: number
}

export interface SinkStatus {
  /** The journal row up to which everything is in the click log. */
  readonly row: number
  /** Batches that had to be tried again. */
  readonly failures: number
  /** Why the last batch failed; undefined while delivering works. */
  readonly lastFailure: string | undefined
  /** How old the oldest click is that it does not have yet, now; 0 while it has all. */
  readonly lagMs: number
}

/** How the stream's following of links goes, for readiness and metrics. Counts are since the thread was started. */
export interface Following {
  /** Looks at the records that failed, or whose links could not be published. */
  readonly failures: number
  /** Why the last look failed; undefined while following works. */
  readonly lastFailure: string | undefined
  /** How long ago the last look ended well: what was made since is not told of. */
  readonly behindMs: number
  /** For how long a change of the records has been open that is no longer waited for; undefined while all of them are. */
  readonly tooLongOpenMs: number | undefined
}
