import { openSqliteEngine } from '../sql/sqlite.js'
import { type Records, type RecordsOptions, recordsOn } from './records.js'

export async function openSqlite(file: string, options: RecordsOptions = {}): Promise<Records> {
  const records = recordsOn(openSqliteEngine(file, options), options)
  await records.ping()
  return records
}
