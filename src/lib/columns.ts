import { printable } from './printable.js'

/** Aligns rows in columns, two spaces apart, for a terminal. */
export function columns(cells: readonly (readonly string[])[], indent = ''): string[] {
  // Cells hold text that users wrote: join its lines and escape control characters.
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

/** Wraps text at word boundaries into lines of at most `width` characters. */
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
