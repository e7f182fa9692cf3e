/** When people click: engagements of the hours of a week, Monday to Sunday, in the zone of the window. */
import { spansWithin } from '../values/zone.js'
import { length } from '../values/zone-buckets.js'
import { type ReportDeps, wholeWindow } from './report.js'
import { requireReport } from './report-features.js'
import type { ReportInput } from './report-subject.js'

export interface HourOfWeek {
  /** From 1, Monday, to 7. */
  readonly weekday: number
  /** From 0 to 23. */
  readonly hour: number
  readonly count: number
}

const hoursOfWeek = 7 * 24
/** 1970 began on a Thursday. */
const firstHour = 3 * 24

/** All 168, from Monday midnight on. An hour that the clock repeats counts twice, and one that it skips not at all. */
export async function reportHoursOfWeek(deps: ReportDeps, report: ReportInput): Promise<readonly HourOfWeek[]> {
  requireReport(deps, report, 'total')
  const { zone } = report.window
  const bucket = { unit: 'hour', zone } as const
  const rows = await deps.metrics.count({ ...wholeWindow(report), by: ['time'], bucket, size: undefined })
  const counts = Array.from({ length: hoursOfWeek }, () => 0)
  const starts = rows.map(({ start }) => start)
  const least = starts.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY)
  const most = starts.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY)
  const spans = rows.length === 0 ? [] : spansWithin(zone, least, most + 1)
  for (const { start, count } of rows) {
    const offset = spans.findLast(({ from }) => from <= start)?.offset ?? 0
    const hour = (Math.floor((start + offset) / length.hour) + firstHour) % hoursOfWeek
    counts[hour] = (counts[hour] ?? 0) + count
  }
  return counts.map((count, hour) => ({ weekday: 1 + Math.floor(hour / 24), hour: hour % 24, count }))
}
