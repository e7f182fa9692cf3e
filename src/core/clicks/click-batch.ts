/**
 * Many clicks side by side, as an import brings them: made as objects, they would cost more than all that is done with
 * them. What clicks have in common stands in tables, once, and each click has the numbers of its entries.
 */
import type { Click, EngagementKind, TrafficClass } from './click.js'
import type { JournalPosition } from './journal.js'
import type { Location } from './locate.js'
import type { Referrer } from './referrer.js'
import type { Agent } from './user-agent.js'

/** Columns of one length. */
export interface ClickBatch {
  readonly at: Float64Array
  readonly visitorHash: BigUint64Array
  /** 0 for a click, with its visitor; otherwise for how many clicks the entry stands, of nobody who is known. */
  readonly totals: Uint32Array
  /** Positions in `engagementKinds`. */
  readonly kinds: Uint8Array
  readonly targets: BatchColumn<BatchTarget>
  readonly places: BatchColumn<Location>
  readonly agents: BatchColumn<BatchAgent>
  readonly referrers: BatchColumn<Referrer>
  /** Rows of the journal up to the one the batch reaches that are in no batch. */
  readonly passedOver: LineRanges
}

export interface BatchColumn<T extends object> {
  /** The same array in a later batch has the same entries, and perhaps more behind them. */
  readonly table: readonly T[]
  /** Which entry each click has. */
  readonly used: Uint32Array
}

export type BatchTarget = Pick<Click, 'address' | 'linkId' | 'groupGuid' | 'destination'>

export interface BatchAgent extends Agent {
  readonly trafficClass: TrafficClass
}

export const engagementKinds: readonly EngagementKind[] = ['click', 'scan', 'button']

/** A click, or a total of several. */
export interface BatchClick extends Click {
  readonly total: number
}

/** How many clicks there are. */
export function clicksIn({ totals }: Pick<ClickBatch, 'totals'>): number {
  let count = 0
  for (const total of totals) count += total === 0 ? 1 : total
  return count
}

/** The same clicks one by one, for a log that has no better way. Agents as sent and languages stay behind: nobody asks. */
export function clicksOf(
  batch: Omit<ClickBatch, 'passedOver'>,
  { journalId, row }: JournalPosition,
): readonly BatchClick[] {
  const { at, visitorHash, totals, kinds, targets, places, agents, referrers } = batch
  const clicks: BatchClick[] = []
  for (let index = 0; index < at.length; index++) {
    const { address, linkId, groupGuid, destination } = entryOf(targets, index)
    const { country, region, subregion, city } = entryOf(places, index)
    const { trafficClass, device, os, browser } = entryOf(agents, index)
    const referrer = entryOf(referrers, index)
    // Written out: objects made of others by spreading take ten times as long.
    clicks.push({
      eventId: `${journalId}-${row}-${index}`,
      at: at[index] ?? 0,
      address,
      linkId,
      groupGuid,
      destination,
      kind: engagementKinds[kinds[index] ?? 0] ?? 'click',
      trafficClass,
      country,
      region,
      subregion,
      city,
      device,
      os,
      browser,
      referrer: referrer.raw,
      referrerDomain: referrer.domain,
      referrerName: referrer.name,
      referrerNetwork: referrer.network,
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
  if (!entry) throw new Error('a batch of clicks came without its tables')
  return entry
}

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
