/** Tracking domains: here, the domains that the links of an account lead to. Nobody has to register them. */
import { type DestinationParts, destinationHosts, linksTo } from '../../core/links/destinations.js'
import type { Link } from '../../core/links/link.js'
import { linksSubject } from '../../core/metrics/report-subject.js'
import { countMoments } from '../../core/metrics/window.js'
import { Failure } from './errors.js'
import { clicksOf, counted, type MetricParts } from './metrics.js'
import type { Answer, Operation, Question } from './operation.js'
import { tallied } from './user-metrics.js'
import { readWindow } from './window.js'

export type TrackingParts = MetricParts & DestinationParts

export function trackingOperations(parts: TrackingParts): readonly Operation[] {
  return [
    { path: '/v3/user/tracking_domain_list', answer: (question) => list(parts, question) },
    { path: '/v3/user/tracking_domain_clicks', hasText: true, answer: (question) => clicks(parts, question) },
    { path: '/v3/user/tracking_domain_shorten_counts', hasText: true, answer: (question) => shortens(parts, question) },
  ]
}

async function list(parts: TrackingParts, { actor }: Question): Promise<Answer> {
  return { data: { tracking_domains: await destinationHosts(parts, actor) } }
}

async function clicks(parts: TrackingParts, question: Question): Promise<Answer> {
  const { actor, args } = question
  const [links, wish] = [await tracked(parts, question), readWindow(args, parts.clock.now())]
  const asked = clicksOf(linksSubject(actor, links), wish.window)
  return counted(parts, 'tracking_domain_clicks', asked, wish, args.flag('rollup') ?? true)
}

/** Links that were deleted since are not among them. */
async function shortens(parts: TrackingParts, question: Question): Promise<Answer> {
  const [links, wish] = [await tracked(parts, question), readWindow(question.args, parts.clock.now())]
  const made = countMoments(
    wish.window,
    links.map(({ createdAt }) => createdAt),
  )
  const rollup = question.args.flag('rollup') ?? true
  return tallied('tracking_domain_shorten_counts', 'shortens', made, wish, rollup)
}

async function tracked(parts: TrackingParts, { actor, args }: Question): Promise<readonly Link[]> {
  const links = await linksTo(parts, actor, args.required('domain'))
  if (links.length === 0) throw new Failure('TRACKING_DOMAIN_NOT_REGISTERED')
  return links
}
