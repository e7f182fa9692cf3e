/** Numbers and dates in the person's own language and zone. */
import { preferredLanguage } from '../texts/texts.js'

const locale = navigator.languages.find((tag) => tag.startsWith(preferredLanguage())) ?? preferredLanguage()

const plain = new Intl.NumberFormat(locale)
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })
const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
const shortDay = new Intl.DateTimeFormat(locale, { dateStyle: 'short' })
const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const time = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' })
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' })
/** Of weeks and more: "last mo." is no word. */
const counted = new Intl.RelativeTimeFormat(locale, { style: 'short' })
const regions = new Intl.DisplayNames([locale], { type: 'region' })

export const formatNumber = (value: number): string => plain.format(value)

/** 12,400 as 12.4K; small numbers in full. */
export const formatCompact = (value: number): string => (value < 10_000 ? plain.format(value) : compact.format(value))

export const formatShare = (share: number): string => percent.format(share)

export const formatDay = (date: Date | string): string => day.format(asDate(date))

/** For places with little room. */
export const formatShortDay = (date: Date | string): string => shortDay.format(asDate(date))

export const formatMoment = (date: Date | string): string => moment.format(asDate(date))

export const formatTime = (date: Date | string): string => time.format(asDate(date))

/** "3 days ago", "in 2 weeks". */
export function formatAge(date: Date | string, now = Date.now()): string {
  const seconds = (asDate(date).getTime() - now) / 1000
  for (const [unit, length] of steps) {
    if (Math.abs(seconds) < length) continue
    return (length > 86_400 ? counted : relative).format(Math.trunc(seconds / length), unit)
  }
  return relative.format(0, 'second')
}

/** "5 sec. ago", for what was just now; older things like `formatAge`. Clocks may differ, but nothing is in the future. */
export function formatSecondsAgo(date: Date | string, now = Date.now()): string {
  const seconds = Math.max(0, Math.trunc((now - asDate(date).getTime()) / 1000))
  return seconds < 60 ? relative.format(-seconds, 'second') : formatAge(date, now)
}

const steps = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** The name of a country by its two-letter code. */
export function countryName(code: string): string {
  try {
    return regions.of(code) ?? code
  } catch {
    return code
  }
}

/** The API writes offsets without a colon, which `Date` does not read everywhere. */
export function asDate(date: Date | string): Date {
  return typeof date === 'string' ? new Date(date.replace(/([+-]\d\d)(\d\d)$/, '$1:$2')) : date
}
