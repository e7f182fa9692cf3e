/**
 * Copies the click log for backups, and builds one from such a copy. A file has the clicks of one month, wherever compaction
 * has put them, so the file of a past month stays the same; texts are copied as whole tables of keys.
 */
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { ClickCopy, CopiedPart, KnownPart, Rest } from '../../core/clicks/click-copy.js'
import { OperatorError } from '../../lib/operator-error.js'
import { quoted } from './click-files.js'
import { clickTables, dictionaryTables, positionTables, rollupTables } from './schema.js'

/** All in one transaction, so every file shows the same moment. */
export async function copyLog(
  connection: DuckDBConnection,
  folder: string,
  known: readonly KnownPart[],
  rest: Rest = async () => {},
): Promise<ClickCopy> {
  const fingerprints = new Map(known.map(({ name, fingerprint }) => [name, fingerprint]))
  await connection.run('BEGIN')
  try {
    const parts: CopiedPart[] = []
    let clicks = 0
    for (const { clicks: more, select, ...part } of await partsOf(connection)) {
      const written = fingerprints.get(part.name) !== part.fingerprint
      const began = performance.now()
      if (written) await write(connection, select, join(folder, part.name))
      await rest(performance.now() - began)
      parts.push({ ...part, written })
      clicks += more
    }
    return { engine: 'duckdb', clicks, parts }
  } finally {
    await connection.run('ROLLBACK')
  }
}

interface Part extends Omit<CopiedPart, 'written'> {
  readonly select: string
  readonly clicks: number
}

async function partsOf(connection: DuckDBConnection): Promise<readonly Part[]> {
  const parts: Part[] = []
  for (const table of [...positionTables, ...dictionaryTables]) {
    const [row] = await rowsOf(connection, `SELECT count(*), ${fingerprint} FROM (SELECT * FROM ${table}) AS t`)
    parts.push({ ...described(`${table}.parquet`, row), clicks: 0, select: `SELECT * FROM ${table}` })
  }
  for (const { name, tables, count } of monthly) {
    const all = (where: string) => tables.map((table) => `SELECT * FROM ${table} ${where}`).join(' UNION ALL ')
    const months = await rowsOf(
      connection,
      `SELECT count(*), ${fingerprint}, ${count}, epoch_ms(date_trunc('month', make_timestamp_ms(clicked_at))) AS month
      FROM (${all('')}) AS t GROUP BY month ORDER BY month`,
    )
    for (const month of months) {
      const from = new Date(Number(month[3]))
      const before = Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1)
      const file = `${name}-${from.toISOString().slice(0, -'-01T00:00:00.000Z'.length)}.parquet`
      const select = all(`WHERE clicked_at >= ${from.getTime()} AND clicked_at < ${before}`)
      parts.push({ ...described(file, month), clicks: Number(month[2]), select })
    }
  }
  return parts
}

/** A sum, because rows have no lasting order. */
const fingerprint = 'coalesce(sum(hash(t)), 0)::VARCHAR'

const monthly = [
  { name: 'clicks', tables: clickTables, count: 'count(*)', into: 'merged_clicks' },
  { name: 'totals', tables: rollupTables, count: 'sum(n)', into: 'sorted_totals' },
] as const

function described(name: string, row: readonly unknown[] | undefined) {
  const [rows, sum] = row ?? []
  return { name, rows: Number(rows), fingerprint: `${rows}-${sum}` }
}

async function write(connection: DuckDBConnection, select: string, file: string): Promise<void> {
  await connection.run(`COPY (${select}) TO ${quoted(file)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)`)
}

/** Adds the rows of a file to a new, empty log. Clicks are sorted, as compaction would. */
export async function loadPart(
  connection: DuckDBConnection,
  { name, rows }: Pick<CopiedPart, 'name' | 'rows'>,
  file: string,
): Promise<void> {
  const table = name.replace(/\.parquet$/, '')
  const month = monthly.find((each) => table.startsWith(`${each.name}-`))
  if (!month && ![...positionTables, ...dictionaryTables].some((known) => known === table)) {
    throw new OperatorError(
      `${file} is not a part of a click log that this version knows. Use the version of the backup.`,
    )
  }
  const order = month ? ' ORDER BY group_key, address, clicked_at' : ''
  const [inserted] = await rowsOf(
    connection,
    `INSERT INTO ${month?.into ?? table} BY NAME SELECT * FROM read_parquet(${quoted(file)})${order}`,
  )
  if (Number(inserted?.[0]) !== rows) throw new Error(`${file} has ${Number(inserted?.[0])} rows instead of ${rows}`)
}

async function rowsOf(connection: DuckDBConnection, sql: string): Promise<readonly (readonly unknown[])[]> {
  return (await connection.runAndReadAll(sql)).getRows()
}
