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
import type { Bucketing, Unit } from './query.js'
import { spansOf } from './zone.js'

export interface BucketRule {
  readonly unit: Unit
  /** In order, the first from -Infinity. */
  readonly pieces: readonly Piece[]
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
export function bucketRule(bucket: Bucketing): BucketRule {
  const id = `${bucket.unit} ${bucket.zone}`
  const known = remembered.get(id)
  if (known) return known
  const rule = bucket.unit === 'minute' || bucket.unit === 'hour' ? byClock(bucket, bucket.unit) : byCalendar(bucket)
  if (remembered.size >= 1_000) remembered.clear()
  remembered.set(id, rule)
  return rule
}

const remembered = new Map<string, BucketRule>()

/** The pieces a window from `from` (inclusive) to `to` (exclusive) touches: at most a few, whatever the zone. */
export function piecesWithin(rule: BucketRule, from: number, to: number): readonly Piece[] {
  const touched = rule.pieces.filter((piece, index) => {
    const end = rule.pieces[index + 1]?.from ?? Number.POSITIVE_INFINITY
    return piece.from < to && end > from
  })
  return touched.length > 0 ? touched : rule.pieces.slice(0, 1)
}

/** The key of the bucket that holds a moment. */
export function keyAt(rule: BucketRule, at: number): number {
  return keyWithin(rule.unit, partAt(rule.pieces, at).part, at)
}

/** The bucket that holds a moment: its start, and its end (exclusive). */
export function bucketAt(rule: BucketRule, at: number): { readonly start: number; readonly end: number } {
  const { unit, pieces } = rule
  const { part: piece, end } = partAt(pieces, at)
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
function byClock({ zone }: Bucketing, unit: 'minute' | 'hour'): BucketRule {
  const phase = (offset: number) => ((offset % length[unit]) + length[unit]) % length[unit]
  const spans = spansOf(zone)
  const pieces = spans
    .filter((span, index) => index === 0 || phase(span.offset) !== phase(spans[index - 1]?.offset ?? Number.NaN))
    .map(({ from, offset }, index) => ({ from, offset, shift: -offset, least: index === 0 ? undefined : from }))
  return { unit, pieces, startOf: (key) => key }
}

function byCalendar({ unit, zone }: Bucketing): BucketRule {
  const spans = spansOf(zone)
  let reached = Number.NEGATIVE_INFINITY
  const pieces = spans.map(({ from, offset }, index): Piece => {
    const before = spans[index - 1]
    if (before) reached = Math.max(reached, floor(unit, from + before.offset - 1))
    const least = before && floor(unit, from + offset) < reached ? reached : undefined
    return { from, offset, shift: 0, least }
  })
  return { unit, pieces, startOf: (key) => firstShowing(key) }

  function firstShowing(local: number): number {
    // Offsets differ by a day at most, so no earlier span can hold it.
    for (let { index } = partAt(spans, local - 2 * length.day); ; index++) {
      const span = spans[index]
      if (!span) throw new Error(`no offset of ${zone} reaches ${local}`)
      const at = Math.max(local - span.offset, span.from)
      if (at < (spans[index + 1]?.from ?? Number.POSITIVE_INFINITY)) return at
    }
  }
}

function keyWithin(unit: Unit, piece: Piece, at: number): number {
  const key = floor(unit, at + piece.offset) + piece.shift
  return piece.least === undefined ? key : Math.max(key, piece.least)
}

/** The part of all time that holds a moment, where it ends, and its place in the order. */
function partAt<T extends { readonly from: number }>(parts: readonly T[], at: number) {
  let [low, high] = [0, parts.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((parts[middle]?.from ?? Number.POSITIVE_INFINITY) <= at) low = middle
    else high = middle - 1
  }
  const part = parts[low]
  if (!part) throw new Error('a zone without offsets')
  return { part, index: low, end: parts[low + 1]?.from ?? Number.POSITIVE_INFINITY }
}
