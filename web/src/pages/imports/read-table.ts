/** Files that people choose, read for a preview. The service reads them again, and has the final word. */
import { csvRows, csvText } from '../../parts/csv.js'
import { isUrl } from '../../parts/is-url.js'
import { readWorkbook } from './read-workbook.js'

type Row = readonly string[]

export interface FileTable {
  /** Empty if the file begins with its first link. */
  readonly header: Row
  /** The first ones: as many as are looked at. */
  readonly rows: readonly Row[]
  readonly hasMore: boolean
  /** The whole file, with other names of its columns. */
  named(columns: Row): Blob
}

const maxRows = 1000
/** Larger workbooks would take the browser too long. */
const maxWorkbook = 8 << 20

/** Nothing for a file that is sent as it is: the service reads it, or says what is wrong. Throws if the browser may not read it. */
export async function readTable(file: File): Promise<FileTable | undefined> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b
  if (isZip && bytes.length > maxWorkbook) return undefined
  try {
    return isZip ? workbookTable(await readWorkbook(bytes)) : csvTable(decoded(bytes))
  } catch {
    return undefined
  }
}

function csvTable(whole: string): FileTable | undefined {
  const [declared = '', chosen] = /^sep=([,;\t|])(?:\r\n|\r|\n)/i.exec(whole) ?? []
  const text = whole.slice(declared.length)
  const separator = chosen ?? separatorOf(text)
  const rows = csvRows(text, separator, maxRows + 2)
  const table = tableOf(rows.map(({ cells }) => cells))
  const start = table?.header.length ? rows[0]?.end : 0
  return (
    table && {
      ...table,
      // Of the rows that were read, those without a value are left out.
      hasMore: table.hasMore || rows.length > maxRows + 1,
      named: (columns) => {
        const names = columns.map((name) => `"${name.replaceAll('"', '""')}"`)
        return new Blob([`sep=${separator}\r\n${names.join(separator)}\r\n`, text.slice(start)])
      },
    }
  )
}

function workbookTable(rows: readonly Row[]): FileTable | undefined {
  const table = tableOf(rows)
  const below = rows.slice(table?.header.length ? 1 : 0)
  return table && { ...table, named: (columns) => new Blob([`sep=,\r\n${csvText([columns, ...below])}`]) }
}

function tableOf(rows: readonly Row[]): Omit<FileTable, 'named'> | undefined {
  const [first = []] = rows
  const hasHeader = !first.some((cell) => isUrl(cell.trim()))
  // Spreadsheets write empty headers at the end.
  const header = hasHeader ? first.slice(0, first.findLastIndex((name) => name.trim() !== '') + 1) : []
  if (hasHeader && header.length === 0) return undefined
  const below = rows.slice(hasHeader ? 1 : 0).filter((row) => row.some((cell) => cell !== ''))
  return { header, rows: below.slice(0, maxRows), hasMore: below.length > maxRows }
}

/** The most frequent one of the header, as the service does it. */
function separatorOf(text: string): string {
  const [line = ''] = text.trimStart().split(/[\r\n]/, 1)
  if (!/https?:\/\//i.test(line)) return mostFrequent(line)
  // Without a header: URLs have commas of their own.
  const beside = line.replace(/"[^"]*"/g, '').replace(/https?:[^\s;|]*/gi, '')
  if (/[,;\t|]/.test(beside)) return mostFrequent(beside)
  const rows = csvRows(text, ',', 20)
  const isTable = rows.every(({ cells: [first = ''], cells }) => isUrl(first) && cells.length === rows[0]?.cells.length)
  // A list of URLs is one column.
  return isTable ? ',' : '\t'
}

function mostFrequent(line: string): string {
  const names = line.replace(/"(?:[^"]|"")*"/g, '')
  const counts = [',', ';', '\t', '|'].map((each) => ({ each, count: names.split(each).length }))
  return counts.reduce((best, other) => (other.count > best.count ? other : best)).each
}

/** Throws for what is no text, and for mixed encodings: to read these as one of them would change names. */
function decoded(bytes: Uint8Array): string {
  const text = textIn(bytes)
  // UTF-16 without a byte order mark has NUL characters, and so have most other formats.
  if (/[^\P{Cc}\t\r\n]|^%PDF/u.test(text)) throw new Error('no text')
  return text
}

function textIn(bytes: Uint8Array): string {
  const encoding = { 65534: 'utf-16le', 65279: 'utf-16be' }[((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0)]
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch (error) {
    const isMixed = /[^\p{ASCII}\ufffd]/u.test(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))
    if (encoding || isMixed) throw error
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
