/**
 * The links of a group that were used most. Engagements are kept by the address used, and a link may have many: its own
 * and its keywords. A link counts with all of them; which link an address belongs to is as the records say now.
 *
 * The click log tells the most used addresses, biggest first and page by page, the records tell their links, and the log
 * then counts each of these with all its addresses. Links not met so far can be left out as soon as even the most
 * addresses that any of them has, each used as often as the last one read, would not be enough. So the answer is exact
 * after a page or two, unless thousands of links with several addresses are used about equally often; and never more than
 * a page is in memory.
 */
import type { Link } from '../links/link.js'
import type { LinkAddresses, LinkListStore } from '../links/link-list-store.js'
import { type ReportDeps, whole } from './report.js'
import { requireReport } from './report-features.js'
import type { Asked, GroupSubject } from './report-subject.js'

export interface RankingDeps extends ReportDeps {
  readonly linkLists: Pick<LinkListStore, 'behind' | 'addressesBehind' | 'mostNamed'>
}

export interface RankedLink {
  readonly link: Link
  readonly count: number
}

/**
 * Biggest first, equal ones by id; links that were not used at all are not there. Our choice: links that were deleted, and
 * keywords that lead to another group now, are not ranked, though the group's totals count what they received. Nobody
 * could open them from the list.
 */
export async function rankLinks(
  deps: RankingDeps,
  asked: Asked<GroupSubject>,
  size: number,
): Promise<readonly RankedLink[]> {
  requireReport(deps, asked, 'ranking')
  const { groupGuid } = asked.subject.scope
  // Those with most addresses are counted at once: one link with a hundred of them would keep all others in doubt.
  const named = [...(await deps.linkLists.mostNamed(groupGuid, countedAtOnce + 1))]
  const first = new Map(named.slice(0, countedAtOnce))
  const mostAddresses = named[countedAtOnce]?.[1].length ?? 1
  const best = new Best(size)
  best.add(await countLinks(deps, asked, first))

  let page = Math.max(size, shortestPage)
  for (let skip = 0; ; skip += page, page = Math.min(page * 4, longestPage)) {
    const rows = await deps.metrics.count({ ...whole(asked), by: ['address'], size: page, skip })
    const counts = new Map(rows.map(({ values: [address = ''], count }) => [address, count]))
    const met = [...(await deps.linkLists.addressesBehind(groupGuid, [...counts.keys()]))]
    const others = met.filter(([id]) => !first.has(id))
    const [alone, several] = [others.filter(isAlone), others.filter((link) => !isAlone(link))]
    best.add(alone.map(([id]) => ({ id, count: counts.get(id) ?? 0 })))
    best.add(await countLinks(deps, asked, new Map(several)))

    const last = rows.at(-1)
    if (rows.length < page || !last) break
    if (best.beats({ id: last.values[0] ?? '', count: last.count }, mostAddresses)) break
  }
  return withLinks(deps, groupGuid, best.all)
}

// Our choice, these three: a thousand links take the embedded records about ten milliseconds, a page of addresses a hundred,
// with breaks.
const countedAtOnce = 1_000
const shortestPage = 100
const longestPage = 10_000

interface Counted {
  readonly id: string
  readonly count: number
}

function isAlone([, addresses]: readonly [string, readonly string[]]): boolean {
  return addresses.length === 1
}

async function countLinks(
  deps: RankingDeps,
  asked: Asked<GroupSubject>,
  links: LinkAddresses,
): Promise<readonly Counted[]> {
  if (links.size === 0) return []
  const { scope: _, bucket: __, ...query } = whole(asked)
  const { groupGuid } = asked.subject.scope
  const counts = await deps.metrics.countSets({ ...query, groupGuid, sets: [...links.values()] })
  return [...links.keys()].map((id, place) => ({ id, count: counts[place] ?? 0 }))
}

/** A link may have gone meanwhile. */
async function withLinks(
  deps: RankingDeps,
  groupGuid: string,
  ranked: readonly Counted[],
): Promise<readonly RankedLink[]> {
  const ids = ranked.map(({ id }) => id)
  const links = await deps.linkLists.behind(groupGuid, ids)
  return ranked.flatMap(({ id, count }) => {
    const link = links.get(id)
    return link ? [{ link, count }] : []
  })
}

/** The biggest of what was added, each link once. */
class Best {
  readonly #size: number
  #all: readonly Counted[] = []

  constructor(size: number) {
    this.#size = size
  }

  get all(): readonly Counted[] {
    return this.#all
  }

  add(links: readonly Counted[]): void {
    const byId = new Map([...this.#all, ...links].filter(({ count }) => count > 0).map((link) => [link.id, link]))
    this.#all = [...byId.values()].sort(inOrder).slice(0, this.#size)
  }

  /** Whether no link can be among them that was not met up to the last address read. */
  beats(last: Counted, mostAddresses: number): boolean {
    const worst = this.#all[this.#size - 1]
    if (!worst) return false
    // A link with one address comes behind the last one, which has the same count or a smaller id.
    return mostAddresses === 1 ? inOrder(worst, last) <= 0 : last.count * mostAddresses < worst.count
  }
}

function inOrder(one: Counted, other: Counted): number {
  return other.count - one.count || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0)
}
