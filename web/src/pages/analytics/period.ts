/**
 * The time that the numbers cover: from what the URL says to windows of the API, and to the points of the chart. Days are
 * those of the person's or the group's zone.
 */
import type { AnalyticsSearch, Interval, Range } from './search.js'
import { momentOf, wallOf } from './zone.js'

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

export const standardRange: Range = '28d'

const hour = 3_600_000
const dayLength = 24 * hour

/** `back`: how many periods earlier, each just before the next. */
export function periodOf(search: AnalyticsSearch, zone: string, now = new Date(), back = 0): Period {
  const latest = spanOf(search, zone, now)
  const span = { ...latest, end: earlier(latest, zone, back) }
  const { unit, units, end } = span
  const start =
    units < 0 ? undefined : unit === 'hour' ? new Date(end.getTime() - units * hour) : dayAt(end, zone, 1 - units)
  const days = units < 0 ? Number.POSITIVE_INFINITY : unit === 'hour' ? units / 24 : units
  const intervals = intervalsOf(days)
  const interval = intervals.find((each) => each === search.interval) ?? standardInterval(days)
  const window = windowEnding(end, unit, units, zone)
  const endBefore = earlier(latest, zone, back + 1)
  const before = units < 0 ? undefined : windowEnding(endBefore, unit, units, zone)
  if (interval !== 'hour' || unit === 'hour' || !start) {
    return { window, before, intervals, interval, chart: window, chartBefore: before, start, end }
  }
  // A day may have 23 or 25 hours.
  const chart = windowEnding(end, 'hour', hoursSince(start, end, zone), zone)
  const hoursBefore = hoursSince(dayAt(endBefore, zone, 1 - units), endBefore, zone)
  const chartBefore = windowEnding(endBefore, 'hour', hoursBefore, zone)
  return { window, before, intervals, interval, chart, chartBefore, start, end }
}

interface Span {
  readonly unit: 'hour' | 'day'
  readonly units: number
  readonly end: Date
  /** The end so many periods earlier, where periods do not follow each other. */
  readonly endBefore?: (times: number) => Date
}

function spanOf({ range = standardRange, from, to }: AnalyticsSearch, zone: string, now: Date): Span {
  if (from !== undefined && to !== undefined) return chosenSpan(from, to, zone)
  const clock = wallOf(now, zone)
  const today = clock.getUTCDate()
  switch (range) {
    // Compared with as many hours of the day before, from its midnight on.
    case 'today': {
      const start = dayAt(now, zone)
      const passed = now.getTime() - start.getTime()
      const endBefore = (times: number) => new Date(dayAt(now, zone, -times).getTime() + passed)
      return { unit: 'hour', units: hoursSince(start, now, zone), end: now, endBefore }
    }
    case 'yesterday':
      return { unit: 'day', units: 1, end: endOfDay(now, zone, -1) }
    case '24h':
      return { unit: 'hour', units: 24, end: now }
    case 'month':
      return { unit: 'day', units: today, end: now }
    case 'last_month': {
      const end = endOfDay(now, zone, -today)
      return { unit: 'day', units: wallOf(end, zone).getUTCDate(), end }
    }
    case 'year':
      return { unit: 'day', units: 1 + daysBetween(new Date(Date.UTC(clock.getUTCFullYear(), 0, 1)), clock), end: now }
    case '12m':
      return { unit: 'day', units: 365, end: now }
    case 'all':
      return { unit: 'day', units: -1, end: now }
    default:
      return { unit: 'day', units: Number.parseInt(range, 10), end: now }
  }
}

function chosenSpan(from: string, to: string, zone: string): Span {
  if (from.length > 10) {
    const start = hourOf(from, zone)
    const next = momentOf(new Date(Date.parse(`${to}:00:00Z`) + hour), zone)
    // The next hour is no later where the clock skips the chosen one.
    const end = new Date(Math.max(next.getTime(), start.getTime() + hour) - 1000)
    return { unit: 'hour', units: hoursSince(start, end, zone), end }
  }
  const [first, last] = [new Date(`${from}T00:00:00Z`), new Date(`${to}T00:00:00Z`)]
  return { unit: 'day', units: 1 + daysBetween(first, last), end: endOfDay(momentOf(last, zone), zone) }
}

/** The moment of an hour in the URL, such as `2026-03-18T14`. */
function hourOf(text: string, zone: string): Date {
  return momentOf(new Date(`${text}:00:00Z`), zone)
}

/** The start of the hour after a moment. */
export function nextHour(moment: Date, zone: string): Date {
  return new Date(moment.getTime() + hour - (wallOf(moment, zone).getTime() % hour))
}

/** From the start of an hour to the end of the one that a moment is in. What a half-hour change cuts off is an hour too. */
function hoursSince(start: Date, moment: Date, zone: string): number {
  return Math.ceil((nextHour(moment, zone).getTime() - start.getTime()) / hour)
}

function earlier({ unit, units, end, endBefore }: Span, zone: string, times: number): Date {
  if (times === 0) return end
  if (endBefore) return endBefore(times)
  return unit === 'hour' ? new Date(end.getTime() - times * units * hour) : shift(end, -times * units, zone)
}

function windowEnding(end: Date, unit: Window['unit'], units: number, zone: string): Window {
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

/**
 * Puts hours or days together to the buckets of the chart. The time before has as many parts, in the same places; an hour
 * more or less at its end where the clock changes.
 */
export function gather(
  parts: readonly Part[],
  before: readonly Part[] | undefined,
  interval: Interval,
  zone: string,
): readonly Bucket[] {
  const buckets: { start: Date; end: Date; count: number; before: number | undefined; key: number }[] = []
  for (const [index, { start, count }] of parts.entries()) {
    const key = interval === 'hour' ? start.getTime() : bucketOf(wallOf(start, zone), interval)
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

/** Whether a time with this end is not over yet, as all that end now. */
export function isUnfinished(end: Date): boolean {
  return end.getTime() > Date.now() - 60_000
}

/** What happened in the time of each point of a chart, the last of which ends at `end`. */
export function notesAt(
  buckets: readonly Pick<Bucket, 'start'>[],
  end: Date,
  annotations: readonly { readonly at: Date; readonly text: string }[],
): readonly (readonly string[])[] {
  return buckets.map(({ start }, index) => {
    const next = buckets[index + 1]?.start ?? end
    return annotations.filter(({ at }) => at >= start && at < next).map(({ text }) => text)
  })
}

/** The first day of the bucket that a day on the wall is in. */
function bucketOf(wall: Date, interval: Interval): number {
  const [year, month, date] = [wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate()]
  if (interval === 'day') return Date.UTC(year, month, date)
  return interval === 'month' ? Date.UTC(year, month, 1) : Date.UTC(year, month, date - ((wall.getUTCDay() + 6) % 7))
}

export function isoDay(moment: Date, zone: string): string {
  return wallOf(moment, zone).toISOString().slice(0, 10)
}

export function isoHour(moment: Date, zone: string): string {
  return wallOf(moment, zone).toISOString().slice(0, 13)
}

/** The start of the day of a moment, or of a day so many days later. */
function dayAt(moment: Date, zone: string, days = 0): Date {
  return momentOf(new Date(Date.parse(isoDay(moment, zone)) + days * dayLength), zone)
}

/** Its last second. */
function endOfDay(moment: Date, zone: string, days = 0): Date {
  return new Date(dayAt(moment, zone, days + 1).getTime() - 1000)
}

/** The same time of another day; its last second, if that day is over by then. */
export function shift(moment: Date, days: number, zone: string): Date {
  const shifted = momentOf(new Date(wallOf(moment, zone).getTime() + days * dayLength), zone)
  const last = endOfDay(moment, zone, days)
  return shifted < last ? shifted : last
}

/** Of dates on the wall. */
function daysBetween(from: Date, to: Date): number {
  return Math.floor(to.getTime() / dayLength) - Math.floor(from.getTime() / dayLength)
}
