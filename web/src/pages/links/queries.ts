import { infiniteQueryOptions, queryOptions, useQueries } from '@tanstack/react-query'
import { api, ask } from '../../api/client.js'
import type { LinkSearch } from './search.js'

const pageSize = 50

/** The links of a group, newest first, page by page on the API's cursor. */
export function linksQuery(group_guid: string, search: LinkSearch) {
  return infiniteQueryOptions({
    queryKey: ['groups', group_guid, 'shortlinks', search],
    queryFn: ({ pageParam }) => {
      const query = { ...filtersOf(search), size: pageSize, ...(pageParam && { search_after: pageParam }) }
      return ask(api.GET('/v4/groups/{group_guid}/shortlinks', { params: { path: { group_guid }, query } }))
    },
    initialPageParam: '',
    getNextPageParam: ({ pagination }) => pagination.search_after || undefined,
  })
}

export interface LinkClicks {
  readonly total: number
  /** Per day, oldest first. */
  readonly days: readonly number[]
}

const days = 30

/** The clicks of the last 30 days, by the id of the link: one request for each loaded page, not one for each row. */
export function useClicks(group_guid: string, pages: readonly (readonly string[])[]): ReadonlyMap<string, LinkClicks> {
  return useQueries({
    queries: pages.map((ids) => ({
      queryKey: ['groups', group_guid, 'clicks', ids],
      queryFn: async () => {
        const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
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

export function tagsQuery(group_guid: string) {
  return queryOptions({
    queryKey: ['groups', group_guid, 'tags'],
    queryFn: async () =>
      (await ask(api.GET('/v4/groups/{group_guid}/tags', { params: { path: { group_guid } } }))).tags,
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
