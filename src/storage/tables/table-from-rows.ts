/** What tables of all formats share: the header, columns by name, and rows that do not fit. */
import { columnKey, type Table, TableError, type TableRow } from '../../core/values/table.js'
import { unescapeFormula } from '../../lib/csv.js'

/** A row as the file has it. */
export interface RawRow {
  readonly line: number
  readonly values: readonly string[]
}

export interface TableLimits {
  /** Characters of a row, with its quotes and separators. */
  readonly rowLength: number
  readonly columns: number
}

export const defaultLimits: TableLimits = { rowLength: 256 * 1024, columns: 200 }

/** The first row is the header. */
export async function tableFromRows(
  rows: AsyncGenerator<RawRow>,
  format: string,
  { columns: maxColumns }: TableLimits,
): Promise<Table> {
  const close = async () => {
    await rows.return(undefined)
  }
  const header = await rows.next()
  if (header.done) throw new TableError('The file is empty: its first row must name the columns.')
  try {
    const columns = columnsFrom(header.value, maxColumns)
    const positions = positionsOf(columns, header.value.line)
    async function* tableRows(): AsyncGenerator<TableRow> {
      for await (const row of rows) {
        if (row.values.some((value) => value !== '')) yield new Row(columns.length, positions, row)
      }
    }
    return { columns, has: (column) => positions.has(column), format, close, [Symbol.asyncIterator]: tableRows }
  } catch (error) {
    await close()
    throw error
  }
}

/** Without empty headers at the end, which spreadsheets write. */
function columnsFrom({ line, values }: RawRow, maxColumns: number): readonly string[] {
  if (values.some((value) => value.includes('\0'))) {
    throw new TableError('The header has NUL characters: this is not a text file. Save it as CSV (UTF-8).', line)
  }
  const columns = values.map((value) => value.trim())
  const used = columns.slice(0, columns.findLastIndex((name) => name !== '') + 1)
  if (used.length > maxColumns) {
    throw new TableError(
      `The header has ${used.length} columns; at most ${maxColumns} are possible. Delete some.`,
      line,
    )
  }
  return used
}

function positionsOf(columns: readonly string[], line: number): ReadonlyMap<string, number> {
  const positions = new Map<string, number>()
  for (const [at, name] of columns.entries()) {
    const key = columnKey(name)
    if (key === '') continue
    const before = positions.get(key)
    if (before !== undefined) {
      const message = `The columns ${before + 1} and ${at + 1} are both called "${name.slice(0, 60)}". Rename or delete one of them.`
      throw new TableError(message, line)
    }
    positions.set(key, at)
  }
  return positions
}

class Row implements TableRow {
  readonly line: number
  readonly values: readonly string[]
  readonly problem: string | undefined
  readonly #positions: ReadonlyMap<string, number>

  constructor(columns: number, positions: ReadonlyMap<string, number>, { line, values }: RawRow) {
    this.line = line
    this.values = fitted(values, columns)
    this.problem = problemOf(values, columns)
    this.#positions = positions
  }

  get(column: string): string {
    return unescapeFormula(this.values[this.#positions.get(column) ?? -1]?.trim() ?? '')
  }
}

function fitted(values: readonly string[], columns: number): readonly string[] {
  if (values.length === columns) return values
  return values.length > columns ? values.slice(0, columns) : [...values, ...Array(columns - values.length).fill('')]
}

function problemOf(values: readonly string[], columns: number): string | undefined {
  const cells = values.length > columns ? values.findLastIndex((value) => value !== '') + 1 : 0
  if (cells > columns) {
    return `This row has ${cells} cells, but the header has ${columns}: put text with separators in quotes.`
  }
  if (values.some((value) => value.includes('\0'))) return 'This row has a NUL character; remove it.'
  return undefined
}
