/** The queries that several pages share. A page's own are in its folder. */
import { queryOptions } from '@tanstack/react-query'
import { api, ask } from './client.js'

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

export function planLimitsQuery(organization_guid: string) {
  return queryOptions({
    queryKey: ['organizations', organization_guid, 'plan_limits'],
    queryFn: () =>
      ask(api.GET('/v4/organizations/{organization_guid}/plan_limits', { params: { path: { organization_guid } } })),
    staleTime: 60_000,
  })
}
