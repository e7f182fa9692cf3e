import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ask } from '../../api/client.js'
import type { operations } from '../../api/schema.js'
import type { BrandedDomain } from '../../api/types.js'
import { showError } from '../../parts/toasts.js'
import { isWaiting } from './domain-state.js'

const keyOf = (organization: string) => ['organizations', organization, 'domains']

/** Only administrators of the organization may ask. */
export function domainsQuery(organization_guid: string) {
  return queryOptions({
    queryKey: keyOf(organization_guid),
    queryFn: async () => {
      const params = { path: { organization_guid } }
      return (await ask(api.GET('/v4/organizations/{organization_guid}/domains', { params }))).domains
    },
    enabled: organization_guid !== '',
  })
}

// A check costs the service a few queries, and it keeps a bad result for as long. A certificate is read within seconds.
export const secondsBetweenChecks = 15
const certificateEvery = 2000
const workingEvery = 60_000

/** With DNS and certificate, asked for again and again while somebody looks. */
export function domainQuery(organization_guid: string, domain: string) {
  return queryOptions({
    queryKey: [...keyOf(organization_guid), domain],
    queryFn: () => {
      const params = { path: { organization_guid, domain } }
      return ask(api.GET('/v4/organizations/{organization_guid}/domains/{domain}', { params }))
    },
    enabled: organization_guid !== '',
    refetchInterval: ({ state: { data } }) => {
      if (data?.certificate?.state === 'checking') return certificateEvery
      return data && isWaiting(data) ? secondsBetweenChecks * 1000 : workingEvery
    },
  })
}

/** For lists, which may be long: asked for again only while its certificate is looked at. */
export function listedDomainQuery(organization_guid: string, domain: string) {
  return queryOptions({
    ...domainQuery(organization_guid, domain),
    refetchInterval: ({ state: { data } }) => data?.certificate?.state === 'checking' && certificateEvery,
  })
}

export function useVerify({ organization_guid, domain }: BrandedDomain) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => {
      const params = { path: { organization_guid, domain } }
      return ask(api.POST('/v4/organizations/{organization_guid}/domains/{domain}/verify', { params }))
    },
    onSuccess: (checked) => client.setQueryData(domainQuery(organization_guid, domain).queryKey, checked),
    onError: showError,
  })
}

type Changes = NonNullable<operations['updateDomain']['requestBody']>['content']['application/json']

export function useChangeDomain({ organization_guid, domain }: BrandedDomain) {
  const refresh = useRefresh(organization_guid)
  return useMutation({
    mutationFn: (body: Changes) => {
      const params = { path: { organization_guid, domain } }
      return ask(api.PATCH('/v4/organizations/{organization_guid}/domains/{domain}', { params, body }))
    },
    onSuccess: refresh,
  })
}

/** After a change of domains: groups show which of them they may use. */
export function useRefresh(organization: string) {
  const client = useQueryClient()
  return async () => {
    await client.invalidateQueries({ queryKey: ['organizations', organization] })
    await client.invalidateQueries({ queryKey: ['groups'], exact: true })
  }
}

/** Whether the group has a link on the domain. The API does not count links of a domain. */
export function hasLinksQuery(group_guid: string, domain: string) {
  return queryOptions({
    queryKey: ['groups', group_guid, 'shortlinks', 'on', domain],
    queryFn: async () => {
      const params = { path: { group_guid }, query: { domain, size: 1 } }
      return (await ask(api.GET('/v4/groups/{group_guid}/shortlinks', { params }))).links.length > 0
    },
  })
}
