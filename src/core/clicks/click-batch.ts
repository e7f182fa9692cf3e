/**
 * Many clicks in columns, for imports: one object per click would cost more than the rest of the import. Shared values
 * are stored once, in tables, and each click has the numbers of its entries.
 */
import type { Click } from './click.js'
import { type TrafficClass, visitKinds } from './dimensions.js'
import type { JournalPosition } from './journal.js'
import type { Location } from './locate.js'
import type { Referrer } from './referrer.js'
import type { Agent } from './user-agent.js'

/** All columns have the same length. */
export interface ClickBatch {
  readonly at: Float64Array
  readonly visitorHash: BigUint64Array
  /** 0 for a single click with a visitor; otherwise a number of clicks without known visitors. */
  readonly totals: Uint32Array
  /** Indexes into `visitKinds`. */
  readonly kinds: Uint8Array
  readonly targets: BatchColumn<BatchTarget>
  readonly places: BatchColumn<Location>
  readonly agents: BatchColumn<BatchAgent>
  readonly referrers: BatchColumn<Referrer>
  /** Journal rows before the end of this batch that were rejected. */
  readonly skippedRanges: LineRanges
}

export interface BatchColumn<T extends object> {
  /** Append-only: a later batch may share the array with more entries at its end. */
  readonly table: readonly T[]
  /** The table index of each click. */
  readonly used: Uint32Array
}

export type BatchTarget = Pick<Click, 'address' | 'linkId' | 'groupGuid' | 'destination'>

export interface BatchAgent extends Agent {
  readonly trafficClass: TrafficClass
}

/** The columns with a table. */
export const batchTables = ['targets', 'places', 'agents', 'referrers'] as const
export type BatchTable = (typeof batchTables)[number]

/** A single click, or a total of several. */
export interface BatchClick extends Click {
  readonly total: number
}

/** The number of clicks, with totals. */
export function clicksIn({ totals }: Pick<ClickBatch, 'totals'>): number {
  let count = 0
  for (const total of totals) count += total === 0 ? 1 : total
  return count
}

/** The batch as single clicks, for click logs without a faster way. Without user agents and languages, which are not logged. */
export function clicksOf(
  batch: Omit<ClickBatch, 'skippedRanges'>,
  { journalId, row }: JournalPosition,
): readonly BatchClick[] {
  const { at, visitorHash, totals, kinds, targets, places, agents, referrers } = batch
  const clicks: BatchClick[] = []
  for (let index = 0; index < at.length; index++) {
    const { address, linkId, groupGuid, destination } = entryOf(targets, index)
    const agent = entryOf(agents, index)
    // Listed field by field: spreading objects takes ten times as long.
    clicks.push({
      eventId: `${journalId}-${row}-${index}`,
      at: at[index] ?? 0,
      address,
      linkId,
      groupGuid,
      destination,
      kind: visitKinds[kinds[index] ?? 0] ?? 'click',
      trafficClass: agent.trafficClass,
      place: entryOf(places, index),
      agent,
      referrer: entryOf(referrers, index),
      visitorHash: visitorHash[index] ?? 0n,
      total: totals[index] ?? 0,
      userAgent: '',
      language: '',
    })
  }
  return clicks
}

function entryOf<T extends object>({ table, used }: BatchColumn<T>, index: number): T {
  const entry = table[used[index] ?? -1]
  if (!entry) throw new Error('a click refers to a missing table entry')
  return entry
}

/** Line numbers as ranges: pairs of first and last line, in ascending order. */
export type LineRanges = readonly number[]

/** Adds a line after all others. */
export function addLine(ranges: number[], line: number): void {
  if (ranges.at(-1) === line - 1) ranges[ranges.length - 1] = line
  else ranges.push(line, line)
}

/** The number of lines after `after`. */
export function linesIn(ranges: LineRanges, after = 0): number {
  let count = 0
  for (let at = 0; at < ranges.length; at += 2) {
    count += Math.max(0, (ranges[at + 1] ?? 0) - Math.max(ranges[at] ?? 0, after + 1) + 1)
  }
  return count
}

/** A filter for lines in ascending order. */
export function lineFilter(ranges: LineRanges): (line: number) => boolean {
  let at = 0
  return (line) => {
    while (at < ranges.length && (ranges[at + 1] ?? 0) < line) at += 2
    return at < ranges.length && (ranges[at] ?? 0) <= line
  }
}
