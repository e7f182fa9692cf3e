/** Clicks of a link, of all links to a page, and of an account. */

import type { LinkStore } from '../../core/links/link-store.js'

import type { Facet } from '../../core/metrics/facet-dimensions.js'
import { reportFacet, reportReferrersBySite } from '../../core/metrics/facets.js'
import { type RankingDeps, rankLinks } from '../../core/metrics/rankings.js'
import { type ReportDeps, reportSeries, reportTotal } from '../../core/metrics/report.js'
import { addressSubject, groupSubject, type ReportInput, type Subject } from '../../core/metrics/report-subject.js'
import type { Clock } from '../../core/values/clock.js'
import { offsetOf, type Window } from '../../core/values/window.js'
import type { Answer, Operation, Question } from './operation.js'
import { epoch, linkArgument, type PresentDeps, shortUrl } from './present.js'
import { readWindow, type WindowAsked } from './window.js'
import { ByName, type Value } from './xml.js'

export interface MetricDeps extends RankingDeps, PresentDeps {
  readonly links: LinkStore
  readonly clock: Clock
}

export function metricOperations(deps: MetricDeps): readonly Operation[] {
  return [
    { path: '/v3/link/clicks', hasText: true, answer: (question) => clicks(deps, question) },
    ...Object.entries(reports).map(([name, report]) => ({
      path: `/v3/link/${name}`,
      answer: (question: Question) => ranked(deps, question, report),
    })),
    { path: '/v3/link/shares', answer: (question) => ranked(deps, question, shares) },
    { path: '/v3/user/clicks', hasText: true, answer: (question) => userClicks(deps, question) },
    { path: '/v3/user/popular_links', answer: (question) => popularLinks(deps, question) },
  ]
}

type Report = (deps: MetricDeps, asked: ReportInput, size: number) => Promise<{ readonly [name: string]: Value }>

/** A list of what clicks were like, biggest first, and the name it goes by. */
export interface Rows {
  readonly name: string
  read(deps: ReportDeps, asked: ReportInput, size: number): Promise<readonly Value[]>
}

/** The text None where the country is not known. */
export const countries = rows('countries', 'countries', (country) => ({ country: country || 'None' }))
export const referrers = rows('referrers', 'referrerUrls', (referrer) => ({ referrer }))
export const referringDomains = rows('referring_domains', 'referringDomains', (domain) => ({
  domain,
  // Visitors sent many addresses there; this is the front page of them all.
  ...(domain !== 'direct' && { url: `https://${domain}/` }),
}))

const reports: Readonly<Record<string, Report>> = {
  countries: reportOf(countries),
  referrers: reportOf(referrers),
  referring_domains: reportOf(referringDomains),
  async referrers_by_domain(deps, asked, size) {
    const sites = await reportReferrersBySite(deps, asked, size, 'referrerDomain')
    const lists = sites.map(({ site, referrers }) => {
      const list = referrers.map(({ referrer, count }) => ({ clicks: count, referrer }))
      return [site, list] as const
    })
    // Our choice: lists have no room to say that they were cut.
    const truncated = sites.filter((site) => site.truncated).map(({ site }) => site)
    return { referrers: new ByName(new Map(lists)), truncated }
  },
}

/** Nothing can be shared through this service, so that nothing ever was. */
const shares: Report = async () => ({ shares: [], total_shares: 0 })

function rows(name: string, facet: Facet, present: (value: string) => { readonly [name: string]: Value }): Rows {
  return {
    name,
    async read(deps, asked, size) {
      const found = await reportFacet(deps, asked, facet, size)
      return found.map(({ values: [value = ''], count }) => ({ clicks: count, ...present(value) }))
    },
  }
}

function reportOf({ name, read }: Rows): Report {
  return async (deps, asked, size) => ({ [name]: await read(deps, asked, size) })
}

async function ranked(deps: MetricDeps, question: Question, report: Report): Promise<Answer> {
  const subject = await addressSubject(deps, question.actor, linkArgument(question.args))
  const input = readWindow(question.args, deps.clock.now())
  return { data: { ...(await report(deps, clicksOf(subject, input.window), input.limit)), ...echo(input) } }
}

async function clicks(deps: MetricDeps, { actor, args }: Question): Promise<Answer> {
  const subject = await addressSubject(deps, actor, linkArgument(args))
  const input = readWindow(args, deps.clock.now())
  // Rolled up unless told otherwise.
  return counted(deps, 'link_clicks', clicksOf(subject, input.window), input, args.flag('rollup') ?? true)
}

async function userClicks(deps: MetricDeps, { actor, args }: Question): Promise<Answer> {
  const subject = groupSubject(actor, actor.defaultGroupGuid)
  if (args.text('unit') !== undefined) {
    const input = readWindow(args, deps.clock.now())
    return counted(deps, 'user_clicks', clicksOf(subject, input.window), input, args.flag('rollup') ?? true)
  }
  // Without a unit, seven days in an older shape.
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

async function popularLinks(deps: MetricDeps, { actor, args }: Question): Promise<Answer> {
  const subject = groupSubject(actor, actor.defaultGroupGuid)
  const input = readWindow(args, deps.clock.now(), args.text('unit') === undefined ? oldWindow : undefined)
  const found = await rankLinks(deps, clicksOf(subject, input.window), input.limit)
  const links = found.map(({ link, count }) => ({ link: shortUrl(deps, link.id), clicks: count }))
  return { data: { popular_links: links, ...echo(input) } }
}

export async function counted(
  deps: MetricDeps,
  name: string,
  asked: ReportInput,
  input: WindowAsked,
  rollup: boolean,
): Promise<Answer> {
  const rest = { ...echo(input), unit_reference_ts: input.referenceTs }
  if (rollup) {
    const total = await reportTotal(deps, asked)
    return { data: { [name]: total, ...rest }, text: String(total) }
  }
  const buckets = await reportSeries(deps, asked)
  return { data: { [name]: buckets.map(({ start, count }) => ({ clicks: count, dt: epoch(start) })), ...rest } }
}

/** Whatever is called clicks counts visits by people, as in v4. */
export function clicksOf<S extends Subject>(subject: S, window: Window): ReportInput<S> {
  return { subject, window, kinds: ['click'], traffic: 'human', measure: 'events' }
}

export function echo({ window, unit, units }: WindowAsked) {
  return { tz_offset: offsetOf(window) / 60, unit, units }
}
