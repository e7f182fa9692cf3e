/** CSV files as tables: finds out encoding and separator, and reads the rows as they are asked for. */
import { type Table, TableError } from '../../core/values/table.js'
import { CsvRows } from './csv-rows.js'
import { defaultLimits, type RawRow, type TableLimits, tableFromRows } from './table-from-rows.js'
import { encodingOf, type TextEncoding } from './text-encoding.js'

/** The bytes of a file. They are read twice: each call begins anew. */
export type ReadBytes = () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>

export async function csvTable(bytes: ReadBytes, limits: TableLimits = defaultLimits): Promise<Table> {
  const encoding = await encodingOf(bytes())
  const text = textOf(bytes(), encoding)
  try {
    const start = await startOf(text, limits.rowLength)
    const { separator, length } = separatorOf(start)
    const rows = rowsOf(start.slice(length), text, new CsvRows(separator, limits.rowLength, length > 0 ? 2 : 1))
    const format = `CSV, ${encoding.name}, separated by ${separators[separator]}`
    return await tableFromRows(rows, format, limits)
  } catch (error) {
    await text.return(undefined)
    throw error
  }
}

/** The bytes of a file that is in memory already, in pieces. */
export function piecesOf(bytes: Uint8Array, size = 64 * 1024): ReadBytes {
  return function* () {
    for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
  }
}

/** Without a byte order mark. */
async function* textOf(chunks: ReturnType<ReadBytes>, { label }: TextEncoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(label)
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

async function* rowsOf(start: string, rest: AsyncGenerator<string>, rows: CsvRows): AsyncGenerator<RawRow> {
  yield* rows.add(start)
  for await (const text of rest) yield* rows.add(text)
  yield* rows.end()
}

/** At least the first line and one character more, unless it is too long for a row. */
async function startOf(text: AsyncGenerator<string>, maxLength: number): Promise<string> {
  let start = ''
  while (!/[\r\n][\s\S]/.test(start.trimStart()) && start.length <= maxLength) {
    const next = await text.next()
    if (next.done) break
    start += next.value
  }
  if (start.trim() === '') throw new TableError('The file is empty: its first row must name the columns.')
  return start
}

const separators: Readonly<Record<string, string>> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'vertical bars',
}

/** Spreadsheets separate by what the language of the computer prefers. `length`: of a first line that only names it. */
function separatorOf(start: string): { readonly separator: string; readonly length: number } {
  const declared = /^sep=([,;\t|])(?:\r\n|\r|\n)/i.exec(start)
  if (declared) return { separator: declared[1] ?? ',', length: declared[0].length }
  const [line = ''] = start.trimStart().split(/[\r\n]/, 1)
  const names = line.replace(/"(?:[^"]|"")*"/g, '')
  const counts = Object.keys(separators).map((separator) => ({ separator, count: names.split(separator).length - 1 }))
  const most = counts.reduce((best, each) => (each.count > best.count ? each : best))
  return { separator: most.separator, length: 0 }
}
