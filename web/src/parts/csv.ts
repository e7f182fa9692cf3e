/** CSV with the rules of the service (src/lib/csv.ts, src/storage/tables/csv-rows.ts): what is written is safe to open in a spreadsheet. */

export function csvText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}

/** An apostrophe stops a spreadsheet from executing what looks like a formula. */
function cell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text
  return /[",\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const formula = /^\s*[=+\-@\t\r＝＋－＠]/

interface CsvRow {
  readonly cells: readonly string[]
  /** Where the next row begins. */
  readonly end: number
}

/** The rows of CSV text, without empty lines. Throws where a quote never ends. */
export function csvRows(text: string, separator = ',', most = Number.POSITIVE_INFINITY): readonly CsvRow[] {
  const end = `\\${separator}|\\r\\n|\\r|\\n|$`
  const cell = new RegExp(`(?:"([^"]*(?:""[^"]*)*)"(?!"))?([^${separator}\\r\\n]*)(${end})`, 'y')
  const rows: CsvRow[] = []
  let cells: string[] = []
  while (rows.length < most) {
    const [, quoted, plain = '', after = ''] = cell.exec(text) ?? []
    if (quoted === undefined && plain.startsWith('"')) throw new Error('a quote never ends')
    cells.push((quoted?.replaceAll('""', '"') ?? '') + plain)
    if (after === separator) continue
    if (cells.length > 1 || cells[0] !== '') rows.push({ cells, end: cell.lastIndex })
    if (after === '') break
    cells = []
  }
  return rows
}
