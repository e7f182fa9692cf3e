import { openPostgresEngine } from '../sql/postgres.js'
import { type Records, type RecordsOptions, recordsOn } from './records.js'

export async function openPostgres(url: string, options: RecordsOptions = {}): Promise<Records> {
  return recordsOn(await openPostgresEngine(url, options), options)
}
