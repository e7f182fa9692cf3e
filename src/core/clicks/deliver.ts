/**
 * Carries rows from the journal through the pipeline into the click log, in order and exactly once: the log commits
 * the clicks together with the journal's cursor, and the journal lets go of rows only after that. The one place that
 * retries. It knows neither threads nor files: whoever runs it hands in the parts and a way to wait.
 */
import type { Clock } from '../clock.js'
import type { Nature } from './click.js'
import type { ClickLog } from './click-log.js'
import type { JournalReader } from './journal.js'
import type { Pipeline } from './pipeline.js'
import type { PipelineStatus } from './pipeline-status.js'

export interface DeliveryParts {
  readonly journal: JournalReader
  readonly pipeline: Pipeline
  readonly log: Pick<ClickLog, 'cursor' | 'append'>
  readonly clock: Clock
  /** Waits at most this long, less when there is reason to look again. At 0 it only lets other work have its turn. */
  readonly pause: (milliseconds: number) => Promise<void>
  /** Called when the clicks of all rows up to this one are in the log. */
  readonly onDelivered: (row: number) => void
  /** Called for every failed attempt; the rows stay in the journal and are tried again. */
  readonly onFailure: (error: unknown, retryIn: number) => void
}

export type DeliveryStatus = Omit<PipelineStatus, 'restarts'>

/** Longest pause between looks at an empty journal; a click is in the reports this long after it happened, and a bit. */
const idlePause = 100
/** After a batch that was not full: collects a few more clicks for the next transaction instead of one each. */
const briefPause = 50
const largestBatch = 5_000
const smallestBatch = 250
/** Queries wait behind a batch, so a batch that takes longer than this is followed by a smaller one. */
const batchTarget = 100
const firstRetry = 250
const lastRetry = 30_000

export class Delivery {
  readonly #parts: DeliveryParts
  readonly #delivered: Record<Nature, number> = { human: 0, bot: 0, preview: 0, prefetch: 0, head: 0 }
  #row = 0
  /** Whether #row is what the log holds: not before the log was asked, and not after a failure. */
  #certain = false
  #failures = 0
  #failure: string | undefined
  #lagMs = 0
  #batch = 1_000

  constructor(parts: DeliveryParts) {
    this.#parts = parts
  }

  status(): DeliveryStatus {
    return {
      row: this.#row,
      delivered: { ...this.#delivered },
      dropped: Object.fromEntries(this.#parts.pipeline.dropped),
      failures: this.#failures,
      lastFailure: this.#failure,
      lagMs: this.#lagMs,
    }
  }

  /** Delivers until told to stop, then what is left in the journal, until it is empty or time is up. */
  async run(stopping: () => { readonly until: number } | undefined): Promise<void> {
    let retryIn = firstRetry
    for (;;) {
      const stop = stopping()
      if (stop && this.#parts.clock.now() >= stop.until) return
      try {
        const found = await this.#deliverBatch()
        retryIn = firstRetry
        if (found === 'nothing' && stopping()) return
        await this.#parts.pause(stopping() || found === 'full' ? 0 : found === 'some' ? briefPause : idlePause)
      } catch (error) {
        this.#failures++
        this.#failure = error instanceof Error ? error.message : String(error)
        this.#certain = false
        this.#parts.onFailure(error, retryIn)
        const left = (stopping()?.until ?? Number.POSITIVE_INFINITY) - this.#parts.clock.now()
        await this.#parts.pause(Math.max(0, Math.min(retryIn, left)))
        retryIn = Math.min(retryIn * 2, lastRetry)
      }
    }
  }

  async #deliverBatch(): Promise<'nothing' | 'some' | 'full'> {
    const { journal, pipeline, log, clock } = this.#parts
    if (!this.#certain) this.#row = await log.cursor(journal.journalId)
    this.#certain = true
    const began = clock.now()
    const rows = journal.read(this.#row, this.#batch)
    const last = rows.at(-1)
    if (!last) {
      this.#failure = undefined
      return 'nothing'
    }
    const clicks = pipeline.enrich(journal.journalId, rows)
    await log.append(clicks, { journalId: journal.journalId, row: last.row })
    this.#row = last.row
    this.#failure = undefined
    for (const click of clicks) this.#delivered[click.nature]++
    const now = clock.now()
    this.#lagMs = Math.max(0, now - (last.clicks.at(-1)?.at ?? now))
    this.#parts.onDelivered(last.row)
    journal.release(last.row)

    const full = clicks.length >= this.#batch
    if (now - began > batchTarget) this.#batch = Math.max(smallestBatch, this.#batch >> 1)
    else if (full) this.#batch = Math.min(largestBatch, this.#batch * 2)
    return full ? 'full' : 'some'
  }
}
