/** What the main thread and the click thread say to each other. */

import type { MessagePort } from 'node:worker_threads'
import type { DeliveryStatus } from '../core/clicks/deliver.js'
import type { ImportProgress } from '../core/clicks/imports.js'
import type { Counted, MetricsQuery, NestedQuery, SetsQuery } from '../core/clicks/metrics-query.js'
import type { RecordsPlace } from '../open-records.js'
import type { ClickStreamOptions } from './click-stream.js'
import type { LogReport } from './log-report.js'

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
  /** See strain.ts. */
  readonly eventLoopLoad: SharedArrayBuffer
  /** Of days, where several processes count the same visitors; undefined: in a file of its own. */
  readonly salts: ReadonlyMap<number, string> | undefined
  /** The way to the stream thread, when there is one. */
  readonly feed: MessagePort | undefined
}

export type Call =
  | { readonly name: 'count'; readonly query: MetricsQuery }
  | { readonly name: 'countNested'; readonly query: NestedQuery }
  | { readonly name: 'countSets'; readonly query: SetsQuery }
  | { readonly name: 'firstAt'; readonly query: Counted }
  | { readonly name: 'status' }
  /** Answered with its last progress when the import is over. */
  | { readonly name: 'import'; readonly file: string; readonly records: RecordsPlace }
  /** The way to the stream thread, when it was started again. */
  | { readonly name: 'feed'; readonly port: MessagePort }
  /** The salts of days, when they have changed. */
  | { readonly name: 'salts'; readonly salts: ReadonlyMap<number, string> }
  /** Who may read the stream has changed, or which topics are watched. */
  | { readonly name: 'refreshStream'; readonly watched: readonly string[] }
  /** Answered once the journal's rows up to this one are in the click log. */
  | { readonly name: 'drained'; readonly row: number }
  /** Delivers what is in the journal, for at most this long, and closes everything; the thread ends after the answer. */
  | { readonly name: 'close'; readonly timeLimit: number }

export interface Request {
  readonly id: number
  readonly call: Call
}

export type Report =
  /** `delivered`: the last row of the journal that was delivered before; undefined while the click log cannot say. */
  | { readonly type: 'ready'; readonly delivered: number | undefined }
  /** The thread could not start; `operator` when the operator can do something about it. */
  | { readonly type: 'broken'; readonly message: string; readonly operator: boolean }
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  /** `away`: the click log is on a server that cannot be reached, which is nobody's mistake. */
  | { readonly type: 'failed'; readonly id: number; readonly message: string; readonly away: boolean }
  /** Now and then, so that the counts survive the thread. */
  | { readonly type: 'status'; readonly status: DeliveryStatus }
  | { readonly type: 'import'; readonly progress: ImportProgress }
  | LogReport
