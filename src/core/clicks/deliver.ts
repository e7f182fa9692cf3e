/**
 * Carries rows from the journal through the pipeline to where clicks go, in order: the click log, and whatever else wants
 * them. Each commits the clicks together with its own cursor, and the journal lets go of rows only when all have them. One
 * that fails, or is slow, is left behind and tried again later; the others go on. The one place that retries. It knows
 * neither threads nor files: whoever runs it hands in the parts and a way to wait.
 */
import type { Clock } from '../values/clock.js'
import type { Click, TrafficClass } from './click.js'
import type { ClickSink } from './click-log.js'
import type { JournalPosition, JournalReader } from './journal.js'
import type { Pipeline } from './pipeline.js'
import type { PipelineStatus, SinkStatus } from './pipeline-status.js'

export interface DeliveryDeps {
  readonly journal: JournalReader
  /** Another reader of the same journal for those who are behind: one reader would go back and forth between both. */
  readonly journalBehind?: JournalReader
  readonly pipeline: Pipeline
  /** What counts: its row is where the delivery stands. */
  readonly log: ClickSink
  /** Who else gets the same clicks, by name. */
  readonly others?: Readonly<Record<string, ClickSink>>
  readonly clock: Clock
  /** Waits at most this long, less when there is reason to look again. At 0 it only lets other work have its turn. */
  readonly pause: (milliseconds: number) => Promise<void>
  /** Waits for those who are slower than the click log, but not for long. */
  readonly patience: (work: Promise<unknown>) => Promise<unknown>
  /** Called when the clicks of all rows up to this one are in the log. */
  readonly onDelivered: (row: number) => void
  /** Called for every failed attempt; the rows stay in the journal and are tried again. */
  readonly onFailure: (error: unknown, retryIn: number, sink: string) => void
}

export type DeliveryStatus = Omit<PipelineStatus, 'restarts'>

export const clickLogName = 'click log'

/** Longest pause between looks at an empty journal; a click is in the reports this long after it happened, and a bit. */
const idlePause = 100
/** After a batch that was not full: collects a few more clicks for the next transaction instead of one each. */
const briefPause = 50
const largestBatch = 5_000
const smallestBatch = 250
/** Queries wait behind a batch, so a batch that takes longer than this is followed by a smaller one. */
const batchTarget = 100
const releaseInterval = 5_000
const firstRetry = 250
const lastRetry = 30_000

export class Delivery {
  readonly #deps: DeliveryDeps
  readonly #log: Lane
  readonly #lanes: readonly Lane[]
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

  /** Delivers until told to stop, then what is left in the journal, until it is empty or time is up. */
  async run(stopping: () => { readonly until: number } | undefined): Promise<void> {
    await this.#runUntil(stopping)
    // The writer has stopped before, and left nothing behind that must stay.
    this.#release(Number.POSITIVE_INFINITY)
  }

  async #runUntil(stopping: () => { readonly until: number } | undefined): Promise<void> {
    const { clock, pause } = this.#deps
    for (;;) {
      const stop = stopping()
      if (stop && clock.now() >= stop.until) return
      if (stop && !this.#stopSeen) this.#hurry()
      const found = await this.#deliver()
      if (stopping() && found === 'nothing' && this.#isDone()) return
      const wanted = found === 'nothing' ? idlePause : found === 'full' || stopping() ? 0 : briefPause
      const left = (stopping()?.until ?? Number.POSITIVE_INFINITY) - clock.now()
      await pause(Math.max(0, Math.min(this.#untilDue(wanted), left)))
    }
  }

  /** The last chance: nobody waits for the next attempt any more. */
  #hurry(): void {
    this.#stopSeen = true
    for (const lane of this.#lanes) lane.retryAt = 0
  }

  /** Nothing is left for the log, nor for others that would take it; for the rest there is the next start. */
  #isDone(): boolean {
    return this.#lanes.every((lane) => lane.atEnd || (lane !== this.#log && (lane.busy || lane.failure !== undefined)))
  }

  /** When the first of those that failed is tried again, or sooner for the others. */
  #untilDue(wanted: number): number {
    const now = this.#deps.clock.now()
    const waits = this.#lanes.map((lane) => (lane.retryAt > now ? lane.retryAt - now : wanted))
    return Math.min(...waits)
  }

  async #deliver(): Promise<Found> {
    const now = this.#deps.clock.now()
    const due = this.#lanes.filter((lane) => !lane.busy && lane.retryAt <= now)
    await this.#finish(due.filter((lane) => !lane.certain).map((lane) => lane.ask(this.#deps.journal.journalId)))
    const ready = due.filter((lane) => !lane.busy && lane.certain)
    // Those who are equally far share the work; those behind must not hold up those ahead, and end where they are.
    const positions = [...new Set(ready.map((lane) => lane.row))].sort((one, other) => one - other)
    let most: Found = 'nothing'
    for (const [index, row] of positions.entries()) {
      const found = await this.#deliverFrom(
        row,
        ready.filter((lane) => lane.row === row),
        positions[index + 1],
      )
      if (found === 'full' || most === 'nothing') most = found
    }
    this.#release(now)
    return most
  }

  async #deliverFrom(row: number, lanes: readonly Lane[], end = Number.POSITIVE_INFINITY): Promise<Found> {
    const { journal, journalBehind = journal, pipeline, clock } = this.#deps
    const began = clock.now()
    const reader = lanes.includes(this.#log) ? journal : journalBehind
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

  /** The log is waited for, the others for some time; whoever is not done by then is left alone until it is. */
  async #finish(work: readonly LaneWork[]): Promise<void> {
    await Promise.all(work.map(({ lane, done }) => (lane === this.#log ? done : undefined)))
    const slower = work.filter(({ lane }) => lane.busy).map(({ done }) => done)
    if (slower.length > 0) await this.#deps.patience(Promise.all(slower))
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
    if (took > batchTarget) this.#batch = Math.max(smallestBatch, this.#batch >> 1)
    else if (full) this.#batch = Math.min(largestBatch, this.#batch * 2)
  }

  /**
   * Also for those whose cursor is not known: what it was is the least it can be. Now and then also when nothing has come
   * since: the journal closes a file after a while, and only then can it be deleted.
   */
  #release(now: number): void {
    const row = Math.min(...this.#lanes.map((lane) => lane.row))
    if (row === this.#released.row && now - this.#released.at < releaseInterval) return
    this.#deps.journal.release(row)
    this.#released = { row, at: now }
  }
}

type Found = 'nothing' | 'some' | 'full'

interface LaneWork {
  readonly lane: Lane
  readonly done: Promise<void>
}

/** One of those that get the clicks, and how far it is. */
class Lane {
  readonly name: string
  readonly #sink: ClickSink
  row = 0
  /** Whether `row` is what the sink holds: not before it was asked, and not after a failure. */
  certain = false
  busy = false
  atEnd = false
  retryAt = 0
  failure: string | undefined
  /** When the oldest click was made that it does not have, as far as is known; undefined while it has all. */
  waitingSince: number | undefined
  #failures = 0
  #retryIn = firstRetry
  #error: { readonly error: unknown } | undefined

  constructor(name: string, sink: ClickSink) {
    this.name = name
    this.#sink = sink
  }

  status(now: number): SinkStatus {
    const lagMs = this.waitingSince === undefined ? 0 : Math.max(0, now - this.waitingSince)
    return { row: this.row, failures: this.#failures, lastFailure: this.failure, lagMs }
  }

  ask(journalId: string): LaneWork {
    return this.#work(async () => {
      this.row = await this.#sink.cursor(journalId)
      this.certain = true
    })
  }

  append(clicks: readonly Click[], upTo: JournalPosition): LaneWork {
    return this.#work(async () => {
      await this.#sink.append(clicks, upTo)
      this.row = upTo.row
      this.failure = undefined
      this.#retryIn = firstRetry
      // The next look tells when there is more.
      this.waitingSince = undefined
    })
  }

  /** The error of the last work, once. */
  takeError(): { readonly error: unknown } | undefined {
    const error = this.#error
    this.#error = undefined
    return error
  }

  /** Answers after how long it is tried again. */
  failed(error: unknown, now: number): number {
    const retryIn = this.#retryIn
    this.#failures++
    // Where nobody can say how far it is, what comes from now on waits.
    this.waitingSince ??= now
    this.failure = error instanceof Error ? error.message : String(error)
    this.certain = false
    this.atEnd = false
    this.retryAt = now + retryIn
    this.#retryIn = Math.min(retryIn * 2, lastRetry)
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
