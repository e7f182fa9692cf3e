/** The known name closest to a misspelled one, or undefined when none is close enough. */
export function closest(given: string, known: Iterable<string>): string | undefined {
  let best: string | undefined
  // Up to a third of the letters may differ: `prot` finds `port`, `foo` does not find `host`.
  let limit = Math.max(1, Math.floor(given.length / 3)) + 1
  for (const name of known) {
    const distance = editDistance(given.toLowerCase(), name.toLowerCase())
    if (distance < limit) {
      limit = distance
      best = name
    }
  }
  return best
}

/** ` Did you mean X?`, or an empty string. */
export function didYouMean(given: string, known: Iterable<string>): string {
  const name = closest(given, known)
  return name === undefined ? '' : ` Did you mean ${name}?`
}

/** Damerau-Levenshtein distance: insertions, deletions, replacements and swaps of neighbours count one each. */
export function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = cell(rows, i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? cell(rows, i - 2, j - 2) + 1 : Infinity
      row.push(Math.min(replaced, cell(rows, i - 1, j) + 1, (row[j - 1] ?? Infinity) + 1, swapped))
    }
    rows.push(row)
  }
  return cell(rows, a.length, b.length)
}

function cell(rows: readonly (readonly number[])[], i: number, j: number): number {
  return rows[i]?.[j] ?? Infinity
}
