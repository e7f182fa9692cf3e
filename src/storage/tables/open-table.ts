/**
 * Reads tables from files that users send, as a stream of rows with bounded memory: CSV in any usual spelling. Files are
 * hostile until read: whatever is wrong with them is a `TableError`, or a problem of one row. Knows nothing of links.
 */
import { createReadStream } from 'node:fs'
import type { Table } from '../../core/values/table.js'
import { csvTable } from './csv-table.js'
import { defaultLimits, type TableLimits } from './table-from-rows.js'

export async function openTable(path: string, limits: TableLimits = defaultLimits): Promise<Table> {
  return csvTable(() => createReadStream(path), limits)
}
