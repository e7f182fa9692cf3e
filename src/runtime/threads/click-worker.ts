/**
 * The click thread: wires journal reader, pipeline and click log, beside the HTTP thread, which it talks to only by
 * messages. Clicks are prepared and reports computed here, so that redirects never wait for them.
 */

import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { MessagePort } from 'node:worker_threads'
import type { ClickCopy, KnownPart } from '../../core/clicks/click-copy.js'
import type { ClickQueries } from '../../core/clicks/click-log.js'
import { clickLogName, type DeliveryDeps, type DeliveryStatus } from '../../core/clicks/deliver.js'
import { Deliveries } from '../../core/clicks/deliveries.js'
import type { ImportProgress } from '../../core/clicks/imports.js'
import type { JournalProgress } from '../../core/clicks/journal-delivery.js'
import type { Geography } from '../../core/clicks/locate.js'
import { createPipeline } from '../../core/clicks/pipeline.js'
import { keptBeforeUpgrade } from '../../core/copies/copy.js'
import type { BuiltInDomain } from '../../core/domains/domain-store.js'
import { DomainNames } from '../../core/domains/domains.js'
import { Feeds } from '../../core/live/feeds.js'
import { systemClock } from '../../core/values/time.js'
import { Closing } from '../../lib/closing.js'
import { FailureThrottles } from '../../lib/failure-throttle.js'
import type { Warn } from '../../lib/logger.js'
import { messageOf } from '../../lib/message-of.js'
import { OperatorError, UnavailableError } from '../../lib/operator-error.js'
import { callByName } from '../../lib/pass-on.js'
import { within } from '../../lib/within.js'
import { isFatal } from '../../storage/duckdb/failures.js'
import { openGeography } from '../../storage/geography/mmdb.js'
import { journalFolders } from '../../storage/journal/folders.js'
import { openJournalReader } from '../../storage/journal/journal-reader.js'
import type { RecordsPlace } from '../stores/open-records.js'
import { ClickPacing } from './click-pacing.js'
import { ClickStream, type ClickStreamOptions } from './click-stream.js'
import type { ClickThreadData, ClickThreadMethods, ClickThreadOwner } from './click-thread.js'
import { type ClosedLog, ClosedLogFile } from './closed-click-log.js'
import { compactRegularly } from './compaction.js'
import { GivenSalts, SaltFile } from './daily-salts.js'
import { HttpActivity } from './http-activity.js'
import { importInThread } from './import-thread.js'
import { JournalDelivery } from './journal-delivery.js'
import { LateClickLog } from './late-click-log.js'
import { openClickLog } from './open-click-log.js'
import { ReportThrottle } from './report-throttle.js'
import type { ThreadCalls } from './thread-calls.js'

type Owner = ThreadCalls<ClickThreadOwner>

export async function serve(options: ClickThreadData, owner: Owner): Promise<ClickThreadMethods> {
  const thread = await ClickWorker.open(owner, options)
  // Its failure ends the thread.
  const running = thread.run()
  return {
    delivered: () => thread.delivered,
    ask: (name, args) => thread.ask(name, args),
    copyClicks: (folder, known) => thread.copyClicks(folder, known),
    status: () => thread.status(),
    import: (file, records) => thread.import(file, records),
    startDelivery: (folder, records, missingAfter) => thread.startDelivery(folder, records, missingAfter),
    deliveryProgress: (folder, records, missingAfter) => thread.deliveryProgress(folder, records, missingAfter),
    feed: (feed) => thread.connect(feed),
    salts: (salts) => thread.useSalts(salts),
    openStream: (stream, feed) => thread.openStream(stream, feed),
    refreshStream: (watched) => thread.refreshStream(watched),
    refreshWebhooks: (records) => thread.refreshWebhooks(records),
    drained: (row, others) => thread.drained(row, others),
    joinLive: (subject, lastEventId, domains) => thread.live(domains).join(subject, lastEventId),
    leaveLive: (subject) => thread.live().leave(subject),
    shareLive: (keys) => thread.live().shareWith(keys),
    addSharedClicks: (clicks) => thread.live().addShared(clicks),
    addLiveGap: () => thread.live().addGap(),
    close(timeLimit) {
      thread.stop(timeLimit)
      return running
    },
  }
}

class ClickWorker {
  readonly #owner: Owner
  readonly #opened: Closing
  readonly #log: LateClickLog
  readonly #closedLog: ClosedLogFile
  #stream: ClickStream | undefined
  #feeds: Feeds | undefined
  #webhooks: Promise<ClickStream> | undefined
  readonly #salts: SaltFile | GivenSalts
  readonly #deliveries: Deliveries
  readonly #shared: Omit<DeliveryDeps, 'journal' | 'others' | 'pause' | 'waitForRows'>
  readonly #geographyFiles: readonly string[]
  readonly #isEmbedded: boolean
  readonly #pacing: ClickPacing
  #delivered: ReadonlyMap<string, number | undefined> = new Map()
  #stop: { readonly until: number } | undefined
  #death: { readonly error: unknown } | undefined
  readonly #over = new AbortController()
  #importing: Promise<unknown> | undefined
  #ofAnother: JournalDelivery | undefined
  /** Not throttled if another machine computes the reports. */
  readonly #reports = new ReportThrottle(() => this.#isEmbedded && this.#pacing.isBusy())
  readonly #fail: Warn
  readonly #warn: Warn
  #awaited: { readonly isReached: () => boolean; readonly reached: () => void }[] = []

  /** If a part cannot be opened, closes the ones before it: an open part would keep the thread alive. */
  static async open(owner: Owner, options: ClickThreadData): Promise<ClickWorker> {
    const note: Note = (...line) => owner.tell('log', line)
    // In an outage one line a minute for each message.
    const throttles = new FailureThrottles()
    const fail: Warn = throttles.of((fields, message) => note('error', fields, message))
    const warn: Warn = throttles.of((fields, message) => note('warn', fields, message))
    const opened = new Closing()
    try {
      // Before the click log, so that an invalid file is reported before a new log is created.
      const geography = openGeography(options.geography)
      const journals = journalFolders(options.dataDir).map((folder) => ({
        journal: opened.add(
          openJournalReader(folder, (damage) =>
            note('error', { ...damage }, 'cannot read all of a journal file; clicks are lost'),
          ),
        ),
        // Without a damage callback: the first reader reports damage.
        laggingJournal: opened.add(openJournalReader(folder)),
      }))
      const stream = options.stream && opened.add(await ClickStream.open(options.stream, warn))
      if (options.feed) stream?.connect(options.feed)
      const closedLog = new ClosedLogFile(options.dataDir)
      const open = async () => {
        closedLog.remove()
        return openClickLog(options, (copy) => note('info', { copy }, keptBeforeUpgrade))
      }
      const [first, ...others] = journals
      // Clicks past their retention are dropped also if nobody needs the log, and only one position is known of a closed one.
      const mayStayClosed =
        options.clickhouseUrl === undefined && options.clickRetention === undefined && others.length === 0
      const closed = mayStayClosed && first ? closedLog.read(first.journal.journalId) : undefined
      const log = opened.add(await LateClickLog.open(open, closed))
      if (log.trouble !== undefined) fail({ reason: log.trouble }, withoutClickLog)
      const deps = { geography, journals, log, closedLog, stream, fail, warn, opened }
      const worker = new ClickWorker(owner, options, deps)
      if (options.webhooks) {
        await worker.#openWebhooks(options.webhooks, (journalId) => worker.#beginOfFormerWebhooks(journalId))
      }
      worker.#delivered = await worker.#deliveredBefore()
      return worker
    } catch (error) {
      options.feed?.close()
      await opened.close()
      throw error
    }
  }

  private constructor(owner: Owner, options: ClickThreadData, deps: OpenedDeps) {
    const { geography, journals, log, closedLog, stream, fail, warn, opened } = deps
    this.#owner = owner
    this.#fail = fail
    this.#warn = warn
    this.#opened = opened
    this.#log = log
    this.#closedLog = closedLog
    this.#stream = stream
    this.#geographyFiles = options.geography
    this.#isEmbedded = options.clickhouseUrl === undefined
    this.#pacing = new ClickPacing({
      http: new HttpActivity(options.http),
      isEmbedded: this.#isEmbedded,
      isStopping: () => this.#stop !== undefined,
      lagMs: () => this.#deliveries.status().lagMs,
      answerAwaited: () => this.#answerAwaited(),
    })
    this.#salts = options.salts
      ? new GivenSalts(options.salts)
      : new SaltFile(join(options.dataDir, 'visitor-salts.json'), systemClock, (reason) =>
          this.#note('warn', { reason }, 'cannot use the file of visitor salts; a restart may count visitors twice'),
        )
    this.#shared = {
      pipeline: createPipeline({ geography, salts: this.#salts, trustProxy: options.trustProxy }),
      log: log.methods,
      keepsJournal: options.keepsJournal ?? false,
      clock: systemClock,
      waitBriefly: (work: Promise<unknown>) => Promise.race([work, wait(streamTimeout, undefined, { ref: false })]),
      onDelivered: () => this.#answerAwaited(),
      onFailure: (error: unknown, retryIn: number, sink: string) => this.#failed(error, retryIn, sink),
    }
    const shared = { ...this.#shared, ...(stream && { others: { stream: stream.sink } }) }
    this.#deliveries = new Deliveries(journals.map((journal) => ({ ...shared, ...journal, ...this.#pacing.worker() })))
  }

  /**
   * The last delivered row of each journal; undefined while the click log does not answer. Others that do not answer at the
   * start are at most a moment ahead of the click log.
   */
  async #deliveredBefore(): Promise<ReadonlyMap<string, number | undefined>> {
    const sinks = [this.#stream, await this.#webhooks]
    const found = this.#deliveries.journalIds.map(async (journalId) => {
      const others = sinks.map((other) => other?.sink.cursor(journalId).catch(() => 0))
      const passedOn = (await Promise.all(others)).map((row) => row ?? 0)
      const counted = await this.#log.methods.cursor(journalId).catch((error: unknown) => {
        if (error instanceof UnavailableError) return undefined
        throw error
      })
      return [journalId, counted === undefined ? undefined : Math.max(counted, ...passedOn)] as const
    })
    return new Map(await Promise.all(found))
  }

  get delivered(): ReadonlyMap<string, number | undefined> {
    return this.#delivered
  }

  /**
   * Always shuts down cleanly, also after an uncaught error: a thread that ends while the engine is working crashes
   * the whole process.
   */
  async run(): Promise<void> {
    const end = (error: unknown) => this.#end(error)
    process.on('uncaughtException', end)
    const tick = setInterval(() => {
      this.#salts.forgetOldDays()
      this.#owner.tell('status', [this.status()])
    }, statusInterval)
    const { signal } = this.#over
    const compacting = compactRegularly({
      log: this.#log.methods,
      isBusy: () => this.#pacing.isBusy(),
      signal,
      fail: this.#fail,
    })
    void this.#warm()
    await this.#deliveries.run(() => this.#stop, end)
    clearInterval(tick)
    this.#over.abort()
    await Promise.allSettled([this.#importing, this.#ofAnother?.ended])
    const closed = await this.#whatIsKnown()
    await this.#log.close()
    if (closed) this.#closedLog.write(closed)
    await compacting
    await this.#opened.close()
    this.#owner.tell('status', [this.status()])
    process.off('uncaughtException', end)
    if (this.#death) throw this.#death.error
  }

  /** For the next start; undefined if the log is in no state to say. */
  async #whatIsKnown(): Promise<ClosedLog | undefined> {
    const [journalId = '', ...others] = this.#deliveries.journalIds
    if (!this.#isEmbedded || !this.#log.isOpen || this.#death || others.length > 0) return undefined
    const asked = Promise.all([this.#log.methods.cursor(journalId), this.#log.methods.size()])
    return within(closingTimeout, asked, 'DuckDB').then(
      ([row, size]) => ({ journalId, row, size }),
      () => undefined,
    )
  }

  status(): DeliveryStatus {
    const status = this.#deliveries.status()
    return { ...status, lastFailure: this.#log.trouble ?? status.lastFailure, links: this.#stream?.linkFollowerStatus }
  }

  #end(error: unknown): void {
    this.#death ??= { error }
    this.#stop = { until: Number.NEGATIVE_INFINITY }
    this.#pacing.wake()
  }

  /** While the service still starts, so that the first report need not wait. Never rejects: whoever needs the log tries again. */
  async #warm(): Promise<void> {
    await this.#log.warm().catch(() => {
      if (this.#log.trouble !== undefined) this.#fail({ reason: this.#log.trouble }, withoutClickLog)
    })
  }

  connect(feed: MessagePort): void {
    if (this.#stream) this.#stream.connect(feed)
    else feed.close()
  }

  useSalts(salts: ReadonlyMap<number, string>): void {
    if (this.#salts instanceof GivenSalts) this.#salts.use(salts)
  }

  /**
   * Starts to publish while the thread runs. Clicks that are counted already happened before anybody wanted them, so the
   * stream begins after them.
   */
  async openStream(options: ClickStreamOptions, feed: MessagePort | undefined): Promise<void> {
    if (this.#stream) return
    const stream = this.#opened.add(await ClickStream.open(options, this.#warn))
    this.#stream = stream
    if (feed) stream.connect(feed)
    for (const position of this.#deliveries.positions()) await stream.beginAfter(position)
    this.#deliveries.add('stream', stream.sink)
  }

  async refreshWebhooks(records: RecordsPlace): Promise<void> {
    // Known before the sink is added: counting goes on meanwhile, and what it counts must not be left out.
    const begin = this.#counted()
    await (await this.#openWebhooks(records, async (journalId) => begin(journalId))).refresh()
  }

  /** Where webhooks begin that a former version had, which put their clicks into the stream. */
  async #beginOfFormerWebhooks(journalId: string): Promise<number> {
    const counted = await this.#log.methods.cursor(journalId)
    return Math.min(counted, (await this.#stream?.sink.cursor(journalId)) ?? counted)
  }

  /** The first time, begins to put clicks into the queues: those after the last that was, or from `begin` on. */
  #openWebhooks(records: RecordsPlace, begin: (journalId: string) => Promise<number>): Promise<ClickStream> {
    const open = async () => {
      const onQueued = () => this.#owner.tell('webhookEvents', [])
      const webhooks = this.#opened.add(await ClickStream.openWebhooks(records, { begin, onQueued }, this.#warn))
      this.#deliveries.add('webhooks', webhooks.sink)
      return webhooks
    }
    this.#webhooks ??= open().catch((error: unknown) => {
      this.#webhooks = undefined
      throw error
    })
    return this.#webhooks
  }

  /** What is counted of each journal at this moment. */
  #counted(): (journalId: string) => number {
    const rows = new Map(this.#deliveries.positions().map(({ journalId, row }) => [journalId, row]))
    return (journalId) => rows.get(journalId) ?? 0
  }

  /** Begins with the first reader: nobody is told of clicks that are counted already. */
  live(domains?: readonly BuiltInDomain[]): Feeds {
    if (!this.#feeds) {
      this.#feeds = this.#opened.add(
        new Feeds({
          begin: this.#counted(),
          send: (updates) => this.#owner.tell('liveEvents', [updates]),
          share: (clicks) => this.#owner.tell('shareClicks', [clicks]),
          clock: systemClock,
        }),
      )
      this.#deliveries.add('live', this.#feeds)
    }
    if (domains) this.#feeds.useNames(new DomainNames(domains))
    return this.#feeds
  }

  async refreshStream(watched: readonly string[]): Promise<void> {
    await this.#stream?.refresh(watched)
  }

  drained(row: number, others: Readonly<Record<string, number>> = {}): Promise<void> {
    const [own = ''] = this.#deliveries.journalIds
    const rows = Object.entries({ ...others, [own]: row })
    const isReached = () => rows.every(([journalId, last]) => last <= this.#deliveries.rowOf(journalId))
    const drained = new Promise<void>((reached) => this.#awaited.push({ isReached, reached }))
    this.#answerAwaited()
    this.#pacing.wake()
    return drained
  }

  stop(timeLimit: number): void {
    this.#stop = { until: systemClock.now() + timeLimit }
    this.#pacing.wake()
  }

  import(file: string, records: RecordsPlace): Promise<ImportProgress> {
    const tell = (progress: ImportProgress) => this.#owner.tell('importProgress', [progress])
    const options = { file, records, geography: this.#geographyFiles }
    const importing = importInThread(this.#log.methods, options, { signal: this.#over.signal, tell })
    this.#importing = importing
    return importing
  }

  async startDelivery(...given: DeliveryCall): Promise<JournalProgress> {
    if (this.#ofAnother?.progress.state !== 'delivering') this.#ofAnother = await this.#deliver(...given)
    return this.#ofAnother.progress
  }

  async deliveryProgress(...given: DeliveryCall): Promise<JournalProgress> {
    this.#ofAnother ??= await this.#deliver(...given)
    return this.#ofAnother.progress
  }

  /** Live readers are told of what happens now. */
  async #deliver(folder: string, records: RecordsPlace, missingAfter: number): Promise<JournalDelivery> {
    const webhooks = await this.#webhooks
    const others = { ...(this.#stream && { stream: this.#stream.sink }), ...(webhooks && { webhooks: webhooks.sink }) }
    const onFailure: DeliveryDeps['onFailure'] = (...failed) => {
      try {
        this.#shared.onFailure(...failed)
      } catch (fatal) {
        this.#end(fatal)
      }
    }
    return new JournalDelivery(folder, {
      records,
      missingAfter,
      deliveries: this.#deliveries,
      delivery: { ...this.#shared, others, onFailure, ...this.#pacing.worker() },
      onDamage: (damage) => this.#note('error', { ...damage }, 'cannot read all of a journal file; clicks are lost'),
      signal: this.#over.signal,
    })
  }

  /** Like reports: while the HTTP thread is busy and cores are scarce, each file is followed by twice its time. */
  async copyClicks(folder: string, known: readonly KnownPart[]): Promise<ClickCopy> {
    return this.#log.methods.copyClicks(folder, known, async (worked) => {
      if (this.#isEmbedded && this.#pacing.isBusy())
        await wait(Math.min(2 * worked, maxCopyPause), undefined, { signal: this.#over.signal }).catch(() => {})
    })
  }

  async ask(name: keyof ClickQueries, args: readonly unknown[]): Promise<unknown> {
    try {
      return await this.#reports.run(async () => callByName(this.#log.methods, name, args))
    } catch (error) {
      // Callers only learn that the log is unavailable; address and reason are for the operator.
      if (error instanceof OperatorError) this.#logFailed({ reason: error.message }, 'cannot query the click log')
      throw error
    }
  }

  /** Returns whether somebody still waits. */
  #answerAwaited(): boolean {
    if (this.#awaited.length === 0) return false
    const waiting = this.#awaited.filter(({ isReached }) => !isReached())
    const answered = this.#awaited.filter((awaited) => !waiting.includes(awaited))
    this.#awaited = waiting
    for (const { reached } of answered) reached()
    return waiting.length > 0
  }

  #failed(error: unknown, retryIn: number, sink: string): void {
    const reason = messageOf(error)
    if (sink !== clickLogName) {
      this.#fail({ reason, retryIn, sink }, 'cannot publish clicks to the stream; they wait in the journal')
      return
    }
    this.#logFailed({ reason, retryIn }, 'cannot deliver clicks to the click log; they wait in the journal')
    // After a fatal error (a full disk while committing) DuckDB rejects everything until it is reopened: this thread
    // ends, and its supervisor starts another.
    if (isFatal(error)) throw new Error(`the click log must be reopened: ${reason}`)
  }

  /** A log that cannot be opened fails everybody who needs it, for the same reason: that is one line. */
  #logFailed(fields: Parameters<Warn>[0], message: string): void {
    this.#fail(fields, this.#log.isOpen ? message : withoutClickLog)
  }

  #note(...line: Parameters<Note>): void {
    this.#owner.tell('log', line)
  }
}

interface OpenedDeps {
  readonly geography: Geography
  readonly journals: readonly Pick<DeliveryDeps, 'journal' | 'laggingJournal'>[]
  readonly log: LateClickLog
  readonly closedLog: ClosedLogFile
  readonly stream: ClickStream | undefined
  readonly fail: Warn
  readonly warn: Warn
  /** Closes all of them. */
  readonly opened: Closing
}

type Note = ClickThreadOwner['log']
type DeliveryCall = Parameters<ClickThreadMethods['startDelivery']>

const withoutClickLog = 'cannot open the click log; redirects work, clicks wait in the journal, reports are refused'

const statusInterval = 1_000
const closingTimeout = 1_000

/** Nobody waits for a backup. */
const maxCopyPause = 10_000
/** How long counting waits for the stream to catch up. */
const streamTimeout = 500
