/**
 * The click thread: puts together journal reader, pipeline and click log, and lets them run beside the HTTP thread, which
 * it reaches by messages only. Preparing clicks and scanning for reports happen here, so that a redirect waits for neither.
 */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { ClickLog } from '../core/clicks/click-log.js'
import { clickLogName, Delivery, type DeliveryStatus } from '../core/clicks/deliver.js'
import type { ImportProgress } from '../core/clicks/imports.js'
import type { Geography } from '../core/clicks/locate.js'
import { createPipeline } from '../core/clicks/pipeline.js'
import { systemClock } from '../core/values/time.js'
import { Closing } from '../lib/closing.js'
import { OperatorError, UnavailableError } from '../lib/operator-error.js'
import type { RecordsPlace } from '../open-records.js'
import { openClickhouseClickLog } from '../storage/clickhouse/click-log.js'
import { httpSession } from '../storage/clickhouse/http-session.js'
import { openDuckdbClickLog } from '../storage/duckdb/click-log.js'
import { isFatal } from '../storage/duckdb/failures.js'
import { openGeography } from '../storage/geography/mmdb.js'
import { type FileJournalReader, openJournalReader } from '../storage/journal/journal-reader.js'
import { ClickStream } from './click-stream.js'
import { GivenSalts, SaltFile } from './daily-salts.js'
import { EventLoopLoad } from './event-loop-load.js'
import { runInThread } from './import-thread.js'
import { LateClickLog } from './late-click-log.js'
import { lowerPriority } from './lower-priority.js'
import type { ClickThreadData, ClickThreadMethods, ClickThreadOwner } from './messages.js'
import { failureOf, ThreadCalls } from './thread-calls.js'
import type { Warn } from './worker-supervisor.js'

type Owner = ThreadCalls<ClickThreadOwner>

async function runThread(port: MessagePort, options: ClickThreadData): Promise<void> {
  let thread: ClickWorker
  const owner: Owner = new ThreadCalls(port, {
    count: (query) => thread.report((log) => log.count(query)),
    countNested: (query) => thread.report((log) => log.countNested(query)),
    countSets: (query) => thread.report((log) => log.countSets(query)),
    firstAt: (query) => thread.report((log) => log.firstAt(query)),
    status: () => thread.status(),
    import: (file, records) => thread.import(file, records),
    feed: (feed) => thread.connect(feed),
    salts: (salts) => thread.useSalts(salts),
    refreshStream: (watched) => thread.refreshStream(watched),
    drained: (row) => thread.drained(row),
    close: (timeLimit) => thread.close(timeLimit),
  } satisfies ClickThreadMethods)
  try {
    await lowerPriority()
    thread = await ClickWorker.open(owner, options)
    owner.tell('ready', [{ delivered: await thread.delivered() }])
    await thread.run()
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    owner.tell('broken', [failureOf(error)])
  }
  port.close()
}

class ClickWorker {
  readonly #owner: Owner
  readonly #opened: Closing
  readonly #journal: FileJournalReader
  readonly #log: ClickLog
  readonly #stream: ClickStream | undefined
  readonly #salts: SaltFile | GivenSalts
  readonly #delivery: Delivery
  readonly #geographyFiles: readonly string[]
  readonly #isEmbedded: boolean
  readonly #eventLoopLoad: EventLoopLoad
  #resumedAt = performance.now()
  #stop: { readonly until: number } | undefined
  #death: { readonly error: unknown } | undefined
  #wake: () => void = () => {}
  readonly #over = new AbortController()
  #importing: Promise<unknown> | undefined
  /** Until the last of those that take turns is over, and its rest too. */
  #reports: Promise<void> = Promise.resolve()
  #awaited: { readonly row: number; readonly reached: () => void }[] = []

  /** Whatever is opened is closed again when a later part cannot be: one that is left open would keep the thread alive. */
  static async open(owner: Owner, options: ClickThreadData): Promise<ClickWorker> {
    const note: Note = (...line) => owner.tell('log', line)
    const opened = new Closing()
    try {
      // Before the click log: what is wrong with a file is told before one is made.
      const geography = openGeography(options.geography)
      const folder = join(options.dataDir, 'journal')
      const journal = opened.add(
        openJournalReader(folder, (damage) =>
          note('error', { ...damage }, 'a journal file cannot be read in full: clicks are lost'),
        ),
      )
      // It says nothing of damage: the other one has said it.
      const laggingJournal = opened.add(openJournalReader(folder))
      const warn: Warn = (fields, message) => note('warn', fields, message)
      const stream = options.stream && opened.add(await ClickStream.open(options.stream, warn))
      if (options.feed) stream?.connect(options.feed)
      const log = opened.add(await LateClickLog.open(() => openClickLog(options)))
      if (log.trouble !== undefined) note('error', { reason: log.trouble }, withoutClickLog)
      return new ClickWorker(owner, options, { geography, journal, laggingJournal, log, stream, opened })
    } catch (error) {
      options.feed?.close()
      await opened.close()
      throw error
    }
  }

  private constructor(owner: Owner, options: ClickThreadData, deps: OpenedDeps) {
    const { geography, journal, laggingJournal, log, stream, opened } = deps
    this.#owner = owner
    this.#opened = opened
    this.#journal = journal
    this.#log = log
    this.#stream = stream
    this.#geographyFiles = options.geography
    this.#isEmbedded = options.clickhouseUrl === undefined
    this.#eventLoopLoad = new EventLoopLoad(options.eventLoopLoad)
    this.#salts = options.salts
      ? new GivenSalts(options.salts)
      : new SaltFile(join(options.dataDir, 'visitor-salts.json'), systemClock, (reason) =>
          this.#note(
            'warn',
            { reason },
            'the file with the visitor salts cannot be used: a restart may count visitors twice',
          ),
        )
    this.#delivery = new Delivery({
      journal,
      laggingJournal,
      pipeline: createPipeline({ geography, salts: this.#salts, trustProxy: options.trustProxy }),
      log,
      ...(stream && { others: { stream: stream.sink } }),
      clock: systemClock,
      waitBriefly: (work) => Promise.race([work, wait(patience, undefined, { ref: false })]),
      pause: (milliseconds) => this.#pauseAfterWork(milliseconds),
      onDelivered: () => this.#answerAwaited(),
      onFailure: (error, retryIn, sink) => this.#failed(error, retryIn, sink),
    })
  }

  /**
   * The last row that somebody has, undefined while the click log cannot say. A stream that is away at the start is, at
   * most, a moment ahead of the click log.
   */
  async delivered(): Promise<number | undefined> {
    const { journalId } = this.#journal
    const passedOn = await this.#stream?.sink.cursor(journalId).catch(() => 0)
    const counted = await this.#log.cursor(journalId).catch((error: unknown) => {
      if (error instanceof UnavailableError) return undefined
      throw error
    })
    return counted === undefined ? undefined : Math.max(counted, passedOn ?? 0)
  }

  /**
   * Ends in an orderly way in any case, also for an error nobody caught: a thread that ends while the engine is at work
   * takes the whole process with it.
   */
  async run(): Promise<void> {
    const end = (error: unknown) => this.#end(error)
    process.on('uncaughtException', end)
    const tick = setInterval(() => {
      this.#salts.forgetOldDays()
      this.#owner.tell('status', [this.status()])
    }, statusInterval)
    const compacting = this.#compact()
    try {
      await this.#delivery.run(() => this.#stop)
    } catch (error) {
      this.#end(error)
    }
    clearInterval(tick)
    this.#over.abort()
    await Promise.allSettled([this.#importing])
    await this.#log.close()
    await compacting
    await this.#opened.close()
    this.#owner.tell('status', [this.status()])
    process.off('uncaughtException', end)
    if (this.#death) throw this.#death.error
  }

  /** Upkeep of the click log, for at most a third of the time: the rest belongs to clicks, reports and redirects. */
  async #compact(): Promise<void> {
    let pause = firstCompaction
    let lastAt = performance.now()
    while (await this.#rest(pause)) {
      const began = performance.now()
      if (this.#isBusy() && began - lastAt < longestUncompacted) {
        pause = busyPause
        continue
      }
      lastAt = began
      try {
        const more = await this.#log.compact(systemClock.now())
        pause = more ? 2 * (performance.now() - began) : compactInterval
      } catch (error) {
        // Closing the log interrupts it; the step was undone and is for the next start.
        if (this.#over.signal.aborted) return
        const reason = error instanceof Error ? error.message : String(error)
        this.#note('error', { reason }, 'the click log cannot be tidied: reports get slower, nothing is lost')
        pause = compactInterval
      }
    }
  }

  /** False when the thread ends meanwhile. */
  async #rest(milliseconds: number): Promise<boolean> {
    const { signal } = this.#over
    return wait(milliseconds, true, { signal }).catch(() => false)
  }

  status(): DeliveryStatus {
    const status = this.#delivery.status()
    return { ...status, lastFailure: this.#log.trouble ?? status.lastFailure, links: this.#stream?.linkFollowerStatus }
  }

  #end(error: unknown): void {
    this.#death ??= { error }
    this.#stop = { until: Number.NEGATIVE_INFINITY }
    this.#wake()
  }

  connect(feed: MessagePort): void {
    if (this.#stream) this.#stream.connect(feed)
    else feed.close()
  }

  useSalts(salts: ReadonlyMap<number, string>): void {
    if (this.#salts instanceof GivenSalts) this.#salts.use(salts)
  }

  async refreshStream(watched: readonly string[]): Promise<void> {
    await this.#stream?.refresh(watched)
  }

  drained(row: number): Promise<void> {
    const drained = new Promise<void>((reached) => this.#awaited.push({ row, reached }))
    this.#answerAwaited()
    this.#wake()
    return drained
  }

  close(timeLimit: number): void {
    this.#stop = { until: systemClock.now() + timeLimit }
    this.#wake()
  }

  import(file: string, records: RecordsPlace): Promise<ImportProgress> {
    const tell = (progress: ImportProgress) => this.#owner.tell('importProgress', [progress])
    const options = { file, records, geography: this.#geographyFiles }
    const importing = runInThread(this.#log, options, { signal: this.#over.signal, tell })
    this.#importing = importing
    return importing
  }

  async report<Answer>(ask: (log: ClickLog) => Promise<Answer>): Promise<Answer> {
    try {
      return await this.#inTurn(() => ask(this.#log))
    } catch (error) {
      // The caller is told only that it is away: where it is and why is for the operator.
      if (error instanceof OperatorError)
        this.#note('error', { reason: error.message }, 'the click log cannot be asked')
      throw error
    }
  }

  /**
   * While the HTTP thread has its hands full and there are no cores to spare, reports come one after the other, with a
   * rest after each that is twice as long as it took: they are late then, and redirects are not. Where another machine
   * works them out there is nothing to be spared.
   */
  async #inTurn<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    if (!this.#isEmbedded || !this.#isBusy()) return work()
    const before = this.#reports
    let over = () => {}
    this.#reports = new Promise((done) => {
      over = done
    })
    await before
    const began = performance.now()
    try {
      return await work()
    } finally {
      setTimeout(over, Math.min(2 * (performance.now() - began), longestRest))
    }
  }

  #answerAwaited(): void {
    const { row } = this.#delivery.status()
    const reached = this.#awaited.filter((awaited) => awaited.row <= row)
    if (reached.length === 0) return
    this.#awaited = this.#awaited.filter((awaited) => awaited.row > row)
    for (const awaited of reached) awaited.reached()
  }

  async #pauseAfterWork(milliseconds: number): Promise<void> {
    const collecting = !this.#isEmbedded && milliseconds > 0 && this.#awaited.length === 0 ? collectFor : 0
    await this.#pause(Math.max(milliseconds, collecting, this.#courtesy(performance.now() - this.#resumedAt)))
    this.#resumedAt = performance.now()
  }

  /**
   * While the HTTP thread has its hands full and there are no cores to spare, clicks are delivered in a tenth of the
   * time: they are safe in the journal, and redirects go first. Not for longer than a minute's worth of clicks, though.
   */
  #courtesy(worked: number): number {
    return !this.#stop && this.#isBusy() && this.#delivery.status().lagMs < longestLag ? worked * 9 : 0
  }

  #isBusy(): boolean {
    return fewCores && this.#eventLoopLoad.isHigh()
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

  #failed(error: unknown, retryIn: number, sink: string): void {
    const reason = error instanceof Error ? error.message : String(error)
    if (sink !== clickLogName) {
      this.#note('error', { reason, retryIn, sink }, 'clicks cannot be passed on: they wait in the journal')
      return
    }
    this.#note('error', { reason, retryIn }, 'clicks cannot be delivered: they wait in the journal')
    // After a fatal error (a full disk while committing) DuckDB answers nothing any more until it is opened again:
    // this thread ends, and its handle starts another.
    if (isFatal(error)) throw new Error(`the click log must be opened again: ${reason}`)
  }

  #note(...line: Parameters<Note>): void {
    this.#owner.tell('log', line)
  }
}

interface OpenedDeps {
  readonly geography: Geography
  readonly journal: FileJournalReader
  readonly laggingJournal: FileJournalReader
  readonly log: ClickLog
  readonly stream: ClickStream | undefined
  /** All of them that are to be closed. */
  readonly opened: Closing
}

type Note = ClickThreadOwner['log']

const withoutClickLog = 'the click log cannot be used: redirects go on, clicks wait in the journal, reports are refused'

function openClickLog({
  dataDir,
  clickRetention,
  clickhouseUrl,
  clickhouseCluster,
  clickhouseInsertQuorum,
}: ClickThreadData): Promise<ClickLog> {
  const retentionDays = clickRetention
  if (clickhouseUrl === undefined) return openDuckdbClickLog(join(dataDir, 'clicks.duckdb'), { retentionDays })
  const session = httpSession(clickhouseUrl, { watch: true, insertQuorum: clickhouseInsertQuorum ?? 0 })
  return openClickhouseClickLog(session, { retentionDays, cluster: clickhouseCluster })
}

const statusInterval = 1_000

const fewCores = availableParallelism() < 4
const longestLag = 60_000
const longestRest = 500
/** Upkeep waits for a quieter moment, though not all day: reports get slower meanwhile. */
const busyPause = 1_000
const longestUncompacted = 600_000
/** How long counting waits for the stream to be as far. */
const patience = 500
/** Our choice: ClickHouse makes a part of every insert and wants few of them; two a second are few. */
const collectFor = 500
/** Sorting is due every some million clicks and purging once a day: a minute late is early enough. */
const compactInterval = 60_000
const firstCompaction = 2_000

// Last, because a class and the constants above exist only once their lines have run.
if (!parentPort) throw new Error('click-worker.js is started by click-thread.js, not by itself')
await runThread(parentPort, workerData as ClickThreadData)
