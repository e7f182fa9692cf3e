/**
 * Delivers journal rows through the pipeline to all sinks, in order: the click log, and others such as the stream. Each
 * sink commits the clicks together with its own cursor; journal rows are deleted when all sinks have them. A sink that
 * fails or is slow is retried later while the others continue. All retries happen here. Knows neither threads nor files:
 * its dependencies are injected.
 */
import { messageOf } from '../../lib/message-of.js'
import type { Clock } from '../values/time.js'
import type { Click } from './click.js'
import type { ClickSink } from './click-log.js'
import type { TrafficClass } from './dimensions.js'
import type { JournalPosition, JournalReader } from './journal.js'
import type { Pipeline } from './pipeline.js'

export interface DeliveryDeps {
  readonly journal: JournalReader
  /** Another reader of the same journal for sinks that lag: one reader would have to seek back and forth. */
  readonly laggingJournal?: JournalReader
  readonly pipeline: Pipeline
  /** The click log; its cursor is the progress that the status reports. */
  readonly log: ClickSink
  /** Other sinks by name. */
  readonly others?: Readonly<Record<string, ClickSink>>
  /** Delivered rows stay in the journal: other sinks than these may not have them. */
  readonly keepsJournal?: boolean
  readonly clock: Clock
  /** Waits up to this long, less when woken. With 0 it only yields to other work. */
  readonly pause: (milliseconds: number) => Promise<void>
  /** Waits until rows are written, up to this long, less when woken. */
  readonly waitForRows: (milliseconds: number) => Promise<void>
  /** Waits for sinks that are slower than the click log, up to a timeout. */
  readonly waitBriefly: (work: Promise<unknown>) => Promise<unknown>
  /** Called when the click log has all rows up to this one. */
  readonly onDelivered: (row: number) => void
  /** Called for every failed attempt; the rows stay in the journal and are retried. */
  readonly onFailure: (error: unknown, retryIn: number, sink: string) => void
}

export type DeliveryStatus = Omit<PipelineStatus, 'restarts'>

export const clickLogName = 'click log'

/** Maximum interval between reads of the journal while a sink is behind, and if nobody tells that rows were written. */
const pollInterval = 200
const idleInterval = 1_000
/** Pause after a batch that was not full, to collect more clicks for the next transaction. */
const briefPause = 50
const maxBatch = 5_000
const minBatch = 250
/** Queries wait for a batch, so a batch that takes longer than this is followed by a smaller one. */
const batchTarget = 100
const releaseInterval = 5_000
const minRetryDelay = 250
/** A server that is back gets the waiting clicks soon. */
const maxRetryDelay = 5_000

export class Delivery {
  readonly #deps: DeliveryDeps
  readonly #log: Lane
  readonly #lanes: Lane[]
  readonly #delivered: Record<TrafficClass, number> = { human: 0, bot: 0, preview: 0, prefetch: 0, head: 0 }
  #batch = 1_000
  #released = { row: 0, at: Number.NEGATIVE_INFINITY }
  #damaged: { readonly rows: number; readonly at: number | undefined } = { rows: 0, at: undefined }
  #stopSeen = false

  constructor(deps: DeliveryDeps) {
    this.#deps = deps
    this.#log = new Lane(clickLogName, deps.log)
    this.#lanes = [this.#log, ...Object.entries(deps.others ?? {}).map(([name, sink]) => new Lane(name, sink))]
  }

  /** The last row that the click log has. */
  get row(): number {
    return this.#log.row
  }

  status(): DeliveryStatus {
    const others = this.#lanes.filter((lane) => lane !== this.#log)
    const now = this.#deps.clock.now()
    return {
      ...this.#log.status(now),
      delivered: { ...this.#delivered },
      damagedRows: this.#damaged.rows,
      damagedAt: this.#damaged.at,
      dropped: Object.fromEntries(this.#deps.pipeline.dropped),
      others: Object.fromEntries(others.map((lane) => [lane.name, lane.status(now)])),
    }
  }

  /** Adds a sink while running. It gets the clicks after its cursor. */
  add(name: string, sink: ClickSink): void {
    this.#lanes.push(new Lane(name, sink))
  }

  /** Runs until stopped, then delivers the rest of the journal until it is empty or the time is up. */
  async run(stopping: () => { readonly until: number } | undefined): Promise<void> {
    await this.#runUntil(stopping)
    // The journal writer has stopped before, so all files can be released.
    this.#release(Number.POSITIVE_INFINITY)
  }

  async #runUntil(stopping: () => { readonly until: number } | undefined): Promise<void> {
    const { clock, pause, waitForRows } = this.#deps
    for (;;) {
      const stop = stopping()
      if (stop && clock.now() >= stop.until) return
      if (stop && !this.#stopSeen) this.#retryNow()
      const found = await this.#deliver()
      if (stopping() && found === 'nothing' && this.#isDone()) return
      const wanted = found === 'nothing' ? pollInterval : found === 'full' || stopping() ? 0 : briefPause
      const left = (stopping()?.until ?? Number.POSITIVE_INFINITY) - clock.now()
      if (found === 'nothing' && this.#lanes.every((lane) => lane.atEnd)) {
        await waitForRows(Math.max(0, Math.min(idleInterval, left)))
      } else await pause(Math.max(0, Math.min(this.#delayUntilNext(wanted), left)))
    }
  }

  /** On shutdown, retry failed sinks at once. */
  #retryNow(): void {
    this.#stopSeen = true
    for (const lane of this.#lanes) lane.retryAt = 0
  }

  /** Whether the log has everything, and so does every other sink that works; the rest is left for the next start. */
  #isDone(): boolean {
    return this.#lanes.every((lane) => lane.atEnd || (lane !== this.#log && (lane.busy || lane.failure !== undefined)))
  }

  /** Time until the next retry, at most `wanted`. */
  #delayUntilNext(wanted: number): number {
    const now = this.#deps.clock.now()
    const waits = this.#lanes.map((lane) => (lane.retryAt > now ? lane.retryAt - now : wanted))
    return Math.min(...waits)
  }

  async #deliver(): Promise<BatchSize> {
    const now = this.#deps.clock.now()
    const due = this.#lanes.filter((lane) => !lane.busy && lane.retryAt <= now)
    await this.#finish(
      due.filter((lane) => !lane.cursorKnown).map((lane) => lane.readCursor(this.#deps.journal.journalId)),
    )
    const ready = due.filter((lane) => !lane.busy && lane.cursorKnown)
    // Sinks at the same row share a batch; those behind must not delay the others, and stop where the next ones are.
    const positions = [...new Set(ready.map((lane) => lane.row))].sort((one, other) => one - other)
    let largest: BatchSize = 'nothing'
    for (const [index, row] of positions.entries()) {
      const found = await this.#deliverFrom(
        row,
        ready.filter((lane) => lane.row === row),
        positions[index + 1],
      )
      if (found === 'full' || largest === 'nothing') largest = found
    }
    this.#release(now)
    return largest
  }

  async #deliverFrom(row: number, lanes: readonly Lane[], end = Number.POSITIVE_INFINITY): Promise<BatchSize> {
    const { journal, laggingJournal = journal, pipeline, clock } = this.#deps
    const began = clock.now()
    const reader = lanes.includes(this.#log) ? journal : laggingJournal
    const rows = reader.read(row, this.#batch).filter((each) => each.row <= end)
    if (journal.damagedRows !== this.#damaged.rows) this.#damaged = { rows: journal.damagedRows, at: began }
    const last = rows.at(-1)
    for (const lane of lanes) {
      lane.atEnd = !last
      lane.waitingSince = rows[0]?.clicks[0]?.at
      if (!last) lane.failure = undefined
    }
    if (!last) return 'nothing'
    const clicks = pipeline.enrich(journal.journalId, rows)
    const upTo = { journalId: journal.journalId, row: last.row }
    await this.#finish(lanes.map((lane) => lane.append(clicks, upTo)))
    const full = clicks.length >= this.#batch
    if (lanes.includes(this.#log) && this.#log.row === last.row) this.#counted(clicks, clock.now() - began, full)
    return full ? 'full' : 'some'
  }

  /** Waits for the log, and up to a timeout for the others; a sink that is still busy is skipped until it is done. */
  async #finish(work: readonly LaneWork[]): Promise<void> {
    await Promise.all(work.map(({ lane, done }) => (lane === this.#log ? done : undefined)))
    const slower = work.filter(({ lane }) => lane.busy).map(({ done }) => done)
    if (slower.length > 0) await this.#deps.waitBriefly(Promise.all(slower))
    const now = this.#deps.clock.now()
    for (const lane of this.#lanes) {
      const failed = lane.takeError()
      if (!failed) continue
      const retryIn = lane.failed(failed.error, now)
      this.#deps.onFailure(failed.error, retryIn, lane.name)
    }
  }

  #counted(clicks: readonly Click[], took: number, full: boolean): void {
    for (const click of clicks) this.#delivered[click.trafficClass]++
    this.#deps.onDelivered(this.#log.row)
    if (took > batchTarget) this.#batch = Math.max(minBatch, this.#batch >> 1)
    else if (full) this.#batch = Math.min(maxBatch, this.#batch * 2)
  }

  /**
   * Uses the last known row of each sink, even while its cursor is uncertain, because a cursor never moves back. Repeated
   * now and then without new rows: the journal closes a file after a while, and only then can it be deleted.
   */
  #release(now: number): void {
    if (this.#deps.keepsJournal) return
    const row = Math.min(...this.#lanes.map((lane) => lane.row))
    if (row === this.#released.row && now - this.#released.at < releaseInterval) return
    this.#deps.journal.release(row)
    this.#released = { row, at: now }
  }
}

type BatchSize = 'nothing' | 'some' | 'full'

interface LaneWork {
  readonly lane: Lane
  readonly done: Promise<void>
}

/** A sink and its progress. */
class Lane {
  readonly name: string
  readonly #sink: ClickSink
  row = 0
  /** Whether `row` is the sink's cursor: false before the first query, and after a failure. */
  cursorKnown = false
  busy = false
  atEnd = false
  retryAt = 0
  failure: string | undefined
  /** Time of the oldest click that the sink does not have; undefined while it has all. */
  waitingSince: number | undefined
  #failures = 0
  #retryIn = minRetryDelay
  #error: { readonly error: unknown } | undefined

  constructor(name: string, sink: ClickSink) {
    this.name = name
    this.#sink = sink
  }

  status(now: number): SinkStatus {
    const lagMs = this.waitingSince === undefined ? 0 : Math.max(0, now - this.waitingSince)
    return { row: this.row, failures: this.#failures, lastFailure: this.failure, lagMs }
  }

  readCursor(journalId: string): LaneWork {
    return this.#work(async () => {
      this.row = await this.#sink.cursor(journalId)
      this.cursorKnown = true
    })
  }

  append(clicks: readonly Click[], upTo: JournalPosition): LaneWork {
    return this.#work(async () => {
      await this.#sink.append(clicks, upTo)
      this.row = upTo.row
      this.failure = undefined
      this.#retryIn = minRetryDelay
      // The next read sets it again if there is more.
      this.waitingSince = undefined
    })
  }

  /** Returns the error of the last attempt, once. */
  takeError(): { readonly error: unknown } | undefined {
    const error = this.#error
    this.#error = undefined
    return error
  }

  /** Returns the delay until the next attempt. */
  failed(error: unknown, now: number): number {
    const retryIn = this.#retryIn
    this.#failures++
    // The cursor is unknown now; count the lag from this moment.
    this.waitingSince ??= now
    this.failure = messageOf(error)
    this.cursorKnown = false
    this.atEnd = false
    this.retryAt = now + retryIn
    this.#retryIn = Math.min(retryIn * 2, maxRetryDelay)
    return retryIn
  }

  #work(run: () => Promise<void>): LaneWork {
    this.busy = true
    const done = run()
      .catch((error: unknown) => {
        this.#error = { error }
      })
      .then(() => {
        this.busy = false
      })
    return { lane: this, done }
  }
}

/** The progress of the pipeline, for readiness and metrics. Counts since the process started. */
export interface PipelineStatus extends SinkStatus {
  readonly delivered: Readonly<Record<TrafficClass, number>>
  readonly dropped: Readonly<Record<string, number>>
  /** Unreadable journal rows, whose clicks are lost. */
  readonly damagedRows: number
  /** When the last of them was found; undefined: none. */
  readonly damagedAt: number | undefined
  /** The status of the other sinks, by name. */
  readonly others: Readonly<Record<string, SinkStatus>>
  /** The status of the link follower; undefined without a stream. */
  readonly links?: LinkFollowerStatus | undefined
  /** Restarts of the worker thread. */
  readonly restarts: number
}

export interface SinkStatus {
  /** The last journal row that the sink has. */
  readonly row: number
  /** The same of the journals of other processes, by their ids; undefined without any. */
  readonly otherRows?: Readonly<Record<string, number>> | undefined
  /** Failed attempts. */
  readonly failures: number
  /** The last error; undefined while delivery works. */
  readonly lastFailure: string | undefined
  /** Age of the oldest click that is not delivered; 0 when there is none. */
  readonly lagMs: number
}

/** The status of the link follower, for readiness and metrics. Counts since the thread started. */
export interface LinkFollowerStatus {
  /** Failed polls. */
  readonly failures: number
  /** The last error; undefined while polling works. */
  readonly lastFailure: string | undefined
  /** Time since the last successful poll; later links are not published yet. */
  readonly behindMs: number
  /** Age of an open transaction that is no longer waited for; undefined if there is none. */
  readonly tooLongOpenMs: number | undefined
}
