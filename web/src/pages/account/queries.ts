import { queryOptions } from '@tanstack/react-query'
import { api, ask } from '../../api/client.js'
import type { Scope } from '../../api/types.js'

export const twoFactorQuery = queryOptions({
  queryKey: ['user', 'two_factor'],
  queryFn: () => ask(api.GET('/v4/user/two_factor')),
})

/** Those of contents: an application can have no more. */
export const applicationScopes = [
  'all',
  'links:read',
  'links:write',
  'links:create',
  'analytics:read',
  'qr',
  'sites',
  'exports',
] as const satisfies readonly Scope[]
export type ApplicationScope = (typeof applicationScopes)[number]

export interface Application {
  readonly client_id: string
  readonly name: string
  readonly link: string
  readonly redirect_uris: readonly string[]
  readonly require_oauth_pkce: boolean
  readonly scopes: readonly ApplicationScope[]
}

export const applicationsQuery = queryOptions({
  queryKey: ['user', 'applications'],
  queryFn: async (): Promise<readonly Application[]> => (await ask(api.GET('/v4/user/applications'))).applications,
})
