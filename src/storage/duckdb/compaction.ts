/**
 * Compaction and retention of the click log. Both run in bounded steps, one transaction each, so an interruption never
 * loses or duplicates a click.
 * *Sorting*: once enough clicks are older than an hour, they move from `recent_clicks` to `sorted_clicks` as one run,
 * ordered by group, address and time. Several such runs are merged into one long run in `merged_clicks`. A report on a
 * link reads one or two row groups per run.
 * *Retention*: expired clicks become totals per quarter of an hour in `recent_totals`, which are sorted into runs the
 * same way. The view `clicks` counts both alike.
 */
import type { DuckDBConnection } from '@duckdb/node-api'
import type { ClickLogOptions } from '../../core/clicks/click-log.js'
import { transact } from './connection.js'
import { clickTables } from './schema.js'

/**
 * A run has a million clicks (8 row groups). Longer runs leave more clicks unsorted (3 ms per million), shorter ones
 * scatter a link's clicks over more row groups.
 */
const runRows = 1_000_000
/** Four runs are merged into a long one: a quarter of the row groups to read, for one more rewrite. */
const moves: readonly Move[] = [
  { from: 'recent_clicks', to: 'sorted_clicks', runs: 1 },
  { from: 'sorted_clicks', to: 'merged_clicks', runs: 4 },
  { from: 'recent_totals', to: 'sorted_totals', runs: 1 },
]
/** Rows sorted per step: about 30 MB and half a second. Just under four row groups, so that few stay half empty. */
const sliceRows = 480_000
const hour = 3_600_000
const day = 24 * hour
// A quarter of an hour: days and hours of every time zone start on one (Kathmandu: +05:45).
const slot = hour / 4

export interface RunSize {
  readonly runRows: number
  readonly sliceRows: number
}

export class Compaction {
  readonly #retentionDays: number | undefined
  readonly #size: RunSize
  #run: Run | undefined

  constructor({ retentionDays }: ClickLogOptions, size: RunSize = { runRows, sliceRows }) {
    this.#retentionDays = retentionDays
    this.#size = size
  }

  /** Runs one step; returns true when more steps are waiting. */
  async step(connection: DuckDBConnection, now: number): Promise<boolean> {
    if (this.#retentionDays !== undefined) {
      const purged = await purge(connection, Math.floor(now / day - this.#retentionDays) * day, this.#size.sliceRows)
      if (purged) return true
    }
    for (const move of moves) this.#run ??= await planRun(connection, move, now - hour, this.#size)
    if (!this.#run) return false
    const { slices } = this.#run
    const slice = slices[0]
    if (slice) await sortSlice(connection, this.#run, slice)
    // After the step: a failed slice is retried.
    slices.shift()
    if (slices.length === 0) this.#run = undefined
    return true
  }
}

interface Move {
  readonly from: string
  readonly to: string
  /** Start when this many runs' worth of clicks are waiting. */
  readonly runs: number
}

interface Run {
  readonly move: Move
  readonly before: number
  readonly slices: Slice[]
}

/** From one pair of group and address (exclusive) to another; undefined: from the first, to the last. */
interface Slice {
  readonly after: Pair | undefined
  readonly upTo: Pair | undefined
}

interface Pair {
  readonly group: number
  readonly address: number
}

/** Selects the oldest clicks for one run, split by group and address into slices that fit in memory. */
async function planRun(
  connection: DuckDBConnection,
  move: Move,
  closed: number,
  size: RunSize,
): Promise<Run | undefined> {
  const { from, runs } = move
  const waiting = await countBefore(connection, from, closed)
  const wanted = runs * size.runRows
  if (waiting < wanted) return undefined
  const before = waiting < 2 * wanted ? closed : await endOfOldest(connection, from, closed, wanted / waiting)
  const rows = before === closed ? waiting : await countBefore(connection, from, before)
  const slice = Math.ceil(rows / Math.max(1, Math.round(rows / size.sliceRows)))
  const cuts = await numbers(
    connection,
    `SELECT group_key, address FROM (
       SELECT group_key, address, n, sum(n) OVER (ORDER BY group_key, address) AS upto
       FROM (SELECT group_key, address, count(*) AS n FROM ${from} WHERE clicked_at < ${before} GROUP BY ALL))
     WHERE upto // ${slice} > (upto - n) // ${slice} AND upto < ${rows} ORDER BY group_key, address`,
  )
  const ends = cuts.map(([group, address]): Pair => ({ group: group ?? 0, address: address ?? 0 }))
  const slices = [...ends, undefined].map((upTo, index) => ({ after: ends[index - 1], upTo }))
  return { move, before, slices }
}

async function countBefore(connection: DuckDBConnection, table: string, before: number): Promise<number> {
  const [row] = await numbers(connection, `SELECT count(*) FROM ${table} WHERE clicked_at < ${before}`)
  return row?.[0] ?? 0
}

/** The time before which about this share of the clicks happened: runs that do not overlap in time are read less. */
async function endOfOldest(connection: DuckDBConnection, table: string, closed: number, share: number) {
  const sql = `SELECT approx_quantile(clicked_at, ${share}) FROM ${table} WHERE clicked_at < ${closed}`
  const [row] = await numbers(connection, sql)
  return (row?.[0] ?? closed) + 1
}

async function sortSlice(connection: DuckDBConnection, { move, before }: Run, { after, upTo }: Slice): Promise<void> {
  const where = [`clicked_at < ${before}`]
  if (after) where.push(`(group_key > ${after.group} OR (group_key = ${after.group} AND address > ${after.address}))`)
  if (upTo) where.push(`(group_key < ${upTo.group} OR (group_key = ${upTo.group} AND address <= ${upTo.address}))`)
  const slice = `${move.from} WHERE ${where.join(' AND ')}`
  await transact(connection, async () => {
    await connection.run(`INSERT INTO ${move.to} SELECT * FROM ${slice} ORDER BY group_key, address, clicked_at`)
    await connection.run(`DELETE FROM ${slice}`)
  })
}

/** Replaces the oldest expired clicks by totals, at most one slice. */
async function purge(connection: DuckDBConnection, cutoff: number, sliceRows: number): Promise<boolean> {
  const [first] = await numbers(
    connection,
    `SELECT min(clicked_at) FROM (${allOf('clicked_at', `clicked_at < ${cutoff}`)})`,
  )
  const oldest = first?.[0]
  if (oldest === undefined) return false
  // Cut only at quarters of an hour, or one of them would get two totals.
  const from = Math.floor(oldest / slot)
  let to = cutoff / slot
  while (to > from + 1 && (await clicksWithin(connection, from * slot, to * slot)) > sliceRows)
    to = (from + to + 1) >> 1
  await writeRollups(connection, `clicked_at >= ${from * slot} AND clicked_at < ${to * slot}`)
  return true
}

async function writeRollups(connection: DuckDBConnection, within: string): Promise<void> {
  await transact(connection, async () => {
    await connection.run(
      `INSERT INTO recent_totals
       SELECT clicked_at - ((clicked_at % ${slot}) + ${slot}) % ${slot}, * EXCLUDE (clicked_at, visitor), count(*)
       FROM (${allOf('*', within)}) GROUP BY ALL`,
    )
    for (const table of clickTables) await connection.run(`DELETE FROM ${table} WHERE ${within}`)
  })
}

async function clicksWithin(connection: DuckDBConnection, from: number, to: number): Promise<number> {
  const within = `clicked_at >= ${from} AND clicked_at < ${to}`
  const [row] = await numbers(connection, `SELECT count(*) FROM (${allOf('clicked_at', within)})`)
  return row?.[0] ?? 0
}

function allOf(columns: string, where: string): string {
  return clickTables.map((table) => `SELECT ${columns} FROM ${table} WHERE ${where}`).join(' UNION ALL ')
}

/** NULL becomes undefined. */
async function numbers(
  connection: DuckDBConnection,
  sql: string,
): Promise<readonly (readonly (number | undefined)[])[]> {
  const reader = await connection.runAndReadAll(sql)
  return reader.getRows().map((row) => row.map((value) => (value === null ? undefined : Number(value))))
}
