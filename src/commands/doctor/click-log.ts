/** Whether the click log of a stopped service can be opened. Only its tables are looked at: reading all blocks takes long. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/config.js'
import { type Finding, ok } from '../../core/administration/finding.js'

/** Throws an OperatorError if it cannot. */
export async function examineClickLog({
  dataDir,
  clickhouseUrl,
}: Pick<Config, 'dataDir' | 'clickhouseUrl'>): Promise<Finding[]> {
  const file = join(dataDir, 'clicks.duckdb')
  if (clickhouseUrl !== undefined || !existsSync(file)) return []
  // Loaded lazily: DuckDB takes 70 MB.
  const { tryDuckdbClickLog } = await import('../../storage/duckdb/click-log.js')
  await tryDuckdbClickLog(file)
  return [ok('click log', `${file} can be opened.`)]
}
