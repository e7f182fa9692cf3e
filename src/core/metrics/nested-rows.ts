import type { NestedRow } from '../clicks/metrics-query.js'

/** Groups the flat rows that click logs return: value and count of a row, value and count of one of its parts. */
export function nestRows(flat: readonly (readonly unknown[])[]): readonly NestedRow[] {
  const rows = new Map<string, { count: number; parts: { value: string; count: number }[] }>()
  for (const [value, count, part, partCount] of flat) {
    const row = rows.get(String(value)) ?? { count: Number(count), parts: [] }
    row.parts.push({ value: String(part), count: Number(partCount) })
    rows.set(String(value), row)
  }
  return [...rows].map(([value, row]) => ({ value, ...row }))
}
