/** Tracking domains: the domains of the long URLs of an account. They need no registration. */
import { type DestinationDeps, destinationHosts, linksTo } from '../../core/links/account.js'
import type { Link } from '../../core/links/link.js'
import { linksSubject } from '../../core/metrics/report-subject.js'
import { countMoments } from '../../core/values/window.js'
import { argument, rollup, windowQuery } from './about.js'
import { Failure } from './errors.js'
import { clicksOf, counted, type MetricDeps } from './metrics.js'
import type { Operation, V3Request, V3Result } from './operation.js'
import { tallied } from './user-metrics.js'
import { readWindow } from './window.js'

export type TrackingDeps = MetricDeps & DestinationDeps

export function trackingOperations(deps: TrackingDeps): readonly Operation[] {
  return [
    {
      path: '/v3/user/tracking_domain_list',
      about: {
        tag: 'Metrics',
        summary: 'List the destination domains of your links',
        description: 'Of your newest 10,000 links. There is nothing to register.',
        data: { tracking_domains: ['www.example.com'] },
      },
      run: (request) => list(deps, request),
    },
    {
      path: '/v3/user/tracking_domain_clicks',
      about: {
        tag: 'Metrics',
        summary: 'Get clicks of your links to a domain',
        description: 'Of links to the domain or a subdomain of it.',
        query: { domain: argument('A destination domain', 'www.example.com'), ...windowQuery, rollup },
        data: { tracking_domain_clicks: 128, tz_offset: -5, unit: 'day', units: 30, unit_reference_ts: null },
      },
      hasText: true,
      run: (request) => clicks(deps, request),
    },
    {
      path: '/v3/user/tracking_domain_shorten_counts',
      about: {
        tag: 'Metrics',
        summary: 'Count your links to a domain',
        description: 'How many were created, without those that were deleted since.',
        query: { domain: argument('A destination domain', 'www.example.com'), ...windowQuery, rollup },
        data: { tracking_domain_shorten_counts: 12, tz_offset: -5, unit: 'day', units: 30 },
      },
      hasText: true,
      run: (request) => shortens(deps, request),
    },
  ]
}

async function list(deps: TrackingDeps, { actor }: V3Request): Promise<V3Result> {
  return { data: { tracking_domains: await destinationHosts(deps, actor) } }
}

async function clicks(deps: TrackingDeps, request: V3Request): Promise<V3Result> {
  const { actor, args } = request
  const [links, input] = [await tracked(deps, request), readWindow(args, deps.clock.now())]
  const report = clicksOf(linksSubject(actor, links), input.window)
  return counted(deps, 'tracking_domain_clicks', report, input, args.flag('rollup') ?? true)
}

/** Does not count links that were deleted since. */
async function shortens(deps: TrackingDeps, request: V3Request): Promise<V3Result> {
  const [links, input] = [await tracked(deps, request), readWindow(request.args, deps.clock.now())]
  const made = countMoments(
    input.window,
    links.map(({ createdAt }) => createdAt),
  )
  const rollup = request.args.flag('rollup') ?? true
  return tallied(['tracking_domain_shorten_counts'], 'shortens', made, input, rollup)
}

async function tracked(deps: TrackingDeps, { actor, args }: V3Request): Promise<readonly Link[]> {
  const links = await linksTo(deps, actor, args.required('domain'))
  if (links.length === 0) throw new Failure('TRACKING_DOMAIN_NOT_REGISTERED')
  return links
}
