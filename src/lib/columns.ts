import { printable } from './printable.js'

/** Lays rows out in aligned columns, two spaces apart, for a terminal with a fixed-width font. */
export function columns(cells: readonly (readonly string[])[], indent = ''): string[] {
  // A cell is what somebody wrote, perhaps in several lines.
  const rows = cells.map((row) => row.map((text) => printable(text.replace(/\s*[\r\n]\s*/g, ' '))))
  const widths: number[] = []
  for (const row of rows) for (const [i, text] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, text.length)
  return rows.map(
    (row) =>
      indent +
      row
        .map((text, i) => text.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
  )
}

/** Breaks text between words into lines of at most `width` characters. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line ? `${line} ${word}` : word
  }
  return [...lines, line]
}
