/**
 * Makes the log forgetful, where the operator wants it: clicks past their retention become totals per quarter of an hour.
 * There are no transactions to do that in, and a DELETE beside an INSERT would show every click twice, or not at all, to
 * whoever looks in between. So a step is one insert, which is there or is not: it takes each of some clicks back (the same
 * row with n = -1) and adds the totals. Reports sum n and cannot tell when it happened; the engine drops a click together
 * with what took it back when it merges their parts. The engine sorts by itself, so there is nothing else to keep up.
 *
 * Steps of one partition are numbered like the rows of a journal, and carry a token with the number of the one before: of
 * two processes that do the same step, or one that does it again because it heard no answer, one leaves something behind.
 */
import type { ClickLogOptions } from '../../core/clicks/click-log.js'
import { literal } from './literal.js'
import { clickColumns, type Tables } from './schema.js'
import { type ClickhouseSession, oneBlock } from './session.js'

/** Our choice: about 50 MB for the server, half a second. */
const sliceRows = 100_000
const hour = 3_600_000
const day = 24 * hour
// Our choice: a quarter of an hour, because days and hours of every zone in use begin on one (Kathmandu: +05:45).
const slot = hour / 4
/** Merging a month again may take the server a while. */
const mergeTimeLimit = hour

export interface CompactionOptions extends ClickLogOptions {
  /** Tests take smaller bites. */
  readonly sliceRows?: number
}

export class Compaction {
  readonly #session: ClickhouseSession
  readonly #tables: Tables
  readonly #retentionDays: number | undefined
  readonly #sliceRows: number
  /** Clicks before this were looked at, and no older one has come since. */
  #doneUpTo = Number.NEGATIVE_INFINITY
  #toMerge: number[] | undefined

  constructor(session: ClickhouseSession, tables: Tables, options: CompactionOptions) {
    this.#session = session
    this.#tables = tables
    this.#retentionDays = options.retentionDays
    this.#sliceRows = options.sliceRows ?? sliceRows
  }

  /** To be told of every click: one that is past its time when it comes must be looked at as well. */
  saw(clickedAt: number): void {
    if (clickedAt < this.#doneUpTo) this.#doneUpTo = Number.NEGATIVE_INFINITY
  }

  /** One step; true when more of them may be waiting. */
  async step(now: number): Promise<boolean> {
    if (this.#retentionDays === undefined) return false
    const cutoff = Math.floor(now / day - this.#retentionDays) * day
    if (cutoff === this.#doneUpTo) return false
    // Before looking: what comes meanwhile is for the next time.
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
    const journal = `totals of ${slice.month}`
    const [row] = await this.#session.query(
      `SELECT max(journal_row) FROM ${this.#tables.clicksHere} WHERE batch_month = ${slice.month} AND journal = ${literal(journal)}`,
    )
    const before = Number(row?.[0] ?? 0)
    const settings = {
      ...oneBlock,
      max_threads: 1,
      // The order of the table: what is behind the limit is not even read.
      optimize_aggregation_in_order: 1,
      max_block_size: 10 * this.#sliceRows,
      insert_deduplication_token: literal(`${journal} after ${before}`),
    }
    await this.#session.run(
      `INSERT INTO ${this.#tables.clicksHere} (${clickColumns.join(', ')}) SETTINGS ${assignments(settings)}
      ${this.#takenBackAndRollups(slice, { journal, row: before + 1 })}`,
    )
    return true
  }

  /** The oldest clicks of one partition that are due, whole quarters of an hour where they fit. */
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
    let [to, rows] = [from + slot, Number(first[1])]
    for (const [at, clicks] of slots.slice(1)) {
      rows += Number(clicks)
      if (rows > this.#sliceRows) break
      to = Number(at) + slot
    }
    return { month, from, to: Math.min(to, cutoff) }
  }

  /** Rows that go away take with them what they say about their journals. */
  async #saveCursors(slice: Slice): Promise<void> {
    await this.#session.run(
      `INSERT INTO ${this.#tables.cursorsHere} (journal, last_row)
      SELECT journal, max(journal_row) FROM ${this.#tables.clicksHere} WHERE ${conditionsOf(slice)} GROUP BY journal`,
    )
    await this.#session.run(
      `INSERT INTO ${this.#tables.passedOverHere} (journal, journal_row, passed_over)
      SELECT journal, journal_row, passed_over FROM ${this.#tables.clicksHere}
      WHERE ${conditionsOf(slice)} AND passed_over != ''`,
    )
  }

  /** Both from one look at the table: two would see different clicks, when some come in between. */
  #takenBackAndRollups(slice: Slice, as: { readonly journal: string; readonly row: number }): string {
    const facts = clickColumns.slice(clickColumns.indexOf('destination'), clickColumns.indexOf('visitor'))
    // Only clicks whose cursors were saved: others came since, and are for the next step. Likewise what is too much for
    // one step: a single quarter of an hour may be, and becomes several totals then.
    const clicks = `
      SELECT ${key}, ${facts.map((fact) => `any(${fact}) AS its_${fact}`).join(', ')}, any(visitor) AS its_visitor
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
        ${facts.map((fact) => `its_${fact}`).join(', ')},
        if(is_total, NULL, its_visitor) AS whose,
        if(is_total, toInt64(count()), -toInt64(count())) AS number
      FROM (${clicks}) ARRAY JOIN [0, 1] AS is_total GROUP BY ALL`
    return `SELECT ${slice.month}, group_guid, address, moment, from_journal, from_row,
        if(is_total, rowNumberInAllBlocks(), place), ${facts.map((fact) => `its_${fact}`).join(', ')}, whose, number
      FROM (${totals})`
  }

  /**
   * Lets the engine drop what was taken back, which it would do by itself, though perhaps not for years. Our choice: when
   * a whole partition is past its time, or a quarter of it was taken back; not every day for one more day.
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
