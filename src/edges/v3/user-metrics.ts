/** Reports over all links of an account: clicks, shortens and shares. */
import { groupSubject } from '../../core/metrics/report-subject.js'
import { shortenCounts as countShortened, type ShortenCountDeps } from '../../core/usage/shorten-counts.js'
import { bucketsOf } from '../../core/values/window.js'
import { integer, limit, rollup, windowExample, windowQuery } from './about.js'
import type { Value } from './envelope.js'
import { clicksOf, countries, echo, type MetricDeps, type Rows, referrers, referringDomains } from './metrics.js'
import type { Operation, Operations, V3Request, V3Result } from './operation.js'
import { epoch } from './present.js'
import { type ReportWindow, readWindow } from './window.js'

export type UserMetricDeps = MetricDeps & ShortenCountDeps

export function userMetricOperations(deps: UserMetricDeps): Operations {
  const asLists = (_start: number, rows: readonly Value[]): Value => rows
  const withStart = (start: number, values: readonly Value[]): Value => ({ dt: epoch(start), values })
  const ranking = (title: string, rows: Rows, ofDay: OfDay, example: Value): Operation => ({
    scope: 'analytics:read',
    summary: `Get clicks of all your links by ${title}`,
    description: 'Without `unit`, a list for each of the last `days`.',
    query: { ...windowQuery, limit: limit(1000, 100), days: integer('How many; 7 by default', 1, 30) },
    data: { [rows.name]: example, [`user_${rows.name}`]: example, ...windowExample },
    run: (request) => ranked(deps, request, rows, ofDay),
  })
  return {
    '/v3/user/countries': ranking('country', countries, asLists, [{ clicks: 90, country: 'FR' }]),
    '/v3/user/referrers': ranking('referrer', referrers, asLists, [{ clicks: 90, referrer: 'direct' }]),
    '/v3/user/referring_domains': ranking('referring domain', referringDomains, withStart, [
      { clicks: 90, domain: 'news.example.org', url: 'https://news.example.org/' },
    ]),
    '/v3/user/shorten_counts': {
      scope: 'analytics:read',
      summary: 'Count the links you created',
      description: 'One total, or a list with one entry per unit, newest first.',
      query: { ...windowQuery, rollup },
      data: { user_shorten_counts: 12, shorten_counts: 12, ...windowExample },
      hasText: true,
      run: (request) => shortenCounts(deps, request),
    },
    '/v3/user/share_counts': {
      scope: 'analytics:read',
      summary: 'Count shares of your links',
      description: 'Always zero: the service has no sharing.',
      query: { ...windowQuery, rollup },
      data: { share_counts: 0, ...windowExample },
      hasText: true,
      run: (request) => shareCounts(deps, request),
    },
    '/v3/user/share_counts_by_share_type': {
      scope: 'analytics:read',
      summary: 'Count shares of your links by kind',
      description: 'Always empty: the service has no sharing.',
      query: windowQuery,
      data: { share_counts_by_share_type: [], ...windowExample },
      run: (request) => sharesByType(deps, request),
    },
  }
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
  const made = await countShortened(deps, actor, { groupGuid: actor.defaultGroupGuid }, input.window)
  // As above: an old client reads the other name.
  return tallied(['user_shorten_counts', 'shorten_counts'], 'shortens', made, input, rollup)
}

/** Sharing is not supported, so all counts are zero. */
async function shareCounts(deps: UserMetricDeps, { args }: V3Request): Promise<V3Result> {
  const input = readWindow(args, deps.clock.now())
  const rollup = args.flag('rollup') ?? true
  const { starts } = bucketsOf(input.window, input.window.reference)
  const shared = starts.map((start) => ({ start, count: 0 }))
  return tallied(['share_counts'], 'shares', shared, input, rollup)
}

async function sharesByType(deps: UserMetricDeps, { args }: V3Request): Promise<V3Result> {
  const input = readWindow(args, deps.clock.now())
  return { data: { share_counts_by_share_type: [], ...echo(input) } }
}

/** One total, or one count per unit. */
export function tallied(
  names: readonly string[],
  unitName: string,
  buckets: readonly { readonly start: number; readonly count: number }[],
  input: ReportWindow,
  rollup: boolean,
): V3Result {
  if (!rollup) {
    const list = buckets.map(({ start, count }) => ({ dt: epoch(start), [unitName]: count }))
    return { data: { ...underEach(names, list), ...echo(input) } }
  }
  const total = buckets.reduce((sum, { count }) => sum + count, 0)
  return { data: { ...underEach(names, total), ...echo(input) }, text: String(total) }
}

function underEach(names: readonly string[], value: Value): Readonly<Record<string, Value>> {
  return Object.fromEntries(names.map((name) => [name, value]))
}
