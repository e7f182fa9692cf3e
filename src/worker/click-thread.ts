/**
 * The main thread's handle on the click thread: sends it calls, passes on its log lines, and keeps its counts when it
 * dies. Clicks are safe in the journal meanwhile; reports are refused until it is back.
 */

import type { MessagePort, Worker } from 'node:worker_threads'
import type { DeliveryStatus } from '../core/clicks/deliver.js'
import type { ImportProgress } from '../core/clicks/imports.js'
import type {
  Counted,
  MetricsLog,
  MetricsQuery,
  MetricsRow,
  NestedQuery,
  NestedRow,
  SetsQuery,
} from '../core/clicks/metrics-query.js'
import type { PipelineStatus } from '../core/clicks/pipeline-status.js'
import type { SharedSalts } from '../core/clicks/shared-salts.js'
import { Refusal } from '../core/values/refusal.js'
import type { Logger } from '../lib/logger.js'
import { OperatorError } from '../lib/operator-error.js'
import type { RecordsPlace } from '../open-records.js'
import { EventLoopLoad } from './event-loop-load.js'
import type { Call, ClickThreadData, ClickThreadOptions, Report, Request } from './messages.js'
import { beginThread, WorkerSupervisor } from './worker-supervisor.js'

export interface ClickThread extends MetricsLog {
  /** The last row of the journal that was delivered before the thread was first started; undefined: nobody can say. */
  readonly delivered: number | undefined
  status(): Promise<PipelineStatus>
  /** Imports a file of clicks into the click log, one at a time, and answers how it ended. */
  importClicks(file: string, records: RecordsPlace, tell: (progress: ImportProgress) => void): Promise<ImportProgress>
  /** Resolves once the journal's rows up to this one are in the click log. */
  drained(row: number): Promise<void>
  /** When it returns, what is published is what somebody may read, and the topics that are watched. */
  refreshStream(watched: readonly string[]): Promise<void>
  /** Delivers what is in the journal, for at most `timeLimit` milliseconds, and closes the click log. */
  close(timeLimit?: number): Promise<void>
}

/** Where clicks are passed on to; see stream-thread.ts. */
export interface StreamConnection {
  connect(): MessagePort | undefined
  onFeed(take: (port: MessagePort) => void): void
}

export async function startClickThread(
  options: ClickThreadOptions,
  log: Logger,
  stream?: StreamConnection,
  salts?: SharedSalts,
): Promise<ClickThread> {
  const thread = new ClickThreadHandle(options, log, stream, salts)
  await thread.start()
  return thread
}

/** What closing the files may take on top of draining. */
const closingGrace = 5_000
/** Waits for the answer to this call. */
const nobody = 0

class ClickThreadHandle implements ClickThread {
  readonly #options: ClickThreadOptions
  readonly #salts: SharedSalts | undefined
  readonly #log: Logger
  readonly #supervisor: WorkerSupervisor<Report>
  readonly #eventLoopLoad = new EventLoopLoad()
  readonly #unwatch = this.#eventLoopLoad.watch()
  #delivered: number | undefined = 0
  #onImport: (progress: ImportProgress) => void = () => {}
  /** Counts of threads that are gone, and the last ones heard of the present thread. */
  #before = nothingYet
  #latest = nothingYet

  constructor(
    options: ClickThreadOptions,
    log: Logger,
    stream: StreamConnection | undefined,
    salts: SharedSalts | undefined,
  ) {
    this.#salts = salts
    salts?.onChange((changed) => this.#send({ name: 'salts', salts: changed }))
    // Only these: the caller's object may hold more, some of it secret.
    const { dataDir, trustProxy, geography, clickRetention } = options
    const { clickhouseUrl, clickhouseCluster, clickhouseInsertQuorum } = options
    const clickhouse = { clickhouseUrl, clickhouseCluster, clickhouseInsertQuorum }
    const kept = { clickRetention, ...clickhouse, stream: options.stream }
    this.#options = { dataDir, trustProxy, geography: [...geography], ...kept }
    this.#log = log
    this.#supervisor = new WorkerSupervisor<Report>({
      name: 'the click thread',
      sentences: {
        ended: 'The click thread ended unexpectedly.',
        died: 'the click thread died: clicks wait in the journal until it is back',
        cannotStart: 'the click thread cannot start',
        back: 'the click thread is back',
      },
      log,
      away,
      begin: () => this.#begin(stream?.connect()),
      hear: (report) => this.#hear(report),
      onDeath: () => this.#keepCounts(),
    })
    stream?.onFeed((port) => this.#feed(port))
  }

  /** Resolves when the thread has opened everything it needs. */
  start(): Promise<void> {
    return this.#supervisor.start()
  }

  get delivered(): number | undefined {
    return this.#delivered
  }

  async count(query: MetricsQuery): Promise<readonly MetricsRow[]> {
    return (await this.#call({ name: 'count', query })) as readonly MetricsRow[]
  }

  async countNested(query: NestedQuery): Promise<readonly NestedRow[]> {
    return (await this.#call({ name: 'countNested', query })) as readonly NestedRow[]
  }

  async countSets(query: SetsQuery): Promise<readonly number[]> {
    return (await this.#call({ name: 'countSets', query })) as readonly number[]
  }

  async firstAt(query: Counted): Promise<number | undefined> {
    const { scope, kinds, trafficClasses } = query
    return (await this.#call({ name: 'firstAt', query: { scope, kinds, trafficClasses } })) as number | undefined
  }

  async status(): Promise<PipelineStatus> {
    const { worker, isClosing, failure, restarts } = this.#supervisor
    if (worker && !isClosing) this.#latest = (await this.#call({ name: 'status' })) as DeliveryStatus
    const status = sum(this.#before, this.#latest)
    return { ...status, lastFailure: failure ?? status.lastFailure, restarts }
  }

  async importClicks(
    file: string,
    { databaseUrl, dataDir }: RecordsPlace,
    tell: (progress: ImportProgress) => void,
  ): Promise<ImportProgress> {
    this.#onImport = tell
    const call: Call = { name: 'import', file, records: { databaseUrl, dataDir } }
    return (await this.#call(call)) as ImportProgress
  }

  async drained(row: number): Promise<void> {
    await this.#call({ name: 'drained', row })
  }

  async refreshStream(watched: readonly string[]): Promise<void> {
    await this.#call({ name: 'refreshStream', watched })
  }

  close(timeLimit = 10_000): Promise<void> {
    this.#unwatch()
    return this.#supervisor.close(
      (worker) => worker.postMessage({ id: nobody, call: { name: 'close', timeLimit } } satisfies Request),
      timeLimit + closingGrace,
      () =>
        this.#log.warn({ timeLimit }, 'the click thread did not close in time: undelivered clicks stay in the journal'),
    )
  }

  #begin(feed: MessagePort | undefined): Worker {
    const data: ClickThreadData = {
      ...this.#options,
      eventLoopLoad: this.#eventLoopLoad.shared,
      salts: this.#salts?.current,
      feed,
    }
    return beginThread('click-worker.js', data, feed ? [feed] : [])
  }

  #hear(report: Report): 'ready' | Error | undefined {
    switch (report.type) {
      case 'ready':
        if (this.#supervisor.restarts === 0) this.#delivered = report.delivered
        return 'ready'
      case 'broken':
        return report.operator ? new OperatorError(report.message) : new Error(report.message)
      case 'log':
        this.#log[report.level](report.fields, report.message)
        return
      case 'status':
        this.#latest = report.status
        return
      case 'import':
        this.#onImport(report.progress)
        return
      case 'answer':
        this.#supervisor.answer(report.id, report.value)
        return
      case 'failed':
        this.#supervisor.refuse(
          report.id,
          report.away ? away('the click log cannot be reached') : new Error(report.message),
        )
    }
  }

  #keepCounts(): void {
    this.#before = sum(this.#before, this.#latest)
    this.#latest = { ...nothingYet, row: this.#before.row, lagMs: this.#before.lagMs }
  }

  /** Without a thread to take it, the next one asks for its own. */
  #feed(port: MessagePort): void {
    const { worker } = this.#supervisor
    if (worker) worker.postMessage({ id: nobody, call: { name: 'feed', port } } satisfies Request, [port])
    else port.close()
  }

  /** To the thread there is; the next one is started with what is true then. */
  #send(call: Call): void {
    this.#supervisor.worker?.postMessage({ id: nobody, call } satisfies Request)
  }

  #call(call: Call): Promise<unknown> {
    return this.#supervisor.ask((id) => ({ id, call }) satisfies Request)
  }
}

function away(reason: string): Refusal {
  return new Refusal(
    'TEMPORARILY_UNAVAILABLE',
    `Click figures are not available at the moment (${reason}). Try again in a few seconds.`,
  )
}

const nothingYet: DeliveryStatus = {
  row: 0,
  delivered: { human: 0, bot: 0, preview: 0, prefetch: 0, head: 0 },
  dropped: {},
  damagedRows: 0,
  damagedAt: undefined,
  failures: 0,
  lastFailure: undefined,
  lagMs: 0,
  others: {},
}

/** Counts add up over threads; where the present one stands is its own to say. */
function sum(before: DeliveryStatus, latest: DeliveryStatus): DeliveryStatus {
  const dropped = { ...before.dropped }
  for (const [reason, count] of Object.entries(latest.dropped)) dropped[reason] = (dropped[reason] ?? 0) + count
  return {
    ...latest,
    row: Math.max(before.row, latest.row),
    delivered: {
      human: before.delivered.human + latest.delivered.human,
      bot: before.delivered.bot + latest.delivered.bot,
      preview: before.delivered.preview + latest.delivered.preview,
      prefetch: before.delivered.prefetch + latest.delivered.prefetch,
      head: before.delivered.head + latest.delivered.head,
    },
    dropped,
    damagedRows: before.damagedRows + latest.damagedRows,
    damagedAt: latest.damagedAt ?? before.damagedAt,
    failures: before.failures + latest.failures,
  }
}
