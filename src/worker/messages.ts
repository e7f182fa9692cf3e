/** What the main thread and the click thread call of each other. */

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
  /** After how many days single clicks become totals; undefined: never. */
  readonly clickRetention?: number | undefined
  /** Where clicks are kept; in dataDir when undefined. */
  readonly clickhouseUrl?: string | undefined
  readonly clickhouseCluster?: string | undefined
  /** Replicas that must have clicks before they count as delivered. */
  readonly clickhouseInsertQuorum?: number | undefined
  /** Undefined where clicks are not passed on. */
  readonly stream?: ClickStreamOptions | undefined
}

/** What a click thread is started with. */
export interface ClickThreadData extends ClickThreadOptions {
  /** See event-loop-load.ts. */
  readonly eventLoopLoad: SharedArrayBuffer
  /** Of days, where several processes count the same visitors; undefined: in a file of its own. */
  readonly salts: ReadonlyMap<number, string> | undefined
  /** The way to the stream thread, when there is one. */
  readonly feed: MessagePort | undefined
}

/** The methods of the click thread. */
export interface ClickThreadMethods {
  count(query: MetricsQuery): Promise<readonly MetricsRow[]>
  countNested(query: NestedQuery): Promise<readonly NestedRow[]>
  countSets(query: SetsQuery): Promise<readonly number[]>
  firstAt(query: Counted): Promise<number | undefined>
  status(): DeliveryStatus
  /** Resolves with its last progress when the import is over. */
  import(file: string, records: RecordsPlace): Promise<ImportProgress>
  /** Connects it to a stream thread that was started again. */
  feed(port: MessagePort): void
  /** The salts of days, when they have changed. */
  salts(salts: ReadonlyMap<number, string>): void
  /** Who may read the stream has changed, or which topics are watched. */
  refreshStream(watched: readonly string[]): Promise<void>
  /** Resolves once the journal's rows up to this one are in the click log. */
  drained(row: number): Promise<void>
  /** Delivers what is in the journal, for at most this long, closes everything and ends the thread. */
  close(timeLimit: number): void
}

/** The methods of the main thread for the click thread. */
export interface ClickThreadOwner extends SupervisorMethods<ClickThreadReady> {
  /** Now and then, so that the counts survive the thread. */
  status(status: DeliveryStatus): void
  importProgress(progress: ImportProgress): void
}

export interface ClickThreadReady {
  /** The last row of the journal that was delivered before; undefined while the click log cannot say. */
  readonly delivered: number | undefined
}
