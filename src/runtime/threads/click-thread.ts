/**
 * The main thread's handle on the click thread: sends it calls, forwards its log messages, and keeps its counters if
 * it dies. Meanwhile clicks are safe in the journal, and reports fail until the thread is back.
 */
import type { MessagePort, Worker } from 'node:worker_threads'
import type { ClickCopier } from '../../core/clicks/click-copy.js'
import type { ClickQueries } from '../../core/clicks/click-log.js'
import type { DeliveryStatus, PipelineStatus } from '../../core/clicks/deliver.js'
import type { ImportProgress } from '../../core/clicks/imports.js'
import type { JournalDeliveries, JournalProgress } from '../../core/clicks/journal-delivery.js'
import type { MetricsLog } from '../../core/clicks/metrics-query.js'
import type { SharedSalts } from '../../core/clicks/shared-salts.js'
import type { BuiltInDomain } from '../../core/domains/domain-store.js'
import type { FeedUpdate, LiveSubject, SharedClicks } from '../../core/live/live-subject.js'
import type { Logger } from '../../lib/logger.js'
import { OperatorError } from '../../lib/operator-error.js'
import { passOn } from '../../lib/pass-on.js'
import type { RecordsPlace } from '../stores/open-records.js'
import type { ClickStreamOptions } from './click-stream.js'
import type { HostOwner } from './host-messages.js'
import { HttpActivity } from './http-activity.js'
import { startModule } from './start-module.js'
import { WorkerThread } from './worker-thread.js'

/** The connection to the stream thread (stream-thread.ts). */
export interface StreamConnection {
  connect(): MessagePort | undefined
  onFeed(take: (port: MessagePort) => void): void
}

export interface ClickThreadDeps {
  readonly stream?: StreamConnection | undefined
  /** Undefined: the thread keeps its own. */
  readonly salts?: SharedSalts | undefined
  /** Called after each report with its duration. */
  readonly onReport?: (milliseconds: number) => void
}

export async function startClickThread(
  options: ClickThreadOptions,
  log: Logger,
  deps: ClickThreadDeps = {},
): Promise<ClickThread> {
  const thread = new ClickThread(options, log, deps)
  await thread.start()
  return thread
}

/** Time to close files after draining. */
const closingGrace = 5_000

export class ClickThread implements ClickCopier {
  /** The click log. */
  readonly log = passOn<ClickQueries>((name, args) => this.#call('ask', name, args))
  /** Its reports, with their durations. */
  readonly metrics = passOn<MetricsLog>((name, args) => this.#timed(() => this.#call('ask', name, args)))
  #options: ClickThreadOptions
  #stream: StreamConnection | undefined
  readonly #salts: SharedSalts | undefined
  readonly #onReport: ClickThreadDeps['onReport']
  readonly #thread: WorkerThread<ClickThreadMethods>
  readonly #http = new HttpActivity()
  #delivered: ReadonlyMap<string, number | undefined> = new Map()
  #onImport: (progress: ImportProgress) => void = () => {}
  #live: LiveListener | undefined
  #onWebhookEvents: () => void = () => {}
  /** Counters of former threads, and the last status of the current one. */
  #before = nothingYet
  #latest = nothingYet

  constructor(options: ClickThreadOptions, log: Logger, { stream, salts, onReport }: ClickThreadDeps) {
    this.#salts = salts
    this.#onReport = onReport
    // A new thread starts with the current salts.
    salts?.onChange((changed) => this.#thread.tell('salts', [changed]))
    // Copy only these: the caller's object may contain secrets.
    const { dataDir, trustProxy, geography, clickRetention, memoryLimit, keepsJournal = false } = options
    const { clickhouseUrl, clickhouseCluster, clickhouseInsertQuorum } = options
    const clickhouse = { clickhouseUrl, clickhouseCluster, clickhouseInsertQuorum }
    const { stream: clickStream, webhooks } = options
    const kept = { clickRetention, memoryLimit, keepsJournal, ...clickhouse, stream: clickStream, webhooks }
    this.#options = { dataDir, trustProxy, geography: [...geography], ...kept }
    this.#thread = new WorkerThread({
      name: 'click thread',
      begin: () => this.#begin(this.#stream?.connect()),
      unavailable: 'Click figures are not available at the moment',
      meanwhile: 'clicks wait in the journal',
      log,
      retryAfter: 5,
      owner: {
        status: (status) => {
          this.#latest = status
        },
        importProgress: (progress) => this.#onImport(progress),
        liveEvents: (updates) => this.#live?.liveEvents(updates),
        shareClicks: (clicks) => this.#live?.shareClicks(clicks),
        webhookEvents: () => this.#onWebhookEvents(),
      } satisfies Omit<ClickThreadOwner, keyof HostOwner>,
      onDeath: () => {
        this.#keepCounts()
        this.#live?.onDeath()
      },
      onBack: () => this.#live?.onBack(),
    })
    if (stream) this.#use(stream)
  }

  /** Resolves when the thread has opened everything it needs. */
  async start(): Promise<void> {
    await this.#thread.start()
    this.#delivered = await this.#thread.methods.delivered()
  }

  /** The last row of our journal that was delivered before the thread first started; undefined if unknown. */
  get delivered(): number | undefined {
    const [own] = this.#delivered.values()
    return own
  }

  /** The same of any journal. */
  readonly deliveredOf = (journalId: string): number | undefined => this.#delivered.get(journalId)

  readonly copyClicks: ClickCopier['copyClicks'] = (folder, known) => this.#call('copyClicks', folder, known)

  async status(): Promise<PipelineStatus> {
    const { isRunning, isClosing, failure, restarts } = this.#thread
    if (isRunning && !isClosing) this.#latest = await this.#call('status')
    const status = sum(this.#before, this.#latest)
    return { ...status, lastFailure: failure ?? status.lastFailure, restarts }
  }

  /** Imports a file of clicks into the click log, one file at a time; resolves with its final progress. */
  async importClicks(
    file: string,
    { databaseUrl, dataDir }: RecordsPlace,
    tell: (progress: ImportProgress) => void,
  ): Promise<ImportProgress> {
    this.#onImport = tell
    return this.#call('import', file, { databaseUrl, dataDir })
  }

  /** Delivers journals whose machine is gone. */
  deliveriesOf({ databaseUrl, dataDir }: RecordsPlace, missingAfter: number): JournalDeliveries {
    const more = [{ databaseUrl, dataDir }, missingAfter * 1000] as const
    return {
      start: (folder) => this.#call('startDelivery', folder, ...more),
      progress: (folder) => this.#call('deliveryProgress', folder, ...more),
    }
  }

  /** Resolves once the rows up to this one are in the click log, of our journal and of others by their ids. */
  async drained(row: number, others: Readonly<Record<string, number>> = {}): Promise<void> {
    await this.#call('drained', row, others)
  }

  /** Starts to publish to a stream, if there was none. A thread that is restarted publishes to it too. */
  async openStream(options: ClickStreamOptions, stream: StreamConnection): Promise<void> {
    this.#options = { ...this.#options, stream: options }
    this.#use(stream)
    const feed = stream.connect()
    await this.#thread.call('openStream', [options, feed], feed ? [feed] : [])
  }

  /** When it resolves, the watched topics and those with readers are published. */
  async refreshStream(watched: readonly string[]): Promise<void> {
    await this.#call('refreshStream', watched)
  }

  /** Called when there are events for webhooks. */
  onWebhookEvents(listener: () => void): void {
    this.#onWebhookEvents = listener
  }

  /** When it resolves, active webhooks get all later clicks. */
  async refreshWebhooks(webhooks: RecordsPlace): Promise<void> {
    this.#options = { ...this.#options, webhooks }
    await this.#call('refreshWebhooks', webhooks)
  }

  onLive(listener: LiveListener): void {
    this.#live = listener
  }

  joinLive(subject: LiveSubject, lastEventId: string | undefined, domains: readonly BuiltInDomain[]): Promise<string> {
    return this.#thread.methods.joinLive(subject, lastEventId, domains)
  }

  /** Without a thread there are no feeds. */
  tellLive<Name extends Exclude<keyof LiveMethods, 'joinLive'>>(
    name: Name,
    ...args: Parameters<LiveMethods[Name]>
  ): void {
    this.#thread.tell(name, args)
  }

  /** Called after every row of the journal. */
  readonly wrote = this.#http.wrote

  /** Called when another process wrote rows of its journal. */
  readonly othersWrote = this.#http.othersWrote

  /** Delivers the journal, for at most `timeLimit` milliseconds, and closes the click log. */
  close(timeLimit = 10_000): Promise<void> {
    return this.#thread.close(timeLimit + closingGrace, timeLimit)
  }

  #begin(feed: MessagePort | undefined): Worker {
    const data: ClickThreadData = {
      ...this.#options,
      http: this.#http.shared,
      salts: this.#salts?.current,
      feed,
    }
    return startModule('clicks', data, {}, feed ? [feed] : [])
  }

  #keepCounts(): void {
    this.#before = sum(this.#before, this.#latest)
    const { row, otherRows, lagMs } = this.#before
    this.#latest = { ...nothingYet, row, otherRows, lagMs }
  }

  #use(stream: StreamConnection): void {
    this.#stream = stream
    stream.onFeed((port) => this.#feed(port))
  }

  /** If no thread is running, the next one requests its own port. */
  #feed(port: MessagePort): void {
    if (!this.#thread.tell('feed', [port], [port])) port.close()
  }

  async #timed<Answer>(report: () => Promise<Answer>): Promise<Answer> {
    const begun = performance.now()
    try {
      return await report()
    } finally {
      this.#onReport?.(performance.now() - begun)
    }
  }

  async #call<Name extends keyof ClickThreadMethods>(
    name: Name,
    ...args: Parameters<ClickThreadMethods[Name]>
  ): Promise<Awaited<ReturnType<ClickThreadMethods[Name]>>> {
    try {
      return await this.#thread.call(name, args)
    } catch (error) {
      // The click log's server is unreachable. Its address and the reason are for the operator: the thread has logged
      // them.
      if (error instanceof OperatorError) throw this.#thread.away('the click log cannot be reached')
      throw error
    }
  }
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

/** Adds up the counters of all threads; the position is that of the current one. */
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

export interface ClickThreadOptions {
  readonly dataDir: string
  readonly trustProxy: number
  /** mmdb files; the bundled ones when empty. */
  readonly geography: readonly string[]
  /** Days until single clicks become totals; undefined: never. */
  readonly clickRetention?: number | undefined
  /** Megabytes for DuckDB. */
  readonly memoryLimit?: number | undefined
  /** Where clicks are stored; undefined: in dataDir. */
  readonly clickhouseUrl?: string | undefined
  readonly clickhouseCluster?: string | undefined
  /** Replicas that must have clicks before they count as delivered. */
  readonly clickhouseInsertQuorum?: number | undefined
  /** Undefined without a stream. */
  readonly stream?: ClickStreamOptions | undefined
  /** Where webhooks are; undefined without active ones. */
  readonly webhooks?: RecordsPlace | undefined
  /** For commands, which do not know how far the stream has read the journal. */
  readonly keepsJournal?: boolean
}

/** Start data of the click thread. */
export interface ClickThreadData extends ClickThreadOptions {
  /** See http-activity.ts. */
  readonly http: SharedArrayBuffer
  /** Salts by day, if several processes count the same visitors; undefined: from a file. */
  readonly salts: ReadonlyMap<number, string> | undefined
  /** The port of the stream thread, if there is one. */
  readonly feed: MessagePort | undefined
}

/** The methods of the click thread. */
export interface ClickThreadMethods extends ClickCopier, LiveMethods {
  /** The last row of each journal that was delivered before the thread started; undefined while the click log does not answer. */
  delivered(): ReadonlyMap<string, number | undefined>
  /** Calls a method of the click log. */
  ask(name: keyof ClickQueries, args: readonly unknown[]): Promise<unknown>
  status(): DeliveryStatus
  /** Resolves with the final progress when the import is over. */
  import(file: string, records: RecordsPlace): Promise<ImportProgress>
  /** Begins to deliver a journal of others, unless one is being delivered. `missingAfter` in milliseconds. */
  startDelivery(folder: string, records: RecordsPlace, missingAfter: number): Promise<JournalProgress>
  /** Of the latest; begins if there was none. */
  deliveryProgress(folder: string, records: RecordsPlace, missingAfter: number): Promise<JournalProgress>
  /** Connects to a restarted stream thread. */
  feed(port: MessagePort): void
  /** New salts by day. */
  salts(salts: ReadonlyMap<number, string>): void
  /** Starts to publish; the port is that of the stream thread. */
  openStream(options: ClickStreamOptions, feed: MessagePort | undefined): Promise<void>
  /** Read access or the watched topics have changed. */
  refreshStream(watched: readonly string[]): Promise<void>
  /** Webhooks were added, changed or removed. */
  refreshWebhooks(records: RecordsPlace): Promise<void>
  /** Resolves once the rows up to this one are in the click log, of the first journal and of others. */
  drained(row: number, others: Readonly<Record<string, number>>): Promise<void>
  /** Delivers the journal, for at most this long, closes everything and ends the thread. */
  close(timeLimit: number): Promise<void>
}

/** Feeds of live readers (core/live/feeds.ts). */
export interface LiveMethods {
  /** Resolves with the first events when every later click will arrive. */
  joinLive(subject: LiveSubject, lastEventId: string | undefined, domains: readonly BuiltInDomain[]): string
  leaveLive(subject: LiveSubject): void
  shareLive(keys: readonly string[]): void
  addSharedClicks(clicks: SharedClicks): void
  addLiveGap(): void
}

export interface LiveListener {
  liveEvents(updates: readonly FeedUpdate[]): void
  shareClicks(clicks: readonly SharedClicks[]): void
  /** The feeds are gone. */
  onDeath(): void
  onBack(): void
}

/** The methods of the main thread for the click thread. */
export interface ClickThreadOwner extends HostOwner, Pick<LiveListener, 'liveEvents' | 'shareClicks'> {
  webhookEvents(): void
  /** Sent regularly, so that the counters survive the thread. */
  status(status: DeliveryStatus): void
  importProgress(progress: ImportProgress): void
}
