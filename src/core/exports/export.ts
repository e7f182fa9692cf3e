/**
 * Exports in one answer: bounded tables of links and QR codes, built on request (docs/api/metrics.md#exports). Decides what may be exported; the edges
 * write CSV or JSON.
 */
import { type Actor, requireGroup } from '../accounts/actor.js'
import type { EngagementKind } from '../clicks/dimensions.js'
import type { MetricsLog } from '../clicks/metrics-query.js'
import type { Domains } from '../domains/domains.js'
import { type PlanCheckDeps, requireFeature } from '../limits/plans.js'
import { isCustomShortlink } from '../links/keywords.js'
import type { Link } from '../links/link.js'
import type { Page } from '../links/link-store.js'
import { type ListDeps, listLinks } from '../links/list.js'
import type { Listed } from '../links/paging.js'
import { type ListQrCodesDeps, listQrCodes } from '../qr-codes/list.js'
import type { QrCode } from '../qr-codes/qr-code.js'
import { parseAddress } from '../values/address.js'
import { invalid, Refusal } from '../values/refusal.js'
import type { Clock } from '../values/time.js'

export interface ExportDeps extends ListDeps, ListQrCodesDeps, PlanCheckDeps {
  readonly domains: Domains
  readonly metrics: Pick<MetricsLog, 'count'>
  readonly clock: Clock
}

export const exportTypes = ['link_engagements_batch', 'links_list', 'qr_codes_list'] as const

export type ExportType = (typeof exportTypes)[number]

export interface ExportInput {
  readonly exportType: ExportType
  /** Link addresses, for `link_engagements_batch` only, instead of a filter. */
  readonly shortlinks: readonly string[] | undefined
  readonly filter: ExportFilter | undefined
  /** Window for engagements in epoch seconds: from inclusive, to exclusive. */
  readonly unixFrom: number | undefined
  readonly unixTo: number | undefined
  readonly includeMetrics: boolean | undefined
}

export interface ExportFilter {
  readonly tags?: readonly string[] | undefined
  readonly domain?: string | undefined
  /** Undefined: both archived and active links. */
  readonly archived?: boolean | undefined
  readonly query?: string | undefined
  /** Epoch seconds. */
  readonly createdAfter?: number | undefined
  readonly createdBefore?: number | undefined
  readonly campaignGuid?: string | undefined
}

export interface Export {
  readonly at: number
  readonly rows: readonly ExportedRow[]
  /** Whether there are more rows than returned. */
  readonly truncated: boolean
  /** Only with engagements. */
  readonly window: ExportWindow | undefined
}

export type ExportedRow = FoundRow & { readonly engagements: Readonly<Record<EngagementKind, number>> | undefined }

/** A link with the requested address, or its own; or a QR code with the address in it. */
type FoundRow = { readonly address: string; readonly link: Link } | { readonly address: string; readonly code: QrCode }

/** Epoch seconds. */
export interface ExportWindow {
  readonly unixFrom: number
  readonly unixTo: number
}

/** Maximum rows of an export. */
export const maxRowsWithMetrics = 200
export const maxRows = 1000

/** More than one export can return, and few enough to look up at once. */
export const maxShortlinks = 1000

export async function exportRows(
  deps: ExportDeps,
  actor: Actor,
  groupGuid: string,
  input: ExportInput,
): Promise<Export> {
  const { organizationGuid } = requireGroup(actor, groupGuid)
  requireOneSource(input)
  const at = deps.clock.now()
  const metrics = input.exportType === 'link_engagements_batch' || input.includeMetrics === true
  const window = metrics ? windowOf(input, at) : undefined
  const cap = metrics ? maxRowsWithMetrics : maxRows
  const named = input.shortlinks && addressesFrom(deps, input.shortlinks)
  requireFeature(deps, organizationGuid, 'exports')

  const { found, more } = await findRows(deps, actor, groupGuid, { ...input, named }, cap)
  // The report on a custom short link requires this feature too.
  if (metrics && found.some((row) => 'link' in row && isCustomShortlink(deps, row.address, row.link))) {
    requireFeature(deps, organizationGuid, 'custom_links')
  }
  const counts = window && (await countEngagements(deps, found, window))
  const rows = found.map((row) => ({ ...row, engagements: counts && (counts.get(row.address) ?? noEngagements) }))
  return { at, rows, truncated: more, window }
}

function requireOneSource({ exportType, shortlinks, filter }: ExportInput): void {
  if (exportType !== 'link_engagements_batch') {
    if (shortlinks) throw invalid('shortlinks', `Send short links for link_engagements_batch only.`)
    if (!filter) throw invalid('filter', 'Send a filter; an empty one, {}, matches everything.')
    return
  }
  if (shortlinks && filter) throw invalid('filter', 'Send either short links or a filter, not both.')
  if (!shortlinks && !filter) throw invalid('shortlinks', 'Send short links, or a filter that finds them.')
}

/** Without a window: the last thirty days. */
const defaultWindow = 30 * 86_400

/** Not limited by the retention of clicks, because totals are kept forever. */
export function windowOf({ unixFrom, unixTo }: Pick<ExportInput, 'unixFrom' | 'unixTo'>, at: number): ExportWindow {
  const now = Math.floor(at / 1000) + 1
  if (unixFrom === undefined && unixTo === undefined) return { unixFrom: now - defaultWindow, unixTo: now }
  const together = 'Send unix_from and unix_to together, or neither of them for the last thirty days.'
  if (unixFrom === undefined) throw invalid('unixFrom', together)
  if (unixTo === undefined) throw invalid('unixTo', together)
  if (unixFrom >= unixTo) throw invalid('unixFrom', 'The window must begin before it ends: unix_from before unix_to.')
  return { unixFrom, unixTo }
}

interface Found {
  readonly found: readonly FoundRow[]
  readonly more: boolean
}

async function findRows(
  deps: ExportDeps,
  actor: Actor,
  groupGuid: string,
  { exportType, named, filter = {} }: ExportInput & { readonly named: readonly string[] | undefined },
  cap: number,
): Promise<Found> {
  if (named) return namedLinks(deps, groupGuid, named, cap)
  if (exportType !== 'qr_codes_list') {
    const { items, more } = await readPages(cap, (page) => listLinks(deps, actor, groupGuid, { ...filter, ...page }))
    return { found: items.map((link) => ({ address: link.id, link })), more }
  }
  // QR codes are in no campaign: that part of the filter does not apply to them.
  const { items, more } = await readPages(cap, (page) => listQrCodes(deps, actor, groupGuid, { ...filter, ...page }))
  return { found: items.map((code) => ({ address: code.address, code })), more }
}

export async function namedLinks(
  deps: Pick<ExportDeps, 'links' | 'domains'>,
  groupGuid: string,
  addresses: readonly string[],
  cap: number,
): Promise<Found> {
  const links = await deps.links.linksAt(groupGuid, addresses)
  const found = addresses.map((address) => {
    const link = links.get(address)
    if (!link) throw notInGroup(deps.domains.shown(address))
    return { address, link }
  })
  return { found: found.slice(0, cap), more: found.length > cap }
}

/** In the order sent, without duplicates. */
export function addressesFrom(deps: Pick<ExportDeps, 'domains'>, shortlinks: readonly string[]): readonly string[] {
  if (shortlinks.length === 0 || shortlinks.length > maxShortlinks) {
    throw invalid('shortlinks', `Send the ids of 1 to ${maxShortlinks} short links.`)
  }
  return [...new Set(shortlinks.map((text) => addressFrom(deps, text)))]
}

function addressFrom({ domains }: Pick<ExportDeps, 'domains'>, text: string): string {
  const written = parseAddress(text)
  if (!written) throw invalid('shortlinks', 'Send each short link as <domain>/<hash>.')
  const address = domains.addressOf(written.domain, written.backHalf)
  if (address === undefined) throw notInGroup(text)
  return address
}

/** Not NOT_FOUND, which the operation does not document; and one message whether or not another group has the link. */
function notInGroup(address: string): Refusal {
  return new Refusal('INVALID_ARGUMENT', `There is no short link ${address} in this group.`, { field: 'shortlinks' })
}

/** SQLite reads this many in a few milliseconds; each page blocks the whole process. */
const pageSize = 100

async function readPages<Item>(
  cap: number,
  read: (page: { readonly size: number; readonly searchAfter: string | undefined }) => Promise<Listed<Item>>,
): Promise<Page<Item>> {
  const items: Item[] = []
  let searchAfter: string | undefined
  do {
    const page = await read({ size: Math.min(pageSize, cap - items.length), searchAfter })
    items.push(...page.items)
    searchAfter = page.searchAfter
  } while (searchAfter !== undefined && items.length < cap)
  return { items, more: searchAfter !== undefined }
}

export const noEngagements: Readonly<Record<EngagementKind, number>> = { click: 0, scan: 0, button: 0 }

/** One query for all links. Counts are per address, as in the reports. */
export async function countEngagements(
  deps: Pick<ExportDeps, 'metrics'>,
  found: Found['found'],
  { unixFrom, unixTo }: ExportWindow,
): Promise<ReadonlyMap<string, Record<EngagementKind, number>>> {
  const counts = new Map<string, Record<EngagementKind, number>>()
  if (found.length === 0) return counts
  const rows = await deps.metrics.count({
    // Several codes may have one address.
    scope: { addresses: [...new Set(found.map(({ address }) => address))] },
    kinds: ['click', 'scan', 'button'],
    trafficClasses: ['human'],
    from: unixFrom * 1000,
    to: unixTo * 1000,
    by: ['address', 'kind'],
    bucket: undefined,
    size: undefined,
    measure: 'events',
  })
  for (const { values, count } of rows) {
    const [address = '', kind = 'click'] = values
    const known = counts.get(address) ?? { ...noEngagements }
    counts.set(address, { ...known, [kind]: count })
  }
  return counts
}
