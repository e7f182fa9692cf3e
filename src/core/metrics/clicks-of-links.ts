/** Clicks over time of many links at once, for lists that show them beside each link. */
import type { Domains } from '../domains/domains.js'
import type { LinkStore } from '../links/link-store.js'
import { addressesNamed } from '../links/named-links.js'
import { bucketsOf } from '../values/window.js'
import type { ReportDeps } from './report.js'
import { countedOf, type ReportInput } from './report-subject.js'

export interface LinkClicksDeps extends ReportDeps {
  readonly links: Pick<LinkStore, 'addressesAt'>
  readonly domains: Domains
}

export interface LinkClicks {
  /** Of the units of the window, newest first. */
  readonly starts: readonly number[]
  /** In no order. Links that are unknown, deleted or of another group are left out. */
  readonly links: readonly { readonly id: string; readonly counts: readonly number[] }[]
}

/**
 * Counts each link with all addresses that it has now, in one query. Like rankings, and like the clicks of one link, it
 * needs no feature of a plan. The window has a number of units, and visitors of several addresses do not add up.
 */
export async function clicksOfLinks(
  deps: LinkClicksDeps,
  groupGuid: string,
  shortlinks: readonly string[],
  input: Pick<ReportInput, 'window' | 'traffic'>,
): Promise<LinkClicks> {
  const { window } = input
  const { starts, from, to } = bucketsOf(window, window.reference)
  const found = await deps.links.addressesAt(groupGuid, addressesNamed(deps, shortlinks))
  const counts = new Map<string, Map<number, number>>()
  const linkOf = new Map<string, string>()
  for (const [id, all] of found) {
    counts.set(id, new Map())
    for (const address of all) linkOf.set(address, id)
  }
  const scope = { addresses: [...linkOf.keys()] }
  const report = { ...input, subject: { scope, since: undefined }, kinds: ['click'], measure: 'events' } as const
  const rows =
    scope.addresses.length === 0
      ? []
      : await deps.metrics.count({
          ...countedOf(report),
          from,
          to,
          by: ['time', 'address'],
          bucket: { unit: window.unit, zone: window.zone },
          size: undefined,
          measure: 'events',
        })
  for (const { start, values, count } of rows) {
    const ofLink = counts.get(linkOf.get(values[0] ?? '') ?? '')
    ofLink?.set(start, (ofLink.get(start) ?? 0) + count)
  }
  return {
    starts,
    links: [...counts].map(([id, byStart]) => ({ id, counts: starts.map((start) => byStart.get(start) ?? 0) })),
  }
}
