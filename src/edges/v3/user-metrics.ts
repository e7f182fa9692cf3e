/** Reports over all links of an account: what its clicks were like, and what it made and shared. */
import { groupSubject } from '../../core/metrics/report-subject.js'
import { bucketsOf } from '../../core/metrics/window.js'
import { groupShortenCounts, type ShortenCountParts } from '../../core/usage/shorten-counts.js'
import { clicksOf, countries, echo, type MetricParts, type Rows, referrers, referringDomains } from './metrics.js'
import type { Answer, Operation, Question } from './operation.js'
import { epoch } from './present.js'
import { readWindow, type WindowAsked } from './window.js'
import type { Value } from './xml.js'

export type UserMetricParts = MetricParts & ShortenCountParts

export function userMetricOperations(parts: UserMetricParts): readonly Operation[] {
  const asLists = (_start: number, rows: readonly Value[]): Value => rows
  const withStart = (start: number, values: readonly Value[]): Value => ({ dt: epoch(start), values })
  return [
    { path: '/v3/user/countries', answer: (question) => ranked(parts, question, countries, asLists) },
    { path: '/v3/user/referrers', answer: (question) => ranked(parts, question, referrers, asLists) },
    { path: '/v3/user/referring_domains', answer: (question) => ranked(parts, question, referringDomains, withStart) },
    { path: '/v3/user/shorten_counts', hasText: true, answer: (question) => shortenCounts(parts, question) },
    { path: '/v3/user/share_counts', hasText: true, answer: (question) => shareCounts(parts, question) },
    { path: '/v3/user/share_counts_by_share_type', answer: (question) => sharesByType(parts, question) },
  ]
}

type OfDay = (start: number, rows: readonly Value[]) => Value

/** Without a unit: the older shape, a list for each of seven days. With one: one list over all of the window. */
async function ranked(parts: UserMetricParts, { actor, args }: Question, rows: Rows, ofDay: OfDay): Promise<Answer> {
  const subject = groupSubject(actor, actor.defaultGroupGuid)
  if (args.text('unit') !== undefined) {
    const wish = readWindow(args, parts.clock.now())
    const list = await rows.read(parts, clicksOf(subject, wish.window), wish.limit)
    // Documentation and answers of the old service disagreed on the name: clients read the one or the other.
    return { data: { [rows.name]: list, [`user_${rows.name}`]: list, ...echo(wish) } }
  }
  const units = args.integer('days', 1, 30) ?? args.integer('units', 1, 30) ?? 7
  const wish = readWindow(args, parts.clock.now(), { units })
  const window = { ...wish.window, units }
  const days: Value[] = []
  for (const start of bucketsOf(window, window.reference).starts) {
    const day = { ...window, units: 1, reference: start }
    days.push(ofDay(start, await rows.read(parts, clicksOf(subject, day), wish.limit)))
  }
  return { data: { [rows.name]: days, days: units, tz_offset: echo(wish).tz_offset } }
}

async function shortenCounts(parts: UserMetricParts, { actor, args }: Question): Promise<Answer> {
  const wish = readWindow(args, parts.clock.now())
  const rollup = args.flag('rollup') ?? true
  const made = await groupShortenCounts(parts, actor, actor.defaultGroupGuid, wish.window)
  return tallied('user_shorten_counts', 'shortens', made, wish, rollup)
}

/** Nothing can be shared through this service, so that nothing ever was. */
async function shareCounts(parts: UserMetricParts, { args }: Question): Promise<Answer> {
  const wish = readWindow(args, parts.clock.now())
  const rollup = args.flag('rollup') ?? true
  const { starts } = bucketsOf(wish.window, wish.window.reference)
  const shared = starts.map((start) => ({ start, count: 0 }))
  return tallied('share_counts', 'shares', shared, wish, rollup)
}

async function sharesByType(parts: UserMetricParts, { args }: Question): Promise<Answer> {
  const wish = readWindow(args, parts.clock.now())
  return { data: { share_counts_by_share_type: [], ...echo(wish) } }
}

/** One number, or one for each unit. */
export function tallied(
  name: string,
  unitName: string,
  buckets: readonly { readonly start: number; readonly count: number }[],
  wish: WindowAsked,
  rollup: boolean,
): Answer {
  if (!rollup) {
    const list = buckets.map(({ start, count }) => ({ dt: epoch(start), [unitName]: count }))
    return { data: { [name]: list, ...echo(wish) } }
  }
  const total = buckets.reduce((sum, { count }) => sum + count, 0)
  return { data: { [name]: total, ...echo(wish) }, text: String(total) }
}
