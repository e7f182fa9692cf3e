/**
 * The time that the numbers cover: from what the URL says to windows of the API, and to the points of the chart. Days are
 * those of the person's own zone.
 */
import type { Interval, NumbersSearch, Range } from './search.js'

interface Window {
  readonly unit: 'minute' | 'hour' | 'day'
  /** -1: since the first click. */
  readonly units: number
  readonly zone: string
  readonly unit_reference?: string
}

export interface Period {
  /** For totals and rows. */
  readonly window: Window
  /** Of the same length, just before; undefined for all of history. */
  readonly before: Window | undefined
  readonly intervals: readonly Interval[]
  readonly interval: Interval
  /** For the chart: the same time in its smallest parts, which `gather` puts together. */
  readonly chart: Window
  readonly chartBefore: Window | undefined
  /** First and last moment, where they are known. */
  readonly start: Date | undefined
  readonly end: Date
}

export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
export const standardRange: Range = '28d'

const hour = 3_600_000

export function periodOf(search: NumbersSearch, now = new Date()): Period {
  const span = spanOf(search, now)
  const { unit, units, end } = span
  const start =
    units < 0 ? undefined : unit === 'hour' ? new Date(end.getTime() - units * hour) : shift(day(end), 1 - units)
  const days = units < 0 ? Number.POSITIVE_INFINITY : unit === 'hour' ? units / 24 : units
  const intervals = intervalsOf(days)
  const interval = intervals.find((each) => each === search.interval) ?? standardInterval(days)
  const window = windowEnding(end, unit, units)
  const before = units < 0 ? undefined : windowEnding(earlier(span), unit, units)
  if (interval !== 'hour' || unit === 'hour' || !start) {
    return { window, before, intervals, interval, chart: window, chartBefore: before, start, end }
  }
  // A day may have 23 or 25 hours.
  const hours = Math.ceil((end.getTime() - start.getTime()) / hour)
  const chartBefore = before && windowEnding(earlier(span), 'hour', hours)
  return { window, before, intervals, interval, chart: windowEnding(end, 'hour', hours), chartBefore, start, end }
}

interface Span {
  readonly unit: 'hour' | 'day'
  readonly units: number
  readonly end: Date
  /** How far back the time before is, where that is not its length. */
  readonly stepBack?: number
}

function spanOf({ range = standardRange, from, to }: NumbersSearch, now: Date): Span {
  if (from !== undefined && to !== undefined) return chosenSpan(from, to)
  const today = now.getDate()
  switch (range) {
    // Compared with the same hours of the day before.
    case 'today':
      return { unit: 'hour', units: now.getHours() + 1, end: now, stepBack: 24 }
    case 'yesterday':
      return { unit: 'day', units: 1, end: endOfDay(shift(now, -1)) }
    case '24h':
      return { unit: 'hour', units: 24, end: now }
    case 'month':
      return { unit: 'day', units: today, end: now }
    case 'last_month': {
      const end = endOfDay(shift(now, -today))
      return { unit: 'day', units: end.getDate(), end }
    }
    case 'year':
      return { unit: 'day', units: 1 + daysBetween(new Date(now.getFullYear(), 0, 1), now), end: now }
    case '12m':
      return { unit: 'day', units: 365, end: now }
    case 'all':
      return { unit: 'day', units: -1, end: now }
    default:
      return { unit: 'day', units: Number.parseInt(range, 10), end: now }
  }
}

function chosenSpan(from: string, to: string): Span {
  if (from.length > 10) {
    const [start, end] = [new Date(`${from}:00`), new Date(`${to}:59:59`)]
    return { unit: 'hour', units: Math.ceil((end.getTime() - start.getTime()) / hour), end }
  }
  const end = endOfDay(new Date(`${to}T12:00`))
  const units = 1 + daysBetween(new Date(`${from}T12:00`), end)
  return { unit: 'day', units, end }
}

function earlier({ unit, units, end, stepBack }: Span): Date {
  return unit === 'hour' ? new Date(end.getTime() - (stepBack ?? units) * hour) : shift(end, -units)
}

function windowEnding(end: Date, unit: Window['unit'], units: number): Window {
  return { unit, units, zone, unit_reference: end.toISOString().replace(/\.\d+Z$/, '+0000') }
}

function intervalsOf(days: number): readonly Interval[] {
  if (days <= 2) return ['hour']
  if (days <= 13) return ['hour', 'day']
  if (days <= 31) return ['hour', 'day', 'week']
  return ['day', 'week', 'month']
}

function standardInterval(days: number): Interval {
  if (days <= 2) return 'hour'
  if (days <= 100) return 'day'
  return days <= 800 ? 'week' : 'month'
}

export interface Bucket {
  readonly start: Date
  readonly end: Date
  readonly count: number
  readonly before: number | undefined
}

interface Part {
  readonly start: Date
  readonly count: number
}

/** Puts hours or days together to the buckets of the chart. The time before has as many parts, in the same places. */
export function gather(
  parts: readonly Part[],
  before: readonly Part[] | undefined,
  interval: Interval,
): readonly Bucket[] {
  const buckets: { start: Date; end: Date; count: number; before: number | undefined; key: number }[] = []
  for (const [index, { start, count }] of parts.entries()) {
    const key = startOf(start, interval).getTime()
    const last = buckets.at(-1)
    const former = before && (before[index]?.count ?? 0)
    if (last?.key !== key) buckets.push({ start, end: start, count, before: former, key })
    else {
      last.end = start
      last.count += count
      if (former !== undefined) last.before = (last.before ?? 0) + former
    }
  }
  return buckets
}

function startOf(date: Date, interval: Interval): Date {
  if (interval === 'hour') return date
  if (interval === 'day') return day(date)
  if (interval === 'month') return new Date(date.getFullYear(), date.getMonth(), 1)
  return shift(day(date), -((date.getDay() + 6) % 7))
}

export function isoDay(date: Date): string {
  const two = (number: number) => String(number).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

export function isoHour(date: Date): string {
  return `${isoDay(date)}T${String(date.getHours()).padStart(2, '0')}`
}

function day(date: Date): Date {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate())
}

function endOfDay(date: Date): Date {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate(), 23, 59, 59)
}

function shift(date: Date, days: number): Date {
  const shifted = new Date(date)
  shifted.setDate(shifted.getDate() + days)
  return shifted
}

function daysBetween(from: Date, to: Date): number {
  return Math.round((day(to).getTime() - day(from).getTime()) / (24 * hour))
}
