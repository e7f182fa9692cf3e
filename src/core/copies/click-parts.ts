/** Cuts the clicks of an archive into files that fit in memory while they are sorted. Depends on the clicks alone. */
import { type Partition, partitionLength } from '../clicks/click-archive.js'

export interface ClickPart {
  /** `2026-11-001` */
  readonly name: string
  readonly from: number
  readonly before: number
  readonly clicks: number
}

/** Small enough to be sorted in memory: with twice as many DuckDB writes to disk and takes twice as long per click. */
const partClicks = 250_000

/** At least one part for each month with clicks; a part is a number of whole quarters of an hour of one month. */
export function clickParts(partitions: readonly Partition[], size = partClicks): readonly ClickPart[] {
  const parts: (ClickPart & { month: string; number: number })[] = []
  for (const [start, clicks] of partitions) {
    const month = monthOf(start)
    const last = parts.at(-1)
    const before = start + partitionLength
    if (last && last.month === month && last.clicks + clicks <= size) {
      parts[parts.length - 1] = { ...last, before, clicks: last.clicks + clicks }
      continue
    }
    const number = last?.month === month ? last.number + 1 : 1
    parts.push({ name: `${month}-${String(number).padStart(3, '0')}`, from: start, before, clicks, month, number })
  }
  return parts.map(({ name, from, before, clicks }) => ({ name, from, before, clicks }))
}

function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, -'-01T00:00:00.000Z'.length)
}
