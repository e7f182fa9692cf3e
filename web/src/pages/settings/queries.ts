import { queryOptions } from '@tanstack/react-query'
import { api, ask } from '../../api/client.js'

export type GroupRole = 'group-admin' | 'member' | 'reader'

export interface Member {
  readonly login: string
  readonly name: string
  readonly email?: string
  readonly is_active: boolean
  readonly role: 'admin' | 'auditor' | 'member'
  /** Names of those that they sign in with. */
  readonly identity_providers: readonly string[]
  readonly groups: readonly { readonly group_guid: string; readonly role: GroupRole }[]
}

export function membersQuery(organization_guid: string) {
  return queryOptions({
    queryKey: ['organizations', organization_guid, 'members'],
    queryFn: async (): Promise<readonly Member[]> => {
      const params = { path: { organization_guid } }
      return (await ask(api.GET('/v4/organizations/{organization_guid}/members', { params }))).members as Member[]
    },
  })
}

/** Refused to everybody but those who run the service. */
export const serviceQuery = queryOptions({
  queryKey: ['service', 'organizations'],
  queryFn: () => ask(api.GET('/v4/service/organizations')),
  staleTime: 60_000,
  retry: false,
})

export const providersQuery = queryOptions({
  queryKey: ['service', 'identity-providers'],
  queryFn: () => ask(api.GET('/v4/service/identity_providers')),
  staleTime: 60_000,
})

export type Provider = Awaited<ReturnType<NonNullable<typeof providersQuery.queryFn>>>['identity_providers'][number]
