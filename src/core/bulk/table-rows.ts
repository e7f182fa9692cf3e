/** Rows of tables that users send, where all of them are needed at once. */
import { invalid } from '../values/refusal.js'
import { type Table, TableError, type TableRow } from '../values/table.js'

/** Reads CSV that is in memory. */
export type ReadTable = (bytes: Uint8Array) => Promise<Table>

/** Columns with text of a new link, besides `tags` and `force_new_link`. */
export const newLinkColumns = ['long_url', 'domain', 'keyword', 'title', 'group_guid', 'expiration_at'] as const

export interface TableLimits {
  /** Columns that the header must have. */
  readonly required: readonly string[]
  /** Maximum number of rows. */
  readonly most: number
}

export async function tableRows<Value>(
  table: Table,
  { required, most }: TableLimits,
  read: (row: TableRow) => Value,
): Promise<readonly Value[]> {
  await requireColumns(table, required)
  const rows: Value[] = []
  for await (const row of table) {
    if (rows.length === most)
      throw invalid('links', `The file has more than ${most} rows. Send it as a job: POST /v4/bulk/jobs.`)
    rows.push(read(row))
  }
  return rows
}

export async function requireColumns(table: Table, required: readonly string[]): Promise<void> {
  const missing = required.find((name) => !table.has(name))
  if (missing === undefined) return
  await table.close()
  const found = table.columns.slice(0, 20).map((column) => `"${column.slice(0, 40)}"`)
  throw new TableError(`The header has no column "${missing}". It has: ${found.join(', ')}.`, 1)
}
