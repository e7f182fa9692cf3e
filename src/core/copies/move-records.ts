/** Moves all records to another engine, in one transaction that is committed only if the copy equals the original. */
import { hash } from 'node:crypto'
import { OperatorError } from '../../lib/operator-error.js'
import { type CopiedTable, NotEmpty, type RecordTables, type TableReader, type TableWriter } from './record-tables.js'
import type { StoredRow } from './values.js'

/** The number of rows of each table, and a checksum. */
export type TableContents = Readonly<Record<string, { readonly rows: number; readonly checksum: bigint }>>

/** Returns what was moved. A move that was killed after its commit is found complete, and nothing is written again. */
export function moveRecords(
  from: RecordTables,
  to: RecordTables,
  tell: (rows: number) => void,
): Promise<TableContents> {
  const tables = from.tables('move')
  const copy = async (source: TableReader, target: TableWriter): Promise<TableContents> => {
    let done = 0
    const contents = await contentsOf(tables, source, async (table, rows) => {
      await target.write(table, rows)
      done += rows.length
      tell(done)
    })
    const different = firstDifference(contents, await contentsOf(tables, target))
    if (different === undefined) return contents
    throw new OperatorError(`The copy of the table "${different}" differs from the original, so nothing was written.`)
  }
  return from.read(async (source) => {
    try {
      return await to.fill('move', (target) => copy(source, target))
    } catch (error) {
      if (!(error instanceof NotEmpty)) throw error
      const contents = await contentsOf(tables, source)
      const there = await to.read((target) => contentsOf(tables, target))
      if (firstDifference(contents, there) === undefined) return contents
      throw new OperatorError(
        `There are other records already (${error.found}): records are moved into an empty database. ` +
          'Choose another one, or move those records away first (records.sqlite can be renamed).',
      )
    }
  })
}

async function contentsOf(
  tables: readonly CopiedTable[],
  reader: TableReader,
  onRows: (table: string, rows: readonly StoredRow[]) => Promise<void> = async () => {},
): Promise<TableContents> {
  const contents: Record<string, { rows: number; checksum: bigint }> = {}
  for (const table of tables) {
    const found = { rows: 0, checksum: 0n }
    const columns = table.columns.map(({ name }) => name)
    for await (const rows of reader.rows(table)) {
      for (const row of rows) found.checksum = BigInt.asUintN(64, found.checksum + checksumOf(row, columns))
      found.rows += rows.length
      await onRows(table.name, rows)
    }
    contents[table.name] = found
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
