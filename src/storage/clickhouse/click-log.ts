/**
 * The click log on ClickHouse, for more clicks than one machine can store. The engine sorts, compresses and merges;
 * this file adds exactly-once without transactions (docs/adr/2026-11-15-clickhouse-click-log.md).
 *
 * A batch is one insert into one partition, which the engine writes atomically as one part, and its rows contain
 * their journal row. So the cursor is the largest row of any click. The deduplication token of a batch contains the
 * row that it starts after: of two batches that start at the same row only one is accepted, whatever their size and
 * however late one arrives. `cursors` stores only positions that no click contains.
 */

import { type Click, textOf } from '../../core/clicks/click.js'
import type { ArchivedClicks, ClickFiles, ClickRange, Partition } from '../../core/clicks/click-archive.js'
import { type BatchClick, type ClickBatch, clicksOf, type LineRanges } from '../../core/clicks/click-batch.js'
import type { ClickCopy, KnownPart } from '../../core/clicks/click-copy.js'
import type { ForgottenClicks } from '../../core/clicks/click-eraser.js'
import type { ClickLogSize, ClickPosition, StoredClickLog } from '../../core/clicks/click-log.js'
import type { JournalPosition } from '../../core/clicks/journal.js'
import {
  type Counted,
  type LastClick,
  type LastQuery,
  type MetricsQuery,
  type MetricsRow,
  type NestedQuery,
  type NestedRow,
  nestRows,
  type SetsQuery,
} from '../../core/clicks/metrics-query.js'
import { randomBase62 } from '../../core/values/random.js'
import { SerialQueue } from '../../lib/serial-queue.js'
import { readPartitions, writeClicks } from './archive.js'
import { Compaction, type CompactionOptions, totalsJournal } from './compaction.js'
import { compileCount, compileFirstAt, compileLast, compileNested, compileSets, needsBeginning } from './compile.js'
import { copyLog } from './copy.js'
import { countForgotten, deleteAll, deleteForgotten } from './forget.js'
import { literal, wellFormed } from './literal.js'
import { clickColumns, facts, migrate, type Tables, tablesOf } from './schema.js'
import type { ClickhouseSession, InsertOptions, Value } from './session.js'

export interface ClickhouseOptions extends CompactionOptions {
  /** As in the server's configuration; undefined for a single server. */
  readonly cluster?: string | undefined
}

/** Creates missing tables. Closing the log closes the session. */
export async function openClickhouseClickLog(
  session: ClickhouseSession,
  options: ClickhouseOptions = {},
): Promise<StoredClickLog> {
  try {
    await migrate(session, options.cluster)
    const tables = tablesOf(session.database, options.cluster)
    return new ClickhouseClickLog(session, tables, new Compaction(session, tables, options), options.cluster)
  } catch (error) {
    await session.close()
    throw error
  }
}

class ClickhouseClickLog implements StoredClickLog {
  readonly #session: ClickhouseSession
  readonly #tables: Tables
  readonly #cluster: string | undefined
  readonly #compaction: Compaction
  /** Last known position of each journal. */
  readonly #reached = new Map<string, number>()
  /** Journals whose last batch was confirmed: no delayed insert can arrive. */
  readonly #certain = new Set<string>()
  /** Positions stored in `cursors`. */
  readonly #saved = new Map<string, number>()
  #closed = false
  readonly #appending = new SerialQueue()
  readonly #compacting = new SerialQueue()

  constructor(session: ClickhouseSession, tables: Tables, compaction: Compaction, cluster: string | undefined) {
    this.#cluster = cluster
    this.#session = session
    this.#tables = tables
    this.#compaction = compaction
  }

  get trouble(): string | undefined {
    return this.#session.trouble
  }

  async cursor(journalId: string): Promise<number> {
    this.#requireOpen()
    return this.#askCursor(journalId)
  }

  async #askCursor(journalId: string): Promise<number> {
    const reached = await this.#readCursor(journalId)
    // The next batch starts here, even if a delayed insert arrives.
    this.#reached.set(journalId, reached)
    this.#certain.delete(journalId)
    return reached
  }

  async #readCursor(journalId: string): Promise<number> {
    const journal = `journal = ${literal(journalId)}`
    const [saved] = await this.#session.query(`SELECT max(last_row) FROM ${this.#tables.cursors} WHERE ${journal}`)
    const savedRow = Number(saved?.[0] ?? 0)
    // The lower bound lets the engine skip older parts.
    const [row] = await this.#session.query(
      `SELECT max(journal_row) FROM ${this.#tables.clicks} WHERE ${journal} AND journal_row > ${savedRow}`,
    )
    return Math.max(savedRow, Number(row?.[0] ?? 0))
  }

  /** One append at a time: the next one starts where this one ends. */
  append(clicks: readonly LoggedClick[], upTo: JournalPosition, skippedRanges: LineRanges = []): Promise<void> {
    if (this.#closed) return Promise.reject(closed())
    return this.#appending.run(() => this.#appendNow(clicks, upTo, skippedRanges))
  }

  async appendBatch(batch: ClickBatch, upTo: JournalPosition): Promise<void> {
    await this.append(clicksOf(batch, upTo), upTo, batch.skippedRanges)
  }

  async skippedRanges(journalId: string): Promise<LineRanges> {
    this.#requireOpen()
    const where = `WHERE journal = ${literal(journalId)} AND passed_over != ''`
    const { clicks, skippedRanges } = this.#tables
    const rows = await this.#session.query(
      `SELECT DISTINCT journal_row, passed_over FROM (
         SELECT journal_row, passed_over FROM ${clicks} ${where}
         UNION ALL SELECT journal_row, passed_over FROM ${skippedRanges} ${where}) ORDER BY journal_row`,
    )
    return rows.flatMap(([, ranges]) => String(ranges).split(' ').map(Number))
  }

  async positions(): Promise<readonly ClickPosition[]> {
    this.#requireOpen()
    const { clicks, cursors } = this.#tables
    const rows = await this.#session.query(
      `SELECT journal, max(row) FROM (
         SELECT journal, max(last_row) AS row FROM ${cursors} GROUP BY journal
         UNION ALL SELECT toString(journal) AS journal, max(journal_row) AS row FROM ${clicks} GROUP BY journal)
       WHERE NOT startsWith(journal, ${literal(totalsJournal)}) GROUP BY journal`,
    )
    const positions: ClickPosition[] = []
    for (const [journal, row] of rows) {
      const journalId = String(journal)
      positions.push({ journalId, row: Number(row), skippedRanges: await this.skippedRanges(journalId) })
    }
    return positions
  }

  async keepPositions(positions: readonly ClickPosition[]): Promise<void> {
    this.#requireOpen()
    const skipped = positions.filter(({ skippedRanges }) => skippedRanges.length > 0)
    if (skipped.length > 0) {
      const rows = skipped.map(({ journalId, row, skippedRanges }) => [journalId, row, skippedRanges.join(' ')])
      await this.#session.insert(`${this.#tables.skippedRangesHere} (journal, journal_row, passed_over)`, rows, anew())
    }
    await this.#save(positions.map(({ journalId, row }) => [journalId, row]))
    for (const { journalId } of positions) this.#reached.delete(journalId)
  }

  async #appendNow(
    clicks: readonly LoggedClick[],
    { journalId, row }: JournalPosition,
    skippedRanges: LineRanges,
  ): Promise<void> {
    const after = this.#reached.get(journalId) ?? (await this.#askCursor(journalId))
    try {
      if (row <= after) throw new Error(`the click log has journal ${journalId} up to row ${after} already, not ${row}`)
      await this.#insert(clicks, { journalId, row }, skippedRanges, after)
      // If an earlier attempt was still running, it may have arrived first and blocked this one.
      if (!this.#certain.has(journalId)) await this.#requireReached({ journalId, row })
    } catch (error) {
      // The insert may or may not have succeeded: the next append reads the cursor.
      this.#reached.delete(journalId)
      this.#certain.delete(journalId)
      throw error
    }
    this.#reached.set(journalId, row)
    this.#certain.add(journalId)
    for (const { at } of clicks) this.#compaction.noteClick(at)
  }

  async #insert(
    clicks: readonly LoggedClick[],
    upTo: JournalPosition,
    skippedRanges: LineRanges,
    after: number,
  ): Promise<void> {
    const [first] = clicks
    if (!first && skippedRanges.length > 0) throw new Error('skipped rows can only be stored together with clicks')
    if (!first) return this.#save([[upTo.journalId, upTo.row]])
    const month = monthOf(first.at)
    const inserted = clicks.map((click, position) => [month, ...rowOf(click, upTo, position)])
    // Only on the first row, to keep the others small.
    const rows =
      skippedRanges.length === 0
        ? inserted
        : inserted.map((row, at) => [...row, at === 0 ? skippedRanges.join(' ') : ''])
    const columns = skippedRanges.length === 0 ? clickColumns : [...clickColumns, 'passed_over']
    await this.#session.insert(`${this.#tables.clicksHere} (${columns.join(', ')})`, rows, {
      deduplicationToken: `${upTo.journalId} after ${after}`,
    })
  }

  forgetClicks(which: ForgottenClicks, { dryRun }: { readonly dryRun: boolean }): Promise<number> {
    return this.#delete(async () => {
      const count = await countForgotten(this.#session, this.#tables, which)
      if (!dryRun && count > 0) await deleteForgotten(this.#session, this.#tables, which, this.#cluster)
      return count
    })
  }

  clear(): Promise<void> {
    return this.#delete(async () => {
      await deleteAll(this.#session, this.#tables, this.#cluster)
      this.#reached.clear()
      this.#certain.clear()
      this.#saved.clear()
    })
  }

  #delete<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(closed())
    return this.#appending.run(() => this.#compacting.run(work))
  }

  async #requireReached({ journalId, row }: JournalPosition): Promise<void> {
    const reached = await this.#readCursor(journalId)
    if (reached === row) return
    throw new Error(`an earlier attempt moved journal ${journalId} to row ${reached}, not to ${row}`)
  }

  async #save(cursors: readonly (readonly [string, number])[]): Promise<void> {
    if (cursors.length === 0) return
    await this.#session.insert(`${this.#tables.cursorsHere} (journal, last_row)`, cursors, anew())
    for (const [journalId, row] of cursors) this.#saved.set(journalId, row)
  }

  /** Saves the cursors, so that the next start finds them quickly. */
  async #saveCursors(): Promise<void> {
    const journals = [...this.#certain].map((journal) => [journal, this.#reached.get(journal) ?? 0] as const)
    await this.#save(journals.filter(([journal, row]) => row > (this.#saved.get(journal) ?? 0)))
  }

  async count(query: MetricsQuery): Promise<readonly MetricsRow[]> {
    this.#requireOpen()
    const { sql, startOf } = compileCount(await this.#withBeginning(query), this.#tables.clicks)
    const rows = await this.#session.query(sql)
    return rows.map((row) => ({
      start: startOf(Number(row[0])),
      values: row.slice(1, -1).map(String),
      count: Number(row.at(-1)),
    }))
  }

  async countNested(query: NestedQuery): Promise<readonly NestedRow[]> {
    this.#requireOpen()
    return nestRows(await this.#session.query(compileNested(query, this.#tables.clicks)))
  }

  async countSets(query: SetsQuery): Promise<readonly number[]> {
    this.#requireOpen()
    const counts = query.sets.map(() => 0)
    if (query.sets.every((set) => set.length === 0)) return counts
    for (const [place, count] of await this.#session.query(compileSets(query, this.#tables.clicks))) {
      counts[Number(place)] = Number(count)
    }
    return counts
  }

  async last(query: LastQuery): Promise<readonly LastClick[]> {
    this.#requireOpen()
    const rows = await this.#session.query(compileLast(query, this.#tables.clicks))
    return rows.map(([at, key, ...values]) => ({ at: Number(at), key: String(key), values: values.map(String) }))
  }

  async #withBeginning(query: MetricsQuery): Promise<MetricsQuery> {
    if (!needsBeginning(query)) return query
    return { ...query, from: (await this.firstAt(query)) ?? query.to }
  }

  async firstAt({ scope, kinds, trafficClasses, filters = [] }: Counted): Promise<number | undefined> {
    this.#requireOpen()
    const counted = { scope, kinds, trafficClasses, filters }
    const [row] = await this.#session.query(compileFirstAt(counted, this.#tables.clicks))
    return Number(row?.[0]) === 0 ? undefined : Number(row?.[1])
  }

  async partitions(which: ArchivedClicks): Promise<readonly Partition[]> {
    this.#requireOpen()
    return readPartitions(this.#session, this.#tables, which)
  }

  async writeClicks(which: ClickRange, files: ClickFiles): Promise<number> {
    this.#requireOpen()
    return writeClicks(this.#session, this.#tables, which, files)
  }

  copyClicks(folder: string, known: readonly KnownPart[]): Promise<ClickCopy> {
    if (this.#closed) return Promise.reject(closed())
    return this.#compacting.run(() => copyLog(this.#session, this.#tables, folder, known))
  }

  async size(): Promise<ClickLogSize> {
    this.#requireOpen()
    const [rows] = await this.#session.query(`SELECT count() FROM ${this.#tables.clicks}`)
    // Of this server; in a cluster the rows are in `clicks_local`.
    const [bytes] = await this.#session.query(
      `SELECT sum(bytes_on_disk) FROM system.parts
      WHERE active AND database = ${literal(this.#session.database)} AND table IN ('clicks', 'clicks_local')`,
    )
    return { rows: Number(rows?.[0]), bytes: Number(bytes?.[0]) }
  }

  async newestAfter(time: number): Promise<number | undefined> {
    this.#requireOpen()
    const [row] = await this.#session.query(
      `SELECT count(), max(clicked_at) FROM ${this.#tables.clicks} WHERE clicked_at > ${time}`,
    )
    return Number(row?.[0]) === 0 ? undefined : Number(row?.[1])
  }

  compact(now: number): Promise<boolean> {
    if (this.#closed) return Promise.reject(closed())
    return this.#compacting.run(async () => {
      await this.#saveCursors()
      return this.#compaction.step(now)
    })
  }

  /** Waits for appends; interrupts reports and compaction. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#appending.idle()
    try {
      await this.#saveCursors()
    } catch {
      // Optional: the clicks themselves contain the position.
    }
    await this.#session.close()
    await this.#compacting.idle()
  }

  #requireOpen(): void {
    if (this.#closed) throw closed()
  }
}

/** Without a token of its own, the server would ignore rows that it was sent before, even if they were deleted since. */
function anew(): InsertOptions {
  return { deduplicationToken: randomBase62(16) }
}

function closed(): Error {
  return new Error('The click log is closed.')
}

/** The partition of a batch that starts with a click at this time, such as 202611. */
function monthOf(at: number): number {
  const date = new Date(at)
  return Math.max(0, date.getUTCFullYear()) * 100 + date.getUTCMonth() + 1
}

/** Clicks of the journal are not totals. */
type LoggedClick = Click & Partial<Pick<BatchClick, 'total'>>

/** In the order of clickColumns, without the first. */
function rowOf(click: LoggedClick, { journalId, row }: JournalPosition, position: number): readonly Value[] {
  return [
    ...[wellFormed(click.groupGuid), wellFormed(click.address), click.at, journalId, row, position],
    ...facts.map((name) => wellFormed(textOf(click, name))),
    // JSON has no integers of this size, so send a string.
    ...(click.total ? [null, click.total] : [click.visitorHash.toString(), 1]),
  ]
}
