/**
 * The main thread's handle on the click thread: sends it calls, passes on its log lines, and starts it again when it
 * dies. Clicks are safe in the journal meanwhile; reports are refused until it is back.
 */

import { setTimeout as wait } from 'node:timers/promises'
import { type MessagePort, Worker } from 'node:worker_threads'
import type { DeliveryStatus } from '../core/clicks/deliver.js'
import type { ImportProgress } from '../core/clicks/imports.js'
import type { PipelineStatus } from '../core/clicks/pipeline-status.js'
import type { Counted, MetricsLog, MetricsQuery, MetricsRow } from '../core/metrics/query.js'
import { Refusal } from '../core/refusal.js'
import type { Logger } from '../lib/logger.js'
import { OperatorError } from '../lib/operator-error.js'
import type { RecordsPlace } from '../open-records.js'
import type { Call, ClickThreadData, ClickThreadOptions, Report, Request } from './messages.js'
import { Strain } from './strain.js'

export interface ClickThread extends MetricsLog {
  /** The last row of the journal that was delivered before the thread was first started. */
  readonly delivered: number
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
): Promise<ClickThread> {
  const thread = new ClickThreadHandle(options, log, stream)
  await thread.start()
  return thread
}

const firstRestart = 200
const slowestRestart = 30_000
/** A thread that lived this long was well: the next restart is a quick one again. */
const wellAfter = 60_000
/** What closing the files may take on top of draining. */
const closingGrace = 5_000

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

class ClickThreadHandle implements ClickThread {
  readonly #options: ClickThreadOptions
  readonly #log: Logger
  readonly #stream: StreamConnection | undefined
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #lastId = 0
  #delivered = 0
  #restarts = 0
  #restartIn = firstRestart
  #restarting: Promise<void> = Promise.resolve()
  #died: string | undefined
  #closing: Promise<void> | undefined
  #onImport: (progress: ImportProgress) => void = () => {}
  readonly #strain = new Strain()
  readonly #unwatch = this.#strain.watch()
  readonly #restartWait = new AbortController()
  /** Counts of threads that are gone, and the last ones heard of the present thread. */
  #before = nothingYet
  #latest = nothingYet

  constructor(options: ClickThreadOptions, log: Logger, stream: StreamConnection | undefined) {
    // Only these: the caller's object may hold more, some of it secret.
    const { dataDir, trustProxy, geography, clickRetention, clickhouseUrl, clickhouseCluster } = options
    const kept = { clickRetention, clickhouseUrl, clickhouseCluster, stream: options.stream }
    this.#options = { dataDir, trustProxy, geography: [...geography], ...kept }
    this.#log = log
    this.#stream = stream
    stream?.onFeed((port) => this.#feed(port))
  }

  get delivered(): number {
    return this.#delivered
  }

  async count(query: MetricsQuery): Promise<readonly MetricsRow[]> {
    return (await this.#call({ name: 'count', query })) as readonly MetricsRow[]
  }

  async firstAt(query: Counted): Promise<number | undefined> {
    const { scope, kinds, natures } = query
    return (await this.#call({ name: 'firstAt', query: { scope, kinds, natures } })) as number | undefined
  }

  async status(): Promise<PipelineStatus> {
    if (this.#worker && !this.#closing) {
      this.#latest = (await this.#call({ name: 'status' })) as DeliveryStatus
    }
    const status = sum(this.#before, this.#latest)
    return { ...status, lastFailure: this.#died ?? status.lastFailure, restarts: this.#restarts }
  }

  async importClicks(
    file: string,
    { databaseUrl, dataDir, domains }: RecordsPlace,
    tell: (progress: ImportProgress) => void,
  ): Promise<ImportProgress> {
    this.#onImport = tell
    const call: Call = { name: 'import', file, records: { databaseUrl, dataDir, domains } }
    return (await this.#call(call)) as ImportProgress
  }

  async drained(row: number): Promise<void> {
    await this.#call({ name: 'drained', row })
  }

  async refreshStream(watched: readonly string[]): Promise<void> {
    await this.#call({ name: 'refreshStream', watched })
  }

  close(timeLimit = 10_000): Promise<void> {
    this.#closing ??= this.#close(timeLimit)
    return this.#closing
  }

  async #close(timeLimit: number): Promise<void> {
    this.#unwatch()
    this.#restartWait.abort()
    await this.#restarting
    const worker = this.#worker
    if (!worker) return
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    const asked = this.#send(worker, { name: 'close', timeLimit })
    const late = new AbortController()
    const deadline = wait(timeLimit + closingGrace, 'late', { signal: late.signal }).catch(() => 'in time')
    // A thread that dies instead of answering has the same end: the rest stays in the journal.
    const outcome = await Promise.race([Promise.allSettled([asked, ended]), deadline])
    late.abort()
    if (outcome !== 'late') return
    this.#log.warn({ timeLimit }, 'the click thread did not close in time: undelivered clicks stay in the journal')
    await worker.terminate()
  }

  /** Resolves when the thread has opened everything it needs. */
  start(): Promise<void> {
    const feed = this.#stream?.connect()
    const worker = new Worker(threadFile(), {
      workerData: { ...this.#options, strain: this.#strain.shared, feed } satisfies ClickThreadData,
      transferList: feed ? [feed] : [],
      resourceLimits: { maxOldGenerationSizeMb: 384 },
    })
    return new Promise((resolve, reject) => {
      let ready = false
      let reason: Error | undefined
      const began = performance.now()
      worker.on('message', (report: Report) => {
        if (report.type === 'broken') {
          reason = report.operator ? new OperatorError(report.message) : new Error(report.message)
        } else if (report.type === 'ready') {
          ready = true
          if (this.#restarts === 0) this.#delivered = report.delivered
          this.#worker = worker
          this.#died = undefined
          resolve()
        } else this.#hear(report)
      })
      worker.on('error', (error) => {
        reason ??= error instanceof Error ? error : new Error(String(error))
      })
      worker.on('exit', () => {
        const death = reason ?? new Error('The click thread ended unexpectedly.')
        if (!ready) return reject(death)
        if (performance.now() - began > wellAfter) this.#restartIn = firstRestart
        this.#buried(death)
      })
    })
  }

  /** Without a thread to take it, the next one asks for its own. */
  #feed(port: MessagePort): void {
    const call: Call = { name: 'feed', port }
    if (this.#worker) this.#worker.postMessage({ id: ++this.#lastId, call } satisfies Request, [port])
    else port.close()
  }

  #hear(report: Exclude<Report, { type: 'ready' | 'broken' }>): void {
    if (report.type === 'log') this.#log[report.level](report.fields, report.message)
    else if (report.type === 'status') this.#latest = report.status
    else if (report.type === 'import') this.#onImport(report.progress)
    else this.#settle(report)
  }

  #settle(report: Extract<Report, { type: 'answer' | 'failed' }>): void {
    const waiting = this.#waiting.get(report.id)
    this.#waiting.delete(report.id)
    if (report.type === 'answer') waiting?.resolve(report.value)
    else waiting?.reject(report.away ? away('the click log cannot be reached') : new Error(report.message))
  }

  #buried(death: Error): void {
    this.#worker = undefined
    this.#before = sum(this.#before, this.#latest)
    this.#latest = { ...nothingYet, row: this.#before.row, lagMs: this.#before.lagMs }
    for (const { reject } of this.#waiting.values()) reject(away(death.message))
    this.#waiting.clear()
    if (this.#closing) return
    this.#died = `the click thread died: ${death.message}`
    this.#log.error({ err: death }, 'the click thread died: clicks wait in the journal until it is back')
    this.#restarting = this.#restart()
  }

  async #restart(): Promise<void> {
    while (!this.#closing) {
      const delay = this.#restartIn
      this.#restartIn = Math.min(delay * 2, slowestRestart)
      const interrupted = await wait(delay, false, { signal: this.#restartWait.signal }).catch(() => true)
      if (interrupted) return
      this.#restarts++
      try {
        await this.start()
        this.#log.info({ restarts: this.#restarts }, 'the click thread is back')
        return
      } catch (error) {
        this.#died = `the click thread cannot start: ${error instanceof Error ? error.message : String(error)}`
        this.#log.error({ err: error, retryIn: this.#restartIn }, 'the click thread cannot start')
      }
    }
  }

  #call(call: Call): Promise<unknown> {
    if (this.#closing) return Promise.reject(away('the service is stopping'))
    if (!this.#worker) return Promise.reject(away(this.#died ?? 'the click thread has not started'))
    return this.#send(this.#worker, call)
  }

  #send(worker: Worker, call: Call): Promise<unknown> {
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      worker.postMessage({ id, call } satisfies Request)
    })
  }
}

/** From sources (under the test runner) the thread runs as built: a worker thread loads plain JavaScript only. */
function threadFile(): URL {
  const fromSource = import.meta.url.endsWith('.ts')
  return new URL(fromSource ? '../../dist/worker/click-worker.js' : './click-worker.js', import.meta.url)
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
    failures: before.failures + latest.failures,
  }
}
