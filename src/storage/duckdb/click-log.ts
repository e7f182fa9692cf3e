/**
 * The embedded click log: one DuckDB file. Appending and reading use connections of their own, so a report sees the
 * log as it was between two batches and waits for none. It must run outside the HTTP thread: preparing a batch and
 * handing it to the engine are synchronous.
 */
import { mkdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { Click } from '../../core/clicks/click.js'
import type { ClickLog, ClickLogOptions, JournalPosition } from '../../core/clicks/click-log.js'
import type { Counted, MetricsQuery, MetricsRow, MetricsScope } from '../../core/metrics/query.js'
import { OperatorError } from '../../lib/operator-error.js'
import { type ColumnType, writeColumns } from './columns.js'
import { compileCount, compileFirstAt, type ScopeKeys } from './compile.js'
import { Addresses, addressIn, Descriptions, Names, separator } from './dictionary.js'
import { kindNumber, migrate, natureNumber } from './schema.js'
import { transact } from './transact.js'
import { type RunSize, Upkeep } from './upkeep.js'

export interface DuckdbOptions extends ClickLogOptions {
  /** Tests sort shorter runs. */
  readonly runSize?: RunSize
}

/** Opens the file, or makes it and its folder. */
export async function openDuckdbClickLog(file: string, options: DuckdbOptions = {}): Promise<ClickLog> {
  mkdirSync(dirname(file), { recursive: true })
  const instance = await openInstance(file)
  try {
    const writing = await instance.connect()
    await migrate(writing, file)
    const readers = await Promise.all(Array.from({ length: readingConnections }, () => instance.connect()))
    return new DuckdbClickLog({
      instance,
      writing,
      readers,
      dictionaries: await openDictionaries(writing),
      upkeep: new Upkeep(options, options.runSize),
      earliest: await earliestOf(writing),
    })
  } catch (error) {
    instance.closeSync()
    throw error
  }
}

/**
 * Each running query holds a thread of Node's pool of four; these and the appending one leave the last one free. Upkeep
 * borrows one of these.
 */
const readingConnections = 2

async function openInstance(file: string): Promise<DuckDBInstance> {
  try {
    return await DuckDBInstance.create(file, {
      // Half the cores: redirects need the other half.
      threads: String(Math.min(4, Math.max(1, availableParallelism() >> 1))),
      memory_limit: '256MB',
      // A report on one link wants a little of many blocks. Smaller ones are not compressed; the default, four times as
      // large, takes 15 % more on disk.
      default_block_size: '65536',
      temp_directory: `${file}.tmp`,
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
    })
  } catch (error) {
    throw explain(file, error)
  }
}

function explain(file: string, error: unknown): OperatorError {
  const message = error instanceof Error ? error.message : String(error)
  if (message.includes('Could not set lock')) {
    const owner = /\(PID (\d+)\)/.exec(message)?.[1]
    return new OperatorError(
      `The click log ${file} is in use by another process${owner ? ` (${owner})` : ''}. Stop that one first, or use another data directory.`,
    )
  }
  if (message.includes('not a valid DuckDB database')) {
    return new OperatorError(`${file} is not a click log. Move it away, and a new one will be made.`)
  }
  return new OperatorError(`The click log ${file} cannot be opened: ${firstLine(message)}`)
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text
}

interface Dictionaries {
  readonly addresses: Addresses
  readonly groups: Names
  readonly destinations: Names
  readonly places: Descriptions
  readonly agents: Descriptions
  readonly referrers: Descriptions
}

async function openDictionaries(connection: DuckDBConnection): Promise<Dictionaries> {
  return {
    addresses: await Addresses.open(connection, 'addresses', 250_000),
    groups: await Names.open(connection, 'groups', 10_000),
    destinations: await Names.open(connection, 'destinations', 250_000),
    places: await Descriptions.open(connection, 'places', 4, 50_000),
    agents: await Descriptions.open(connection, 'agents', 3, 5_000),
    referrers: await Descriptions.open(connection, 'referrers', 4, 100_000),
  }
}

interface Parts {
  readonly instance: DuckDBInstance
  readonly writing: DuckDBConnection
  readonly readers: readonly DuckDBConnection[]
  readonly dictionaries: Dictionaries
  readonly upkeep: Upkeep
  readonly earliest: number
}

class DuckdbClickLog implements ClickLog {
  readonly #instance: DuckDBInstance
  readonly #writing: DuckDBConnection
  readonly #dictionaries: Dictionaries
  readonly #readers: readonly DuckDBConnection[]
  readonly #upkeep: Upkeep
  readonly #idle: DuckDBConnection[]
  readonly #waiting: { resolve: (connection: DuckDBConnection) => void; reject: (error: Error) => void }[] = []
  /** No click is older. */
  #earliest: number
  #whenIdle = () => {}
  #closed = false
  /** One append at a time: they share a connection and its transaction. */
  #appending: Promise<unknown> = Promise.resolve()
  #tidying: Promise<unknown> = Promise.resolve()

  constructor(parts: Parts) {
    this.#instance = parts.instance
    this.#writing = parts.writing
    this.#dictionaries = parts.dictionaries
    this.#readers = parts.readers
    this.#idle = [...parts.readers]
    this.#upkeep = parts.upkeep
    this.#earliest = parts.earliest
  }

  async cursor(journalId: string): Promise<number> {
    const sql = 'SELECT last_row FROM cursors WHERE journal = $1'
    const reader = await this.#lend((connection) => connection.runAndReadAll(sql, [journalId]))
    return Number(reader.getRows()[0]?.[0] ?? 0)
  }

  append(clicks: readonly Click[], upTo: JournalPosition): Promise<void> {
    if (this.#closed) return Promise.reject(closed())
    const mine = this.#appending.then(() => this.#appendNow(clicks, upTo))
    this.#appending = mine.catch(() => undefined) // the caller of this append hears of it; the next one starts afresh
    return mine
  }

  async #appendNow(clicks: readonly Click[], upTo: JournalPosition): Promise<void> {
    const connection = this.#writing
    // Before they can be seen: a report that knows of them too early is none the worse.
    for (const { at } of clicks) if (at < this.#earliest) this.#earliest = at
    const dictionaries = Object.values(this.#dictionaries) as readonly (Names | Descriptions)[]
    try {
      await transact(connection, async () => {
        await this.#writeClicks(clicks)
        for (const dictionary of dictionaries) await dictionary.write(connection)
        await connection.run(
          'INSERT INTO cursors VALUES ($1, $2) ON CONFLICT (journal) DO UPDATE SET last_row = excluded.last_row',
          [upTo.journalId, BigInt(upTo.row)],
        )
      })
    } catch (error) {
      for (const dictionary of dictionaries) dictionary.rolledBack()
      throw error
    }
    for (const dictionary of dictionaries) dictionary.committed()
  }

  async #writeClicks(clicks: readonly Click[]): Promise<void> {
    const { addresses, groups, destinations, places, agents, referrers } = this.#dictionaries
    await groups.prepare(
      this.#writing,
      clicks.map((click) => click.groupGuid),
    )
    const groupKeys = clicks.map((click) => groups.key(click.groupGuid))
    const used = clicks.map((click, index) => addressIn(groupKeys[index] ?? 0, click.address))
    await addresses.prepare(this.#writing, used)
    await destinations.prepare(
      this.#writing,
      clicks.map((click) => click.destination),
    )
    await writeColumns(this.#writing, 'recent_clicks', clicks.length, clickColumns, [
      clicks.map((click) => BigInt(click.at)),
      used.map((address) => addresses.key(address)),
      groupKeys,
      clicks.map((click) => destinations.key(click.destination)),
      clicks.map((click) => kindNumber[click.kind]),
      clicks.map((click) => natureNumber[click.nature]),
      clicks.map((click) =>
        places.key(
          `${click.country}${separator}${click.region}${separator}${click.subregion}${separator}${click.city}`,
        ),
      ),
      clicks.map((click) => agents.key(`${click.device}${separator}${click.os}${separator}${click.browser}`)),
      clicks.map((click) =>
        referrers.key(
          `${click.referrer}${separator}${click.referrerDomain}${separator}${click.referrerName}${separator}${click.referrerNetwork}`,
        ),
      ),
      clicks.map((click) => click.visitorHash),
    ])
  }

  count(query: MetricsQuery): Promise<readonly MetricsRow[]> {
    return this.#lend(async (connection) => {
      const scope = await this.#keysOf(connection, query.scope)
      const compiled = compileCount(query, scope, this.#earliest)
      const reader = await connection.runAndReadAll(compiled.sql)
      return reader.getRows().map((row) => ({
        start: compiled.startOf(Number(row[0])),
        values: row.slice(1, -1).map(String),
        count: Number(row.at(-1)),
      }))
    })
  }

  firstAt(query: Counted): Promise<number | undefined> {
    return this.#lend(async (connection) => {
      const reader = await connection.runAndReadAll(compileFirstAt(query, await this.#keysOf(connection, query.scope)))
      const first = reader.getRows()[0]?.[0] ?? undefined
      return first === undefined ? undefined : Number(first)
    })
  }

  async #keysOf(connection: DuckDBConnection, scope: MetricsScope): Promise<ScopeKeys> {
    const { addresses, groups } = this.#dictionaries
    if ('groupGuid' in scope) return { group: await groups.find(connection, scope.groupGuid) }
    const keys = []
    for (const address of scope.addresses) keys.push(...(await addresses.keysOf(connection, address)))
    return { addresses: keys }
  }

  tidy(now: number): Promise<boolean> {
    const mine = this.#tidying.then(() => this.#lend((connection) => this.#upkeep.step(connection, now)))
    this.#tidying = mine.catch(() => undefined) // the caller of this step hears of it; the next one starts afresh
    return mine
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

  /** Running queries are interrupted, and waited for: a connection must not be closed under one. */
  async close(): Promise<void> {
    this.#closed = true
    for (const { reject } of this.#waiting.splice(0)) reject(closed())
    await this.#appending
    if (this.#idle.length < this.#readers.length) {
      const idle = new Promise<void>((resolve) => {
        this.#whenIdle = resolve
      })
      for (const reader of this.#readers) reader.interrupt()
      await idle
    }
    this.#idle.length = 0
    for (const connection of [...this.#readers, this.#writing]) connection.closeSync()
    // Closing the last of them folds the write-ahead log into the file.
    this.#instance.closeSync()
  }
}

/** Read from the statistics of the tables: costs nothing. Infinity when there are no clicks. */
async function earliestOf(connection: DuckDBConnection): Promise<number> {
  const firsts = ['recent_clicks', 'sorted_clicks', 'merged_clicks', 'recent_totals', 'sorted_totals'].map(
    (table) => `(SELECT min(clicked_at) FROM ${table})`,
  )
  const reader = await connection.runAndReadAll(`SELECT least(${firsts.join(', ')})`)
  return Number(reader.getRows()[0]?.[0] ?? Number.POSITIVE_INFINITY)
}

function closed(): Error {
  return new Error('The click log is closed.')
}

const clickColumns: readonly ColumnType[] = [
  'BIGINT',
  'INTEGER',
  'INTEGER',
  'INTEGER',
  'UTINYINT',
  'UTINYINT',
  'INTEGER',
  'INTEGER',
  'INTEGER',
  'UBIGINT',
]
