/** What somebody should look at: domains whose DNS is not set, webhooks that fail, limits that are nearly used up. Nothing else, and often nothing. */
import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { api, ask } from '../../api/client.js'
import { planLimitsQuery } from '../../api/queries.js'
import { formatNumber } from '../../parts/format.js'
import { useGroup, useIsAdmin } from '../../shell/current-group.js'
import { texts } from '../../texts/texts.js'
import { webhooksQuery } from '../webhooks/queries.js'
import styles from './HomePage.module.css'

/** Each domain is one request. */
const checkedDomains = 5
const nearLimit = 0.8

export function Attention({ group }: { readonly group: string }) {
  const organization = useGroup()?.organization_guid ?? ''
  // Only administrators may see domains and webhooks.
  const isAdmin = useIsAdmin()
  const domains = useDomainsWithoutDns(organization, isAdmin)
  const { data: limits } = useQuery({ ...planLimitsQuery(organization), enabled: organization !== '' })
  const near = limits?.plan_limits.filter(
    ({ unlimited, count, limit }) => !unlimited && limit > 0 && count >= nearLimit * limit,
  )
  const { data: webhooks = [] } = useQuery({ ...webhooksQuery(organization), enabled: isAdmin })
  const failing = webhooks.filter(({ status }) => status === 'alert' || status === 'deactivated')
  if (domains.length === 0 && failing.length === 0 && !near?.length) return null
  return (
    <ul className={styles.attention} aria-label={texts.home.attention}>
      {domains.map((domain) => (
        <li key={domain}>
          <TriangleAlert size={16} aria-hidden="true" />
          <Link to="/$group/domains/$domain" params={{ group, domain }}>
            {texts.home.noDns(domain)}
          </Link>
        </li>
      ))}
      {failing.map(({ guid, name, status }) => (
        <li key={guid}>
          <TriangleAlert size={16} aria-hidden="true" />
          <Link to="/$group/settings/webhooks/$webhook" params={{ group, webhook: guid }}>
            {status === 'alert' ? texts.home.failingWebhook(name) : texts.home.deadWebhook(name)}
          </Link>
        </li>
      ))}
      {near?.map(({ name, description, count, limit }) => (
        <li key={name}>
          <TriangleAlert size={16} aria-hidden="true" />
          <Link to="/$group/settings" params={{ group }}>
            {texts.home.nearLimit(texts.limits[name] || description || name, formatNumber(count), formatNumber(limit))}
          </Link>
        </li>
      ))}
    </ul>
  )
}

function useDomainsWithoutDns(organization: string, isAdmin: boolean): readonly string[] {
  const path = { organization_guid: organization }
  const key = ['organizations', organization, 'domains']
  const { data: domains = [] } = useQuery({
    queryKey: key,
    queryFn: async () =>
      (await ask(api.GET('/v4/organizations/{organization_guid}/domains', { params: { path } }))).domains,
    enabled: isAdmin,
  })
  const details = useQueries({
    queries: domains.slice(0, checkedDomains).map(({ domain }) => ({
      queryKey: [...key, domain],
      queryFn: () =>
        ask(
          api.GET('/v4/organizations/{organization_guid}/domains/{domain}', { params: { path: { ...path, domain } } }),
        ),
      staleTime: 5 * 60_000,
    })),
  })
  return details.flatMap(({ data }) => (data?.dns?.checked && !data.dns.match ? [data.domain] : []))
}
