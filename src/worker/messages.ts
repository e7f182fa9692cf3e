/** Messages between the main thread and the click thread. */

import type { MessagePort } from 'node:worker_threads'
import type { DeliveryStatus } from '../core/clicks/deliver.js'
import type { ImportProgress } from '../core/clicks/imports.js'
import type {
  Counted,
  MetricsQuery,
  MetricsRow,
  NestedQuery,
  NestedRow,
  SetsQuery,
} from '../core/clicks/metrics-query.js'
import type { RecordsPlace } from '../open-records.js'
import type { ClickStreamOptions } from './click-stream.js'
import type { SupervisorMethods } from './worker-supervisor.js'

export interface ClickThreadOptions {
  readonly dataDir: string
  readonly trustProxy: number
  /** mmdb files; the bundled ones when empty. */
  readonly geography: readonly string[]
  /** Days until single clicks become totals; undefined: never. */
  readonly clickRetention?: number | undefined
  /** Where clicks are stored; undefined: in dataDir. */
  readonly clickhouseUrl?: string | undefined
  readonly clickhouseCluster?: string | undefined
  /** Replicas that must have clicks before they count as delivered. */
  readonly clickhouseInsertQuorum?: number | undefined
  /** Undefined without a stream. */
  readonly stream?: ClickStreamOptions | undefined
}

/** Start data of the click thread. */
export interface ClickThreadData extends ClickThreadOptions {
  /** See event-loop-load.ts. */
  readonly eventLoopLoad: SharedArrayBuffer
  /** Salts by day, if several processes count the same visitors; undefined: from a file. */
  readonly salts: ReadonlyMap<number, string> | undefined
  /** The port of the stream thread, if there is one. */
  readonly feed: MessagePort | undefined
}

/** The methods of the click thread. */
export interface ClickThreadMethods {
  count(query: MetricsQuery): Promise<readonly MetricsRow[]>
  countNested(query: NestedQuery): Promise<readonly NestedRow[]>
  countSets(query: SetsQuery): Promise<readonly number[]>
  firstAt(query: Counted): Promise<number | undefined>
  status(): DeliveryStatus
  /** Resolves with the final progress when the import is over. */
  import(file: string, records: RecordsPlace): Promise<ImportProgress>
  /** Connects to a restarted stream thread. */
  feed(port: MessagePort): void
  /** New salts by day. */
  salts(salts: ReadonlyMap<number, string>): void
  /** Read access or the watched topics have changed. */
  refreshStream(watched: readonly string[]): Promise<void>
  /** Resolves once the journal rows up to this one are in the click log. */
  drained(row: number): Promise<void>
  /** Delivers the journal, for at most this long, closes everything and ends the thread. */
  close(timeLimit: number): void
}

/** The methods of the main thread for the click thread. */
export interface ClickThreadOwner extends SupervisorMethods<ClickThreadReady> {
  /** Sent regularly, so that the counters survive the thread. */
  status(status: DeliveryStatus): void
  importProgress(progress: ImportProgress): void
}

export interface ClickThreadReady {
  /** The last journal row that was delivered before; undefined while the click log does not answer. */
  readonly delivered: number | undefined
}
