/** Tracking domains: the domains of the long URLs of an account. They need no registration. */
import { type DestinationDeps, destinationHosts, linksTo } from '../../core/links/account.js'
import type { Link } from '../../core/links/link.js'
import { linksSubject } from '../../core/metrics/report-subject.js'
import { countMoments } from '../../core/values/window.js'
import { Failure } from './errors.js'
import { clicksOf, counted, type MetricDeps } from './metrics.js'
import type { Operation, V3Request, V3Result } from './operation.js'
import { tallied } from './user-metrics.js'
import { readWindow } from './window.js'

export type TrackingDeps = MetricDeps & DestinationDeps

export function trackingOperations(deps: TrackingDeps): readonly Operation[] {
  return [
    { path: '/v3/user/tracking_domain_list', run: (request) => list(deps, request) },
    { path: '/v3/user/tracking_domain_clicks', hasText: true, run: (request) => clicks(deps, request) },
    { path: '/v3/user/tracking_domain_shorten_counts', hasText: true, run: (request) => shortens(deps, request) },
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
  return tallied('tracking_domain_shorten_counts', 'shortens', made, input, rollup)
}

async function tracked(deps: TrackingDeps, { actor, args }: V3Request): Promise<readonly Link[]> {
  const links = await linksTo(deps, actor, args.required('domain'))
  if (links.length === 0) throw new Failure('TRACKING_DOMAIN_NOT_REGISTERED')
  return links
}
