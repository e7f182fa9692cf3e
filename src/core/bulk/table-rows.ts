/** Rows of tables that users send, as what they ask for. */
import { isTrue, linkInputIn } from '../links/link-fields.js'
import { invalid, Refusal } from '../values/refusal.js'
import { type Table, TableError, type TableRow } from '../values/table.js'
import type { NewLinkRow } from './create-links.js'

/** Reads CSV that is in memory. */
export type ReadTable = (bytes: Uint8Array) => Promise<Table>

export interface RowDefaults {
  readonly groupGuid?: string | undefined
  readonly domain?: string | undefined
}

/** Columns that every file with new links must have. */
export const newLinkColumns = ['long_url']

/** Of a row of a file with new links: its columns are called like the fields of a request. */
export function newLinkRow(row: TableRow, defaults: RowDefaults): NewLinkRow | Refusal {
  if (row.problem !== undefined) return new Refusal('UNPROCESSABLE_ENTITY', row.problem)
  const text = (column: string) => row.get(column) || undefined
  return {
    longUrl: row.get('long_url'),
    domain: text('domain') ?? defaults.domain,
    groupGuid: text('group_guid') ?? defaults.groupGuid,
    keyword: text('keyword'),
    ...linkInputIn(text),
    tags: tagsIn(row.get('tags')),
    forceNewLink: isTrue(row.get('force_new_link')),
  }
}

/** Separated by semicolons, commas, vertical bars or spaces, which no tag contains. */
export function tagsIn(cell: string): readonly string[] | undefined {
  const tags = cell.split(/[\s,;|]+/).filter((tag) => tag !== '')
  return tags.length === 0 ? undefined : tags
}

/** All rows, where a file may have only so many. */
export async function firstRows<Value>(
  table: Table,
  most: number,
  read: (row: TableRow) => Value,
): Promise<readonly Value[]> {
  const rows: Value[] = []
  for await (const row of table) {
    if (rows.length === most) {
      throw invalid('links', `The file has more than ${most} rows. Send it as a job: POST /v4/bulk/jobs.`)
    }
    rows.push(read(row))
  }
  return rows
}

export async function requireColumns(table: Table, required: readonly string[]): Promise<void> {
  const missing = required.find((name) => !table.has(name))
  if (missing === undefined) return
  await table.close()
  const found = table.columns.slice(0, 20).map((column) => `"${column.slice(0, 40)}"`)
  const message = `The header has no column "${missing}". It has: ${found.join(', ')}. Name the column "${missing}", and send it again.`
  throw new TableError(message, 1)
}
