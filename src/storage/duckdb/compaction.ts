/**
 * Keeps the log fast and, where the operator wants it, forgetful. Two kinds of work, both in bounded steps that are one
 * transaction each: whatever interrupts them, a click is in one place, counted once.
 *
 * *Sorting*: once enough clicks are older than an hour they are moved from `recent_clicks` to `sorted_clicks` as one run
 * in the order of group, address and time; some such runs become one long one in `merged_clicks` in the same way. A report
 * on a link reads one or two row groups of each run.
 * *Purging*: clicks past their retention become totals per quarter of an hour, in `recent_totals`, which are sorted into
 * runs in the same way. The view `clicks` counts both alike.
 */
import type { DuckDBConnection } from '@duckdb/node-api'
import type { ClickLogOptions } from '../../core/clicks/click-log.js'
import { transact } from './connection.js'
import { clickTables } from './schema.js'

/**
 * Our choice: a million clicks (8 row groups) are a run. Longer ones would leave more clicks unsorted (3 ms a million),
 * shorter ones scatter a link's clicks over more row groups.
 */
const runRows = 1_000_000
/** Our choice: four runs become a long one, a quarter of the row groups to read for one more time of writing. */
const moves: readonly Move[] = [
  { from: 'recent_clicks', to: 'sorted_clicks', runs: 1 },
  { from: 'sorted_clicks', to: 'merged_clicks', runs: 4 },
  { from: 'recent_totals', to: 'sorted_totals', runs: 1 },
]
/** What one step sorts, about: 30 MB and half a second. Just under four row groups, so that few stay half empty. */
const sliceRows = 480_000
const hour = 3_600_000
const day = 24 * hour
// Our choice: a quarter of an hour, because days and hours of every zone in use begin on one (Kathmandu: +05:45).
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

  /** One step; true when more of them are waiting. */
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
    // Only now: a slice that failed is tried again.
    slices.shift()
    if (slices.length === 0) this.#run = undefined
    return true
  }
}

interface Move {
  readonly from: string
  readonly to: string
  /** How many times the length of a run must be waiting. */
  readonly runs: number
}

interface Run {
  readonly move: Move
  readonly before: number
  readonly slices: Slice[]
}

/** From behind one pair of group and address up to another one; undefined: from the first, to the last. */
interface Slice {
  readonly after: Pair | undefined
  readonly upTo: Pair | undefined
}

interface Pair {
  readonly group: number
  readonly address: number
}

/** The oldest clicks that fill a run, cut where group and address change into slices that fit into memory. */
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

/** The time before which about this share of the clicks happened: runs that follow each other in time are read less. */
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

/** Makes the oldest clicks before the cutoff totals: as many as make a slice. */
async function purge(connection: DuckDBConnection, cutoff: number, sliceRows: number): Promise<boolean> {
  const [first] = await numbers(
    connection,
    `SELECT min(clicked_at) FROM (${allOf('clicked_at', `clicked_at < ${cutoff}`)})`,
  )
  const oldest = first?.[0]
  if (oldest === undefined) return false
  // Cut at quarters of an hour only, or one of them would become two totals.
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
