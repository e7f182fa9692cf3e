import type { StoredClickLog } from '../../src/core/clicks/click-log.js'
import { diskBlobs } from '../../src/storage/blobs/disk-blobs.js'
import type { Records } from '../../src/storage/records/records.js'
import { clickLogEngines } from '../support/click-log-engines.js'
import { sqlEngines } from '../support/sql-engines.js'

export interface Installation {
  readonly records: Records
  readonly clickLog: StoredClickLog
  readonly blobs: ReturnType<typeof diskBlobs>
  close(): Promise<void>
}

export interface EnginePair {
  readonly name: string
  /** Empty and migrated. */
  open(): Promise<Installation>
}

/** SQLite with DuckDB, PostgreSQL with ClickHouse. To be called where suites are described. */
export function enginePairs(newFolder: () => string): readonly EnginePair[] {
  const clickEngines = clickLogEngines()
  return sqlEngines().flatMap((sql) => {
    const clicks = clickEngines.find(({ name }) => name === (sql.name === 'sqlite' ? 'duckdb' : 'clickhouse'))
    if (!clicks || sql.skip !== undefined || clicks.skip !== undefined) return []
    const open = async (): Promise<Installation> => {
      const place = await clicks.create()
      const [records, clickLog] = [await sql.open(), await place.open()]
      return {
        records,
        clickLog,
        blobs: diskBlobs(newFolder()),
        async close() {
          await clickLog.close()
          await records.close()
          await place.remove()
        },
      }
    }
    return [{ name: `${sql.name} and ${clicks.name}`, open }]
  })
}
