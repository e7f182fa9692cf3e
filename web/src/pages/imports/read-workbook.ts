/**
 * The rows of the first sheet of an XLSX workbook, by the rules of the service (src/storage/tables/xlsx-table.ts). Throws
 * if it is none, and for what the service refuses.
 */
export async function readWorkbook(bytes: Uint8Array<ArrayBuffer>): Promise<readonly (readonly string[])[]> {
  const files = filesIn(bytes)
  const read = async (name: string) => {
    const xml = new DOMParser().parseFromString((await files.get(name)?.()) ?? '<none/>', 'application/xml')
    if (xml.doctype || all(xml, 'parsererror').length > 0) throw new Error(`${name} is damaged`)
    return xml
  }
  const book = await read('xl/workbook.xml')
  const [sheet] = all(book, 'sheet')
  const id = [...(sheet?.attributes ?? [])].find(({ localName }) => localName === 'id')?.value
  const relations = all(await read('xl/_rels/workbook.xml.rels'), 'Relationship')
  const target = relations.find((each) => each.getAttribute('Id') === id)
  const path = target?.getAttribute('Target') ?? 'worksheets/sheet1.xml'
  const context = {
    texts: all(await read('xl/sharedStrings.xml'), 'si').map(textOf),
    dates: dateStyles(await read('xl/styles.xml')),
    from1904: /^(?:1|true)$/.test(all(book, 'workbookPr')[0]?.getAttribute('date1904') ?? ''),
  }
  const rows = all(await read(path.startsWith('/') ? path.slice(1) : `xl/${path}`), 'row')
  return rows.map((row) => cellsOf(row, context)).filter((cells) => cells.some((cell) => cell !== ''))
}

interface Context {
  readonly texts: readonly string[]
  readonly dates: readonly boolean[]
  readonly from1904: boolean
}

/** One column more than the service reads shows that a row does not fit. */
const maxColumns = 200

function cellsOf(row: Element, context: Context): readonly string[] {
  const cells: string[] = []
  for (const cell of all(row, 'c')) {
    const letters = /^[A-Z]{1,3}/.exec(cell.getAttribute('r') ?? '')?.[0]
    const at = letters
      ? [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
      : cells.length
    // Cells without a value are left out.
    while (cells.length < Math.min(at, maxColumns)) cells.push('')
    cells[Math.min(at, maxColumns)] = cellValue(cell, context)
  }
  return cells
}

function cellValue(cell: Element, { texts, dates, from1904 }: Context): string {
  const text = [...all(cell, 'v'), ...all(cell, 't')].map((part) => part.textContent).join('')
  if (text === '') return ''
  switch (cell.getAttribute('t') ?? 'n') {
    case 's': {
      const shared = texts[Number(text)]
      if (shared === undefined) throw new Error('the text of a cell is missing')
      return shared
    }
    case 'b':
      return text === '1' ? 'true' : 'false'
    case 'n':
      return dates[Number(cell.getAttribute('s') ?? -1)] ? dateOf(Number(text), from1904) : text
    default:
      return unescaped(text)
  }
}

/** For each style whether it shows a number as a date. */
function dateStyles(styles: Document): readonly boolean[] {
  const own = all(styles, 'numFmt').filter((each) => {
    const code = each.getAttribute('formatCode') ?? ''
    return /[dyhs]/i.test(code.replace(/"[^"]*"|\[[^\]]*\]|\\./g, ''))
  })
  const formats = new Set(own.map((each) => Number(each.getAttribute('numFmtId'))))
  return all(styles, 'cellXfs')
    .flatMap((each) => all(each, 'xf'))
    .map((each) => Number(each.getAttribute('numFmtId')))
    .map((format) => formats.has(format) || (format >= 14 && format <= 22) || (format >= 45 && format <= 47))
}

/** Sheets count days from the end of 1899, or from 1904. */
function dateOf(days: number, from1904: boolean): string {
  const at = Math.round((days - (from1904 ? 24_107 : 25_569)) * 86_400) * 1000
  return Math.abs(at) < 8.64e15 ? `${new Date(at).toISOString().slice(0, 19)}+0000` : ''
}

/** Without the pronunciation that Japanese texts have. */
function textOf(element: Element): string {
  const parts = all(element, 't').filter((part) => part.parentElement?.localName !== 'rPh')
  return unescaped(parts.map((part) => part.textContent).join(''))
}

/** Control characters are written as `_x000D_`. */
function unescaped(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

function all(within: Document | Element, name: string): readonly Element[] {
  return [...within.getElementsByTagNameNS('*', name)]
}

/** Of one file: more would take the browser too much memory. */
const maxUnpacked = 64 << 20

/** The files of a ZIP archive, unpacked when they are asked for. */
function filesIn(bytes: Uint8Array<ArrayBuffer>): ReadonlyMap<string, () => Promise<string>> {
  const view = new DataView(bytes.buffer)
  let end = bytes.length - 22
  while (view.getUint32(end, true) !== 0x06054b50) end -= 1
  const files = new Map<string, () => Promise<string>>()
  let at = view.getUint32(end + 16, true)
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    const [nameLength = 0, extra = 0, comment = 0] = [28, 30, 32].map((place) => view.getUint16(at + place, true))
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength))
    const isPacked = view.getUint16(at + 10, true) !== 0
    const length = view.getUint32(at + 20, true)
    const unpacked = view.getUint32(at + 24, true)
    const local = view.getUint32(at + 42, true)
    files.set(name, () => {
      if (unpacked > maxUnpacked) throw new Error(`${name} is too large`)
      const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true)
      const { body } = new Response(bytes.subarray(start, start + length))
      return new Response(isPacked ? body?.pipeThrough(new DecompressionStream('deflate-raw')) : body).text()
    })
    at += 46 + nameLength + extra + comment
  }
  return files
}
