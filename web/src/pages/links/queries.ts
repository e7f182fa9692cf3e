import { infiniteQueryOptions, queryOptions, useQueries } from '@tanstack/react-query'
import { api, ask } from '../../api/client.js'
import type { ShortLink } from '../../api/types.js'
import { formatNumber } from '../../parts/format.js'
import { isOpen } from '../imports/queries.js'
import type { LinkSearch } from './search.js'

/** The first page is there soon; those after it are as big as the API allows. */
const sizes = { first: 50, next: 100 }
/** Loading hundreds of pages again would keep the API busy, and the person sees few of their rows. */
const refreshedPages = 5

/** The links of a group, newest first, page by page on the API's cursor; or those with the most clicks. */
export function linksQuery(group_guid: string, search: LinkSearch) {
  const isRefreshed = ({ state }: { state: { data?: { pages: readonly unknown[] } | undefined } }) =>
    (state.data?.pages.length ?? 0) <= refreshedPages
  return infiniteQueryOptions({
    queryKey: ['groups', group_guid, 'shortlinks', search],
    queryFn: ({ pageParam }) =>
      search.sort ? topLinks(group_guid, search) : listedLinks(group_guid, search, pageParam),
    initialPageParam: '',
    getNextPageParam: ({ pagination }) => pagination.search_after || undefined,
    refetchOnMount: isRefreshed,
    refetchOnWindowFocus: isRefreshed,
    refetchOnReconnect: isRefreshed,
  })
}

interface LinkPage {
  readonly links: readonly ShortLink[]
  readonly pagination: { readonly search_after: string }
}

function listedLinks(group_guid: string, search: LinkSearch, search_after: string): Promise<LinkPage> {
  const query = search_after
    ? { ...filtersOf(search), size: sizes.next, search_after }
    : { ...filtersOf(search), size: sizes.first }
  return ask(api.GET('/v4/groups/{group_guid}/shortlinks', { params: { path: { group_guid }, query } }))
}

/** How many links match. Asked apart from the list, which need not wait for it. */
export function totalQuery(group_guid: string, { sort: _, ...filters }: LinkSearch) {
  const params = { path: { group_guid }, query: { ...filtersOf(filters), size: 1, total: true } }
  return queryOptions({
    queryKey: ['groups', group_guid, 'shortlinks', 'total', filters],
    queryFn: async () => (await ask(api.GET('/v4/groups/{group_guid}/shortlinks', { params }))).pagination,
  })
}

export interface Counted {
  readonly total?: number
  /** False: there are at least so many. */
  readonly total_is_exact?: boolean
}

export function countText({ total = 0, total_is_exact: isExact }: Counted): string {
  return isExact ? formatNumber(total) : `${formatNumber(total)}+`
}

/** What the API takes at most in one job. */
const maxLinks = 1_000_000

type MatchingChange =
  | { readonly action: 'archive'; readonly archive: boolean }
  | { readonly action: 'edit_tags'; readonly add_tags?: string[]; readonly remove_tags?: string[] }
  | { readonly action: 'delete' }

/** Begins a job on all links that match: as many as the person saw, unless nobody could count them. */
export function changeMatching(
  group_guid: string,
  { sort: _, ...filters }: LinkSearch,
  { total = maxLinks, total_is_exact: isExact }: Counted,
  change: MatchingChange & { readonly name: string },
) {
  const params = { path: { group_guid }, query: filtersOf(filters) }
  const body = { ...change, max_links: isExact ? Math.max(1, total) : maxLinks }
  return ask(api.POST('/v4/groups/{group_guid}/shortlinks/jobs', { params, body }))
}

/** Of the links with these ids, or of all that match. */
export function exportLinks(
  group_guid: string,
  wanted: { readonly ids: readonly string[] } | { readonly search: LinkSearch },
) {
  const query = 'search' in wanted ? filtersOf(wanted.search) : {}
  const body = { include_metrics: true, ...('ids' in wanted && { shortlinks: [...wanted.ids] }) }
  return ask(api.POST('/v4/groups/{group_guid}/shortlinks/exports', { params: { path: { group_guid }, query }, body }))
}

/** One job, until it ends. */
export function jobQuery(group_guid: string, job_guid: string) {
  return queryOptions({
    queryKey: ['groups', group_guid, 'bulk-jobs', job_guid],
    queryFn: () => ask(api.GET('/v4/bulk/jobs/{job_guid}', { params: { path: { job_guid } } })),
    refetchInterval: ({ state }) => (state.data && !isOpen(state.data) ? false : 1000),
  })
}

const days = 30
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

async function topLinks(group_guid: string, search: LinkSearch): Promise<LinkPage> {
  // Archived links are ranked too, unless told otherwise.
  const filters = { archived: 'off' as const, ...filtersOf(search) }
  const query = { ...filters, unit: 'day' as const, units: days, zone, size: sizes.next }
  const params = { path: { group_guid, sort: 'clicks' as const }, query }
  const { links } = await ask(api.GET('/v4/groups/{group_guid}/shortlinks/{sort}', { params }))
  return { links, pagination: { search_after: '' } }
}

export interface LinkClicks {
  readonly total: number
  /** Per day, oldest first. */
  readonly days: readonly number[]
}

/** Rows for which one request asks. */
export const rowsPerRequest = 50

/** The clicks of the last 30 days, by the id of the link: one request for each list of ids, not one for each row. */
export function useClicks(group_guid: string, lists: readonly (readonly string[])[]): ReadonlyMap<string, LinkClicks> {
  return useQueries({
    queries: lists.map((ids) => ({
      queryKey: ['groups', group_guid, 'clicks', ids],
      queryFn: async () => {
        const body = { shortlinks: [...ids], unit: 'day' as const, units: days, zone }
        const params = { path: { group_guid } }
        const { links } = await ask(api.POST('/v4/groups/{group_guid}/links/clicks/series', { params, body }))
        return links.map(({ id, total_clicks: total, clicks }) => [id, { total, days: clicks.toReversed() }] as const)
      },
      enabled: ids.length > 0,
      staleTime: 60_000,
    })),
    combine: together,
  })
}

/** Outside the component, so that the map is made again only when an answer changes. */
function together(
  answers: readonly { readonly data: readonly (readonly [string, LinkClicks])[] | undefined }[],
): ReadonlyMap<string, LinkClicks> {
  return new Map(answers.flatMap(({ data = [] }) => data))
}

/** Icons of the sites that the links lead to, by host, in the same lists. */
export function useIcons(group_guid: string, lists: readonly (readonly string[])[]): ReadonlyMap<string, string> {
  return useQueries({
    queries: lists.map((ids) => ({
      queryKey: ['groups', group_guid, 'icons', ids],
      queryFn: async () => {
        const wanted = { params: { path: { group_guid } }, body: { shortlinks: [...ids] } }
        return (await ask(api.POST('/v4/groups/{group_guid}/links/icons', wanted))).icons
      },
      enabled: ids.length > 0,
      staleTime: 60_000,
    })),
    combine: withKnown,
  })
}

type Icons = readonly { readonly host: string; readonly image: string }[]

const knownIcons = new Map<string, string>()

/** Those that came before stay: when a new link changes the lists, no icon goes away until the answer is there. */
function withKnown(answers: readonly { readonly data: Icons | undefined }[]): ReadonlyMap<string, string> {
  for (const { host, image } of answers.flatMap(({ data = [] }) => data)) knownIcons.set(host, image)
  return new Map(knownIcons)
}

/** Who has access to the group. */
export function groupMembersQuery(group_guid: string) {
  return queryOptions({
    queryKey: ['groups', group_guid, 'members'],
    queryFn: async () =>
      (await ask(api.GET('/v4/groups/{group_guid}/members', { params: { path: { group_guid } } }))).members,
    staleTime: 5 * 60_000,
  })
}

export function campaignsQuery(group_guid: string) {
  return queryOptions({
    queryKey: ['groups', group_guid, 'campaigns'],
    queryFn: async () => (await ask(api.GET('/v4/campaigns', { params: { query: { group_guid } } }))).campaigns,
  })
}

function filtersOf({ q, tags, domain, campaign, creator, archived, expired, custom, qr, from, to }: LinkSearch) {
  return {
    ...(q && { query: q }),
    ...(tags && { tags: [...tags] }),
    ...(domain && { domain }),
    ...(campaign && { campaign_guid: campaign }),
    ...(creator && { encoding_login: [...creator] }),
    ...(archived && { archived }),
    ...(expired && { is_expired: expired }),
    ...(custom && { custom_shortlink: custom }),
    ...(qr && { has_qr_codes: qr }),
    ...(from && { created_after: startOf(from) }),
    ...(to && { created_before: startOf(to) + secondsOfDay }),
  }
}

const secondsOfDay = 86_400

function startOf(day: string): number {
  return Math.floor(new Date(`${day}T00:00`).getTime() / 1000)
}
