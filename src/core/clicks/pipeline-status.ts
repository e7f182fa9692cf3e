import type { TrafficClass } from './click.js'

/** The progress of the pipeline, for readiness and metrics. Counts since the process started. */
export interface PipelineStatus extends SinkStatus {
  readonly delivered: Readonly<Record<TrafficClass, number>>
  readonly dropped: Readonly<Record<string, number>>
  /** Unreadable journal rows, whose clicks are lost. */
  readonly damagedRows: number
  /** When the last of them was found; undefined: none. */
  readonly damagedAt: number | undefined
  /** The status of the other sinks, by name. */
  readonly others: Readonly<Record<string, SinkStatus>>
  /** The status of the link follower; undefined without a stream. */
  readonly links?: LinkFollowerStatus | undefined
  /** Restarts of the worker thread. */
  readonly restarts: number
}

export interface SinkStatus {
  /** The last journal row that the sink has. */
  readonly row: number
  /** Failed attempts. */
  readonly failures: number
  /** The last error; undefined while delivery works. */
  readonly lastFailure: string | undefined
  /** Age of the oldest click that is not delivered; 0 when there is none. */
  readonly lagMs: number
}

/** The status of the link follower, for readiness and metrics. Counts since the thread started. */
export interface LinkFollowerStatus {
  /** Failed polls. */
  readonly failures: number
  /** The last error; undefined while polling works. */
  readonly lastFailure: string | undefined
  /** Time since the last successful poll; later links are not published yet. */
  readonly behindMs: number
  /** Age of an open transaction that is no longer waited for; undefined if there is none. */
  readonly tooLongOpenMs: number | undefined
}
