/**
 * Reports over the click log. A report takes its subject and a window and answers plain numbers; who may see them was
 * decided before, and how they are spelled is the edges' business.
 */
import type { Counted, MetricsLog } from './query.js'
import { bucketsOf, endOf, type Window } from './window.js'

export interface ReportParts {
  readonly metrics: MetricsLog
}

/** What is reported on: an address, and since when it can have been clicked. */
export interface Subject {
  readonly address: string
  readonly createdAt: number
}

export interface Bucket {
  readonly start: number
  readonly count: number
}

/** Clicks per bucket, newest first, with a zero for every bucket without clicks (gaps 2.4). */
export async function clickSeries(parts: ReportParts, subject: Subject, window: Window): Promise<readonly Bucket[]> {
  const counted = clicksOf(subject)
  const { starts, from, to } = bucketsOf(window, await earliest(parts, counted, subject, window))
  const bucket = { unit: window.unit, zone: window.zone }
  const rows = await parts.metrics.count({ ...counted, from, to, by: ['time'], bucket, ...allEvents })
  const counts = new Map(rows.map((row) => [row.start, row.count]))
  return starts.map((start) => ({ start, count: counts.get(start) ?? 0 }))
}

/** All clicks of the window. */
export async function clickSummary(parts: ReportParts, subject: Subject, window: Window): Promise<number> {
  const { from, to } =
    window.units === -1 ? { from: undefined, to: endOf(window) } : bucketsOf(window, window.reference)
  const rows = await parts.metrics.count({ ...clicksOf(subject), from, to, by: [], bucket: undefined, ...allEvents })
  return rows.reduce((sum, row) => sum + row.count, 0)
}

const allEvents = { size: undefined, measure: 'events' } as const

/** Metrics are kept by the address used; robots, previews and HEAD requests are not clicks. */
function clicksOf(subject: Subject): Counted {
  return { scope: { addresses: [subject.address] }, kinds: ['click'], natures: ['human'] }
}

/** Imported history may be older than the link itself. */
async function earliest(parts: ReportParts, counted: Counted, subject: Subject, window: Window): Promise<number> {
  if (window.units !== -1) return window.reference
  const firstClick = await parts.metrics.firstAt(counted)
  return Math.min(subject.createdAt, firstClick ?? subject.createdAt)
}
