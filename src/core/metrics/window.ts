/**
 * Windows of time: `units` buckets of `unit`, the last one holding `unit_reference`, aligned in the offset that
 * `unit_reference` was written with; weeks start on Monday. Pure arithmetic: knows neither clicks nor time zones' names.
 */
import { invalid } from '../refusal.js'
import { parseTimestamp } from '../timestamp.js'
import type { Unit } from './query.js'

export const units: readonly Unit[] = ['minute', 'hour', 'day', 'week', 'month']

export interface WindowWish {
  readonly unit: string | undefined
  readonly units: number | undefined
  readonly unitReference: string | undefined
}

export interface Window {
  readonly unit: Unit
  /** As asked: -1 means all there is. */
  readonly units: number
  readonly reference: number
  readonly offsetMinutes: number
}

/** The buckets of a window: newest first, without gap or overlap, all within `from` (inclusive) to `to` (exclusive). */
export interface Buckets {
  readonly starts: readonly number[]
  readonly from: number
  readonly to: number
}

// Our choice: five weeks of minutes; an answer of this size is about 3 MB.
export const bucketLimit = 50_000

/** Gaps 2.4: unit defaults to day, units to -1, unit_reference to now; empty means default. */
export function parseWindow(wish: WindowWish, now: number): Window {
  const unit = units.find((known) => known === (wish.unit || 'day'))
  if (!unit) throw invalid('unit', `The unit must be one of ${units.join(', ')}.`, 'shortlinks')
  const count = wish.units ?? -1
  if (!Number.isInteger(count) || count === 0 || count < -1 || count > bucketLimit) {
    throw invalid('units', `The number of units must be -1 (all) or between 1 and ${bucketLimit}.`, 'shortlinks')
  }
  const reference = wish.unitReference ? parseTimestamp(wish.unitReference) : { at: now, offsetMinutes: 0 }
  if (!reference) {
    throw invalid('unitReference', 'The unit reference must look like 2026-01-31T23:59:59+0000.', 'shortlinks')
  }
  const window = { unit, units: count, reference: reference.at, offsetMinutes: reference.offsetMinutes }
  if (unit === 'month' && stepMonths(window.reference, 1 - count) < yearOne) {
    throw invalid('units', 'The window would begin before the year 1. Ask for fewer units.', 'shortlinks')
  }
  return window
}

/** The buckets of a window; one over everything reaches back to the bucket that holds `earliest`. */
export function bucketsOf(window: Window, earliest: number): Buckets {
  const { unit, offsetMinutes } = window
  const offset = offsetMinutes * minute
  const first = window.units === -1 ? floor(unit, earliest + offset) : Number.NEGATIVE_INFINITY
  const wanted = window.units === -1 ? bucketLimit : window.units
  const newest = floor(unit, window.reference + offset)
  const starts = [newest - offset]
  for (let start = step(unit, newest, -1); starts.length < wanted && start >= first; start = step(unit, start, -1)) {
    starts.push(start - offset)
  }
  return { starts, from: starts.at(-1) ?? newest - offset, to: endOf(window) }
}

/** The end (exclusive) of the bucket that holds the reference. */
export function endOf(window: Window): number {
  const offset = window.offsetMinutes * minute
  return step(window.unit, floor(window.unit, window.reference + offset), 1) - offset
}

const minute = 60_000
const length = { minute, hour: 60 * minute, day: 1440 * minute, week: 7 * 1440 * minute } as const
/** 1970-01-05, the first Monday of the epoch. */
const firstMonday = 4 * length.day
const yearOne = Date.parse('0001-01-01T00:00:00Z')

/** The start of the bucket that holds a moment. Moments here are local: shifted by the offset. */
function floor(unit: Unit, local: number): number {
  if (unit === 'month') return stepMonths(local, 0)
  const origin = unit === 'week' ? firstMonday : 0
  return Math.floor((local - origin) / length[unit]) * length[unit] + origin
}

function step(unit: Unit, start: number, count: number): number {
  return unit === 'month' ? stepMonths(start, count) : start + count * length[unit]
}

/** The start of the month that lies `count` months after the one that holds `local`. */
function stepMonths(local: number, count: number): number {
  const date = new Date(local)
  // setUTCFullYear, unlike Date.UTC, does not take the years 0 to 99 for 1900 to 1999.
  return new Date(0).setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth() + count, 1)
}
