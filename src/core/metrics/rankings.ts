/**
 * The links of a group that were used most. Ranked are addresses, because that is how engagements are kept: a custom
 * back-half stands beside the hash of its link, each with the figure that its own report shows.
 */
import type { Link } from '../links/link.js'
import type { LinkListStore } from '../links/link-list-store.js'
import { type ReportParts, whole } from './report.js'
import type { Asked, GroupSubject } from './report-subject.js'

export interface RankingParts extends ReportParts {
  readonly linkLists: Pick<LinkListStore, 'behind'>
}

export interface Ranking {
  /** Biggest first; ones that were not used at all are not there (gaps 2.6). */
  readonly ranked: readonly RankedAddress[]
  /** The links behind them, each once, in the same order. */
  readonly links: readonly Link[]
}

export interface RankedAddress {
  readonly address: string
  readonly count: number
}

/**
 * Our choice: links that were deleted, and back-halves that moved to another group, are not ranked, though the group's
 * totals count what they received. Nobody could open them from the list.
 */
export async function rankLinks(parts: RankingParts, asked: Asked<GroupSubject>, size: number): Promise<Ranking> {
  const { groupGuid } = asked.subject.scope
  const known = new Map<string, Link>()
  const looked = new Set<string>()
  for (let wanted = size; ; wanted *= 4) {
    const rows = await parts.metrics.count({ ...whole(asked), by: ['address'], size: wanted })
    const all = rows.map(({ values, count }) => ({ address: values[0] ?? '', count }))
    const unknown = all.map(({ address }) => address).filter((address) => !looked.has(address))
    for (const [address, link] of await parts.linkLists.behind(groupGuid, unknown)) known.set(address, link)
    for (const address of unknown) looked.add(address)

    const ranked = all.filter(({ address }) => known.has(address)).slice(0, size)
    // Some of the biggest may be gone: then the ones after them move up.
    if (ranked.length < size && rows.length === wanted) continue
    const links = new Map(
      ranked.flatMap(({ address }) => {
        const link = known.get(address)
        return link ? [[link.id, link] as const] : []
      }),
    )
    return { ranked, links: [...links.values()] }
  }
}
