/**
 * Retention: replaces expired clicks by totals per quarter of an hour. ClickHouse has no transactions, and with a
 * DELETE beside an INSERT a report in between would count clicks twice or not at all. So each step is one atomic
 * insert: it cancels some clicks (the same rows with n = -1) and adds their totals. Reports sum n and see no
 * difference; the engine drops cancelled rows when it merges parts. The engine also sorts, so no other compaction is
 * needed.
 *
 * Steps of one partition are numbered like journal rows, and their deduplication token contains the previous number:
 * if two processes run the same step, or one retries it after a lost response, only one insert takes effect.
 */
import type { ClickLogOptions } from '../../core/clicks/click-log.js'
import { literal } from './literal.js'
import { clickColumns, columnOf, facts, type Tables } from './schema.js'
import { type ClickhouseSession, oneBlock } from './session.js'

/** Takes the server about 50 MB and half a second. */
const sliceRows = 100_000
const hour = 3_600_000
const day = 24 * hour
// A quarter of an hour: days and hours of every time zone start on one (Kathmandu: +05:45).
const slot = hour / 4
/** Merging a month again can take the server long. */
const mergeTimeLimit = hour

export interface CompactionOptions extends ClickLogOptions {
  /** Smaller slices for tests. */
  readonly sliceRows?: number
}

export class Compaction {
  readonly #session: ClickhouseSession
  readonly #tables: Tables
  readonly #retentionDays: number | undefined
  readonly #sliceRows: number
  /** All clicks before this time are compacted, and no older one has arrived since. */
  #doneUpTo = Number.NEGATIVE_INFINITY
  #toMerge: number[] | undefined

  constructor(session: ClickhouseSession, tables: Tables, options: CompactionOptions) {
    this.#session = session
    this.#tables = tables
    this.#retentionDays = options.retentionDays
    this.#sliceRows = options.sliceRows ?? sliceRows
  }

  /** Call it for every appended click: one that has already expired needs another step. */
  noteClick(clickedAt: number): void {
    if (clickedAt < this.#doneUpTo) this.#doneUpTo = Number.NEGATIVE_INFINITY
  }

  /** Runs one step; returns true if more steps may be waiting. */
  async step(now: number): Promise<boolean> {
    if (this.#retentionDays === undefined) return false
    const cutoff = Math.floor(now / day - this.#retentionDays) * day
    if (cutoff === this.#doneUpTo) return false
    // Set before the query: clicks that arrive meanwhile reset it.
    this.#doneUpTo = cutoff
    try {
      const more = (await this.#purge(cutoff)) || (await this.#merge(cutoff))
      if (more) this.#doneUpTo = Number.NEGATIVE_INFINITY
      return more
    } catch (error) {
      this.#doneUpTo = Number.NEGATIVE_INFINITY
      throw error
    }
  }

  async #purge(cutoff: number): Promise<boolean> {
    const slice = await this.#nextSlice(cutoff)
    if (!slice) return false
    this.#toMerge = undefined
    await this.#saveCursors(slice)
    const journal = `${totalsJournal}${slice.month}`
    const [row] = await this.#session.query(
      `SELECT max(journal_row) FROM ${this.#tables.clicksHere} WHERE batch_month = ${slice.month} AND journal = ${literal(journal)}`,
    )
    const before = Number(row?.[0] ?? 0)
    const settings = {
      ...oneBlock,
      max_threads: 1,
      // Follows the sort order of the table, so rows after the limit are not read.
      optimize_aggregation_in_order: 1,
      max_block_size: 10 * this.#sliceRows,
      insert_deduplication_token: literal(`${journal} after ${before}`),
    }
    await this.#session.run(
      `INSERT INTO ${this.#tables.clicksHere} (${clickColumns.join(', ')}) SETTINGS ${assignments(settings)}
      ${this.#cancelledAndRollups(slice, { journal, row: before + 1 })}`,
    )
    return true
  }

  /** The oldest expired clicks of one partition, in whole quarters of an hour if they fit. */
  async #nextSlice(cutoff: number): Promise<Slice | undefined> {
    const due = `FROM ${this.#tables.clicksHere} WHERE clicked_at < ${cutoff} AND visitor IS NOT NULL`
    const [found] = await this.#session.query(
      `SELECT batch_month ${due} GROUP BY batch_month HAVING sum(n) > 0 ORDER BY batch_month LIMIT 1`,
    )
    if (!found) return undefined
    const month = Number(found[0])
    const slots = await this.#session.query(
      `SELECT ${slotOf('clicked_at')} AS slot, sum(n) AS due ${due} AND batch_month = ${month}
      GROUP BY slot HAVING due > 0 ORDER BY slot LIMIT 10000`,
    )
    const [first] = slots
    // Another process was faster.
    if (!first) return this.#nextSlice(cutoff)
    const from = Number(first[0])
    let to = from + slot
    let rows = Number(first[1])
    for (const [at, clicks] of slots.slice(1)) {
      rows += Number(clicks)
      if (rows > this.#sliceRows) break
      to = Number(at) + slot
    }
    return { month, from, to: Math.min(to, cutoff) }
  }

  /** Saves cursors that the removed rows contain. */
  async #saveCursors(slice: Slice): Promise<void> {
    await this.#session.run(
      `INSERT INTO ${this.#tables.cursorsHere} (journal, last_row)
      SELECT journal, max(journal_row) FROM ${this.#tables.clicksHere} WHERE ${conditionsOf(slice)} GROUP BY journal`,
    )
    await this.#session.run(
      `INSERT INTO ${this.#tables.skippedRangesHere} (journal, journal_row, passed_over)
      SELECT journal, journal_row, passed_over FROM ${this.#tables.clicksHere}
      WHERE ${conditionsOf(slice)} AND passed_over != ''`,
    )
  }

  /** One query for both, because two queries could see different clicks. */
  #cancelledAndRollups(slice: Slice, as: { readonly journal: string; readonly row: number }): string {
    const columns = facts.map(columnOf)
    // Only clicks whose cursors were saved; later clicks wait for the next step. A quarter of an hour with more
    // clicks than a slice is split into several totals.
    const clicks = `
      SELECT ${key}, ${columns.map((column) => `any(${column}) AS its_${column}`).join(', ')}, any(visitor) AS its_visitor
      FROM ${this.#tables.clicksHere}
      INNER JOIN (SELECT journal, max(last_row) AS saved FROM ${this.#tables.cursorsHere} GROUP BY journal) AS cursors
        USING (journal)
      WHERE ${conditionsOf(slice)} AND journal_row <= saved
      GROUP BY ${key} HAVING sum(n) > 0 ORDER BY ${key} LIMIT ${this.#sliceRows}`
    const totals = `
      SELECT is_total, group_guid, address,
        if(is_total, ${slotOf('clicked_at')}, clicked_at) AS moment,
        if(is_total, ${literal(as.journal)}, toString(journal)) AS from_journal,
        if(is_total, ${as.row}, journal_row) AS from_row,
        if(is_total, 0, position) AS place,
        ${columns.map((column) => `its_${column}`).join(', ')},
        if(is_total, NULL, its_visitor) AS whose,
        if(is_total, toInt64(count()), -toInt64(count())) AS number
      FROM (${clicks}) ARRAY JOIN [0, 1] AS is_total GROUP BY ALL`
    return `SELECT ${slice.month}, group_guid, address, moment, from_journal, from_row,
        if(is_total, rowNumberInAllBlocks(), place), ${columns.map((column) => `its_${column}`).join(', ')}, whose, number
      FROM (${totals})`
  }

  /**
   * Makes the engine drop cancelled rows, which it might not do by itself for years. Only if a whole partition has
   * expired or a quarter of it is cancelled, to avoid a daily rewrite.
   */
  async #merge(cutoff: number): Promise<boolean> {
    this.#toMerge ??= await this.#worthMerging(cutoff)
    const month = this.#toMerge.shift()
    if (month === undefined) {
      this.#toMerge = undefined
      return false
    }
    const timeLimit = mergeTimeLimit
    await this.#session.run(`OPTIMIZE TABLE ${this.#tables.clicksHere} PARTITION ID '${month}' FINAL`, { timeLimit })
    return true
  }

  async #worthMerging(cutoff: number): Promise<number[]> {
    const months = await this.#session.query(
      `SELECT batch_month FROM ${this.#tables.clicksHere} GROUP BY batch_month
      HAVING countIf(n < 0) > 0 AND (max(clicked_at) < ${cutoff} OR countIf(n < 0) * 4 >= count())`,
    )
    return months.map(([month]) => Number(month))
  }
}

/** Totals name their month instead of a journal. */
export const totalsJournal = 'totals of '

/** Some clicks of one partition. */
interface Slice {
  readonly month: number
  readonly from: number
  readonly to: number
}

const key = 'group_guid, address, clicked_at, journal, journal_row, position'

function conditionsOf({ month, from, to }: Slice): string {
  return `batch_month = ${month} AND clicked_at >= ${from} AND clicked_at < ${to} AND visitor IS NOT NULL`
}

function slotOf(moment: string): string {
  return `${moment} - positiveModulo(${moment}, ${slot})`
}

function assignments(settings: Readonly<Record<string, string | number>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name} = ${value}`)
    .join(', ')
}
