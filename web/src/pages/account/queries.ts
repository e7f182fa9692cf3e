import { queryOptions } from '@tanstack/react-query'
import { api, ask } from '../../api/client.js'
import type { people } from '../../texts/people.js'

export interface Token {
  readonly guid: string
  readonly label: string
  readonly hint: string
  readonly created: string
  readonly last_used_at?: string
  /** The application that holds it; absent for the person's own tokens. */
  readonly client_id?: string
  readonly scopes: readonly Scope[]
  /** The only groups that it reaches; absent for all. */
  readonly group_guids?: readonly string[]
  /** The only domains whose links it reaches; absent for all. */
  readonly domains?: readonly string[]
  readonly expiration_at?: string
  /** The token that it was rotated to. */
  readonly replaced_by?: string
}

export type Scope = 'all' | keyof typeof people.account.tokenForm.scopeNames

export const tokensQuery = queryOptions({
  queryKey: ['user', 'tokens'],
  queryFn: async (): Promise<readonly Token[]> => (await ask(api.GET('/v4/user/tokens'))).tokens,
})

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
