/** Tracking domains: the domains of the long URLs of an account. They need no registration. */
import { Type } from 'typebox'
import type { Actor } from '../../core/accounts/actor.js'
import {
  type DestinationDeps,
  destinationHosts,
  linksTo,
  mostShortened,
  newestLinks,
} from '../../core/links/account.js'
import type { Link } from '../../core/links/link.js'
import { rankAmong, rankLinks } from '../../core/metrics/rankings.js'
import { spanOf } from '../../core/metrics/report.js'
import { groupSubject, linksSubject } from '../../core/metrics/report-subject.js'
import { countMoments } from '../../core/values/window.js'
import { argument, limit, repeated, rollup, windowExample, windowQuery } from './about.js'
import type { Arguments } from './arguments.js'
import { Failure, invalidArgument } from './errors.js'
import { clicksOf, counted, echo, type MetricDeps, popularWindow } from './metrics.js'
import type { Operations, V3Request, V3Result } from './operation.js'
import { shortUrl } from './present.js'
import { tallied } from './user-metrics.js'
import { readWindow } from './window.js'

export type TrackingDeps = MetricDeps & DestinationDeps

export function trackingOperations(deps: TrackingDeps): Operations {
  return {
    '/v3/user/tracking_domain_list': {
      scope: 'links:read',
      summary: 'List the destination domains of your links',
      description: 'Of your newest 10,000 links. There is nothing to register.',
      data: { tracking_domains: ['www.example.com'] },
      run: (request) => list(deps, request),
    },
    '/v3/user/tracking_domain_clicks': {
      scope: 'analytics:read',
      summary: 'Get clicks of your links to a domain',
      description: 'Of links to the domain or a subdomain of it.',
      query: { domain: argument('A destination domain', 'www.example.com'), ...windowQuery, rollup },
      data: { tracking_domain_clicks: 128, ...windowExample, unit_reference_ts: null },
      hasText: true,
      run: (request) => clicks(deps, request),
    },
    '/v3/user/tracking_domain_shorten_counts': {
      scope: 'analytics:read',
      summary: 'Count your links to a domain',
      description: 'How many were created, without those that were deleted since.',
      query: { domain: argument('A destination domain', 'www.example.com'), ...windowQuery, rollup },
      data: { tracking_domain_shorten_counts: 12, ...windowExample },
      hasText: true,
      run: (request) => shortens(deps, request),
    },
    '/v3/user/popular_owned_by_clicks': {
      scope: 'analytics:read',
      summary: 'List your most clicked links, also of some destination domains',
      description: 'Without `unit`, of the last seven days.',
      query: { domain: domains, ...windowQuery, limit: limit(1000, 100) },
      data: { popular_owned_by_clicks: [{ link: 'https://go.example.com/3xYz12A', clicks: 128 }], ...windowExample },
      run: (request) => popularByClicks(deps, request),
    },
    '/v3/user/popular_owned_by_shortens': {
      scope: 'analytics:read',
      summary: 'List the pages that you shortened most',
      description:
        'How many links to a page you created in the window, of the newest 10,000, with the newest of them. Without `unit`, in the last seven days.',
      query: { domain: domains, ...windowQuery, limit: limit(1000, 100) },
      data: { popular_owned_by_shortens: [{ link: 'https://go.example.com/3xYz12A', shortens: 3 }], ...windowExample },
      run: (request) => popularByShortens(deps, request),
    },
  }
}

const domains = Type.Optional(repeated('Only links to these destination domains; at most 15', 'www.example.com'))

async function list(deps: TrackingDeps, { actor }: V3Request): Promise<V3Result> {
  return { data: { tracking_domains: await destinationHosts(deps, actor) } }
}

async function clicks(deps: TrackingDeps, { actor, args }: V3Request): Promise<V3Result> {
  const links = await tracked(deps, actor, [args.required('domain')])
  const input = readWindow(args, deps.clock.now())
  const report = clicksOf(linksSubject(actor, links), input.window)
  return counted(deps, 'tracking_domain_clicks', report, input, args.flag('rollup') ?? true)
}

/** Does not count links that were deleted since. */
async function shortens(deps: TrackingDeps, { actor, args }: V3Request): Promise<V3Result> {
  const links = await tracked(deps, actor, [args.required('domain')])
  const input = readWindow(args, deps.clock.now())
  const made = countMoments(
    input.window,
    links.map(({ createdAt }) => createdAt),
  )
  return tallied(['tracking_domain_shorten_counts'], 'shortens', made, input, args.flag('rollup') ?? true)
}

async function popularByClicks(deps: TrackingDeps, { actor, args }: V3Request): Promise<V3Result> {
  const [named, input] = [namedDomains(args), popularWindow(deps, args)]
  const report = clicksOf(groupSubject(actor, actor.defaultGroupGuid), input.window)
  const ranked =
    named.length === 0
      ? await rankLinks(deps, report, input.limit)
      : await rankAmong(deps, report, await tracked(deps, actor, named), input.limit)
  const links = ranked.map(({ link, count }) => ({ link: shortUrl(deps, link.id), clicks: count }))
  return { data: { popular_owned_by_clicks: links, ...echo(input) } }
}

async function popularByShortens(deps: TrackingDeps, { actor, args }: V3Request): Promise<V3Result> {
  const [named, input] = [namedDomains(args), popularWindow(deps, args)]
  const { from = 0, to } = spanOf(input.window)
  const links =
    named.length === 0
      ? (await newestLinks(deps, actor, { createdAfter: from, createdBefore: to })).items
      : (await tracked(deps, actor, named)).filter(({ createdAt }) => createdAt >= from && createdAt < to)
  const pages = mostShortened(links, input.limit)
  const listed = pages.map(({ link, count }) => ({ link: shortUrl(deps, link.id), shortens: count }))
  return { data: { popular_owned_by_shortens: listed, ...echo(input) } }
}

const maxDomains = 15

function namedDomains(args: Arguments): readonly string[] {
  const named = args.all('domain').flatMap(({ value }) => (value === '' ? [] : [value]))
  if (named.length > maxDomains) throw invalidArgument('domain')
  return named
}

async function tracked(deps: TrackingDeps, actor: Actor, named: readonly string[]): Promise<readonly Link[]> {
  const links = await linksTo(deps, actor, named)
  if (links.length === 0) throw new Failure('TRACKING_DOMAIN_NOT_REGISTERED')
  return links
}
