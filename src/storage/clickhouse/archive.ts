/**
 * Reads the click log for archives. The server sends clicks as Parquet, and DuckDB writes the files (click-files.ts): so
 * equal clicks give equal bytes, wherever they were counted.
 */
import { rm } from 'node:fs/promises'
import {
  type ArchivedClicks,
  type ClickFiles,
  type ClickRange,
  type Partition,
  partitionLength,
} from '../../core/clicks/click-archive.js'
import { allDimensions } from '../../core/clicks/dimensions.js'
import { quoted, temporaryDuckdb, writeClickFiles } from '../duckdb/click-files.js'
import { literal } from './literal.js'
import { type Tables, texts } from './schema.js'
import type { ClickhouseSession } from './session.js'

export async function readPartitions(
  session: ClickhouseSession,
  { clicks }: Tables,
  which: ArchivedClicks,
): Promise<readonly Partition[]> {
  const rows = await session.query(
    `SELECT clicked_at - positiveModulo(clicked_at, ${partitionLength}) AS start, sum(n) AS total
    FROM ${clicks} WHERE ${conditionOf(which)} GROUP BY start HAVING total > 0 ORDER BY start`,
  )
  return rows.map(([start, total]) => [Number(start), Number(total)] as const)
}

export async function writeClicks(
  session: ClickhouseSession,
  { clicks }: Tables,
  range: ClickRange,
  files: ClickFiles,
): Promise<number> {
  const received = `${files.parquet ?? files.ndjson}.received`
  // FINAL leaves out clicks that were taken back.
  const select = `SELECT clicked_at, ${facts}, visitor, n AS clicks
    FROM ${clicks} FINAL WHERE clicked_at >= ${range.from} AND ${conditionOf(range)} AND n > 0
    SETTINGS output_format_parquet_string_as_string = 1, output_format_parquet_compression_method = 'zstd'
    FORMAT Parquet`
  try {
    await session.save(select, received)
    return await rewrite(received, files)
  } finally {
    await rm(received, { force: true })
  }
}

async function rewrite(received: string, files: ClickFiles): Promise<number> {
  const instance = await temporaryDuckdb(`${received}.tmp`)
  try {
    const connection = await instance.connect()
    const rows = `SELECT * FROM read_parquet(${quoted(received)}) WHERE visitor IS`
    return await writeClickFiles(connection, { clicks: `${rows} NOT NULL`, totals: `${rows} NULL` }, files)
  } finally {
    instance.closeSync()
  }
}

const facts = allDimensions.map(({ name, column }) => `${texts[name]} AS ${column}`).join(', ')

function conditionOf({ groups, before }: ArchivedClicks): string {
  const inTime = `clicked_at < ${before}`
  if (groups === undefined) return inTime
  return groups.length === 0 ? '0' : `${inTime} AND group_guid IN (${groups.map(literal).join(', ')})`
}
