/** Reports over all links of an account: what its clicks were like, and what it made and shared. */
import { groupSubject } from '../../core/metrics/report-subject.js'
import { groupShortenCounts, type ShortenCountDeps } from '../../core/usage/shorten-counts.js'
import { bucketsOf } from '../../core/values/window.js'
import { clicksOf, countries, echo, type MetricDeps, type Rows, referrers, referringDomains } from './metrics.js'
import type { Answer, Operation, Question } from './operation.js'
import { epoch } from './present.js'
import { readWindow, type WindowAsked } from './window.js'
import type { Value } from './xml.js'

export type UserMetricDeps = MetricDeps & ShortenCountDeps

export function userMetricOperations(deps: UserMetricDeps): readonly Operation[] {
  const asLists = (_start: number, rows: readonly Value[]): Value => rows
  const withStart = (start: number, values: readonly Value[]): Value => ({ dt: epoch(start), values })
  return [
    { path: '/v3/user/countries', answer: (question) => ranked(deps, question, countries, asLists) },
    { path: '/v3/user/referrers', answer: (question) => ranked(deps, question, referrers, asLists) },
    { path: '/v3/user/referring_domains', answer: (question) => ranked(deps, question, referringDomains, withStart) },
    { path: '/v3/user/shorten_counts', hasText: true, answer: (question) => shortenCounts(deps, question) },
    { path: '/v3/user/share_counts', hasText: true, answer: (question) => shareCounts(deps, question) },
    { path: '/v3/user/share_counts_by_share_type', answer: (question) => sharesByType(deps, question) },
  ]
}

type OfDay = (start: number, rows: readonly Value[]) => Value

/** Without a unit: the older shape, a list for each of seven days. With one: one list over all of the window. */
async function ranked(deps: UserMetricDeps, { actor, args }: Question, rows: Rows, ofDay: OfDay): Promise<Answer> {
  const subject = groupSubject(actor, actor.defaultGroupGuid)
  if (args.text('unit') !== undefined) {
    const input = readWindow(args, deps.clock.now())
    const list = await rows.read(deps, clicksOf(subject, input.window), input.limit)
    // Documentation and answers of the old service disagreed on the name: clients read the one or the other.
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

async function shortenCounts(deps: UserMetricDeps, { actor, args }: Question): Promise<Answer> {
  const input = readWindow(args, deps.clock.now())
  const rollup = args.flag('rollup') ?? true
  const made = await groupShortenCounts(deps, actor, actor.defaultGroupGuid, input.window)
  return tallied('user_shorten_counts', 'shortens', made, input, rollup)
}

/** Nothing can be shared through this service, so that nothing ever was. */
async function shareCounts(deps: UserMetricDeps, { args }: Question): Promise<Answer> {
  const input = readWindow(args, deps.clock.now())
  const rollup = args.flag('rollup') ?? true
  const { starts } = bucketsOf(input.window, input.window.reference)
  const shared = starts.map((start) => ({ start, count: 0 }))
  return tallied('share_counts', 'shares', shared, input, rollup)
}

async function sharesByType(deps: UserMetricDeps, { args }: Question): Promise<Answer> {
  const input = readWindow(args, deps.clock.now())
  return { data: { share_counts_by_share_type: [], ...echo(input) } }
}

/** One number, or one for each unit. */
export function tallied(
  name: string,
  unitName: string,
  buckets: readonly { readonly start: number; readonly count: number }[],
  input: WindowAsked,
  rollup: boolean,
): Answer {
  if (!rollup) {
    const list = buckets.map(({ start, count }) => ({ dt: epoch(start), [unitName]: count }))
    return { data: { [name]: list, ...echo(input) } }
  }
  const total = buckets.reduce((sum, { count }) => sum + count, 0)
  return { data: { [name]: total, ...echo(input) }, text: String(total) }
}
