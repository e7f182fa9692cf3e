import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
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

export function tagsQuery(group_guid: string) {
  return queryOptions({
    queryKey: ['groups', group_guid, 'tags'],
    queryFn: async () =>
      (await ask(api.GET('/v4/groups/{group_guid}/tags', { params: { path: { group_guid } } }))).tags,
  })
}

function filtersOf({ q, tags, campaign, creator, archived, expired, custom, qr, from, to }: LinkSearch) {
  return {
    ...(q && { query: q }),
    ...(tags && { tags: [...tags] }),
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
