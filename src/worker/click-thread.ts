/**
 * The main thread's handle on the click thread: sends it calls, passes on its log lines, and keeps its counts when it
 * dies. Clicks are safe in the journal meanwhile; reports are refused until it is back.
 */
import type { MessagePort, Worker } from 'node:worker_threads'
import type { DeliveryStatus, PipelineStatus } from '../core/clicks/deliver.js'
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
import type { SharedSalts } from '../core/clicks/shared-salts.js'
import { Refusal } from '../core/values/refusal.js'
import type { Logger } from '../lib/logger.js'
import { OperatorError } from '../lib/operator-error.js'
import type { RecordsPlace } from '../open-records.js'
import { EventLoopLoad } from './event-loop-load.js'
import type {
  ClickThreadData,
  ClickThreadMethods,
  ClickThreadOptions,
  ClickThreadOwner,
  ClickThreadReady,
} from './messages.js'
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

class ClickThreadHandle implements ClickThread {
  readonly #options: ClickThreadOptions
  readonly #salts: SharedSalts | undefined
  readonly #log: Logger
  readonly #supervisor: WorkerSupervisor<ClickThreadMethods, ClickThreadReady>
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
    // The next thread is started with what is true then.
    salts?.onChange((changed) => this.#supervisor.tell('salts', [changed]))
    // Only these: the caller's object may hold more, some of it secret.
    const { dataDir, trustProxy, geography, clickRetention } = options
    const { clickhouseUrl, clickhouseCluster, clickhouseInsertQuorum } = options
    const clickhouse = { clickhouseUrl, clickhouseCluster, clickhouseInsertQuorum }
    const kept = { clickRetention, ...clickhouse, stream: options.stream }
    this.#options = { dataDir, trustProxy, geography: [...geography], ...kept }
    this.#log = log
    this.#supervisor = new WorkerSupervisor({
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
      methods: {
        status: (status) => {
          this.#latest = status
        },
        importProgress: (progress) => this.#onImport(progress),
      } satisfies Pick<ClickThreadOwner, 'status' | 'importProgress'>,
      onReady: ({ delivered }) => {
        if (this.#supervisor.restarts === 0) this.#delivered = delivered
      },
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

  count(query: MetricsQuery): Promise<readonly MetricsRow[]> {
    return this.#call('count', query)
  }

  countNested(query: NestedQuery): Promise<readonly NestedRow[]> {
    return this.#call('countNested', query)
  }

  countSets(query: SetsQuery): Promise<readonly number[]> {
    return this.#call('countSets', query)
  }

  firstAt({ scope, kinds, trafficClasses }: Counted): Promise<number | undefined> {
    return this.#call('firstAt', { scope, kinds, trafficClasses })
  }

  async status(): Promise<PipelineStatus> {
    const { isRunning, isClosing, failure, restarts } = this.#supervisor
    if (isRunning && !isClosing) this.#latest = await this.#call('status')
    const status = sum(this.#before, this.#latest)
    return { ...status, lastFailure: failure ?? status.lastFailure, restarts }
  }

  async importClicks(
    file: string,
    { databaseUrl, dataDir }: RecordsPlace,
    tell: (progress: ImportProgress) => void,
  ): Promise<ImportProgress> {
    this.#onImport = tell
    return this.#call('import', file, { databaseUrl, dataDir })
  }

  async drained(row: number): Promise<void> {
    await this.#call('drained', row)
  }

  async refreshStream(watched: readonly string[]): Promise<void> {
    await this.#call('refreshStream', watched)
  }

  close(timeLimit = 10_000): Promise<void> {
    this.#unwatch()
    return this.#supervisor.close([timeLimit], timeLimit + closingGrace, () =>
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

  #keepCounts(): void {
    this.#before = sum(this.#before, this.#latest)
    this.#latest = { ...nothingYet, row: this.#before.row, lagMs: this.#before.lagMs }
  }

  /** Without a thread to take it, the next one asks for its own. */
  #feed(port: MessagePort): void {
    if (!this.#supervisor.tell('feed', [port], [port])) port.close()
  }

  async #call<Name extends keyof ClickThreadMethods>(
    name: Name,
    ...args: Parameters<ClickThreadMethods[Name]>
  ): Promise<Awaited<ReturnType<ClickThreadMethods[Name]>>> {
    try {
      return await this.#supervisor.call(name, ...args)
    } catch (error) {
      // The click log is on a server that is away. Where it is and why is for the operator: the thread has logged it.
      if (error instanceof OperatorError) throw away('the click log cannot be reached')
      throw error
    }
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
