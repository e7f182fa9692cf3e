/** Rows of cells, the first of them the heading, as text in columns. */
export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((line) => line[column].length)))
  const lines = rows.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  )
  lines.splice(1, 0, widths.map((width) => '-'.repeat(width)).join('  '))
  return lines.join('\n')
}

export function format(figure) {
  return figure.toLocaleString('en-US', { maximumFractionDigits: figure < 10 ? 2 : figure < 100 ? 1 : 0 })
}

export function formatSpread(spread) {
  return spread ? `${format(spread[0])} to ${format(spread[1])}` : ''
}
