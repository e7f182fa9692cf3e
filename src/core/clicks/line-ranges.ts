/** Lines of a file, as pairs of numbers in ascending order: first and last of a range, first and last of the next. */
export type LineRanges = readonly number[]

/** Adds a line that is behind all others. */
export function addLine(ranges: number[], line: number): void {
  if (ranges.at(-1) === line - 1) ranges[ranges.length - 1] = line
  else ranges.push(line, line)
}

/** How many lines there are behind `after`. */
export function linesIn(ranges: LineRanges, after = 0): number {
  let count = 0
  for (let at = 0; at < ranges.length; at += 2) {
    count += Math.max(0, (ranges[at + 1] ?? 0) - Math.max(ranges[at] ?? 0, after + 1) + 1)
  }
  return count
}

/** Tells whether a line is among them, for lines that are asked for in ascending order. */
export function among(ranges: LineRanges): (line: number) => boolean {
  let at = 0
  return (line) => {
    while (at < ranges.length && (ranges[at + 1] ?? 0) < line) at += 2
    return at < ranges.length && (ranges[at] ?? 0) <= line
  }
}
