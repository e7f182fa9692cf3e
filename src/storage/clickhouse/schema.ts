/**
 * Tables of the click log on ClickHouse: `clicks`, sorted by group, address and time, and `cursors`, a lower bound of
 * each journal's position (click-log.ts). On a cluster each is a replicated table on every shard, `clicks_local`,
 * with a distributed table in front: reports read the distributed table, inserts go to the shard of the URL.
 *
 * Forward only: never edit a released migration, append the next one. Statements must be repeatable (IF NOT EXISTS),
 * because there are no transactions and several processes may start at once.
 */
import { addedDimensions, allDimensions, dimensions, type Name, schemaVersion } from '../../core/clicks/dimensions.js'
import { OperatorError } from '../../lib/operator-error.js'
import { identifier, literal } from './literal.js'
import type { ClickhouseSession } from './session.js'

/** Table names for reading, and (`...Here`) for writing. */
export interface Tables {
  readonly clicks: string
  readonly clicksHere: string
  readonly cursors: string
  readonly cursorsHere: string
  readonly skippedRanges: string
  readonly skippedRangesHere: string
  readonly version: string
}

export function tablesOf(database: string, cluster: string | undefined): Tables {
  const named = (table: string) => `${identifier(database)}.${identifier(table)}`
  const here = cluster === undefined ? '' : '_local'
  return {
    clicks: named('clicks'),
    clicksHere: named(`clicks${here}`),
    cursors: named('cursors'),
    cursorsHere: named(`cursors${here}`),
    skippedRanges: named('passed_over'),
    skippedRangesHere: named(`passed_over${here}`),
    version: named('schema_version'),
  }
}

/** The column of a dimension. The traffic class keeps the name of the first schema. */
export function columnOf(name: Name): string {
  return name === 'trafficClass' ? 'nature' : dimensions[name].column
}

/** SQL for the text of each dimension. */
export const texts = Object.fromEntries(
  allDimensions.map(({ name, codes }) => [name, codes ? `toString(${columnOf(name)})` : columnOf(name)]),
) as Readonly<Record<Name, string>>

/** The dimensions that the table is not sorted by. */
export const facts = allDimensions.map(({ name }) => name).filter((name) => name !== 'groupGuid' && name !== 'address')

/** As rows are inserted; `passed_over` follows only if it is not empty. */
export const clickColumns = [
  ...['batch_month', 'group_guid', 'address', 'clicked_at', 'journal', 'journal_row', 'position'],
  ...facts.map(columnOf),
  ...['visitor', 'n'],
] as const

/** The statements of each schema version. */
const written: readonly ((place: Place) => readonly string[])[] = [
  (place) => [
    ...place.create(
      'clicks',
      `
  batch_month UInt32,        -- year and month of the batch's first click: a batch lies in one partition, so it is one part
  group_guid String,
  address String,            -- the address used
  clicked_at Int64 CODEC(Delta, ZSTD),       -- milliseconds since 1970 UTC; of a total: when its quarter of an hour began
  journal LowCardinality(String),            -- with the next one, up to where the batch brought its journal
  journal_row UInt64 CODEC(Delta, ZSTD),
  position UInt32 CODEC(Delta, ZSTD),        -- within the batch
  destination String CODEC(ZSTD),
  kind Enum8('click' = 0, 'scan' = 1, 'button' = 2),
  nature Enum8('human' = 0, 'bot' = 1, 'preview' = 2, 'prefetch' = 3, 'head' = 4),
  country LowCardinality(String),
  region LowCardinality(String),
  subregion LowCardinality(String),
  city LowCardinality(String),
  device LowCardinality(String),
  os LowCardinality(String),
  browser LowCardinality(String),
  referrer String CODEC(ZSTD),
  referrer_domain LowCardinality(String),
  referrer_name LowCardinality(String),
  referrer_network LowCardinality(String),
  visitor Nullable(UInt64),  -- of a total: nobody
  n Int32,                   -- 1 for a click, -1 where it is taken back, more for a total
  INDEX times clicked_at TYPE minmax GRANULARITY 1,
  INDEX addresses address TYPE bloom_filter(0.001) GRANULARITY 1,
  INDEX journals journal TYPE set(100) GRANULARITY 1,
  INDEX journal_rows journal_row TYPE minmax GRANULARITY 1`,
      {
        engine: 'SummingMergeTree',
        argument: 'n',
        layout: 'PARTITION BY batch_month ORDER BY (group_guid, address, clicked_at, journal, journal_row, position)',
      },
    ),
    ...place.create('cursors', 'journal String, last_row UInt64', {
      engine: 'ReplacingMergeTree',
      argument: 'last_row',
      layout: 'ORDER BY journal',
    }),
  ],
  (place) => [
    // Skipped journal rows of a batch, stored on one of its rows so that both are written atomically.
    ...place.addColumn('clicks', "passed_over String DEFAULT '' CODEC(ZSTD)"),
    // Skipped rows whose clicks were purged.
    ...place.create('passed_over', 'journal String, journal_row UInt64, passed_over String CODEC(ZSTD)', {
      engine: 'ReplacingMergeTree',
      layout: 'ORDER BY (journal, journal_row)',
    }),
  ],
  () => [],
  (place) => place.changeColumn('clicks', "kind Enum8('click' = 0, 'scan' = 1, 'button' = 2, 'view' = 3)"),
]

const newest = schemaVersion(written.length)

/** The statements that upgrade this version to the newest schema. Dimensions that were added later are columns. */
export function statements(database: string, cluster: string | undefined, version: number): readonly string[] {
  const place = new Place(database, cluster)
  return Array.from({ length: newest }, (_, index) => [
    ...(written[index]?.(place) ?? []),
    ...addedDimensions(index + 1).flatMap(({ column }) =>
      place.addColumn('clicks', `${column} LowCardinality(String)`),
    ),
  ])
    .slice(version)
    .flat()
}

export async function migrate(session: ClickhouseSession, cluster: string | undefined): Promise<void> {
  await requireVersion(session)
  const place = new Place(session.database, cluster)
  for (const statement of place.createDatabase(await exists(session))) await session.run(statement)
  for (const statement of place.createVersion()) await session.run(statement)
  const table = tablesOf(session.database, cluster).version
  const [row] = await session.query(`SELECT max(version) FROM ${table}`)
  const version = Number(row?.[0] ?? 0)
  if (version > newest) {
    throw new OperatorError(
      `The click log in ${session.place} was written by a newer version of shortlink (schema ${version}, this version supports ${newest}). Start the newer version.`,
    )
  }
  for (const statement of statements(session.database, cluster, version)) await session.run(statement)
  if (version < newest) await session.insert(`${table} (version)`, [[newest]])
}

async function exists(session: ClickhouseSession): Promise<boolean> {
  const sql = `SELECT count() FROM system.databases WHERE name = ${literal(session.database)}`
  const [row] = await session.query(sql)
  return Number(row?.[0]) > 0
}

/** The oldest long-term support version with all features that the click log uses. */
const oldestVersion = [24, 8] as const

async function requireVersion(session: ClickhouseSession): Promise<void> {
  const [row] = await session.query('SELECT version()')
  const version = String(row?.[0])
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > oldestVersion[0] || (major === oldestVersion[0] && minor >= oldestVersion[1])) return
  throw new OperatorError(
    `${session.place} is version ${version}, which is too old. Upgrade it to ${oldestVersion.join('.')} or newer.`,
  )
}

interface Engine {
  readonly engine: string
  /** Argument of the engine. */
  readonly argument?: string
  readonly layout: string
}

/** Builds statements for one server or for a cluster. */
class Place {
  readonly #database: string
  readonly #cluster: string | undefined

  constructor(database: string, cluster: string | undefined) {
    this.#database = database
    this.#cluster = cluster
  }

  createDatabase(exists: boolean): readonly string[] {
    // Do not create an existing database: the user may lack the right.
    if (exists && this.#cluster === undefined) return []
    return [`CREATE DATABASE IF NOT EXISTS ${identifier(this.#database)}${this.#everywhere}`]
  }

  createVersion(): readonly string[] {
    return [this.#table('schema_version', 'version UInt32', { engine: 'MergeTree', layout: 'ORDER BY version' })]
  }

  create(table: string, columns: string, engine: Engine): readonly string[] {
    if (this.#cluster === undefined) return [this.#table(table, columns, engine)]
    const front = `${identifier(this.#database)}.${identifier(table)}`
    const here = `${table}_local`
    return [
      this.#table(here, columns, engine),
      `CREATE TABLE IF NOT EXISTS ${front}${this.#everywhere} AS ${identifier(this.#database)}.${identifier(here)}
  ENGINE = Distributed(${identifier(this.#cluster)}, ${identifier(this.#database)}, ${identifier(here)})`,
    ]
  }

  addColumn(table: string, column: string): readonly string[] {
    return this.#alter(table, `ADD COLUMN IF NOT EXISTS ${column}`)
  }

  changeColumn(table: string, column: string): readonly string[] {
    return this.#alter(table, `MODIFY COLUMN ${column}`)
  }

  #alter(table: string, change: string): readonly string[] {
    const tables = this.#cluster === undefined ? [table] : [`${table}_local`, table]
    return tables.map(
      (name) => `ALTER TABLE ${identifier(this.#database)}.${identifier(name)}${this.#everywhere} ${change}`,
    )
  }

  #table(table: string, columns: string, { engine, argument, layout }: Engine): string {
    const own = argument === undefined ? [] : [argument]
    const path = `/clickhouse/tables/{shard}/${this.#database}/${table}`
    const [kind, given] =
      this.#cluster === undefined
        ? [engine, own]
        : [`Replicated${engine}`, [literal(path), literal('{replica}'), ...own]]
    return `CREATE TABLE IF NOT EXISTS ${identifier(this.#database)}.${identifier(table)}${this.#everywhere} (${columns})
  ENGINE = ${kind}(${given.join(', ')}) ${layout} SETTINGS ${this.#settings}`
  }

  get #everywhere(): string {
    return this.#cluster === undefined ? '' : ` ON CLUSTER ${identifier(this.#cluster)}`
  }

  /**
   * The deduplication window lets the server recognise a delayed insert; fsync before the response, because the
   * journal then deletes its rows.
   */
  get #settings(): string {
    const remembered =
      this.#cluster === undefined
        ? 'non_replicated_deduplication_window = 10000'
        : 'replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800'
    return `${remembered}, fsync_after_insert = 1, fsync_part_directory = 1`
  }
}
