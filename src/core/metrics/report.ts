/**
 * Totals and time series from the click log. Reports return plain numbers: report-subject.ts decides who may see them,
 * and the edges format them.
 */
import type { EngagementKind } from '../clicks/dimensions.js'
import type { Dimension, MetricsLog, MetricsQuery, MetricsRow } from '../clicks/metrics-query.js'
import type { PlanCheckDeps } from '../limits/plans.js'
import { type Buckets, bucketsOf, endOf, type Window } from '../values/window.js'
import type { Unit } from '../values/zone-buckets.js'
import { requireReport } from './report-features.js'
import { countedOf, type ReportInput } from './report-subject.js'

export interface ReportDeps extends PlanCheckDeps {
  readonly metrics: MetricsLog
}

export interface Bucket {
  readonly start: number
  readonly count: number
}

/** A total and its parts by kind. */
export interface Engagements {
  readonly count: number
  readonly byKind: Readonly<Record<EngagementKind, number>>
}

/** Per bucket, newest first; empty buckets count zero. */
export async function reportSeries(deps: ReportDeps, report: ReportInput): Promise<readonly Bucket[]> {
  requireReport(deps, report, 'total')
  const { starts, rows } = await rowsOverTime(deps, report, ['time'])
  const counts = sums(rows)
  return starts.map((start) => ({ start, count: counts.get(start) ?? 0 }))
}

/** The total of the window. */
export async function reportTotal(deps: ReportDeps, report: ReportInput): Promise<number> {
  requireReport(deps, report, 'total')
  const rows = await deps.metrics.count({ ...wholeWindow(report), by: [], size: undefined })
  return sum(rows)
}

export async function reportEngagementSeries(
  deps: ReportDeps,
  report: ReportInput,
): Promise<readonly (Bucket & Engagements)[]> {
  requireReport(deps, report, 'total')
  const { starts, rows } = await rowsOverTime(deps, report, ['time', 'kind'])
  const counts = sums(addsUp(report) ? rows : (await rowsOverTime(deps, report, ['time'])).rows)
  const rowsOf = new Map<number, MetricsRow[]>()
  for (const row of rows) rowsOf.set(row.start, [...(rowsOf.get(row.start) ?? []), row])
  return starts.map((start) => ({
    start,
    count: counts.get(start) ?? 0,
    byKind: byKind(rowsOf.get(start) ?? []),
  }))
}

export async function reportEngagements(deps: ReportDeps, report: ReportInput): Promise<Engagements> {
  requireReport(deps, report, 'total')
  const rows = await deps.metrics.count({ ...wholeWindow(report), by: ['kind'], size: undefined })
  return { count: addsUp(report) ? sum(rows) : await reportTotal(deps, report), byKind: byKind(rows) }
}

/** The query for the wholeWindow window, without buckets. */
export function wholeWindow(report: ReportInput): Omit<MetricsQuery, 'by' | 'size'> {
  const { from, to } = spanOf(report.window)
  return { ...countedOf(report), from, to, bucket: undefined, measure: report.measure }
}

/** A total needs no oldest bucket, so the maximum length of a series does not apply. */
export function spanOf(window: Window): { readonly from: number | undefined; readonly to: number } {
  return window.units === -1 ? { from: undefined, to: endOf(window) } : bucketsOf(window, window.reference)
}

interface OverTime extends Pick<Buckets, 'starts'> {
  readonly rows: readonly MetricsRow[]
}

async function rowsOverTime(deps: ReportDeps, report: ReportInput, by: readonly Dimension[]): Promise<OverTime> {
  const { window } = report
  if (window.units === -1 && alwaysFits.has(window.unit) && addsUp(report)) {
    // The rows include the first engagement: one query instead of two.
    const rows = await rowsWithin(deps, report, spanOf(window), by)
    const first = rows.reduce((least, { start }) => Math.min(least, start), window.reference)
    return { starts: bucketsOf(window, Math.min(first, report.subject.since ?? first)).starts, rows }
  }
  const buckets = bucketsOf(window, await earliest(deps, report))
  return { starts: buckets.starts, rows: await rowsWithin(deps, report, buckets, by) }
}

/** Units that never exceed the maximum number of buckets. */
const alwaysFits: ReadonlySet<Unit> = new Set<Unit>(['day', 'week', 'month'])

/** Imported clicks may be older than the link. */
async function earliest(deps: ReportDeps, report: ReportInput): Promise<number> {
  const { window, subject } = report
  if (window.units !== -1) return window.reference
  const first = (await deps.metrics.firstAt(countedOf(report))) ?? window.reference
  return Math.min(first, subject.since ?? first)
}

function rowsWithin(
  deps: ReportDeps,
  report: ReportInput,
  { from, to }: Pick<MetricsQuery, 'from' | 'to'>,
  by: readonly Dimension[],
): Promise<readonly MetricsRow[]> {
  const { unit, zone } = report.window
  const query = { ...countedOf(report), from, to, by, bucket: { unit, zone } }
  return deps.metrics.count({ ...query, size: undefined, measure: report.measure })
}

/** Events of several kinds add up; a visitor who clicks and scans is still one visitor. */
function addsUp({ measure }: ReportInput): boolean {
  return measure === 'events'
}

function sums(rows: readonly MetricsRow[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const { start, count } of rows) counts.set(start, (counts.get(start) ?? 0) + count)
  return counts
}

function byKind(rows: readonly MetricsRow[]): Engagements['byKind'] {
  const of = (kind: EngagementKind) => sum(rows.filter(({ values }) => values[0] === kind))
  return { click: of('click'), scan: of('scan'), button: of('button') }
}

function sum(rows: readonly MetricsRow[]): number {
  return rows.reduce((total, row) => total + row.count, 0)
}
