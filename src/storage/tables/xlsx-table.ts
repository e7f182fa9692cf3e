/**
 * The rows of workbooks (XLSX): the first sheet, row by row. Only the texts that cells share are in memory, and these are
 * bounded. Formulas are not computed: a cell has the value that the spreadsheet stored.
 */
import { TableError } from '../../core/values/table.js'
import { defaultLimits, type RawRow, type TableLimits } from './table-from-rows.js'
import { attribute, type XmlPart, XmlScan } from './xml-scan.js'
import { openZip, type ZipEntry } from './zip.js'

/** Unpacked. */
const maxSheetBytes = 1024 ** 3
/** As many as spreadsheets have. */
const maxRows = 1_048_576
/** Unpacked bytes of the shared texts, which are in memory. */
const maxTextBytes = 128 * 1024 ** 2
const maxTexts = 4_000_000

type Entries = ReadonlyMap<string, ZipEntry>

/** The rows of the first sheet that have a value. The file stays open. */
export async function* xlsxRows(fd: number, limits: TableLimits = defaultLimits): AsyncGenerator<RawRow> {
  const entries = await openZip(fd)
  const book = await workbookOf(entries, limits)
  const texts = await sharedTexts(entries.get('xl/sharedStrings.xml'), limits)
  const dates = await dateStyles(entries.get('xl/styles.xml'), limits)
  const sheet = entries.get(book.sheet)
  if (!sheet) throw new TableError('The workbook has no sheet. Save it again as XLSX or CSV.')
  yield* sheetRows(sheet, { ...book, texts, dates }, limits)
}

/** Piece by piece: to wait for every single tag would take ten times as long. */
async function* partsOf(entry: ZipEntry, maxBytes: number, maxLength: number): AsyncGenerator<Iterable<XmlPart>> {
  const decoder = new TextDecoder()
  const scan = new XmlScan(maxLength)
  for await (const bytes of entry.read(maxBytes)) yield scan.add(decoder.decode(bytes, { stream: true }))
  scan.end()
}

interface Workbook {
  /** The path of the first sheet. */
  readonly sheet: string
  /** Days are counted from 1904, as in old versions for the Mac. */
  readonly from1904: boolean
}

const smallPart = 4 * 1024 * 1024

async function workbookOf(entries: Entries, { rowLength }: TableLimits): Promise<Workbook> {
  const book = entries.get('xl/workbook.xml')
  if (!book) throw new TableError('The file is a ZIP archive, but no XLSX workbook. Send a CSV or XLSX file.')
  let relation: string | undefined
  let from1904 = false
  for await (const parts of partsOf(book, smallPart, rowLength))
    for (const part of parts) {
      if (part.kind !== 'open') continue
      if (part.name === 'sheet') relation ??= attribute(part.attributes, 'id')
      if (part.name === 'workbookPr') from1904 = /^(?:1|true)$/.test(attribute(part.attributes, 'date1904') ?? '')
    }
  const relations = entries.get('xl/_rels/workbook.xml.rels')
  if (relations && relation !== undefined) {
    for await (const parts of partsOf(relations, smallPart, rowLength))
      for (const part of parts) {
        if (part.kind !== 'open' || attribute(part.attributes, 'Id') !== relation) continue
        const target = attribute(part.attributes, 'Target') ?? ''
        return { sheet: target.startsWith('/') ? target.slice(1) : `xl/${target}`, from1904 }
      }
  }
  return { sheet: 'xl/worksheets/sheet1.xml', from1904 }
}

async function sharedTexts(entry: ZipEntry | undefined, { rowLength }: TableLimits): Promise<readonly string[]> {
  const texts: string[] = []
  if (!entry) return texts
  let text = ''
  let isText = false
  // The reading of a Japanese text, which is no part of it.
  let isPhonetic = false
  for await (const parts of partsOf(entry, maxTextBytes, rowLength))
    for (const part of parts) {
      if (part.kind === 'text') {
        if (!isText || isPhonetic) continue
        text += part.text
        // A text may have any number of parts.
        if (text.length > rowLength) throw new TableError('A cell of the workbook is too long. Shorten it.')
      } else if (part.name === 't') isText = part.kind === 'open' && !part.isEmpty
      else if (part.name === 'rPh') isPhonetic = part.kind === 'open'
      else if (part.name === 'si' && (part.kind === 'close' || part.isEmpty)) {
        if (texts.length === maxTexts)
          throw new TableError(`The workbook has more than ${maxTexts} texts. Save it as CSV.`)
        texts.push(unescaped(text))
        text = ''
      }
    }
  return texts
}

/** Positions of the formats that show a number as a date. */
async function dateStyles(entry: ZipEntry | undefined, { rowLength }: TableLimits): Promise<ReadonlySet<string>> {
  const formats = new Set<string>()
  const styles = new Set<string>()
  if (!entry) return styles
  let isCell = false
  let position = 0
  for await (const parts of partsOf(entry, smallPart, rowLength))
    for (const part of parts) {
      if (part.kind === 'text') continue
      if (part.name === 'cellXfs') isCell = part.kind === 'open'
      if (part.kind !== 'open') continue
      const format = attribute(part.attributes, 'numFmtId') ?? ''
      if (part.name === 'numFmt' && isDateFormat(attribute(part.attributes, 'formatCode') ?? '')) formats.add(format)
      if (part.name !== 'xf' || !isCell) continue
      const number = Number(format)
      // Built-in formats: dates, times, and both.
      if (formats.has(format) || (number >= 14 && number <= 22) || (number >= 45 && number <= 47))
        styles.add(String(position))
      position += 1
    }
  return styles
}

function isDateFormat(code: string): boolean {
  return /[dyhs]/i.test(code.replace(/"[^"]*"|\[[^\]]*\]|\\./g, ''))
}

interface Sheet extends Workbook {
  readonly texts: readonly string[]
  readonly dates: ReadonlySet<string>
}

async function* sheetRows(entry: ZipEntry, sheet: Sheet, limits: TableLimits): AsyncGenerator<RawRow> {
  let rows = 0
  let line = 0
  let values: string[] = []
  let length = 0
  let column = -1
  let attributes = ''
  let text = ''
  let isValue = false
  for await (const parts of partsOf(entry, maxSheetBytes, limits.rowLength))
    for (const part of parts) {
      if (part.kind === 'text') {
        if (!isValue) continue
        text += part.text
        // A cell may have any number of texts.
        if (length + text.length > limits.rowLength) throw tooLong(line, limits)
      } else if (part.name === 'v' || part.name === 't') isValue = part.kind === 'open' && !part.isEmpty
      else if (part.name === 'c') {
        if (part.kind === 'open') {
          attributes = part.attributes
          // One column more than possible is enough to see that the row does not fit.
          column = Math.min(columnOf(attribute(attributes, 'r')) ?? column + 1, limits.columns)
          text = ''
        }
        if (part.kind === 'open' && !part.isEmpty) continue
        const value = cellValue(text, attributes, sheet)
        length += value.length
        if (length > limits.rowLength) throw tooLong(line, limits)
        while (values.length < column) values.push('')
        values[column] = value
      } else if (part.name === 'row') {
        if (part.kind === 'open') {
          rows += 1
          if (rows > maxRows)
            throw new TableError(`The sheet has more than ${maxRows} rows. Save it as CSV, or split it.`)
          line = Number(attribute(part.attributes, 'r') ?? line + 1)
          values = []
          length = 0
          column = -1
        }
        if ((part.kind === 'close' || part.isEmpty) && values.some((value) => value !== '')) yield { line, values }
      }
    }
}

/** `BC12` -> 54 */
function columnOf(reference: string | undefined): number | undefined {
  const [letters] = /^[A-Z]{1,3}/.exec(reference ?? '') ?? []
  if (letters === undefined) return undefined
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

function cellValue(text: string, attributes: string, { texts, dates, from1904 }: Sheet): string {
  if (text === '') return ''
  switch (attribute(attributes, 't') ?? 'n') {
    case 's':
      return sharedText(texts, text)
    case 'b':
      return text === '1' ? 'true' : 'false'
    case 'n':
      return dates.has(attribute(attributes, 's') ?? '') ? dateOf(Number(text), from1904) : text
    default:
      return unescaped(text)
  }
}

function sharedText(texts: readonly string[], position: string): string {
  const text = texts[Number(position)]
  if (text !== undefined) return text
  throw new TableError('The workbook is damaged: the text of a cell is missing. Save it again as XLSX or CSV.')
}

/** Excel counts days from the end of 1899, and has a 29 February 1900. */
function dateOf(days: number, from1904: boolean): string {
  const at = Math.round((days - (from1904 ? 24_107 : 25_569)) * 86_400) * 1000
  if (!(Math.abs(at) < 8.64e15)) return ''
  return `${new Date(at).toISOString().slice(0, 19)}+0000`
}

/** Control characters are written as `_x000D_`. */
function unescaped(text: string): string {
  if (!text.includes('_x')) return text
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

function tooLong(line: number, { rowLength }: TableLimits): TableError {
  return new TableError(
    `This row is longer than ${Math.floor(rowLength / 1024)} KiB, which no row may be. Shorten it.`,
    line,
  )
}
