/** CSV with the same rules as files of the service (src/lib/csv.ts): what is written is safe to open in a spreadsheet. */

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

/** The rows of CSV text, without empty lines. A quote that never ends is text. */
export function csvRows(text: string, separator = ',', most = Number.POSITIVE_INFINITY): readonly CsvRow[] {
  const cell = new RegExp(`(?:"([^"]*(?:""[^"]*)*)"|([^${separator}\\r\\n]*))(\\${separator}|\\r\\n|\\r|\\n|$)`, 'y')
  const rows: CsvRow[] = []
  let cells: string[] = []
  while (rows.length < most) {
    const [, quoted, plain = '', after = ''] = cell.exec(text) ?? []
    cells.push(quoted?.replaceAll('""', '"') ?? plain)
    if (after === separator) continue
    if (cells.some((each) => each.trim() !== '')) rows.push({ cells, end: cell.lastIndex })
    if (after === '') break
    cells = []
  }
  return rows
}
