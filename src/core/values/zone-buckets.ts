/**
 * Splits time into buckets in a time zone with changing UTC offset: days of 23 and 25 hours, hours cut short by a
 * half-hour change. Windows list buckets with this rule, and click logs assign clicks to them. Pure arithmetic.
 *
 * Days, weeks and months follow the local calendar. The key of a bucket is its local midnight; it starts when the local
 * clock first shows that midnight or later. When clocks go back across midnight, the new day continues, so a bucket is
 * never split. Minutes and hours follow elapsed time. The key is the start of the bucket, and an offset change that is
 * not a whole unit starts a new bucket.
 */
import { RecentMap } from '../../lib/recent-map.js'
import { type Span, spansWithin, type Zone, zoneName } from './zone.js'

export type Unit = 'minute' | 'hour' | 'day' | 'week' | 'month'

export interface Bucketing {
  readonly unit: Unit
  readonly zone: Zone
}

export interface BucketRule {
  readonly unit: Unit
  /** In order, valid for times between `from` and `to`; the first piece has no start and the last one no end. */
  pieces(from: number, to: number): readonly Piece[]
  /** The start time of the bucket with this key. */
  startOf(key: number): number
}

/** Until the next piece starts, the key of a time is `max(floor(unit, time + offset) + shift, minKey)`. */
export interface Piece {
  readonly from: number
  readonly offset: number
  readonly shift: number
  /** Undefined: no minimum. */
  readonly minKey: number | undefined
}

/** The rule for all time; use `piecesWithin` to compile only the pieces of a window. */
export function bucketRule({ unit, zone }: Bucketing): BucketRule {
  const id = `${unit} ${typeof zone === 'number' ? zone : (zoneName(zone) ?? zone)}`
  const known = remembered.get(id)
  if (known) return known
  const rule = unit === 'minute' || unit === 'hour' ? byClock(unit, zone) : byCalendar(unit, zone)
  remembered.set(id, rule)
  return rule
}

/** Enough for about ten zones in every unit. A rule used over all of history takes 30 kB. */
const remembered = new RecentMap<string, BucketRule>(200)

/** The few pieces that overlap the window from `from` (inclusive) to `to` (exclusive). */
export function piecesWithin(rule: BucketRule, from: number, to: number): readonly Piece[] {
  const pieces = rule.pieces(from, to)
  const touched = pieces.filter((piece, index) => {
    const end = pieces[index + 1]?.from ?? Number.POSITIVE_INFINITY
    return piece.from < to && end > from
  })
  return touched.length > 0 ? touched : pieces.slice(0, 1)
}

/** The key of the bucket that contains a time. */
export function keyAt(rule: BucketRule, at: number): number {
  return keyWithin(rule.unit, pieceAt(rule.pieces(at, at), at).piece, at)
}

/** Start and end (exclusive) of the bucket that contains a time. */
export function bucketAt(rule: BucketRule, at: number): { readonly start: number; readonly end: number } {
  const { unit } = rule
  const { piece, end } = pieceAt(rule.pieces(at, at), at)
  const key = keyWithin(unit, piece, at)
  if (unit === 'minute' || unit === 'hour') {
    return { start: key, end: Math.min(floor(unit, at + piece.offset) + piece.shift + length[unit], end) }
  }
  return { start: rule.startOf(key), end: rule.startOf(stepLocal(unit, key, 1)) }
}

/** The start of the bucket that contains a time, without UTC offset. */
export function floor(unit: Unit, local: number): number {
  if (unit === 'month') return stepMonths(local, 0)
  const origin = unit === 'week' ? firstMonday : 0
  return Math.floor((local - origin) / length[unit]) * length[unit] + origin
}

/** The start of the month `count` months after the month of `local`. */
export function stepMonths(local: number, count: number): number {
  const date = new Date(local)
  // setUTCFullYear, unlike Date.UTC, does not read the years 0 to 99 as 1900 to 1999.
  return new Date(0).setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth() + count, 1)
}

const minute = 60_000
/** All units except month, whose length varies. */
export const length = { minute, hour: 60 * minute, day: 1440 * minute, week: 7 * 1440 * minute } as const
/** 1970-01-05: 1970 began on a Thursday. */
export const firstMonday = 4 * length.day

function stepLocal(unit: Unit, start: number, count: number): number {
  return unit === 'month' ? stepMonths(start, count) : start + count * length[unit]
}

/** Offset changes by whole units keep the grid: daylight saving time does not start a new piece of hours. */
function byClock(unit: 'minute' | 'hour', zone: Zone): BucketRule {
  const phase = (offset: number) => ((offset % length[unit]) + length[unit]) % length[unit]
  const pieces = piecesOf(zone, (spans) =>
    spans
      .filter((span, index) => index === 0 || phase(span.offset) !== phase(spans[index - 1]?.offset ?? Number.NaN))
      .map(({ from, offset }, index) => ({ from, offset, shift: -offset, minKey: index === 0 ? undefined : from })),
  )
  return { unit, pieces, startOf: (key) => key }
}

function byCalendar(unit: 'day' | 'week' | 'month', zone: Zone): BucketRule {
  const pieces = piecesOf(zone, (spans) =>
    spans.map(({ from, offset }, index): Piece => {
      const before = spans[index - 1]
      const reached = before ? floor(unit, from + before.offset - 1) : Number.NEGATIVE_INFINITY
      return { from, offset, shift: 0, minKey: floor(unit, from + offset) < reached ? reached : undefined }
    }),
  )
  return { unit, pieces, startOf: (key) => firstShowing(key) }

  function firstShowing(local: number): number {
    const near = pieces(local, local)
    // Offsets differ by at most a day, so no earlier piece can contain it.
    for (let { index } = pieceAt(near, local - 2 * length.day); ; index++) {
      const piece = near[index]
      if (!piece) throw new Error(`no offset of time zone ${zone} covers ${local}`)
      const at = Math.max(local - piece.offset, piece.from)
      if (at < (near[index + 1]?.from ?? Number.POSITIVE_INFINITY)) return at
    }
  }
}

/** Pieces are cached per period of this length, because a series of buckets mostly stays within one period. */
const period = 400 * length.day
/** Overlap of periods: `firstShowing` searches two days around a midnight. */
const margin = 3 * length.day

function piecesOf(zone: Zone, make: (spans: readonly Span[]) => readonly Piece[]): BucketRule['pieces'] {
  if (typeof zone === 'number') {
    const always = make(spansWithin(zone, 0, 0))
    return () => always
  }
  const periods = new Map<number, readonly Piece[]>()
  return (from, to) => {
    const number = periodOf(from)
    if (periodOf(to) !== number) return make(spansWithin(zone, from - margin, to + margin))
    const known = periods.get(number)
    if (known) return known
    const pieces = make(spansWithin(zone, number * period - margin, (number + 1) * period + margin))
    periods.set(number, pieces)
    return pieces
  }
}

/** No offset changes before 1970 or after 2100 (zone.ts), so all earlier times share one period, and all later ones. */
function periodOf(at: number): number {
  return Math.floor(Math.min(Math.max(at, -1), afterChanges) / period)
}

const afterChanges = Date.UTC(2102, 0)

function keyWithin(unit: Unit, piece: Piece, at: number): number {
  const key = floor(unit, at + piece.offset) + piece.shift
  return piece.minKey === undefined ? key : Math.max(key, piece.minKey)
}

/** The piece that contains a time, its index and its end. */
function pieceAt(pieces: readonly Piece[], at: number) {
  let low = 0
  let high = pieces.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((pieces[middle]?.from ?? Number.POSITIVE_INFINITY) <= at) low = middle
    else high = middle - 1
  }
  const piece = pieces[low]
  if (!piece) throw new Error('time zone without offsets')
  return { piece, index: low, end: pieces[low + 1]?.from ?? Number.POSITIVE_INFINITY }
}
