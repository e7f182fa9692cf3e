/** Clicks of links named by `shortUrl` and `hash`: the operations that `link/...` replaced, for the oldest clients. */
import type { Actor } from '../../core/auth/actor.js'
import type { AggregateParts, Found } from '../../core/links/aggregate.js'
import { notFound } from '../../core/links/read.js'
import type { ReportParts } from '../../core/metrics/report.js'
import { reportSeries, reportTotal } from '../../core/metrics/report.js'
import { addressSubject, longUrlSubject } from '../../core/metrics/report-subject.js'
import type { Window } from '../../core/metrics/window.js'
import { Refusal } from '../../core/refusal.js'
import { statusOf } from './errors.js'
import { eachNamed, hashes, missingItem, type NamedItem } from './items.js'
import { clicksOf, countries, type Rows, referrers } from './metrics.js'
import type { Answer, Operation, Question } from './operation.js'
import { epoch } from './present.js'
import { defaultZone } from './window.js'
import type { Value } from './xml.js'

export type ItemMetricParts = AggregateParts & ReportParts

export function itemMetricOperations(parts: ItemMetricParts): readonly Operation[] {
  return [
    { path: '/v3/clicks', answer: (question) => clicks(parts, question) },
    { path: '/v3/clicks_by_day', answer: (question) => clicksByDay(parts, question) },
    { path: '/v3/clicks_by_minute', answer: (question) => clicksByMinute(parts, question) },
    { path: '/v3/countries', answer: (question) => ranked(parts, question, countries) },
    { path: '/v3/referrers', answer: (question) => ranked(parts, question, referrers) },
  ]
}

async function clicks(parts: ItemMetricParts, question: Question): Promise<Answer> {
  const window = windowOf(parts, 'day', -1)
  return each(parts, question, 'clicks', async (found) => {
    const subject = await addressSubject(parts, question.actor, found.written)
    const all = await longUrlSubject(parts, found)
    return {
      user_clicks: await reportTotal(parts, clicksOf(subject, window)),
      global_clicks: await reportTotal(parts, clicksOf(all, window)),
    }
  })
}

async function clicksByDay(parts: ItemMetricParts, question: Question): Promise<Answer> {
  const window = windowOf(parts, 'day', question.args.integer('days', 1, 30) ?? 7)
  return each(parts, question, 'clicks_by_day', async (found) => {
    const days = await series(parts, question.actor, found, window)
    return { clicks: days.map(({ start, count }) => ({ clicks: count, day_start: epoch(start) })) }
  })
}

async function clicksByMinute(parts: ItemMetricParts, question: Question): Promise<Answer> {
  const window = windowOf(parts, 'minute', 60)
  return each(parts, question, 'clicks_by_minute', async (found) => {
    const minutes = await series(parts, question.actor, found, window)
    return { clicks: minutes.map(({ count }) => count) }
  })
}

async function series(parts: ItemMetricParts, actor: Actor, found: Found, window: Window) {
  return reportSeries(parts, clicksOf(await addressSubject(parts, actor, found.written), window))
}

const mostRows = 1000

/** About one link alone. */
async function ranked(parts: ItemMetricParts, question: Question, { name, read }: Rows): Promise<Answer> {
  const [item] = await eachNamed(parts, question, 1)
  if (!item?.found) throw notFound()
  const subject = await addressSubject(parts, question.actor, item.found.written)
  const rows = await read(parts, clicksOf(subject, windowOf(parts, 'day', -1)), mostRows)
  return { data: { ...item.echo, ...hashes(item.found), [name]: rows } }
}

type Count = (found: Found) => Promise<{ readonly [name: string]: Value }>

async function each(parts: ItemMetricParts, question: Question, name: string, count: Count): Promise<Answer> {
  const answers: Value[] = []
  for (const item of await eachNamed(parts, question)) answers.push({ ...item.echo, ...(await answerFor(item, count)) })
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

function windowOf({ clock }: ItemMetricParts, unit: Window['unit'], units: number): Window {
  return { unit, units, reference: clock.now(), zone: defaultZone }
}
