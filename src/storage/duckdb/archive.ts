/** Reads the click log for archives. Each query sees one moment, while clicks are appended and compacted. */
import type { DuckDBConnection } from '@duckdb/node-api'
import {
  type ArchivedClicks,
  type ClickFiles,
  type ClickRange,
  type Partition,
  partitionLength,
} from '../../core/clicks/click-archive.js'
import { allDimensions } from '../../core/clicks/dimensions.js'
import { quoted, writeClickFiles } from './click-files.js'
import { dictionaryJoins, stored } from './dimensions.js'
import { clickTables, rollupTables } from './schema.js'

export async function readPartitions(
  connection: DuckDBConnection,
  which: ArchivedClicks,
): Promise<readonly Partition[]> {
  const start = `clicked_at - ((clicked_at % ${partitionLength}) + ${partitionLength}) % ${partitionLength}`
  const within = conditionOf(which)
  const counts = [
    ...clickTables.map((table) => `SELECT ${start} AS start, count(*) AS n FROM ${table} WHERE ${within} GROUP BY 1`),
    ...rollupTables.map((table) => `SELECT ${start} AS start, sum(n) AS n FROM ${table} WHERE ${within} GROUP BY 1`),
  ]
  const sql = `SELECT start, sum(n)::DOUBLE FROM (${counts.join(' UNION ALL ')}) GROUP BY start ORDER BY start`
  const reader = await connection.runAndReadAll(sql)
  return reader.getRows().map(([at, clicks]) => [Number(at), Number(clicks)] as const)
}

export function writeClicks(connection: DuckDBConnection, range: ClickRange, files: ClickFiles): Promise<number> {
  const within = `clicked_at >= ${range.from} AND ${conditionOf(range)}`
  const rowsOf = (tables: readonly string[]) =>
    tables.map((table) => `SELECT * FROM ${table} WHERE ${within}`).join(' UNION ALL ')
  return writeClickFiles(
    connection,
    {
      clicks: `SELECT clicked_at, ${texts}, visitor FROM (${rowsOf(clickTables)}) AS keyed ${dictionaries}`,
      totals: `SELECT clicked_at, ${texts}, n AS clicks FROM (${rowsOf(rollupTables)}) AS keyed ${dictionaries}`,
    },
    files,
  )
}

function conditionOf({ groups, before }: ArchivedClicks): string {
  const inTime = `clicked_at < ${before}`
  if (groups === undefined) return inTime
  if (groups.length === 0) return 'false'
  return `${inTime} AND group_key IN (SELECT id FROM groups WHERE value IN (${groups.map(quoted).join(', ')}))`
}

const texts = allDimensions.map(({ name, column }) => `${stored[name].value} AS ${column}`).join(', ')
const dictionaries = dictionaryJoins(allDimensions.map(({ name }) => name))
