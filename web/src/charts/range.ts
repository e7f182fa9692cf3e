/** Time ranges of the numbers, as they are in the URL, and the windows of the API that they mean. */
import { formatDay } from '../parts/format.js'

export const ranges = ['24h', '7d', '28d', '91d', '12m', 'all'] as const
export type Range = (typeof ranges)[number]

export interface Window {
  readonly unit: 'hour' | 'day' | 'week' | 'month'
  /** -1: since the first click. */
  readonly units: number
  readonly zone: string
}

/** The person's own zone: "today" begins at their midnight. */
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

const windows: Readonly<Record<Range, Omit<Window, 'zone'>>> = {
  '24h': { unit: 'hour', units: 24 },
  '7d': { unit: 'day', units: 7 },
  '28d': { unit: 'day', units: 28 },
  '91d': { unit: 'day', units: 91 },
  '12m': { unit: 'month', units: 12 },
  all: { unit: 'month', units: -1 },
}

export function windowOf(range: Range): Window {
  return { ...windows[range], zone }
}

const milliseconds = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 }

/** The window before this one, of the same length; undefined for all of history. */
export function windowBefore(range: Range): (Window & { readonly unit_reference: string }) | undefined {
  const window = windowOf(range)
  if (window.units < 0) return undefined
  const end = new Date()
  if (window.unit === 'month') end.setMonth(end.getMonth() - window.units)
  else end.setTime(end.getTime() - window.units * milliseconds[window.unit])
  return { ...window, unit_reference: end.toISOString().replace(/\.\d+Z$/, '+0000') }
}

const hour = new Intl.DateTimeFormat(navigator.language, { hour: '2-digit', minute: '2-digit' })
const month = new Intl.DateTimeFormat(navigator.language, { month: 'short', year: '2-digit' })
const dayOfMonth = new Intl.DateTimeFormat(navigator.language, { day: 'numeric', month: 'short' })

/** The name of one bucket of a chart. */
export function bucketLabel(start: Date, unit: Window['unit']): string {
  if (unit === 'hour') return hour.format(start)
  if (unit === 'month') return month.format(start)
  return unit === 'day' ? dayOfMonth.format(start) : formatDay(start)
}
