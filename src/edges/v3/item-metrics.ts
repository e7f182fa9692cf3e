/** Clicks of links given by `shortUrl` and `hash`: the older form of `/v3/link/...`, kept for old clients. */
import type { Actor } from '../../core/accounts/actor.js'
import type { AggregateDeps, Found } from '../../core/links/aggregate.js'
import { notFound } from '../../core/links/read.js'
import { type ReportDeps, reportSeries, reportTotal } from '../../core/metrics/report.js'
import { addressSubject, longUrlSubject } from '../../core/metrics/report-subject.js'
import { Refusal } from '../../core/values/refusal.js'
import type { Window } from '../../core/values/window.js'
import { integer, itemExample, items } from './about.js'
import type { Value } from './envelope.js'
import { statusOf } from './errors.js'
import { eachNamed, hashes, missingItem, type NamedItem } from './items.js'
import { clicksOf, countries, type Rows, referrers } from './metrics.js'
import type { Operations, V3Request, V3Result } from './operation.js'
import { epoch } from './present.js'
import { defaultZone } from './window.js'

export type ItemMetricDeps = AggregateDeps & ReportDeps

export function itemMetricOperations(deps: ItemMetricDeps): Operations {
  return {
    '/v3/clicks': {
      scope: 'analytics:read',
      summary: 'Get clicks of several links',
      description: 'Of each link, and of all links to its page.',
      query: items,
      data: { clicks: [{ ...itemExample, user_clicks: 128, global_clicks: 340 }] },
      run: (request) => clicks(deps, request),
    },
    '/v3/clicks_by_day': {
      scope: 'analytics:read',
      summary: 'Get clicks of several links by day',
      description: 'Newest day first.',
      query: { ...items, days: integer('How many; 7 by default', 1, 30) },
      data: { clicks_by_day: [{ ...itemExample, clicks: [{ clicks: 12, day_start: 1793595600 }] }] },
      run: (request) => clicksByDay(deps, request),
    },
    '/v3/clicks_by_minute': {
      scope: 'analytics:read',
      summary: 'Get clicks of several links by minute',
      description: 'The last 60 minutes, newest first.',
      query: items,
      data: { clicks_by_minute: [{ ...itemExample, clicks: [2, 0, 1] }] },
      run: (request) => clicksByMinute(deps, request),
    },
    '/v3/countries': {
      scope: 'analytics:read',
      summary: 'Get clicks of one link by country (older form)',
      description: 'Of all time, biggest first. Use `/v3/link/countries` instead.',
      query: items,
      data: { ...itemExample, countries: [{ clicks: 90, country: 'FR' }] },
      run: (request) => ranked(deps, request, countries),
    },
    '/v3/referrers': {
      scope: 'analytics:read',
      summary: 'Get clicks of one link by referrer (older form)',
      description: 'Of all time, biggest first. Use `/v3/link/referrers` instead.',
      query: items,
      data: { ...itemExample, referrers: [{ clicks: 90, referrer: 'https://news.example.org/today' }] },
      run: (request) => ranked(deps, request, referrers),
    },
  }
}

async function clicks(deps: ItemMetricDeps, request: V3Request): Promise<V3Result> {
  const window = windowOf(deps, 'day', -1)
  return each(deps, request, 'clicks', async (found) => {
    const subject = await addressSubject(deps, request.actor, found.written)
    const all = await longUrlSubject(deps, found)
    return {
      user_clicks: await reportTotal(deps, clicksOf(subject, window)),
      global_clicks: await reportTotal(deps, clicksOf(all, window)),
    }
  })
}

async function clicksByDay(deps: ItemMetricDeps, request: V3Request): Promise<V3Result> {
  const window = windowOf(deps, 'day', request.args.integer('days', 1, 30) ?? 7)
  return each(deps, request, 'clicks_by_day', async (found) => {
    const days = await series(deps, request.actor, found, window)
    return { clicks: days.map(({ start, count }) => ({ clicks: count, day_start: epoch(start) })) }
  })
}

async function clicksByMinute(deps: ItemMetricDeps, request: V3Request): Promise<V3Result> {
  const window = windowOf(deps, 'minute', 60)
  return each(deps, request, 'clicks_by_minute', async (found) => {
    const minutes = await series(deps, request.actor, found, window)
    return { clicks: minutes.map(({ count }) => count) }
  })
}

async function series(deps: ItemMetricDeps, actor: Actor, found: Found, window: Window) {
  return reportSeries(deps, clicksOf(await addressSubject(deps, actor, found.written), window))
}

const maxRows = 1000

/** Accepts only one link. */
async function ranked(deps: ItemMetricDeps, request: V3Request, { name, read }: Rows): Promise<V3Result> {
  const [item] = await eachNamed(deps, request, 1)
  if (!item?.found) throw notFound()
  const subject = await addressSubject(deps, request.actor, item.found.written)
  const rows = await read(deps, clicksOf(subject, windowOf(deps, 'day', -1)), maxRows)
  return { data: { ...item.echo, ...hashes(item.found), [name]: rows } }
}

type Count = (found: Found) => Promise<{ readonly [name: string]: Value }>

async function each(deps: ItemMetricDeps, request: V3Request, name: string, count: Count): Promise<V3Result> {
  const answers: Value[] = []
  for (const item of await eachNamed(deps, request)) answers.push({ ...item.echo, ...(await answerFor(item, count)) })
  return { data: { [name]: answers } }
}

/** Reports an error per link, so that one inaccessible link does not fail the request. */
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
