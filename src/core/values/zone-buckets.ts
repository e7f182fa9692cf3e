/**
 * How time is cut into buckets in a zone whose offset changes: days of 23 and 25 hours, hours that a half-hour change
 * cuts short. One rule for windows, which list buckets, and for click logs, which sort clicks into them. Pure
 * arithmetic.
 *
 * Days, weeks and months follow the calendar: a moment's key is the local midnight its bucket began with, and the
 * bucket begins at the first moment the clocks showed that midnight or later. Where the clocks fell back over midnight
 * the day that had begun goes on: no bucket has two pieces. Minutes and hours follow the clock: the key is the moment
 * the bucket began, and a change that breaks the grid begins a new one.
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
  /** In order, right for all moments between these two; the first one is taken to reach back without end, the last on. */
  pieces(from: number, to: number): readonly Piece[]
  /** The moment at which the bucket with this key begins. */
  startOf(key: number): number
}

/** Within a piece, until the next one begins, the key of a moment is `max(floor(unit, moment + offset) + shift, least)`. */
export interface Piece {
  readonly from: number
  readonly offset: number
  readonly shift: number
  /** Undefined: the floor is never less. */
  readonly least: number | undefined
}

/** The rule for all time; compile only the pieces of a window (`piecesWithin`). */
export function bucketRule({ unit, zone }: Bucketing): BucketRule {
  const id = `${unit} ${typeof zone === 'number' ? zone : (zoneName(zone) ?? zone)}`
  const known = remembered.get(id)
  if (known) return known
  const rule = unit === 'minute' || unit === 'hour' ? byClock(unit, zone) : byCalendar(unit, zone)
  remembered.set(id, rule)
  return rule
}

/** Our choice: some ten zones in every unit. One that was asked about all time takes 30 kB. */
const remembered = new RecentMap<string, BucketRule>(200)

/** The pieces a window from `from` (inclusive) to `to` (exclusive) touches: at most a few, whatever the zone. */
export function piecesWithin(rule: BucketRule, from: number, to: number): readonly Piece[] {
  const pieces = rule.pieces(from, to)
  const touched = pieces.filter((piece, index) => {
    const end = pieces[index + 1]?.from ?? Number.POSITIVE_INFINITY
    return piece.from < to && end > from
  })
  return touched.length > 0 ? touched : pieces.slice(0, 1)
}

/** The key of the bucket that holds a moment. */
export function keyAt(rule: BucketRule, at: number): number {
  return keyWithin(rule.unit, pieceAt(rule.pieces(at, at), at).piece, at)
}

/** The bucket that holds a moment: its start, and its end (exclusive). */
export function bucketAt(rule: BucketRule, at: number): { readonly start: number; readonly end: number } {
  const { unit } = rule
  const { piece, end } = pieceAt(rule.pieces(at, at), at)
  const key = keyWithin(unit, piece, at)
  if (unit === 'minute' || unit === 'hour') {
    return { start: key, end: Math.min(floor(unit, at + piece.offset) + piece.shift + length[unit], end) }
  }
  return { start: rule.startOf(key), end: rule.startOf(stepLocal(unit, key, 1)) }
}

/** The start of the bucket that holds a moment, in a time without offset. */
export function floor(unit: Unit, local: number): number {
  if (unit === 'month') return stepMonths(local, 0)
  const origin = unit === 'week' ? firstMonday : 0
  return Math.floor((local - origin) / length[unit]) * length[unit] + origin
}

/** The start of the month that lies `count` months after the one that holds `local`. */
export function stepMonths(local: number, count: number): number {
  const date = new Date(local)
  // setUTCFullYear, unlike Date.UTC, does not take the years 0 to 99 for 1900 to 1999.
  return new Date(0).setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth() + count, 1)
}

const minute = 60_000
/** Of all units but the month. */
export const length = { minute, hour: 60 * minute, day: 1440 * minute, week: 7 * 1440 * minute } as const
/** 1970-01-05: 1970 began on a Thursday. */
export const firstMonday = 4 * length.day

function stepLocal(unit: Unit, start: number, count: number): number {
  return unit === 'month' ? stepMonths(start, count) : start + count * length[unit]
}

/** A change by whole units leaves the grid as it was: summer time does not even begin a new piece of hours. */
function byClock(unit: 'minute' | 'hour', zone: Zone): BucketRule {
  const phase = (offset: number) => ((offset % length[unit]) + length[unit]) % length[unit]
  const pieces = piecesOf(zone, (spans) =>
    spans
      .filter((span, index) => index === 0 || phase(span.offset) !== phase(spans[index - 1]?.offset ?? Number.NaN))
      .map(({ from, offset }, index) => ({ from, offset, shift: -offset, least: index === 0 ? undefined : from })),
  )
  return { unit, pieces, startOf: (key) => key }
}

function byCalendar(unit: 'day' | 'week' | 'month', zone: Zone): BucketRule {
  const pieces = piecesOf(zone, (spans) =>
    spans.map(({ from, offset }, index): Piece => {
      const before = spans[index - 1]
      const reached = before ? floor(unit, from + before.offset - 1) : Number.NEGATIVE_INFINITY
      return { from, offset, shift: 0, least: floor(unit, from + offset) < reached ? reached : undefined }
    }),
  )
  return { unit, pieces, startOf: (key) => firstShowing(key) }

  function firstShowing(local: number): number {
    const near = pieces(local, local)
    // Offsets differ by a day at most, so no earlier one can hold it.
    for (let { index } = pieceAt(near, local - 2 * length.day); ; index++) {
      const piece = near[index]
      if (!piece) throw new Error(`no offset of ${zone} reaches ${local}`)
      const at = Math.max(local - piece.offset, piece.from)
      if (at < (near[index + 1]?.from ?? Number.POSITIVE_INFINITY)) return at
    }
  }
}

/** Our choice: what is remembered together. Series walk through time: one age of pieces answers for all of their buckets. */
const age = 400 * length.day
/** How far beyond its ends the pieces of an age are right: a bucket's start is looked for two days around its midnight. */
const margin = 3 * length.day

function piecesOf(zone: Zone, make: (spans: readonly Span[]) => readonly Piece[]): BucketRule['pieces'] {
  if (typeof zone === 'number') {
    const always = make(spansWithin(zone, 0, 0))
    return () => always
  }
  const ages = new Map<number, readonly Piece[]>()
  return (from, to) => {
    const number = ageOf(from)
    if (ageOf(to) !== number) return make(spansWithin(zone, from - margin, to + margin))
    const known = ages.get(number)
    if (known) return known
    const pieces = make(spansWithin(zone, number * age - margin, (number + 1) * age + margin))
    ages.set(number, pieces)
    return pieces
  }
}

/** Before 1970 and behind 2100 nothing changes (zone.ts), so that all moments there are of one age. */
function ageOf(at: number): number {
  return Math.floor(Math.min(Math.max(at, -1), afterChanges) / age)
}

const afterChanges = Date.UTC(2102, 0)

function keyWithin(unit: Unit, piece: Piece, at: number): number {
  const key = floor(unit, at + piece.offset) + piece.shift
  return piece.least === undefined ? key : Math.max(key, piece.least)
}

/** The piece that holds a moment, where it ends, and its place in the order. */
function pieceAt(pieces: readonly Piece[], at: number) {
  let [low, high] = [0, pieces.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((pieces[middle]?.from ?? Number.POSITIVE_INFINITY) <= at) low = middle
    else high = middle - 1
  }
  const piece = pieces[low]
  if (!piece) throw new Error('a zone without offsets')
  return { piece, index: low, end: pieces[low + 1]?.from ?? Number.POSITIVE_INFINITY }
}
