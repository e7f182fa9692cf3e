/**
 * The most used links of a group. The click log counts per address, and a link may have many: its own and its keywords.
 * A link counts with all addresses that it has now.
 *
 * The log returns the most used addresses page by page, the records return their links, and the log then counts these
 * links with all of their addresses. Paging stops when no unseen link can rank any more: even with the largest number
 * of addresses, each used as often as the last address read, it would stay below the list. So the result is exact after
 * a page or two, unless thousands of links with several addresses are used about equally often; and memory holds at
 * most one page.
 */
import type { Link } from '../links/link.js'
import type { LinkAddresses, LinkFilter, LinkStore } from '../links/link-store.js'
import type { QrCode } from '../qr-codes/qr-code.js'
import type { QrCodeStore } from '../qr-codes/qr-code-store.js'
import { type ReportDeps, wholeWindow } from './report.js'
import { requireReport } from './report-features.js'
import type { GroupSubject, ReportInput } from './report-subject.js'

export interface RankingDeps extends ReportDeps {
  readonly links: Pick<LinkStore, 'linksAt' | 'addressesAt' | 'withMostKeywords'>
}

export interface RankedLink {
  readonly link: Link
  readonly count: number
}

/** A short link, or a stand-alone QR code. */
export type RankedItem = RankedLink | { readonly code: QrCode; readonly count: number }

/**
 * Biggest first, equal counts by id; links without engagements are left out. Deleted links, and keywords that now belong
 * to another group, are not ranked because nobody could open them from the list; the group's totals still count them.
 * With a filter, only links that match are ranked, among the 100,000 most used addresses.
 */
export async function rankLinks(
  deps: RankingDeps,
  report: ReportInput<GroupSubject>,
  size: number,
  filter?: LinkFilter,
): Promise<readonly RankedLink[]> {
  return withLinks(deps, report.subject.scope.groupGuid, await rank(deps, report, size, { filter }))
}

/** Like `rankLinks`, among these links of the group alone. */
export async function rankAmong(
  deps: RankingDeps,
  report: ReportInput<GroupSubject>,
  links: readonly Link[],
  size: number,
): Promise<readonly RankedLink[]> {
  requireReport(deps, report, 'rows')
  const top = new TopLinks(size)
  top.add(await countLinks(deps, report, new Map(links.map(({ id, keywords }) => [id, [id, ...keywords]]))))
  const byId = new Map(links.map((link) => [link.id, link]))
  return top.all.flatMap(({ id, count }) => {
    const link = byId.get(id)
    return link ? [{ link, count }] : []
  })
}

/** Like `rankLinks`, with stand-alone QR codes in the same order. */
export async function rankLinksAndCodes(
  deps: RankingDeps & { readonly qrCodes: Pick<QrCodeStore, 'standAlone'> },
  report: ReportInput<GroupSubject>,
  size: number,
): Promise<readonly RankedItem[]> {
  const { groupGuid } = report.subject.scope
  const ranked = await rank(deps, report, size, { hiddenToo: true })
  const links = new Map((await withLinks(deps, groupGuid, ranked)).map((each) => [each.link.id, each]))
  const rest = ranked.map(({ id }) => id).filter((id) => !links.has(id))
  const codes = await deps.qrCodes.standAlone(groupGuid, rest)
  return ranked.flatMap(({ id, count }): readonly RankedItem[] => {
    const link = links.get(id)
    const code = codes.get(id)
    return link ? [link] : code ? [{ code, count }] : []
  })
}

async function rank(
  deps: RankingDeps,
  report: ReportInput<GroupSubject>,
  size: number,
  { filter, hiddenToo }: { readonly filter?: LinkFilter | undefined; readonly hiddenToo?: boolean },
): Promise<readonly Counted[]> {
  requireReport(deps, report, 'rows')
  const { groupGuid } = report.subject.scope
  const only = filter && isFilter(filter) ? filter : undefined
  // Count the links with most addresses first: a single link with a hundred addresses would prevent an early stop.
  const named = [...(await deps.links.withMostKeywords(groupGuid, countedFirst + 1))]
  const first = new Map(named.slice(0, countedFirst))
  const maxAddresses = named[countedFirst]?.[1].length ?? 1
  const top = new TopLinks(size)
  const linksOf = async (addresses: readonly string[]): Promise<LinkAddresses> => {
    if (!only) return deps.links.addressesAt(groupGuid, addresses, hiddenToo)
    const links = await deps.links.linksAt(groupGuid, addresses, only)
    return new Map([...links.values()].map(({ id, keywords }) => [id, [id, ...keywords]]))
  }
  top.add(await countLinks(deps, report, only ? await linksOf([...first.keys()]) : first))

  let page = Math.max(size, minPage)
  for (let skip = 0; ; skip += page, page = Math.min(page * 4, maxPage)) {
    const rows = await deps.metrics.count({ ...wholeWindow(report), by: ['address'], size: page, skip })
    const counts = new Map(rows.map(({ values: [address = ''], count }) => [address, count]))
    const found = [...(await linksOf([...counts.keys()]))]
    const others = found.filter(([id]) => !first.has(id))
    const single = others.filter(hasOneAddress)
    const several = others.filter((link) => !hasOneAddress(link))
    top.add(single.map(([id]) => ({ id, count: counts.get(id) ?? 0 })))
    top.add(await countLinks(deps, report, new Map(several)))

    const last = rows.at(-1)
    if (rows.length < page || !last || (only && skip + page >= filteredAddresses)) break
    if (top.beats({ id: last.values[0] ?? '', count: last.count }, maxAddresses)) break
  }
  return top.all
}

// 1,000 links take the embedded database about 10 ms; a page of addresses takes 100 ms, with breaks.
const countedFirst = 1_000
const minPage = 100
const maxPage = 10_000
// A filter that matches few links would otherwise read all of them.
const filteredAddresses = 100_000

function isFilter(filter: LinkFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined && !(Array.isArray(value) && value.length === 0))
}

interface Counted {
  readonly id: string
  readonly count: number
}

function hasOneAddress([, addresses]: readonly [string, readonly string[]]): boolean {
  return addresses.length === 1
}

async function countLinks(
  deps: RankingDeps,
  report: ReportInput<GroupSubject>,
  links: LinkAddresses,
): Promise<readonly Counted[]> {
  if (links.size === 0) return []
  const { scope: _, bucket: __, ...query } = wholeWindow(report)
  const { groupGuid } = report.subject.scope
  const counts = await deps.metrics.countSets({ ...query, groupGuid, sets: [...links.values()] })
  return [...links.keys()].map((id, index) => ({ id, count: counts[index] ?? 0 }))
}

/** Drops links that were deleted in the meantime. */
export async function withLinks(
  deps: RankingDeps,
  groupGuid: string,
  ranked: readonly Counted[],
): Promise<readonly RankedLink[]> {
  const ids = ranked.map(({ id }) => id)
  const links = await deps.links.linksAt(groupGuid, ids)
  return ranked.flatMap(({ id, count }) => {
    const link = links.get(id)
    return link ? [{ link, count }] : []
  })
}

/** The top `size` links of those added; a link that is added again replaces its former count. */
class TopLinks {
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

  /** Whether no unseen link can enter the list, given the last address read. */
  beats(last: Counted, maxAddresses: number): boolean {
    const worst = this.#all[this.#size - 1]
    if (!worst) return false
    // An unseen link with one address ranks after `last`: its count is smaller, or equal with a greater id.
    return maxAddresses === 1 ? inOrder(worst, last) <= 0 : last.count * maxAddresses < worst.count
  }
}

function inOrder(one: Counted, other: Counted): number {
  return other.count - one.count || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0)
}
