/** CSV for machines and for spreadsheets, which run what looks like a formula. */

export type CsvCell = string | number

/**
 * A header as it stands, and rows that are separated as the header is: by a comma and a space, or by a bare comma. A cell
 * that needs quotes follows its comma at once: RFC 4180 knows quotes only where a cell begins.
 */
export function csvText(header: string, rows: readonly (readonly CsvCell[])[]): string {
  const separator = /,\S/.test(header) ? ',' : ', '
  const lines = rows.map((row) => {
    const cells = row.map((value) => cell(value))
    return cells.map((text, at) => (at === 0 ? text : `${text.startsWith('"') ? ',' : separator}${text}`)).join('')
  })
  return [header, ...lines].map((line) => `${line}\n`).join('')
}

function cell(value: CsvCell): string {
  const text = typeof value === 'number' ? String(value) : harmless(value)
  return /[",\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Texts come from visitors (referrers, names of places): what a spreadsheet would compute gets an apostrophe in front. */
function harmless(text: string): string {
  return /^\s*[=+\-@\t\r＝＋－＠]/.test(text) ? `'${text}` : text
}
