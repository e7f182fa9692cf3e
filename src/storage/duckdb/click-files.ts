/**
 * Writes clicks as Parquet and NDJSON, for archives. DuckDB writes the files of every engine, so that equal clicks give
 * equal bytes wherever they were counted.
 */
import { tmpdir } from 'node:os'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { ClickFiles } from '../../core/clicks/click-archive.js'
import { allDimensions } from '../../core/clicks/dimensions.js'

/** All columns but the time, the visitor and the number of clicks. */
export const clickFacts = allDimensions.map(({ column }) => column)

/** Queries for clicks (`clicked_at`, the facts, `visitor`) and for totals (`clicked_at`, the facts, `clicks`). */
export interface ClickSource {
  readonly clicks: string
  readonly totals: string
}

/** Returns the number of rows. */
export async function writeClickFiles(
  connection: DuckDBConnection,
  source: ClickSource,
  { parquet, ndjson }: ClickFiles,
): Promise<number> {
  const sorted = sortedRows(source)
  const columns = ['clicked_at', ...clickFacts, 'visitor', 'clicks']
  if (parquet === undefined) return ndjson === undefined ? 0 : copy(connection, asJson(`(${sorted})`), ndjson, 'json')
  const rows = await copy(
    connection,
    `SELECT make_timestamp_ms(clicked_at)::TIMESTAMP_MS AS clicked_at, ${columns.slice(1).join(', ')} FROM (${sorted})`,
    parquet,
    // Half the default size, because a row group is built in memory. Higher levels take longer and save nothing.
    'parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE 61440',
  )
  if (ndjson !== undefined) {
    const again = `(SELECT * REPLACE (epoch_ms(clicked_at) AS clicked_at) FROM read_parquet(${quoted(parquet)}))`
    await copy(connection, asJson(again), ndjson, 'json')
  }
  return rows
}

/** Totals with the same facts become one row, since compaction may or may not have added them up. */
function sortedRows({ clicks, totals }: ClickSource): string {
  const facts = clickFacts.join(', ')
  return `
    SELECT clicked_at, ${facts}, visitor, clicks FROM (
      SELECT clicked_at, ${facts}, visitor, 1::UINTEGER AS clicks FROM (${clicks})
      UNION ALL
      SELECT clicked_at, ${facts}, NULL::UBIGINT AS visitor, sum(clicks)::UINTEGER AS clicks
      FROM (${totals}) GROUP BY clicked_at, ${facts})
    ORDER BY clicked_at, visitor NULLS FIRST, ${facts}, clicks`
}

/** Numbers of visitors are larger than JSON readers can represent, so they are texts. */
function asJson(rows: string): string {
  return `SELECT strftime(make_timestamp_ms(clicked_at), '%Y-%m-%dT%H:%M:%S.%gZ') AS clicked_at,
    ${clickFacts.join(', ')}, visitor::VARCHAR AS visitor, clicks FROM ${rows}`
}

async function copy(connection: DuckDBConnection, select: string, file: string, format: string): Promise<number> {
  const reader = await connection.runAndReadAll(`COPY (${select}) TO ${quoted(file)} (FORMAT ${format})`)
  return Number(reader.getRows()[0]?.[0] ?? 0)
}

/** A database in memory, for files alone; what does not fit into it is in a folder meanwhile. Close it. */
export function temporaryDuckdb(folder = `${tmpdir()}/shortlink-files-${process.pid}`): Promise<DuckDBInstance> {
  return DuckDBInstance.create(':memory:', {
    memory_limit: '512MB',
    temp_directory: folder,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
}

/** A text in SQL of DuckDB. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
