/** Ranks the users who shortened a page by the clicks on their links. */
import { type Actor, requireGroup } from '../accounts/actor.js'
import type { Encoder, LinkStore } from '../links/link-store.js'
import type { Clock } from '../values/time.js'
import type { ReportDeps } from './report.js'

export interface RankedEncoder extends Encoder {
  readonly count: number
}

/** Most clicked first, without links that have no clicks. Clicks on a link's keywords count for the link. */
export async function rankByClicks(
  deps: ReportDeps & { readonly links: Pick<LinkStore, 'get'>; readonly clock: Clock },
  actor: Actor,
  encoders: readonly Encoder[],
  size: number,
): Promise<readonly RankedEncoder[]> {
  const links = await Promise.all(encoders.map(({ linkId }) => deps.links.get(linkId)))
  const linkIdByAddress = new Map<string, string>()
  for (const link of links) {
    if (!link) continue
    requireGroup(actor, link.groupGuid)
    for (const address of [link.id, ...link.keywords]) linkIdByAddress.set(address, link.id)
  }
  if (linkIdByAddress.size === 0) return []
  const counts = new Map<string, number>()
  for (const { values, count } of await clicksByAddress(deps, [...linkIdByAddress.keys()])) {
    const id = linkIdByAddress.get(values[0] ?? '') ?? ''
    counts.set(id, (counts.get(id) ?? 0) + count)
  }
  return encoders
    .map((encoder) => ({ ...encoder, count: counts.get(encoder.linkId) ?? 0 }))
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count)
    .slice(0, size)
}

function clicksByAddress({ metrics, clock }: ReportDeps & { readonly clock: Clock }, addresses: readonly string[]) {
  return metrics.count({
    scope: { addresses },
    kinds: ['click'],
    trafficClasses: ['human'],
    from: undefined,
    to: clock.now() + 1,
    by: ['address'],
    bucket: undefined,
    size: undefined,
    measure: 'events',
  })
}
