/**
 * The click thread: puts together journal reader, pipeline and click log, and lets them run beside the HTTP thread, which
 * it reaches by messages only. Preparing clicks and scanning for reports happen here, so that a redirect waits for neither.
 */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename, join } from 'node:path'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { ClickLog } from '../core/clicks/click-log.js'
import { Delivery } from '../core/clicks/deliver.js'
import { createPipeline } from '../core/clicks/pipeline.js'
import { systemClock } from '../core/clock.js'
import { OperatorError } from '../lib/operator-error.js'
import { openDuckdbClickLog } from '../storage/duckdb/click-log.js'
import { openGeography } from '../storage/geography/mmdb.js'
import { openJournalReader, type SqliteJournalReader } from '../storage/journal/journal-reader.js'
import { SaltFile } from './daily-salts.js'
import type { Call, ClickThreadOptions, LogReport, Report, Request } from './messages.js'

async function runThread(port: MessagePort, options: ClickThreadOptions): Promise<void> {
  const tell = (report: Report) => port.postMessage(report)
  lowerPriority()
  try {
    const thread = await ClickWorker.open(port, options)
    tell({ type: 'ready' })
    await thread.run()
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    tell({ type: 'broken', message: error.message, operator: true })
  }
}

/** Linux gives every thread a priority of its own: draining a backlog must not take the core from redirects. */
function lowerPriority(): void {
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')))
    setPriority(thread, 10)
  } catch {
    // Other systems have no /proc/thread-self, and a sandbox may forbid it. It is a courtesy; nothing depends on it.
  }
}

class ClickWorker {
  readonly #port: MessagePort
  readonly #journal: SqliteJournalReader
  readonly #log: ClickLog
  readonly #salts: SaltFile
  readonly #delivery: Delivery
  #stop: { readonly until: number; readonly id: number | undefined } | undefined
  #death: { readonly error: unknown } | undefined
  #wake: () => void = () => {}
  #awaited: { readonly row: number; readonly id: number }[] = []

  static async open(port: MessagePort, options: ClickThreadOptions): Promise<ClickWorker> {
    // Before the click log: what is wrong with a file is told before one is made.
    const geography = openGeography(options.geography)
    const log = await openDuckdbClickLog(join(options.dataDir, 'clicks.duckdb'))
    return new ClickWorker(port, options, geography, log)
  }

  private constructor(
    port: MessagePort,
    options: ClickThreadOptions,
    geography: ReturnType<typeof openGeography>,
    log: ClickLog,
  ) {
    this.#port = port
    this.#log = log
    this.#journal = openJournalReader(join(options.dataDir, 'journal'))
    this.#salts = new SaltFile(join(options.dataDir, 'visitor-salts.json'), systemClock, (reason) =>
      this.#note(
        'warn',
        { reason },
        'the file with the visitor salts cannot be used: a restart may count visitors twice',
      ),
    )
    this.#delivery = new Delivery({
      journal: this.#journal,
      pipeline: createPipeline({ geography, salts: this.#salts, trustProxy: options.trustProxy }),
      log,
      clock: systemClock,
      pause: (milliseconds) => this.#pause(milliseconds),
      onDelivered: () => this.#answerAwaited(),
      onFailure: (error, retryIn) => this.#failed(error, retryIn),
    })
  }

  /**
   * Ends in an orderly way in any case, also for an error nobody caught: a thread that ends while the engine is at work
   * takes the whole process with it.
   */
  async run(): Promise<void> {
    const end = (error: unknown) => this.#end(error)
    process.on('uncaughtException', end)
    this.#port.on('message', (request: Request) => void this.#receive(request))
    const tick = setInterval(() => {
      this.#salts.forgetOldDays()
      this.#tell({ type: 'status', status: this.#delivery.status() })
    }, statusInterval)
    try {
      await this.#delivery.run(() => this.#stop)
    } catch (error) {
      this.#end(error)
    }
    clearInterval(tick)
    await this.#log.close()
    this.#journal.close()
    this.#tell({ type: 'status', status: this.#delivery.status() })
    process.off('uncaughtException', end)
    if (this.#death) throw this.#death.error
    if (this.#stop?.id !== undefined) this.#tell({ type: 'answer', id: this.#stop.id, value: undefined })
    this.#port.close()
  }

  #end(error: unknown): void {
    this.#death ??= { error }
    this.#stop = { until: Number.NEGATIVE_INFINITY, id: undefined }
    this.#wake()
  }

  async #receive({ id, call }: Request): Promise<void> {
    try {
      const answer = await this.#answer(id, call)
      if (answer !== later) this.#tell({ type: 'answer', id, value: answer })
    } catch (error) {
      this.#tell({ type: 'failed', id, message: error instanceof Error ? error.message : String(error) })
    }
  }

  async #answer(id: number, call: Call): Promise<unknown> {
    switch (call.name) {
      case 'count':
        return this.#log.count(call.query)
      case 'firstAt':
        return this.#log.firstAt(call.query)
      case 'status':
        return this.#delivery.status()
      case 'drained':
        this.#awaited.push({ row: call.row, id })
        this.#answerAwaited()
        this.#wake()
        return later
      case 'close':
        this.#stop = { until: systemClock.now() + call.timeLimit, id }
        this.#wake()
        return later
    }
  }

  #answerAwaited(): void {
    const { row } = this.#delivery.status()
    const reached = this.#awaited.filter((awaited) => awaited.row <= row)
    if (reached.length === 0) return
    this.#awaited = this.#awaited.filter((awaited) => awaited.row > row)
    for (const { id } of reached) this.#tell({ type: 'answer', id, value: undefined })
  }

  /** Also where messages are received: without it a backlog would be drained before the first query is answered. */
  #pause(milliseconds: number): Promise<void> {
    this.#answerAwaited()
    if (milliseconds === 0) return new Promise((done) => setImmediate(done))
    return new Promise((done) => {
      const timer = setTimeout(done, milliseconds)
      this.#wake = () => {
        clearTimeout(timer)
        done()
      }
    })
  }

  #failed(error: unknown, retryIn: number): void {
    const reason = error instanceof Error ? error.message : String(error)
    this.#note('error', { reason, retryIn }, 'clicks cannot be delivered: they wait in the journal')
    // After a fatal error (a full disk while committing) DuckDB answers nothing any more until it is opened again:
    // this thread ends, and its handle starts another.
    if (/has been invalidated|fatal error/i.test(reason))
      throw new Error(`the click log must be opened again: ${reason}`)
  }

  #note(level: LogReport['level'], fields: LogReport['fields'], message: string): void {
    this.#tell({ type: 'log', level, fields, message })
  }

  #tell(report: Report): void {
    this.#port.postMessage(report)
  }
}

/** The call is answered by another event. */
const later = Symbol('later')

const statusInterval = 1_000

// Last, because a class and the constants above exist only once their lines have run.
if (!parentPort) throw new Error('click-worker.js is started by click-thread.js, not by itself')
await runThread(parentPort, workerData as ClickThreadOptions)
