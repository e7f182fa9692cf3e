import { formatDay } from '../../parts/format.js'
import { preferredLanguage, texts } from '../../texts/texts.js'
import { periodOf, standardRange } from './period.js'
import type { Interval, NumbersSearch } from './search.js'

const locale = navigator.languages.find((tag) => tag.startsWith(preferredLanguage())) ?? preferredLanguage()
const span = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' })
const hours = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' })
const day = new Intl.DateTimeFormat(locale, { weekday: 'short', day: 'numeric', month: 'short' })
const shortDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })
const hour = new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit' })
const month = new Intl.DateTimeFormat(locale, { month: 'short', year: 'numeric' })

/** The chosen time in words: the name of the range, or its first and last day. */
export function spanLabel(search: NumbersSearch): string {
  if (search.from === undefined) return texts.numbers.ranges[search.range ?? standardRange]
  const { start, end } = periodOf(search)
  if (!start) return ''
  if (search.from.length > 10) return hours.formatRange(new Date(`${search.from}:00`), end)
  return search.from === search.to ? formatDay(start) : span.formatRange(start, end)
}

/** Of a point of the chart, in full. */
export function bucketLabel(start: Date, end: Date, interval: Interval): string {
  if (interval === 'hour') return `${shortDay.format(start)}, ${hour.format(start)}`
  if (interval === 'day') return day.format(start)
  if (interval === 'month') return month.format(start)
  return shortDay.formatRange(start, end)
}

/** Below the chart, where there is little room; hours of several days have one label a day. */
export function tickLabel(start: Date, interval: Interval, isWithinDay: boolean): string {
  if (interval === 'hour' && isWithinDay) return hour.format(start)
  if (interval === 'hour' && start.getHours() !== 0) return ''
  return interval === 'month' ? month.format(start) : shortDay.format(start)
}
