/** Clicks of links named by `shortUrl` and `hash`: the operations that `link/...` replaced, for the oldest clients. */
import type { Actor } from '../../core/accounts/actor.js'
import type { AggregateDeps, Found } from '../../core/links/aggregate.js'
import { notFound } from '../../core/links/read.js'
import type { ReportDeps } from '../../core/metrics/report.js'
import { reportSeries, reportTotal } from '../../core/metrics/report.js'
import { addressSubject, longUrlSubject } from '../../core/metrics/report-subject.js'
import { Refusal } from '../../core/values/refusal.js'
import type { Window } from '../../core/values/window.js'
import { statusOf } from './errors.js'
import { eachNamed, hashes, missingItem, type NamedItem } from './items.js'
import { clicksOf, countries, type Rows, referrers } from './metrics.js'
import type { Answer, Operation, Question } from './operation.js'
import { epoch } from './present.js'
import { defaultZone } from './window.js'
import type { Value } from './xml.js'

export type ItemMetricDeps = AggregateDeps & ReportDeps

export function itemMetricOperations(deps: ItemMetricDeps): readonly Operation[] {
  return [
    { path: '/v3/clicks', answer: (question) => clicks(deps, question) },
    { path: '/v3/clicks_by_day', answer: (question) => clicksByDay(deps, question) },
    { path: '/v3/clicks_by_minute', answer: (question) => clicksByMinute(deps, question) },
    { path: '/v3/countries', answer: (question) => ranked(deps, question, countries) },
    { path: '/v3/referrers', answer: (question) => ranked(deps, question, referrers) },
  ]
}

async function clicks(deps: ItemMetricDeps, question: Question): Promise<Answer> {
  const window = windowOf(deps, 'day', -1)
  return each(deps, question, 'clicks', async (found) => {
    const subject = await addressSubject(deps, question.actor, found.written)
    const all = await longUrlSubject(deps, found)
    return {
      user_clicks: await reportTotal(deps, clicksOf(subject, window)),
      global_clicks: await reportTotal(deps, clicksOf(all, window)),
    }
  })
}

async function clicksByDay(deps: ItemMetricDeps, question: Question): Promise<Answer> {
  const window = windowOf(deps, 'day', question.args.integer('days', 1, 30) ?? 7)
  return each(deps, question, 'clicks_by_day', async (found) => {
    const days = await series(deps, question.actor, found, window)
    return { clicks: days.map(({ start, count }) => ({ clicks: count, day_start: epoch(start) })) }
  })
}

async function clicksByMinute(deps: ItemMetricDeps, question: Question): Promise<Answer> {
  const window = windowOf(deps, 'minute', 60)
  return each(deps, question, 'clicks_by_minute', async (found) => {
    const minutes = await series(deps, question.actor, found, window)
    return { clicks: minutes.map(({ count }) => count) }
  })
}

async function series(deps: ItemMetricDeps, actor: Actor, found: Found, window: Window) {
  return reportSeries(deps, clicksOf(await addressSubject(deps, actor, found.written), window))
}

const mostRows = 1000

/** About one link alone. */
async function ranked(deps: ItemMetricDeps, question: Question, { name, read }: Rows): Promise<Answer> {
  const [item] = await eachNamed(deps, question, 1)
  if (!item?.found) throw notFound()
  const subject = await addressSubject(deps, question.actor, item.found.written)
  const rows = await read(deps, clicksOf(subject, windowOf(deps, 'day', -1)), mostRows)
  return { data: { ...item.echo, ...hashes(item.found), [name]: rows } }
}

type Count = (found: Found) => Promise<{ readonly [name: string]: Value }>

async function each(deps: ItemMetricDeps, question: Question, name: string, count: Count): Promise<Answer> {
  const answers: Value[] = []
  for (const item of await eachNamed(deps, question)) answers.push({ ...item.echo, ...(await answerFor(item, count)) })
  return { data: { [name]: answers } }
}

/** One link whose figures are not for the caller does not spoil the others. */
async function answerFor({ found }: NamedItem, count: Count) {
  if (!found) return missingItem
  try {
    return { ...hashes(found), ...(await count(found)) }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { error: statusOf(error)?.text ?? null }
  }
}

function windowOf({ clock }: ItemMetricDeps, unit: Window['unit'], units: number): Window {
  return { unit, units, reference: clock.now(), zone: defaultZone }
}
