/** Tracking domains: here, the domains that the links of an account lead to. Nobody has to register them. */
import { type DestinationDeps, destinationHosts, linksTo } from '../../core/links/destinations.js'
import type { Link } from '../../core/links/link.js'
import { linksSubject } from '../../core/metrics/report-subject.js'
import { countMoments } from '../../core/values/window.js'
import { Failure } from './errors.js'
import { clicksOf, counted, type MetricDeps } from './metrics.js'
import type { Answer, Operation, Question } from './operation.js'
import { tallied } from './user-metrics.js'
import { readWindow } from './window.js'

export type TrackingDeps = MetricDeps & DestinationDeps

export function trackingOperations(deps: TrackingDeps): readonly Operation[] {
  return [
    { path: '/v3/user/tracking_domain_list', answer: (question) => list(deps, question) },
    { path: '/v3/user/tracking_domain_clicks', hasText: true, answer: (question) => clicks(deps, question) },
    { path: '/v3/user/tracking_domain_shorten_counts', hasText: true, answer: (question) => shortens(deps, question) },
  ]
}

async function list(deps: TrackingDeps, { actor }: Question): Promise<Answer> {
  return { data: { tracking_domains: await destinationHosts(deps, actor) } }
}

async function clicks(deps: TrackingDeps, question: Question): Promise<Answer> {
  const { actor, args } = question
  const [links, input] = [await tracked(deps, question), readWindow(args, deps.clock.now())]
  const asked = clicksOf(linksSubject(actor, links), input.window)
  return counted(deps, 'tracking_domain_clicks', asked, input, args.flag('rollup') ?? true)
}

/** Links that were deleted since are not among them. */
async function shortens(deps: TrackingDeps, question: Question): Promise<Answer> {
  const [links, input] = [await tracked(deps, question), readWindow(question.args, deps.clock.now())]
  const made = countMoments(
    input.window,
    links.map(({ createdAt }) => createdAt),
  )
  const rollup = question.args.flag('rollup') ?? true
  return tallied('tracking_domain_shorten_counts', 'shortens', made, input, rollup)
}

async function tracked(deps: TrackingDeps, { actor, args }: Question): Promise<readonly Link[]> {
  const links = await linksTo(deps, actor, args.required('domain'))
  if (links.length === 0) throw new Failure('TRACKING_DOMAIN_NOT_REGISTERED')
  return links
}
