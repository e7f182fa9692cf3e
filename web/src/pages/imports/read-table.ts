/** Files that people choose, read for a preview. The service reads them again, and has the final word. */
import { csvRows, csvText } from '../../parts/csv.js'
import { isUrl } from '../create/is-url.js'
import { readWorkbook } from './read-workbook.js'

export interface FileTable {
  /** Empty if the file begins with its first link. */
  readonly header: readonly string[]
  /** The first ones: as many as are looked at. */
  readonly rows: readonly (readonly string[])[]
  readonly hasMore: boolean
  /** The whole file, with other names of its columns. */
  named(columns: readonly string[]): Blob
}

const maxRows = 1000
/** Larger workbooks would take the browser too long. */
const maxWorkbook = 8 << 20

/** Nothing for a file that the browser cannot read. */
export async function readTable(file: File): Promise<FileTable | undefined> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b
  if (!isZip) return csvTable(decoded(bytes))
  return bytes.length > maxWorkbook ? undefined : workbookTable(await readWorkbook(bytes).catch(() => []))
}

function csvTable(whole: string): FileTable | undefined {
  const [declared = '', chosen] = /^sep=([,;\t|])(?:\r\n|\r|\n)/i.exec(whole) ?? []
  const text = whole.slice(declared.length)
  const separator = chosen ?? separatorOf(text)
  const rows = csvRows(text, separator, maxRows + 2)
  const [first] = rows
  if (!first) return undefined
  const { header, below } = parted(rows.map(({ cells }) => cells))
  const start = header.length > 0 ? first.end : 0
  return {
    header,
    rows: below.slice(0, maxRows),
    hasMore: below.length > maxRows,
    named: (columns) => {
      const names = columns.map((name) => `"${name.replaceAll('"', '""')}"`)
      return new Blob([`sep=${separator}\r\n${names.join(separator)}\r\n`, text.slice(start)])
    },
  }
}

function workbookTable(rows: readonly (readonly string[])[]): FileTable | undefined {
  if (rows.length === 0) return undefined
  const { header, below } = parted(rows)
  const named = (columns: readonly string[]) => {
    const expiry = columns.indexOf('expiration_at')
    const lines = below.map((row) => row.map((cell, at) => (at === expiry ? dateIn(cell) : cell)))
    return new Blob([csvText([columns, ...lines])])
  }
  return { header, rows: below.slice(0, maxRows), hasMore: below.length > maxRows, named }
}

function parted(rows: readonly (readonly string[])[]) {
  const [first = [], ...others] = rows
  return first.some(isUrl) ? { header: [], below: rows } : { header: first, below: others }
}

/** Sheets count the days since 1900. */
function dateIn(cell: string): string {
  const isDay = /^\d{5}(\.\d+)?$/.test(cell)
  return isDay ? `${new Date((Number(cell) - 25_569) * 86_400_000).toISOString().slice(0, 19)}+0000` : cell
}

function separatorOf(text: string): string {
  const [line = ''] = text.trimStart().split(/[\r\n]/, 1)
  // URLs have commas of their own, so a list of them is one column.
  const names = line.replace(/"[^"]*"|https?:[^\s;|]*/g, '')
  const counts = ['\t', ',', ';', '|'].map((each) => ({ each, count: names.split(each).length }))
  return counts.reduce((best, other) => (other.count > best.count ? other : best)).each
}

function decoded(bytes: Uint8Array): string {
  const encoding = { 65534: 'utf-16le', 65279: 'utf-16be' }[((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0)] ?? 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
