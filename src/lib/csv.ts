/** CSV that is safe to open in a spreadsheet, which would execute formulas. */

export type CsvCell = string | number

/**
 * Writes the header unchanged and separates rows the way the header does, by ", " or ",". A quoted cell follows its
 * comma without a space, because RFC 4180 allows quotes only at the start of a cell.
 */
export function csvText(header: string, rows: readonly (readonly CsvCell[])[]): string {
  const separator = /,\S/.test(header) ? ',' : ', '
  const lines = rows.map((row) => {
    const cells = row.map((value) => cell(value))
    return cells.map((text, at) => (at === 0 ? text : `${text.startsWith('"') ? ',' : separator}${text}`)).join('')
  })
  return [header, ...lines].map((line) => `${line}\n`).join('')
}

/** A line with its end, cells separated by commas alone. */
export function csvRow(cells: readonly CsvCell[]): string {
  return `${cells.map(cell).join(',')}\n`
}

function cell(value: CsvCell): string {
  const text = typeof value === 'number' ? String(value) : escapeFormula(value)
  return /[",\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Texts come from visitors (referrers, place names): an apostrophe stops a spreadsheet from executing a formula. */
function escapeFormula(text: string): string {
  return formula.test(text) ? `'${text}` : text
}

const formula = /^\s*[=+\-@\t\r＝＋－＠]/

/** Takes that apostrophe off again, in a file that was written here. */
export function unescapeFormula(text: string): string {
  return text.startsWith("'") && formula.test(text.slice(1)) ? text.slice(1) : text
}
