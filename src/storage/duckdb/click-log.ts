/**
 * The embedded click log: one DuckDB file. Appends and reads use separate connections, so a report sees a consistent
 * snapshot and never waits for an append. Run it outside the HTTP thread: preparing a batch and handing it to DuckDB
 * are synchronous.
 */
import { mkdirSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { Click } from '../../core/clicks/click.js'
import type { ArchivedClicks, ClickFiles, ClickRange, Partition } from '../../core/clicks/click-archive.js'
import type { ClickBatch, LineRanges } from '../../core/clicks/click-batch.js'
import type { ClickCopy, CopiedPart, KnownPart, Rest } from '../../core/clicks/click-copy.js'
import type { ForgottenClicks } from '../../core/clicks/click-eraser.js'
import type { ClickLogOptions, ClickLogSize, ClickPosition, StoredClickLog } from '../../core/clicks/click-log.js'
import type { JournalPosition } from '../../core/clicks/journal.js'
import {
  type Counted,
  type LastClick,
  type LastQuery,
  type MetricsQuery,
  type MetricsRow,
  type MetricsScope,
  type NestedQuery,
  type NestedRow,
  nestRows,
  type SetsQuery,
} from '../../core/clicks/metrics-query.js'
import { OperatorError, UnavailableError } from '../../lib/operator-error.js'
import { SerialQueue } from '../../lib/serial-queue.js'
import { readPartitions, writeClicks } from './archive.js'
import { type ClickWriter, openClickWriter } from './click-writer.js'
import { Compaction, type RunSize } from './compaction.js'
import {
  compileCount,
  compileFirstAt,
  compileLast,
  compileNested,
  compileSets,
  type LogFacts,
  type ScopeKeys,
  type Statement,
} from './compile.js'
import { type ColumnType, transact, writeColumns } from './connection.js'
import { copyLog, loadPart } from './copy.js'
import { isForbidden, isLocked } from './failures.js'
import { countForgotten, deleteForgotten } from './forget.js'
import { allTables, clickTables, migrate, migrations, rollupTables, versionOf } from './schema.js'

export interface DuckdbOptions extends ClickLogOptions {
  /** Shorter sort runs for tests. */
  readonly runSize?: RunSize
  /** Megabytes that DuckDB may use for reports and compaction. */
  readonly memoryLimit?: number | undefined
  /** Called before the tables of an earlier version are changed, while the file is closed. */
  readonly beforeUpgrade?: (version: number) => void
  /** For messages: how to undo an upgrade. */
  readonly wayBack?: () => string
}

/** Opens the file; creates it and its folder when missing. */
export async function openDuckdbClickLog(file: string, options: DuckdbOptions = {}): Promise<StoredClickLog> {
  mkdirSync(dirname(file), { recursive: true })
  let instance = await openInstance(file, options.memoryLimit)
  try {
    let writing = await instance.connect()
    const version = await versionOf(writing)
    if (version > 0 && version < migrations.length && options.beforeUpgrade) {
      // Then the file is complete without its .wal.
      await writing.run('CHECKPOINT')
      writing.closeSync()
      instance.closeSync()
      options.beforeUpgrade(version + 1)
      instance = await openInstance(file, options.memoryLimit)
      writing = await instance.connect()
    }
    await migrate(writing, file, options.wayBack)
    const readers = await Promise.all(Array.from({ length: readingConnections }, () => instance.connect()))
    return new DuckdbClickLog({
      file,
      memoryLimit: options.memoryLimit ?? usualMemory,
      instance,
      writing,
      readers,
      writer: await openClickWriter(writing),
      compaction: new Compaction(options, options.runSize),
      earliest: await earliestOf(writing, [...clickTables, ...rollupTables]),
      // Only compaction creates rollups, and only when clicks have a retention.
      rollups:
        options.retentionDays !== undefined || (await earliestOf(writing, rollupTables)) < Number.POSITIVE_INFINITY,
    })
  } catch (error) {
    instance.closeSync()
    throw error instanceof OperatorError ? error : damaged(file, error)
  }
}

/** Throws an OperatorError if the file cannot be opened, and changes nothing. */
export async function tryDuckdbClickLog(file: string): Promise<void> {
  const instance = await openInstance(file, usualMemory, 'READ_ONLY')
  try {
    const connection = await instance.connect()
    // Reads no clicks.
    for (const table of await tablesIn(connection)) await connection.run(`SELECT count(*) FROM "${table}"`)
  } catch (error) {
    throw explain(file, error)
  } finally {
    instance.closeSync()
  }
}

/** Reads every value of every table: DuckDB verifies the checksum of a block only when it reads it. */
export async function readWhole(file: string): Promise<void> {
  const instance = await openInstance(file)
  try {
    const connection = await instance.connect()
    for (const table of await tablesIn(connection)) {
      await connection.run(`SELECT bit_xor(hash(t)) FROM "${table}" AS t`)
    }
  } finally {
    instance.closeSync()
  }
}

async function tablesIn(connection: DuckDBConnection): Promise<readonly string[]> {
  const reader = await connection.runAndReadAll('SELECT table_name FROM duckdb_tables()')
  return reader.getRows().map(([table]) => String(table))
}

/** Builds a new log; the work loads each file of a copy into it. */
export async function restoreDuckdbClickLog(
  file: string,
  work: (load: (part: Pick<CopiedPart, 'name' | 'rows'>, path: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  const instance = await openInstance(file, archiveMemory)
  try {
    const connection = await instance.connect()
    await migrate(connection, file)
    await work((part, path) => loadPart(connection, part, path))
    connection.closeSync()
  } finally {
    // Writes a checkpoint.
    instance.closeSync()
  }
}

/**
 * Each running query blocks one of the four threads of Node's pool. Two readers and the writer leave one free.
 * Compaction borrows a reader.
 */
const readingConnections = 2

/** Megabytes. */
const usualMemory = 256
const archiveMemory = 512

export async function openInstance(
  file: string,
  memoryLimit = usualMemory,
  access: 'AUTOMATIC' | 'READ_ONLY' = 'AUTOMATIC',
): Promise<DuckDBInstance> {
  try {
    return await DuckDBInstance.create(file, {
      access_mode: access,
      // Half the cores, but at least two: with one, a report on a large group takes twice as long. Redirects have
      // priority (lower-priority.ts), and reports pause while redirects need both cores of a small machine
      // (click-worker.ts).
      threads: String(Math.min(4, availableParallelism(), Math.max(2, availableParallelism() >> 1))),
      memory_limit: `${memoryLimit}MB`,
      // A report on one link reads a little of many blocks. Smaller blocks are not compressed; the default, four times
      // as large, takes 15 % more disk.
      default_block_size: '65536',
      // Groups keyed by a number below 2^16 (places, agents, referrers) use an array instead of a hash table: half the
      // time for a million clicks.
      perfect_ht_threshold: '16',
      temp_directory: `${file}.tmp`,
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
    })
  } catch (error) {
    throw explain(file, error)
  }
}

function explain(file: string, error: unknown): OperatorError {
  const locked = isLocked(error)
  if (locked) {
    return new OperatorError(
      `Another process${locked.pid ? ` (${locked.pid})` : ''} is using the click log ${file}. Stop it first, or use another data directory.`,
    )
  }
  return isForbidden(error) ? forbidden(file, error) : damaged(file, error)
}

function forbidden(file: string, error: unknown): UnavailableError {
  return new UnavailableError(
    `Cannot open the click log ${file}: this user may not read and write it (${reasonOf(error)}). Give the file, and its .wal, to the user of the service with "chown".`,
  )
}

/** The service runs without the click log; the file may be repairable and is left unchanged. */
function damaged(file: string, error: unknown): UnavailableError {
  const message = `Cannot open the click log ${file}: it is damaged or not a DuckDB file (${reasonOf(error)}). "bin/shortlink repair clicks" recovers what is readable, also while the service runs.`
  return Object.assign(new UnavailableError(message), { cause: error })
}

/** Its first line. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.split('\n', 1)[0] ?? text
}

interface Deps {
  readonly file: string
  readonly memoryLimit: number
  readonly instance: DuckDBInstance
  readonly writing: DuckDBConnection
  readonly readers: readonly DuckDBConnection[]
  readonly writer: ClickWriter
  readonly compaction: Compaction
  readonly earliest: number
  readonly rollups: boolean
}

class DuckdbClickLog implements StoredClickLog {
  readonly #file: string
  readonly #memoryLimit: number
  readonly #instance: DuckDBInstance
  readonly #writing: DuckDBConnection
  readonly #writer: ClickWriter
  readonly #readers: readonly DuckDBConnection[]
  readonly #compaction: Compaction
  readonly #idle: DuckDBConnection[]
  readonly #waiting: { resolve: (connection: DuckDBConnection) => void; reject: (error: Error) => void }[] = []
  /** No click is older. */
  #earliest: number
  #rollups: boolean
  #whenIdle = () => {}
  #closed = false
  /** One append at a time: appends share a connection and its transaction. */
  readonly #appending = new SerialQueue()
  readonly #compacting = new SerialQueue()

  constructor(deps: Deps) {
    this.#file = deps.file
    this.#memoryLimit = deps.memoryLimit
    this.#instance = deps.instance
    this.#writing = deps.writing
    this.#writer = deps.writer
    this.#readers = deps.readers
    this.#idle = [...deps.readers]
    this.#compaction = deps.compaction
    this.#earliest = deps.earliest
    this.#rollups = deps.rollups
  }

  async cursor(journalId: string): Promise<number> {
    const sql = 'SELECT last_row FROM cursors WHERE journal = $1'
    const reader = await this.#lend((connection) => connection.runAndReadAll(sql, [journalId]))
    return Number(reader.getRows()[0]?.[0] ?? 0)
  }

  append(clicks: readonly Click[], upTo: JournalPosition): Promise<void> {
    // Updated before the commit: an `earliest` that is too early does no harm to a report.
    for (const { at } of clicks) if (at < this.#earliest) this.#earliest = at
    return this.#append([upTo], () => this.#writer.write(this.#writing, clicks))
  }

  appendBatch(batch: ClickBatch, upTo: JournalPosition): Promise<void> {
    for (const at of batch.at) if (at < this.#earliest) this.#earliest = at
    this.#rollups ||= batch.totals.some((total) => total > 0)
    return this.#append([upTo], async () => {
      await this.#writer.writeBatch(this.#writing, batch)
      await this.#skipRanges(batch.skippedRanges, upTo.journalId)
    })
  }

  keepPositions(positions: readonly ClickPosition[]): Promise<void> {
    return this.#append(positions, async () => {
      for (const { journalId, skippedRanges } of positions) await this.#skipRanges(skippedRanges, journalId)
    })
  }

  async positions(): Promise<readonly ClickPosition[]> {
    const reader = await this.#lend((connection) => connection.runAndReadAll('SELECT journal, last_row FROM cursors'))
    const positions: ClickPosition[] = []
    for (const [journal, row] of reader.getRows()) {
      const journalId = String(journal)
      positions.push({ journalId, row: Number(row), skippedRanges: await this.skippedRanges(journalId) })
    }
    return positions
  }

  async #skipRanges(ranges: LineRanges, journalId: string): Promise<void> {
    const firsts = ranges.filter((_, index) => index % 2 === 0)
    const lasts = ranges.filter((_, index) => index % 2 === 1)
    await writeColumns(this.#writing, 'passed_over', firsts.length, skippedRangeTypes, [
      firsts.map(() => journalId),
      firsts.map(BigInt),
      lasts.map(BigInt),
    ])
  }

  async skippedRanges(journalId: string): Promise<LineRanges> {
    const sql = 'SELECT first_row, last_row FROM passed_over WHERE journal = $1 ORDER BY first_row'
    const reader = await this.#lend((connection) => connection.runAndReadAll(sql, [journalId]))
    return reader.getRows().flatMap((range) => range.map(Number))
  }

  #append(upTo: readonly JournalPosition[], write: () => Promise<void>): Promise<void> {
    if (this.#closed) return Promise.reject(closed())
    return this.#appending.run(() => this.#appendNow(upTo, write))
  }

  forgetClicks(which: ForgottenClicks, { dryRun }: { readonly dryRun: boolean }): Promise<number> {
    return this.#delete(async () => {
      const count = await countForgotten(this.#writing, which)
      if (!dryRun && count > 0) await transact(this.#writing, () => deleteForgotten(this.#writing, which))
      return count
    })
  }

  clear(): Promise<void> {
    return this.#delete(() =>
      transact(this.#writing, async () => {
        for (const table of allTables) await this.#writing.run(`DELETE FROM ${table}`)
      }),
    )
  }

  /** Neither clicks nor compaction may use a key while it is deleted. */
  #delete<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(closed())
    return this.#appending.run(() =>
      this.#compacting.run(async () => {
        const result = await work()
        this.#writer.clear()
        return result
      }),
    )
  }

  async #appendNow(upTo: readonly JournalPosition[], write: () => Promise<void>): Promise<void> {
    const connection = this.#writing
    try {
      await transact(connection, async () => {
        await write()
        for (const { journalId, row } of upTo) {
          await connection.run(
            'INSERT INTO cursors VALUES ($1, $2) ON CONFLICT (journal) DO UPDATE SET last_row = excluded.last_row',
            [journalId, BigInt(row)],
          )
        }
      })
    } catch (error) {
      this.#writer.rolledBack()
      throw error
    }
    this.#writer.committed()
  }

  count(query: MetricsQuery): Promise<readonly MetricsRow[]> {
    return this.#lend(async (connection) => {
      const scope = await this.#keysOf(connection, query.scope)
      const compiled = compileCount(query, scope, this.#facts)
      const reader = await read(connection, compiled)
      return reader.getRows().map((row) => ({
        start: compiled.startOf(Number(row[0])),
        values: row.slice(1, -1).map(String),
        count: Number(row.at(-1)),
      }))
    })
  }

  countNested(query: NestedQuery): Promise<readonly NestedRow[]> {
    return this.#lend(async (connection) => {
      const scope = await this.#keysOf(connection, query.scope)
      const reader = await read(connection, compileNested(query, scope, this.#facts))
      return nestRows(reader.getRows())
    })
  }

  countSets(query: SetsQuery): Promise<readonly number[]> {
    return this.#lend(async (connection) => {
      const counts = query.sets.map(() => 0)
      const group = await this.#writer.dictionaries.groups.find(connection, query.groupGuid)
      if (group === undefined || query.sets.every((set) => set.length === 0)) return counts
      const reader = await read(connection, compileSets(query, group, this.#facts))
      for (const [place, count] of reader.getRows()) counts[Number(place)] = Number(count)
      return counts
    })
  }

  last(query: LastQuery): Promise<readonly LastClick[]> {
    return this.#lend(async (connection) => {
      const reader = await read(connection, compileLast(query, await this.#keysOf(connection, query.scope)))
      return reader
        .getRows()
        .map(([at, key, ...values]) => ({ at: Number(at), key: String(key), values: values.map(String) }))
    })
  }

  firstAt(query: Counted): Promise<number | undefined> {
    return this.#lend(async (connection) => {
      const scope = await this.#keysOf(connection, query.scope)
      const reader = await read(connection, compileFirstAt(query, scope, this.#facts))
      const first = reader.getRows()[0]?.[0] ?? undefined
      return first === undefined ? undefined : Number(first)
    })
  }

  get #facts(): LogFacts {
    return { earliest: this.#earliest, rollups: this.#rollups }
  }

  async #keysOf(connection: DuckDBConnection, scope: MetricsScope): Promise<ScopeKeys> {
    const { addresses, groups } = this.#writer.dictionaries
    if ('groupGuid' in scope) return this.#keysOf(connection, { groupGuids: [scope.groupGuid] })
    if ('groupGuids' in scope) {
      const found: number[] = []
      for (const guid of scope.groupGuids) found.push(...[(await groups.find(connection, guid)) ?? []].flat())
      return { groups: found }
    }
    return { addresses: await addresses.keysOf(connection, scope.addresses) }
  }

  partitions(which: ArchivedClicks): Promise<readonly Partition[]> {
    return this.#lend((connection) => readPartitions(connection, which))
  }

  writeClicks(which: ClickRange, files: ClickFiles): Promise<number> {
    return this.#lend(async (connection) => {
      // For the whole log, since DuckDB has one limit: sorting texts needs more than reports do.
      await connection.run(`SET memory_limit = '${Math.max(archiveMemory, this.#memoryLimit)}MB'`)
      try {
        return await writeClicks(connection, which, files)
      } finally {
        await connection.run(`SET memory_limit = '${this.#memoryLimit}MB'`)
      }
    })
  }

  /** Compaction waits meanwhile: it would move the clicks that are read. */
  copyClicks(folder: string, known: readonly KnownPart[], rest?: Rest): Promise<ClickCopy> {
    return this.#compacting.run(() => this.#lend((connection) => copyLog(connection, folder, known, rest)))
  }

  size(): Promise<ClickLogSize> {
    const counts = [...clickTables, ...rollupTables].map((table) => `(SELECT count(*) FROM ${table})`)
    return this.#lend(async (connection) => {
      const reader = await connection.runAndReadAll(`SELECT ${counts.join(' + ')}`)
      const bytes = ['', '.wal'].map((end) => statSync(this.#file + end, { throwIfNoEntry: false })?.size ?? 0)
      return { rows: Number(reader.getRows()[0]?.[0] ?? 0), bytes: bytes.reduce((sum, each) => sum + each, 0) }
    })
  }

  newestAfter(time: number): Promise<number | undefined> {
    const newest = clickTables.map((table) => `(SELECT max(clicked_at) FROM ${table} WHERE clicked_at > ${time})`)
    return this.#lend(async (connection) => {
      const reader = await connection.runAndReadAll(`SELECT greatest(${newest.join(', ')})`)
      const at = reader.getRows()[0]?.[0] ?? undefined
      return at === undefined ? undefined : Number(at)
    })
  }

  compact(now: number): Promise<boolean> {
    return this.#compacting.run(() => this.#lend((connection) => this.#compaction.step(connection, now)))
  }

  async #lend<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    const connection = this.#idle.pop() ?? (await this.#nextFree())
    try {
      return await work(connection)
    } finally {
      this.#release(connection)
    }
  }

  #nextFree(): Promise<DuckDBConnection> {
    if (this.#closed) return Promise.reject(closed())
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  #release(connection: DuckDBConnection): void {
    const next = this.#waiting.shift()
    if (next) next.resolve(connection)
    else this.#idle.push(connection)
    if (this.#idle.length === this.#readers.length) this.#whenIdle()
  }

  /** Interrupts running queries and waits for them: a connection must not be closed during a query. */
  async close(): Promise<void> {
    this.#closed = true
    for (const { reject } of this.#waiting.splice(0)) reject(closed())
    await this.#appending.idle()
    if (this.#idle.length < this.#readers.length) {
      const idle = new Promise<void>((resolve) => {
        this.#whenIdle = resolve
      })
      for (const reader of this.#readers) reader.interrupt()
      await idle
    }
    this.#idle.length = 0
    for (const connection of [...this.#readers, this.#writing]) connection.closeSync()
    // Closing the last connection checkpoints the write-ahead log.
    this.#instance.closeSync()
  }
}

/** Without parameters, the statement is not prepared first. */
function read(connection: DuckDBConnection, { sql, parameters }: Statement) {
  return connection.runAndReadAll(sql, ...(parameters.length > 0 ? [parameters] : []))
}

/** Uses table statistics, so it costs nothing. Infinity without clicks. */
async function earliestOf(connection: DuckDBConnection, tables: readonly string[]): Promise<number> {
  const firsts = tables.map((table) => `(SELECT min(clicked_at) FROM ${table})`)
  const reader = await connection.runAndReadAll(`SELECT least(${firsts.join(', ')})`)
  return Number(reader.getRows()[0]?.[0] ?? Number.POSITIVE_INFINITY)
}

const skippedRangeTypes: readonly ColumnType[] = ['VARCHAR', 'BIGINT', 'BIGINT']

function closed(): Error {
  return new Error('The click log is closed.')
}
