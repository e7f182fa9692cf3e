/**
 * Reports over the click log: how much, in all and over time. A report answers plain numbers; who may see them was
 * decided before (report-subject.ts), and how they are spelled is the edges' business.
 */
import type { EngagementKind } from '../clicks/click.js'
import type { Dimension, MetricsLog, MetricsQuery, MetricsRow } from '../clicks/metrics-query.js'
import type { PlanCheckDeps } from '../limits/plans.js'
import { type Buckets, bucketsOf, endOf, type Window } from '../values/window.js'
import type { Unit } from '../values/zone-buckets.js'
import { requireReport } from './report-features.js'
import { type Asked, countedOf } from './report-subject.js'

export interface ReportDeps extends PlanCheckDeps {
  readonly metrics: MetricsLog
}

export interface Bucket {
  readonly start: number
  readonly count: number
}

/** A number and what it is made of. */
export interface Engagements {
  readonly count: number
  readonly byKind: Readonly<Record<EngagementKind, number>>
}

/** Per bucket, newest first, with a zero for every bucket in which nothing happened. */
export async function reportSeries(deps: ReportDeps, asked: Asked): Promise<readonly Bucket[]> {
  requireReport(deps, asked, 'series')
  const { starts, rows } = await rowsOverTime(deps, asked, ['time'])
  const counts = sums(rows)
  return starts.map((start) => ({ start, count: counts.get(start) ?? 0 }))
}

/** All of the window in one number. */
export async function reportTotal(deps: ReportDeps, asked: Asked): Promise<number> {
  requireReport(deps, asked, 'total')
  const rows = await deps.metrics.count({ ...whole(asked), by: [], size: undefined })
  return sum(rows)
}

export async function reportEngagementSeries(
  deps: ReportDeps,
  asked: Asked,
): Promise<readonly (Bucket & Engagements)[]> {
  requireReport(deps, asked, 'series')
  const { starts, rows } = await rowsOverTime(deps, asked, ['time', 'kind'])
  const counts = sums(addsUp(asked) ? rows : (await rowsOverTime(deps, asked, ['time'])).rows)
  const rowsOf = new Map<number, MetricsRow[]>()
  for (const row of rows) rowsOf.set(row.start, [...(rowsOf.get(row.start) ?? []), row])
  return starts.map((start) => ({
    start,
    count: counts.get(start) ?? 0,
    byKind: byKind(rowsOf.get(start) ?? []),
  }))
}

export async function reportEngagements(deps: ReportDeps, asked: Asked): Promise<Engagements> {
  requireReport(deps, asked, 'total')
  const rows = await deps.metrics.count({ ...whole(asked), by: ['kind'], size: undefined })
  return { count: addsUp(asked) ? sum(rows) : await reportTotal(deps, asked), byKind: byKind(rows) }
}

/** The part of a query that covers the whole window, undivided. */
export function whole(asked: Asked): Omit<MetricsQuery, 'by' | 'size'> {
  const { from, to } = spanOf(asked.window)
  return { ...countedOf(asked), from, to, bucket: undefined, measure: asked.measure }
}

/** One number over everything needs no oldest bucket, so that a series of limited length does not limit it. */
function spanOf(window: Window): { readonly from: number | undefined; readonly to: number } {
  return window.units === -1 ? { from: undefined, to: endOf(window) } : bucketsOf(window, window.reference)
}

interface OverTime extends Pick<Buckets, 'starts'> {
  readonly rows: readonly MetricsRow[]
}

async function rowsOverTime(deps: ReportDeps, asked: Asked, by: readonly Dimension[]): Promise<OverTime> {
  const { window } = asked
  if (window.units === -1 && fitsAlways.has(window.unit) && addsUp(asked)) {
    // The rows tell when the first one was: one question instead of two.
    const rows = await rowsWithin(deps, asked, spanOf(window), by)
    const first = rows.reduce((least, { start }) => Math.min(least, start), window.reference)
    return { starts: bucketsOf(window, Math.min(first, asked.subject.since ?? first)).starts, rows }
  }
  const buckets = bucketsOf(window, await earliest(deps, asked))
  return { starts: buckets.starts, rows: await rowsWithin(deps, asked, buckets, by) }
}

/** Units of which there have never been more than a series can be long. */
const fitsAlways: ReadonlySet<Unit> = new Set<Unit>(['day', 'week', 'month'])

/** Imported history may be older than the link itself. */
async function earliest(deps: ReportDeps, asked: Asked): Promise<number> {
  const { window, subject } = asked
  if (window.units !== -1) return window.reference
  const first = (await deps.metrics.firstAt(countedOf(asked))) ?? window.reference
  return Math.min(first, subject.since ?? first)
}

function rowsWithin(
  deps: ReportDeps,
  asked: Asked,
  { from, to }: Pick<MetricsQuery, 'from' | 'to'>,
  by: readonly Dimension[],
): Promise<readonly MetricsRow[]> {
  const { unit, zone } = asked.window
  const query = { ...countedOf(asked), from, to, by, bucket: { unit, zone } }
  return deps.metrics.count({ ...query, size: undefined, measure: asked.measure })
}

/** Events of several kinds can be added; a visitor who clicks and scans is still one visitor. */
function addsUp({ measure }: Asked): boolean {
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
