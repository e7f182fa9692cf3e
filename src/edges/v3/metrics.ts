/** Clicks of a link, of all links to a page, and of an account. */

import type { Name } from '../../core/clicks/dimensions.js'
import type { LinkStore } from '../../core/links/link-store.js'
import { reportFacet, reportReferrersBySite } from '../../core/metrics/facets.js'
import { type RankingDeps, rankLinks } from '../../core/metrics/rankings.js'
import { type ReportDeps, reportSeries, reportTotal } from '../../core/metrics/report.js'
import { addressSubject, groupSubject, type ReportInput, type Subject } from '../../core/metrics/report-subject.js'
import type { Clock } from '../../core/values/time.js'
import { offsetOf, type Window } from '../../core/values/window.js'
import { limit, link, rollup, windowExample, windowQuery } from './about.js'
import type { Arguments } from './arguments.js'
import { ByName, type Value } from './envelope.js'
import type { Operation, Operations, V3Request, V3Result } from './operation.js'
import { epoch, linkArgument, type PresentDeps, shortUrl } from './present.js'
import { type ReportWindow, readWindow } from './window.js'

export interface MetricDeps extends RankingDeps, PresentDeps {
  readonly links: LinkStore
  readonly clock: Clock
}

export function metricOperations(deps: MetricDeps): Operations {
  const biggestFirst = {
    description: 'Biggest first.',
    query: { link, ...windowQuery, limit: limit(1000, 100) },
  }
  const ranking = (summary: string, rows: Rows, example: Value): Operation => ({
    scope: 'analytics:read',
    ...biggestFirst,
    summary,
    data: { [rows.name]: example, ...windowExample },
    run: (request) => ranked(deps, request, reportOf(rows)),
  })
  return {
    '/v3/link/clicks': {
      scope: 'analytics:read',
      summary: 'Get clicks of a link',
      description: 'One total, or a list with one entry per unit, newest first.',
      query: { link, ...windowQuery, rollup },
      data: { link_clicks: 128, ...windowExample, unit_reference_ts: null },
      hasText: true,
      run: (request) => clicks(deps, request),
    },
    '/v3/link/countries': ranking('Get clicks of a link by country', countries, [{ clicks: 90, country: 'FR' }]),
    '/v3/link/referrers': ranking('Get clicks of a link by referrer', referrers, [
      { clicks: 90, referrer: 'https://news.example.org/today' },
    ]),
    '/v3/link/referring_domains': ranking('Get clicks of a link by referring domain', referringDomains, [
      { clicks: 90, domain: 'news.example.org', url: 'https://news.example.org/' },
    ]),
    '/v3/link/referrers_by_domain': {
      scope: 'analytics:read',
      ...biggestFirst,
      summary: 'Get clicks of a link by referrer, grouped by domain',
      data: {
        referrers: { 'news.example.org': [{ clicks: 90, referrer: 'https://news.example.org/today' }] },
        truncated: [],
        ...windowExample,
      },
      run: (request) => ranked(deps, request, referrersByDomain),
    },
    '/v3/link/shares': {
      scope: 'analytics:read',
      summary: 'Get shares of a link',
      description: 'Always empty: the service has no sharing.',
      query: { link, ...windowQuery },
      data: { shares: [], total_shares: 0, ...windowExample },
      run: (request) => ranked(deps, request, shares),
    },
    '/v3/user/clicks': {
      scope: 'analytics:read',
      summary: 'Get clicks of all your links',
      description: 'Without `unit`, the last seven days in an older format.',
      query: { ...windowQuery, rollup },
      data: { user_clicks: 1280, ...windowExample, unit_reference_ts: null },
      hasText: true,
      run: (request) => userClicks(deps, request),
    },
    '/v3/user/popular_links': {
      scope: 'analytics:read',
      summary: 'List your most clicked links',
      description: 'Without `unit`, of the last seven days.',
      query: { ...windowQuery, limit: limit(1000, 100) },
      data: { popular_links: [{ link: 'https://go.example.com/3xYz12A', clicks: 128 }], ...windowExample },
      run: (request) => popularLinks(deps, request),
    },
  }
}

type Report = (deps: MetricDeps, input: ReportInput, size: number) => Promise<{ readonly [name: string]: Value }>

/** A ranked list of click counts, highest first, with its name in the response. */
export interface Rows {
  readonly name: string
  read(deps: ReportDeps, input: ReportInput, size: number): Promise<readonly Value[]>
}

/** An unknown country is the string None. */
export const countries = rows('countries', 'country', (country) => ({ country: country || 'None' }))
export const referrers = rows('referrers', 'referrer', (referrer) => ({ referrer }))
export const referringDomains = rows('referring_domains', 'referrerDomain', (domain) => ({
  domain,
  // Clicks came from many pages of this domain, so link to its front page.
  ...(domain !== 'direct' && { url: `https://${domain}/` }),
}))

async function referrersByDomain(deps: MetricDeps, input: ReportInput, size: number) {
  const sites = await reportReferrersBySite(deps, input, size, 'referrerDomain')
  const lists = sites.map(({ site, referrers }) => {
    const list = referrers.map(({ referrer, count }) => ({ clicks: count, referrer }))
    return [site, list] as const
  })
  // A list cannot carry a truncated flag, so name the truncated sites separately.
  const truncated = sites.filter((site) => site.truncated).map(({ site }) => site)
  return { referrers: new ByName(new Map(lists)), truncated }
}

/** Sharing is not supported, so this is always empty. */
const shares: Report = async () => ({ shares: [], total_shares: 0 })

function rows(name: string, by: Name, present: (value: string) => { readonly [name: string]: Value }): Rows {
  return {
    name,
    async read(deps, input, size) {
      const found = await reportFacet(deps, input, [by], size)
      return found.map(({ values: [value = ''], count }) => ({ clicks: count, ...present(value) }))
    },
  }
}

function reportOf({ name, read }: Rows): Report {
  return async (deps, input, size) => ({ [name]: await read(deps, input, size) })
}

async function ranked(deps: MetricDeps, request: V3Request, report: Report): Promise<V3Result> {
  const subject = await addressSubject(deps, request.actor, linkArgument(request.args))
  const input = readWindow(request.args, deps.clock.now())
  return { data: { ...(await report(deps, clicksOf(subject, input.window), input.limit)), ...echo(input) } }
}

async function clicks(deps: MetricDeps, { actor, args }: V3Request): Promise<V3Result> {
  const subject = await addressSubject(deps, actor, linkArgument(args))
  const input = readWindow(args, deps.clock.now())
  // rollup is true by default.
  return counted(deps, 'link_clicks', clicksOf(subject, input.window), input, args.flag('rollup') ?? true)
}

async function userClicks(deps: MetricDeps, { actor, args }: V3Request): Promise<V3Result> {
  const subject = groupSubject(actor, actor.defaultGroupGuid)
  if (args.text('unit') !== undefined) {
    const input = readWindow(args, deps.clock.now())
    return counted(deps, 'user_clicks', clicksOf(subject, input.window), input, args.flag('rollup') ?? true)
  }
  // Without a unit: the last seven days in the older format.
  const input = readWindow(args, deps.clock.now(), oldWindow)
  const buckets = await reportSeries(deps, clicksOf(subject, input.window))
  const total = buckets.reduce((sum, { count }) => sum + count, 0)
  return {
    data: {
      clicks: buckets.map(({ start, count }) => ({ clicks: count, day_start: epoch(start) })),
      days: input.window.units,
      total_clicks: total,
      tz_offset: echo(input).tz_offset,
    },
    text: String(total),
  }
}

const oldWindow = { units: 7 }

async function popularLinks(deps: MetricDeps, { actor, args }: V3Request): Promise<V3Result> {
  const subject = groupSubject(actor, actor.defaultGroupGuid)
  const input = popularWindow(deps, args)
  const found = await rankLinks(deps, clicksOf(subject, input.window), input.limit)
  const links = found.map(({ link, count }) => ({ link: shortUrl(deps, link.id), clicks: count }))
  return { data: { popular_links: links, ...echo(input) } }
}

/** Without a unit: the last seven days. */
export function popularWindow({ clock }: Pick<MetricDeps, 'clock'>, args: Arguments): ReportWindow {
  return readWindow(args, clock.now(), args.text('unit') === undefined ? oldWindow : undefined)
}

export async function counted(
  deps: MetricDeps,
  name: string,
  report: ReportInput,
  input: ReportWindow,
  rollup: boolean,
): Promise<V3Result> {
  const rest = { ...echo(input), unit_reference_ts: input.referenceTs }
  if (rollup) {
    const total = await reportTotal(deps, report)
    return { data: { [name]: total, ...rest }, text: String(total) }
  }
  const buckets = await reportSeries(deps, report)
  return { data: { [name]: buckets.map(({ start, count }) => ({ clicks: count, dt: epoch(start) })), ...rest } }
}

/** Clicks are human visits, as in v4. */
export function clicksOf<S extends Subject>(subject: S, window: Window): ReportInput<S> {
  return { subject, window, kinds: ['click'], traffic: 'human', measure: 'events' }
}

export function echo({ window, unit, units }: ReportWindow) {
  return { tz_offset: offsetOf(window) / 60, unit, units }
}
