/** The queries that several pages share. A page's own are in its folder. */
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, ask } from './client.js'
import type { Token } from './types.js'

export const userQuery = queryOptions({
  queryKey: ['user'],
  queryFn: () => ask(api.GET('/v4/user')),
  staleTime: 5 * 60_000,
})

export const groupsQuery = queryOptions({
  queryKey: ['groups'],
  queryFn: async () => (await ask(api.GET('/v4/groups'))).groups,
  staleTime: 5 * 60_000,
})

export const organizationsQuery = queryOptions({
  queryKey: ['organizations'],
  queryFn: async () => (await ask(api.GET('/v4/organizations'))).organizations,
  staleTime: 5 * 60_000,
})

/** Access tokens of the person. */
export const tokensQuery = queryOptions({
  queryKey: ['user', 'tokens'],
  queryFn: async (): Promise<readonly Token[]> => (await ask(api.GET('/v4/user/tokens'))).tokens,
})

export function planLimitsQuery(organization_guid: string) {
  return queryOptions({
    queryKey: ['organizations', organization_guid, 'plan_limits'],
    queryFn: () =>
      ask(api.GET('/v4/organizations/{organization_guid}/plan_limits', { params: { path: { organization_guid } } })),
    staleTime: 60_000,
  })
}

export interface TagDetails {
  readonly name: string
  readonly color: 'gray' | 'red' | 'orange' | 'yellow' | 'green' | 'teal' | 'blue' | 'purple' | 'pink'
  readonly description: string
  readonly links: number
  readonly qr_codes: number
}

/** The tags of a group, of links and QR codes. */
export function tagsQuery(group_guid: string) {
  return queryOptions({
    queryKey: ['groups', group_guid, 'tags'],
    queryFn: async (): Promise<readonly TagDetails[]> =>
      (await ask(api.GET('/v4/groups/{group_guid}/tag_details', { params: { path: { group_guid } } }))).tags,
    staleTime: 60_000,
  })
}

/** For fields that offer the tags of links. */
export function linkTagsQuery(group_guid: string) {
  return { ...tagsQuery(group_guid), select: namesOfLinkTags }
}

function namesOfLinkTags(tags: readonly TagDetails[]): readonly string[] {
  return tags.filter(({ links }) => links > 0).map(({ name }) => name)
}

/** The name of an application. */
export function applicationQuery(client_id: string) {
  return queryOptions({
    queryKey: ['apps', client_id],
    queryFn: async () => (await ask(api.GET('/v4/apps/{client_id}', { params: { path: { client_id } } }))).name,
    staleTime: 5 * 60_000,
  })
}

/** After links were made or changed: what is known of the group, and how much of the plan is used. */
export async function refreshGroup(client: QueryClient, group_guid: string): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: ['groups', group_guid] }),
    client.invalidateQueries({ predicate: ({ queryKey }) => queryKey.at(-1) === 'plan_limits' }),
  ])
}
