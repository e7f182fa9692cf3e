/** Moves all records to another engine, in one transaction that is committed only if the copy equals the original. */
import { hash } from 'node:crypto'
import { OperatorError } from '../../lib/operator-error.js'
import { NotEmpty } from './archive-store.js'
import type { RecordTables, TableReader, TableWriter } from './record-tables.js'
import type { StoredRow } from './values.js'

/** The number of rows of each table, and a checksum. */
export type TableContents = Readonly<Record<string, { readonly rows: number; readonly checksum: bigint }>>

/** Returns what was moved. A move that was killed after its commit is found complete, and nothing is written again. */
export function moveRecords(
  from: RecordTables,
  to: RecordTables,
  tell: (rows: number) => void,
): Promise<TableContents> {
  return from.read(async (source) => {
    try {
      return await to.fill((target) => copy(source, target, tell))
    } catch (error) {
      if (!(error instanceof NotEmpty)) throw error
      const contents = await contentsOf(source)
      if (firstDifference(contents, await to.read(contentsOf)) === undefined) return contents
      throw notEmpty(error.counts)
    }
  })
}

async function copy(source: TableReader, target: TableWriter, tell: (rows: number) => void): Promise<TableContents> {
  let done = 0
  const contents = await contentsOf(source, async (table, rows) => {
    await target.write(table, rows)
    done += rows.length
    tell(done)
  })
  const different = firstDifference(contents, await contentsOf(target))
  if (different === undefined) return contents
  throw new OperatorError(`The copy of the table "${different}" differs from the original, so nothing was written.`)
}

async function contentsOf(
  reader: TableReader,
  onRows: (table: string, rows: readonly StoredRow[]) => Promise<void> = async () => {},
): Promise<TableContents> {
  const contents: Record<string, { rows: number; checksum: bigint }> = {}
  for (const table of reader.tables) {
    const found = { rows: 0, checksum: 0n }
    let columns: readonly string[] | undefined
    for await (const rows of reader.rows(table)) {
      columns ??= Object.keys(rows[0] ?? {}).sort()
      for (const row of rows) found.checksum = BigInt.asUintN(64, found.checksum + checksumOf(row, columns))
      found.rows += rows.length
      await onRows(table, rows)
    }
    contents[table] = found
  }
  return contents
}

/** Added up over all rows, so that their order does not matter. */
function checksumOf(row: StoredRow, columns: readonly string[]): bigint {
  return hash('sha256', JSON.stringify(columns.map((column) => row[column])), 'buffer').readBigUInt64LE(0)
}

function firstDifference(one: TableContents, other: TableContents): string | undefined {
  return Object.entries(one).find(
    ([name, { rows, checksum }]) => other[name]?.rows !== rows || other[name].checksum !== checksum,
  )?.[0]
}

function notEmpty(counts: Readonly<Record<string, number>>): OperatorError {
  const found = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
  return new OperatorError(
    `There are other records already (${found.slice(0, 3).join(', ')}): records are moved into an empty database. ` +
      'Choose another one, or move those records away first (records.sqlite can be renamed).',
  )
}
