import { preferredLanguage, texts } from '../../texts/texts.js'
import { isoDay, nextHour, type Period, periodOf, standardRange } from './period.js'
import type { AnalyticsSearch, Interval } from './search.js'
import { wallOf } from './zone.js'

const locale = navigator.languages.find((tag) => tag.startsWith(preferredLanguage())) ?? preferredLanguage()
const formats = {
  wholeDay: { dateStyle: 'medium' },
  span: { day: 'numeric', month: 'short', year: 'numeric' },
  hours: { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' },
  day: { weekday: 'short', day: 'numeric', month: 'short' },
  shortDay: { day: 'numeric', month: 'short' },
  hour: { hour: 'numeric', minute: '2-digit' },
  clock: { timeStyle: 'medium' },
  moment: { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit', second: '2-digit' },
  fullMoment: { dateStyle: 'medium', timeStyle: 'medium' },
  month: { month: 'short', year: 'numeric' },
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>

const formatters = new Map<string, Intl.DateTimeFormat>()

/** Kept, because making one takes far longer than using it. */
function format(name: keyof typeof formats, timeZone: string): Intl.DateTimeFormat {
  const key = `${name} ${timeZone}`
  const known = formatters.get(key)
  if (known) return known
  const made = new Intl.DateTimeFormat(locale, { ...formats[name], timeZone })
  formatters.set(key, made)
  return made
}

/** The chosen time in words: the name of the range, or its first and last day. */
export function spanLabel(search: AnalyticsSearch, zone: string): string {
  if (search.from === undefined) return texts.analytics.ranges[search.range ?? standardRange]
  return datesLabel(periodOf(search, zone), zone)
}

/** The first and the last day of a period, or their hours. */
export function datesLabel({ window, start, end }: Period, zone: string): string {
  if (!start) return texts.analytics.ranges.all
  // Its first hour is the one after the start, which is whole hours before the end.
  if (window.unit === 'hour') return format('hours', zone).formatRange(nextHour(start, zone), end)
  return isoDay(start, zone) === isoDay(end, zone)
    ? format('wholeDay', zone).format(start)
    : format('span', zone).formatRange(start, end)
}

/** Of a point of the chart, in full. */
export function bucketLabel(start: Date, end: Date, interval: Interval, zone: string): string {
  if (interval === 'hour') return `${format('shortDay', zone).format(start)}, ${format('hour', zone).format(start)}`
  if (interval === 'day') return format('day', zone).format(start)
  if (interval === 'month') return format('month', zone).format(start)
  return format('shortDay', zone).formatRange(start, end)
}

/** The time of a click, with its seconds. */
export function clockLabel(moment: Date, zone: string): string {
  return format('clock', zone).format(moment)
}

/** The same with its day, and with the year where that is another. */
export function momentLabel(moment: Date, zone: string): string {
  const isThisYear = wallOf(moment, zone).getUTCFullYear() === wallOf(new Date(), zone).getUTCFullYear()
  return format(isThisYear ? 'moment' : 'fullMoment', zone).format(moment)
}

/** Below the chart, where there is little room; hours of several days have one label a day. */
export function tickLabel(start: Date, interval: Interval, isWithinDay: boolean, zone: string): string {
  if (interval === 'hour' && isWithinDay) return format('hour', zone).format(start)
  if (interval === 'hour' && wallOf(start, zone).getUTCHours() !== 0) return ''
  return format(interval === 'month' ? 'month' : 'shortDay', zone).format(start)
}
