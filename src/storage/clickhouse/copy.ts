/**
 * Copies the click log for backups, one file for each partition, and loads such a copy into empty tables. There are no
 * transactions, but rows do not change: what comes after the positions that were read first is left out. Retention replaces
 * clicks by totals within one partition in one step, so each query sees it completely or not at all.
 */
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClickCopy, CopiedPart, KnownPart } from '../../core/clicks/click-copy.js'
import { OperatorError } from '../../lib/operator-error.js'
import { quoted, temporaryDuckdb } from '../duckdb/click-files.js'
import { identifier, literal } from './literal.js'
import { clickColumns, type Tables } from './schema.js'
import type { ClickhouseSession } from './session.js'

/** A partition can be large. */
const timeLimit = 3_600_000
const positionsFile = 'cursors.json'
const skippedRangesFile = 'passed_over.parquet'

type Positions = readonly (readonly [journal: string, row: number])[]

export async function copyLog(
  session: ClickhouseSession,
  tables: Tables,
  folder: string,
  known: readonly KnownPart[],
): Promise<ClickCopy> {
  const fingerprints = new Map(known.map(({ name, fingerprint }) => [name, fingerprint]))
  const positions = await readPositions(session, tables)
  const before = upTo(positions)
  const parts: CopiedPart[] = [await writePositions(folder, positions)]
  const copy = async (name: string, fingerprint: string, select: string) => {
    const file = join(folder, name)
    const written = fingerprints.get(name) !== fingerprint
    if (written) await session.save(`${select} ${asParquet}`, file, { timeLimit })
    const rows = written ? await rowsIn(file) : Number(fingerprint.split('-')[0])
    parts.push({ name, fingerprint, rows, written })
  }

  const skippedRanges = `SELECT ${skippedRangeColumns.join(', ')} FROM ${tables.skippedRanges} FINAL`
  const [sum] = await session.query(`SELECT count(), ${fingerprintOf(skippedRangeColumns)} FROM (${skippedRanges})`)
  await copy(skippedRangesFile, fingerprintFrom(sum), skippedRanges)

  // FINAL leaves out clicks that were taken back.
  const clicksWhere = (where: string) =>
    `SELECT ${copiedColumns.join(', ')} FROM ${tables.clicks} FINAL WHERE ${before} AND n > 0${where}`
  const months = await session.query(
    `SELECT count(), ${fingerprintOf(copiedColumns)}, sum(n), batch_month
    FROM (${clicksWhere('')}) GROUP BY batch_month ORDER BY batch_month`,
  )
  let clicks = 0
  for (const month of months) {
    const number = Number(month[3])
    await copy(monthFile(number), fingerprintFrom(month), clicksWhere(` AND batch_month = ${number}`))
    clicks += Number(month[2])
  }
  return { engine: 'clickhouse', clicks, parts }
}

const copiedColumns = [...clickColumns, 'passed_over'] as const
const skippedRangeColumns = ['journal', 'journal_row', 'passed_over'] as const

const asParquet = `SETTINGS output_format_parquet_string_as_string = 1, output_format_parquet_compression_method = 'zstd'
  FORMAT Parquet`

/** `clicks-2026-11.parquet`, after the first click of each batch. */
function monthFile(month: number): string {
  return `clicks-${String(Math.floor(month / 100)).padStart(4, '0')}-${String(month % 100).padStart(2, '0')}.parquet`
}

/** A sum, because rows have no lasting order. */
function fingerprintOf(columns: readonly string[]): string {
  return `toString(sum(cityHash64(${columns.map((column) => `toString(ifNull(toString(${column}), 'NULL'))`).join(', ')})))`
}

function fingerprintFrom(row: readonly unknown[] | undefined): string {
  return `${Number(row?.[0] ?? 0)}-${String(row?.[1] ?? 0)}`
}

async function readPositions(session: ClickhouseSession, { clicks, cursors }: Tables): Promise<Positions> {
  const rows = await session.query(
    `SELECT journal, max(reached) FROM (
      SELECT journal, max(last_row) AS reached FROM ${cursors} GROUP BY journal
      UNION ALL SELECT toString(journal) AS journal, max(journal_row) AS reached FROM ${clicks} GROUP BY journal
    ) WHERE NOT ${isOfTotals} GROUP BY journal ORDER BY journal`,
  )
  return rows.map(([journal, row]) => [String(journal), Number(row)] as const)
}

/** Steps of retention (compaction.ts) are no journal. */
const isOfTotals = "startsWith(journal, 'totals of ')"

function upTo(positions: Positions): string {
  if (positions.length === 0) return isOfTotals
  const journals = positions.map(([journal]) => literal(journal)).join(', ')
  const rows = positions.map(([, row]) => `toUInt64(${row})`).join(', ')
  return `(${isOfTotals} OR journal_row <= transform(toString(journal), [${journals}], [${rows}], toUInt64(0)))`
}

async function writePositions(folder: string, positions: Positions): Promise<CopiedPart> {
  const text = JSON.stringify(positions)
  await writeFile(join(folder, positionsFile), text, { mode: 0o600 })
  const fingerprint = createHash('sha256').update(text).digest('hex')
  return { name: positionsFile, rows: positions.length, fingerprint, written: true }
}

async function rowsIn(file: string): Promise<number> {
  const instance = await temporaryDuckdb()
  try {
    const connection = await instance.connect()
    const reader = await connection.runAndReadAll(`SELECT count(*) FROM read_parquet(${quoted(file)})`)
    return Number(reader.getRows()[0]?.[0])
  } finally {
    instance.closeSync()
  }
}

/** Adds the rows of a file. They are not compared with former inserts, which may be those of an interrupted restore. */
export async function loadPart(session: ClickhouseSession, tables: Tables, name: string, file: string): Promise<void> {
  if (name === positionsFile) {
    const positions = JSON.parse(await readFile(file, 'utf8')) as Positions
    if (positions.length > 0) await session.insert(`${tables.cursorsHere} (journal, last_row)`, positions)
    return
  }
  const isClicks = /^clicks-\d{4}-\d{2}\.parquet$/.test(name)
  if (!isClicks && name !== skippedRangesFile) {
    throw new OperatorError(
      `${file} is not a part of a click log that this version knows. Use the version of the backup.`,
    )
  }
  const [table, columns] = isClicks
    ? [tables.clicksHere, copiedColumns]
    : [tables.skippedRangesHere, skippedRangeColumns]
  await session.load(`${table} (${columns.join(', ')})`, 'Parquet', file, { timeLimit })
}

/** A table that exists while a restore has not finished: what is in the others was put there by it. */
function markOf(session: ClickhouseSession): string {
  return `${identifier(session.database)}.${identifier('restore_unfinished')}`
}

/** Throws if there are clicks, unless an interrupted restore left them; those are deleted. */
export async function beginRestore(
  session: ClickhouseSession,
  tables: Tables,
  cluster: string | undefined,
): Promise<void> {
  const mark = markOf(session)
  const [interrupted] = await session.query(
    `SELECT count() FROM system.tables WHERE database = ${literal(session.database)} AND name = 'restore_unfinished'`,
  )
  if (Number(interrupted?.[0]) === 0) {
    const [row] = await session.query(
      `SELECT (SELECT count() FROM ${tables.clicks}) + (SELECT count() FROM ${tables.cursors})`,
    )
    if (Number(row?.[0]) > 0) {
      throw new OperatorError(
        `The database ${session.database} in ${session.place} has clicks already. Restore into an empty one (clickhouseUrl).`,
      )
    }
    await session.run(`CREATE TABLE ${mark} (begun UInt8) ENGINE = MergeTree ORDER BY begun`)
    return
  }
  const everywhere = cluster === undefined ? '' : ` ON CLUSTER ${identifier(cluster)}`
  for (const table of [tables.clicksHere, tables.cursorsHere, tables.skippedRangesHere]) {
    await session.run(`TRUNCATE TABLE ${table}${everywhere} SETTINGS max_table_size_to_drop = 0`, { timeLimit })
  }
}

export async function finishRestore(session: ClickhouseSession): Promise<void> {
  await session.run(`DROP TABLE IF EXISTS ${markOf(session)}`)
}
