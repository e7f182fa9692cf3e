/** Reports over all links of an account: clicks, shortens and shares. */
import { groupSubject } from '../../core/metrics/report-subject.js'
import { groupShortenCounts, type ShortenCountDeps } from '../../core/usage/shorten-counts.js'
import { bucketsOf } from '../../core/values/window.js'
import type { Value } from './envelope.js'
import { clicksOf, countries, echo, type MetricDeps, type Rows, referrers, referringDomains } from './metrics.js'
import type { Operation, V3Request, V3Result } from './operation.js'
import { epoch } from './present.js'
import { type ReportWindow, readWindow } from './window.js'

export type UserMetricDeps = MetricDeps & ShortenCountDeps

export function userMetricOperations(deps: UserMetricDeps): readonly Operation[] {
  const asLists = (_start: number, rows: readonly Value[]): Value => rows
  const withStart = (start: number, values: readonly Value[]): Value => ({ dt: epoch(start), values })
  return [
    { path: '/v3/user/countries', run: (request) => ranked(deps, request, countries, asLists) },
    { path: '/v3/user/referrers', run: (request) => ranked(deps, request, referrers, asLists) },
    { path: '/v3/user/referring_domains', run: (request) => ranked(deps, request, referringDomains, withStart) },
    { path: '/v3/user/shorten_counts', hasText: true, run: (request) => shortenCounts(deps, request) },
    { path: '/v3/user/share_counts', hasText: true, run: (request) => shareCounts(deps, request) },
    { path: '/v3/user/share_counts_by_share_type', run: (request) => sharesByType(deps, request) },
  ]
}

type OfDay = (start: number, rows: readonly Value[]) => Value

/** Without a unit: the older format, one list per day for seven days. With a unit: one list for the whole window. */
async function ranked(deps: UserMetricDeps, { actor, args }: V3Request, rows: Rows, ofDay: OfDay): Promise<V3Result> {
  const subject = groupSubject(actor, actor.defaultGroupGuid)
  if (args.text('unit') !== undefined) {
    const input = readWindow(args, deps.clock.now())
    const list = await rows.read(deps, clicksOf(subject, input.window), input.limit)
    // The old service documented one name and sent the other; send both, since clients read either.
    return { data: { [rows.name]: list, [`user_${rows.name}`]: list, ...echo(input) } }
  }
  const units = args.integer('days', 1, 30) ?? args.integer('units', 1, 30) ?? 7
  const input = readWindow(args, deps.clock.now(), { units })
  const window = { ...input.window, units }
  const days: Value[] = []
  for (const start of bucketsOf(window, window.reference).starts) {
    const day = { ...window, units: 1, reference: start }
    days.push(ofDay(start, await rows.read(deps, clicksOf(subject, day), input.limit)))
  }
  return { data: { [rows.name]: days, days: units, tz_offset: echo(input).tz_offset } }
}

async function shortenCounts(deps: UserMetricDeps, { actor, args }: V3Request): Promise<V3Result> {
  const input = readWindow(args, deps.clock.now())
  const rollup = args.flag('rollup') ?? true
  const made = await groupShortenCounts(deps, actor, actor.defaultGroupGuid, input.window)
  return tallied('user_shorten_counts', 'shortens', made, input, rollup)
}

/** Sharing is not supported, so all counts are zero. */
async function shareCounts(deps: UserMetricDeps, { args }: V3Request): Promise<V3Result> {
  const input = readWindow(args, deps.clock.now())
  const rollup = args.flag('rollup') ?? true
  const { starts } = bucketsOf(input.window, input.window.reference)
  const shared = starts.map((start) => ({ start, count: 0 }))
  return tallied('share_counts', 'shares', shared, input, rollup)
}

async function sharesByType(deps: UserMetricDeps, { args }: V3Request): Promise<V3Result> {
  const input = readWindow(args, deps.clock.now())
  return { data: { share_counts_by_share_type: [], ...echo(input) } }
}

/** One total, or one count per unit. */
export function tallied(
  name: string,
  unitName: string,
  buckets: readonly { readonly start: number; readonly count: number }[],
  input: ReportWindow,
  rollup: boolean,
): V3Result {
  if (!rollup) {
    const list = buckets.map(({ start, count }) => ({ dt: epoch(start), [unitName]: count }))
    return { data: { [name]: list, ...echo(input) } }
  }
  const total = buckets.reduce((sum, { count }) => sum + count, 0)
  return { data: { [name]: total, ...echo(input) }, text: String(total) }
}
