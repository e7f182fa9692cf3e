/** CSV that is safe to open in a spreadsheet, with the same rules as files of the service (src/lib/csv.ts). */

export function csvText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}

/** An apostrophe stops a spreadsheet from executing what looks like a formula. */
function cell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text
  return /[",\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const formula = /^\s*[=+\-@\t\r＝＋－＠]/
