/** What the pages of sites read and change. All changes but the address are made to the draft. */
import {
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'
import { ApiError, api, ask, withEtag } from '../../api/client.js'
import { tagged, withCurrent } from '../../api/save-merged.js'
import { showError } from '../../parts/toasts.js'
import { ownZone } from '../analytics/zone.js'
import { preferredDomain } from '../create/queries.js'
import type { SiteAddress } from './AddressField.js'
import type { Appearance, Block, BlockBody, BlockType, Site } from './model.js'
import { moved, type Place, placeOf } from './order.js'
import type { SiteRange } from './search.js'

/** Active sites, newest first. */
export function sitesQuery(group_guid: string) {
  return infiniteQueryOptions({
    queryKey: ['groups', group_guid, 'sites', 'list'],
    queryFn: ({ pageParam }) => {
      const query = { size: 50, ...(pageParam && { search_after: pageParam }) }
      return ask(api.GET('/v4/groups/{group_guid}/sites', { params: { path: { group_guid }, query } }))
    },
    initialPageParam: '',
    getNextPageParam: ({ pagination }) => pagination.search_after || undefined,
  })
}

/** With the blocks of its draft. */
export function siteQuery(group_guid: string, site_id: string) {
  return queryOptions({
    queryKey: ['groups', group_guid, 'sites', 'one', site_id],
    queryFn: () => ask(api.GET('/v4/sites/{site_id}', paramsOf(site_id))),
  })
}

/** What visitors see of it. */
export function liveQuery({ group_guid, site_guid: site_id, last_published }: Site) {
  return queryOptions({
    queryKey: ['groups', group_guid, 'sites', 'live', site_id, last_published],
    queryFn: () => {
      const query = { include_blocks: true, version: 'live' as const }
      return ask(api.GET('/v4/sites/{site_id}', { params: { path: { site_id }, query } }))
    },
  })
}

/** With its ETag. */
export function readSite(site_id: string): Promise<readonly [Site, string | null]> {
  return tagged(api.GET('/v4/sites/{site_id}', { ...paramsOf(site_id), headers: withEtag }))
}

function paramsOf(site_id: string) {
  return { params: { path: { site_id }, query: { include_blocks: true } } }
}

/** Empty, at this address. */
export async function makeSite(client: QueryClient, group_guid: string, address: SiteAddress): Promise<string> {
  const { path } = address
  const domain = address.domain || (await preferredDomain(client, group_guid))
  const body = { group_guid, domain, keyword: path.replace(/^m\//, ''), uri: `${domain}/${path}` }
  return (await ask(api.POST('/v4/sites', { body }))).site_guid
}

export const templatesQuery = queryOptions({
  queryKey: ['site_templates'],
  queryFn: () => ask(api.GET('/v4/site_templates', {})),
  staleTime: Number.POSITIVE_INFINITY,
})

/** What is typed and not saved yet, in the words of the API. */
export interface Overlay {
  readonly display_name?: string
  readonly description?: string
  readonly appearance?: Appearance
  readonly block?: BlockBody & { readonly block_id?: string; readonly type: BlockType }
}

/** The draft as the service draws it, with what is not saved. */
export function previewQuery(site: Site, overlay: Overlay) {
  const { site_guid: site_id, modified, blocks = [] } = site
  return queryOptions({
    queryKey: ['groups', site.group_guid, 'sites', 'preview', site_id, { modified, blocks, overlay }],
    queryFn: async () => {
      const params = { path: { site_id } }
      return (await ask(api.POST('/v4/sites/{site_id}/preview', { params, body: overlay }))).html
    },
    gcTime: 10_000,
  })
}

export function refreshSites(client: QueryClient, group_guid: string): Promise<void> {
  return client.invalidateQueries({
    queryKey: ['groups', group_guid, 'sites'],
    predicate: ({ queryKey }) => queryKey[3] !== 'preview',
  })
}

/** Steps that need no form, one after the other: two of an arrow key must not overtake each other. */
export function useBlockSteps(site: Site) {
  const client = useQueryClient()
  const { group_guid, site_guid: site_id } = site
  const { queryKey } = siteQuery(group_guid, site_id)
  const mutationKey = ['site', site_id]
  // Not while another step is still on its way, which would be taken back on the screen.
  const onSettled = async () => {
    if (client.isMutating({ mutationKey }) === 1) await refreshSites(client, group_guid)
  }
  const shared = { mutationKey, onError: showError, onSettled, scope: { id: site_id } }
  const move = useMutation({
    mutationFn: ({ id, to }: { id: string; to: Place; blocks: readonly Block[] }) => moveBlock(site_id, id, to),
    // It is there at once; what the service says comes after.
    onMutate: async ({ id, to, blocks }) => {
      await client.cancelQueries({ queryKey })
      client.setQueryData(queryKey, (now) => now && { ...now, blocks: [...moved(blocks, id, to)] })
    },
    ...shared,
  })
  const change = useMutation({
    mutationFn: ({ id, body }: { id: string; body: BlockBody }) => changeBlock(site_id, id, body),
    ...shared,
  })
  const remove = useMutation({
    mutationFn: (block_id: string) =>
      ask(api.DELETE('/v4/sites/{site_id}/blocks/{block_id}', { params: { path: { site_id, block_id } } })),
    ...shared,
  })
  const restore = useMutation({ mutationFn: (run: () => Promise<void>) => run(), ...shared })
  return { move, change, remove, restore }
}

/** Among the blocks that there are now: another editor may have added, removed or moved some since they were shown. */
function moveBlock(site_id: string, id: string, to: Place): Promise<unknown> {
  const read = () => readSite(site_id)
  const orderNow = ({ blocks = [] }: Site, headers: Readonly<Record<string, string>>) => {
    const block_order = moved(blocks, id, to).map(({ block_id }, sort_order) => ({ block_id, sort_order }))
    const params = { path: { site_id } }
    return ask(api.PUT('/v4/sites/{site_id}/blocks/order', { params, body: { block_order }, headers }))
  }
  return withCurrent(read, async (site, headers) => {
    if (placeOf(site.blocks ?? [], id).container === to.container) return orderNow(site, headers)
    await changeBlock(site_id, id, { parent: to.container ?? '' }, headers)
    return withCurrent(read, orderNow)
  })
}

export function changeBlock(site_id: string, block_id: string, body: BlockBody, headers = {}) {
  return ask(
    api.PATCH('/v4/sites/{site_id}/blocks/{block_id}', { params: { path: { site_id, block_id } }, body, headers }),
  )
}

/** Containers have an operation of their own, which knows no more than their content. */
export async function addBlock(site_id: string, type: BlockType, { content = {}, ...body }: BlockBody): Promise<Block> {
  const params = { path: { site_id } }
  if (type !== 'grid' && type !== 'carousel') {
    return ask(api.POST('/v4/sites/{site_id}/blocks', { params, body: { type, content, ...body } }))
  }
  const made = await ask(api.POST('/v4/sites/{site_id}/containers', { params, body: { type, content } }))
  return Object.keys(body).length > 0 ? changeBlock(site_id, made.block_id, body) : made
}

/** A block that was removed, with those in it, at its old place. Its ids are new. */
export async function restoreBlock(site: Site, block: Block): Promise<void> {
  const { site_guid: site_id, blocks = [] } = site
  const restored = await addBlock(site_id, block.type, bodyOf(block))
  for (const inner of blocks.filter(({ container_id }) => container_id === block.block_id)) {
    await addBlock(site_id, inner.type, { ...bodyOf(inner), parent: restored.block_id })
  }
  await moveBlock(site_id, restored.block_id, placeOf(blocks, block.block_id))
}

/** What is sent for a block that is like this one. */
function bodyOf({ content, appearance, schedule_start, schedule_end, is_active, is_pinned, container_id }: Block) {
  const { link_info: _, channel_url, thumbnail_url: __, image_url: ___, domain: ____, ...own } = content
  const { shape: _____, shadow: ______, ...look } = appearance ?? {}
  const body: BlockBody = {
    content: { ...own, ...(channel_url && { url: channel_url }) },
    ...(appearance && { appearance: look }),
    ...(schedule_start && { schedule_start }),
    ...(schedule_end && { schedule_end }),
    is_active,
    is_pinned,
    ...(container_id && { parent: container_id }),
  }
  return body
}

export const facets = ['referrers', 'countries', 'cities', 'devices'] as const
export type Facet = (typeof facets)[number]
export type SiteReport = Facet | 'over_time'

/** Sites of one group that are counted together. */
export interface Counted {
  readonly group: string
  readonly sites: readonly string[]
}

export function oneSite({ group_guid, site_guid }: Pick<Site, 'group_guid' | 'site_guid'>): Counted {
  return { group: group_guid, sites: [site_guid] }
}

/** So many days, today included, in the person's own zone. */
function lastDays(range: SiteRange) {
  return { unit: 'day' as const, units: Number(range), zone: ownZone }
}

function countQuery<Count>(
  { group, sites }: Counted,
  report: string,
  range: SiteRange,
  read: (query: ReturnType<typeof lastDays> & { readonly site: string[] }) => Promise<Count>,
) {
  return queryOptions({
    queryKey: ['groups', group, 'site-views', sites, report, range],
    queryFn: () => read({ ...lastDays(range), site: [...sites] }),
    staleTime: 60_000,
  })
}

/** Of the last 30 days. */
export function viewsQuery(site: Site) {
  return { ...overviewQuery(oneSite(site), '30'), select: ({ views }: { readonly views: number }) => views }
}

export function overviewQuery(counted: Counted, range: SiteRange) {
  return countQuery(counted, 'overview', range, (query) =>
    ask(api.GET('/v4/aggregate/sites/overview', { params: { query } })),
  )
}

/** Oldest first. */
export function viewSeriesQuery(counted: Counted, range: SiteRange) {
  return countQuery(counted, 'over_time', range, async (query) => {
    const { clicks } = await ask(api.GET('/v4/aggregate/sites/views/over_time', { params: { query } }))
    return clicks.map(({ date, clicks: views }) => ({ date: new Date(date * 1000), views })).reverse()
  })
}

interface FacetRow {
  readonly value: string
  /** Of a city. */
  readonly region?: string
  readonly country?: string
  readonly views: number
}

export function facetQuery(counted: Counted, facet: Facet, range: SiteRange) {
  return countQuery(counted, facet, range, async (query): Promise<readonly FacetRow[]> => {
    if (facet === 'cities') {
      const report = await ask(api.GET('/v4/aggregate/sites/views/cities', { params: { query } }))
      return report.totals_for_time_period.map(({ city: value, clicks: views, ...place }) => ({
        ...place,
        value,
        views,
      }))
    }
    const path = `/v4/aggregate/sites/views/${facet as 'countries'}` as const
    const report = await ask(api.GET(path, { params: { query } }))
    return report.totals_for_time_period.map(({ value, clicks: views }) => ({ value, views }))
  })
}

/** A report as a file, with as many rows as the API gives. */
export async function sitesCsv({ sites }: Counted, report: SiteReport, range: SiteRange): Promise<Blob> {
  const params = { query: { ...lastDays(range), site: [...sites], size: 1000 } }
  return csvOf(await api.GET(`/v4/aggregate/sites/views/${report as 'countries'}`, { params, ...asCsv }))
}

export async function performanceCsv({ site_guid: site_id }: Site, range: SiteRange): Promise<Blob> {
  const params = { path: { site_id }, query: { ...lastDays(range), size: 1000 } }
  return csvOf(await api.GET('/v4/sites/{site_id}/link_performance', { params, ...asCsv }))
}

const asCsv = { headers: { accept: 'text/csv' }, parseAs: 'blob' } as const

function csvOf({ response, data }: { readonly response: Response; readonly data?: unknown }): Blob {
  if (!response.ok) throw new ApiError(response.status, 'CSV', '', [])
  return data as Blob
}

/** How often visitors saved a business card. */
export function cardsQuery(counted: Counted, range: SiteRange) {
  return countQuery(counted, 'cards', range, async (query) => {
    const path = '/v4/aggregate/sites/digital_business_card_downloads/over_time'
    const { clicks } = await ask(api.GET(path, { params: { query } }))
    return clicks.reduce((sum, each) => sum + each.clicks, 0)
  })
}

/** The buttons that are or were on the page, most clicks first. */
export function performanceQuery(site: Site, range: SiteRange) {
  return countQuery(oneSite(site), 'buttons', range, async ({ site: [site_id = ''], ...query }) => {
    const params = { path: { site_id }, query }
    return (await ask(api.GET('/v4/sites/{site_id}/link_performance', { params }))).link_clicks
  })
}

/** The most visited pages and the most clicked buttons of several sites. */
export function topQuery(counted: Counted, range: SiteRange) {
  return countQuery(counted, 'top', range, (query) =>
    ask(api.GET('/v4/aggregate/sites/clicks/top', { params: { query } })),
  )
}
