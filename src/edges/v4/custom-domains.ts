/** Branded domains as the public API has them (docs/api/domains.md#custom-domains): the same domains in other words. */
import { getDomain } from 'tldts'
import { type Static, Type } from 'typebox'
import { requireOrganizationAdmin, requireOrganizationAuditor } from '../../core/accounts/actor.js'
import { type DnsState, withProof } from '../../core/domains/dns-check.js'
import type { BrandedDomain } from '../../core/domains/domain-store.js'
import {
  administeredDomains,
  type CheckedDomain,
  changeDomain,
  checkDomain,
  checkNewDomain,
  customFieldNames,
  dnsOf,
  ensureDomain,
  visibleDomain,
} from '../../core/domains/manage.js'
import type { MobileAppStore } from '../../core/mobile-apps/mobile-app-store.js'
import { Refusal } from '../../core/values/refusal.js'
import { timestamp } from '../../core/values/time.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { emptyRemoves } from '../http/validation.js'
import { textIn } from './access.js'
import { DnsRecords, DnsReport, type DomainRouteDeps, presentDns } from './domains.js'
import { type RouteRequest, route } from './route.js'
import { domainBounds, guidBounds, webUrlOrNoneBounds } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { moment, named } from './schemas/fields.js'
import { listAnswer } from './schemas/lists.js'

export type CustomDomainRouteDeps = DomainRouteDeps & { readonly mobileApps: Pick<MobileAppStore, 'list'> }

/** Both spellings of the public API: what newer clients read, and what older ones read. */
const CustomDomainDns = Type.Object(
  {
    domain: Type.String(),
    dns_provider: Type.String({ description: 'Always `unknown`', examples: ['unknown'] }),
    type: Type.String({ description: 'What to set: `CNAME`, `A`, or `unknown`', examples: ['CNAME'] }),
    records: DnsRecords,
    records_valid: Type.Boolean({ description: 'The same as `match`' }),
    ...DnsReport.properties,
  },
  { description: 'The records' },
)

export const CustomDomain = Type.Object(
  {
    custom_domain: Type.String({ examples: ['go.example.com'] }),
    is_active: Type.Boolean({ description: 'It is verified, so it serves visitors' }),
    group_guids: Type.Array(Type.String(), {
      description: 'Groups that may create links on it; to others than administrators, only their own',
    }),
    root_redirect: Type.String({
      description: 'Where the bare domain redirects to; empty if nowhere',
      examples: ['https://example.com/'],
    }),
    wildcard_redirect: Type.String({
      description: 'Where unknown links redirect to; empty if nowhere',
      examples: [''],
    }),
    validation_status: Type.Enum(['ok', 'pending', 'error'], {
      type: 'string',
      description:
        '`ok`; `pending`: the DNS records are not set yet; `error`: they point elsewhere, or it is contested',
      examples: ['ok'],
    }),
    validation_error: Type.String({ description: 'What to set; empty if the status is `ok`', examples: [''] }),
    configuration_last_check_ts: Type.Optional(moment()),
    https_enabled: Type.Boolean({ description: 'The base URL of the service is an https URL' }),
    https_shortlinks: Type.Boolean({ description: 'The same as `https_enabled`' }),
    hsts_enabled: Type.Boolean({ description: 'Always false: HTTPS is set up in front of the service' }),
    upgrade_insecure_requests: Type.Boolean({ description: 'Always false, as `hsts_enabled`' }),
    ssl_configuration_error: Type.String({
      description: 'Why HTTPS does not work; empty if it does, or is not known',
      examples: [''],
    }),
    ssl_autoconfigure_error: Type.Boolean({ description: 'HTTPS does not work' }),
    ssl_cert: Type.Optional(
      Type.Object(
        {
          issuer: Type.String({ examples: ["Let's Encrypt"] }),
          valid_end: Type.String({
            description: 'UTC, as `YYYY-MM-DDThh:mm:ss+0000`; empty if not known',
            examples: ['2027-01-31T09:30:00+0000'],
          }),
          custom_cert: Type.Boolean({ description: 'Always false' }),
        },
        { description: 'The certificate, when you get one domain and it has one' },
      ),
    ),
    deeplink_apps: Type.Array(
      Type.Object({ guid: Type.String(), os: Type.String({ examples: ['ios'] }) }, { title: 'DeeplinkApp' }),
      { description: 'Mobile apps of its organization' },
    ),
    created: Type.String({ description: 'UTC, as `YYYY-MM-DDThh:mm:ss+0000`' }),
  },
  { $id: 'CustomDomain' },
)

const NewBody = Type.Object({
  organization_guid: Type.String(guidBounds),
  custom_domain: Type.String(domainBounds),
  group_guids: Type.Optional(
    Type.Array(Type.String(), { maxItems: 1000, description: 'Groups that may create links on it' }),
  ),
  prevalidate: Type.Optional(Type.Boolean({ description: 'Only check the name and its DNS; add nothing' })),
})

export const AddedCustomDomain = Type.Object(
  {
    organization_guid: Type.String(),
    custom_domain: Type.String(),
    domain: Type.String({ description: 'The registered domain that it is part of', examples: ['example.com'] }),
    subdomain: Type.String({ description: 'The rest; empty for a registered domain', examples: ['go'] }),
    group_guids: Type.Array(Type.String()),
    prevalidate: Type.Boolean(),
  },
  { $id: 'AddedCustomDomain' },
)

const url = (description: string) => Type.Optional(Type.String({ ...emptyRemoves, ...webUrlOrNoneBounds, description }))
const flag = (description: string) => Type.Optional(Type.Boolean({ description }))
const ChangeBody = Type.Object({
  root_redirect: url('http or https URL that the bare domain redirects to. Send an empty string to remove it'),
  wildcard_redirect: url('http or https URL that unknown links redirect to. Send an empty string to remove it'),
  https_enabled: flag('Only the present value is accepted: the base URL of the service decides'),
  hsts_enabled: flag('Only false is accepted: set it where HTTPS is set up'),
  upgrade_insecure_requests: flag('Only false is accepted: set it where HTTPS is set up'),
})

export function customDomainRoutes(http: TypedFastify, deps: CustomDomainRouteDeps): void {
  const tag = 'Domains'
  const isHttps = deps.config.baseUrl.startsWith('https:')
  const appsOf = async (organizationGuid: string) =>
    (await deps.mobileApps.list(organizationGuid)).map(({ guid, association }) => ({ guid, os: association.os }))
  const knownOf = (domain: BrandedDomain) => {
    const dns = deps.dns.known(domain.name)
    return dns && !domain.isProven ? withProof(dns, false, domain) : dns
  }
  const present = async (checked: CheckedDomain) =>
    presentCustomDomain(checked, isHttps, await appsOf(checked.domain.organizationGuid))

  route(http, tag, 'listCustomDomains: GET /v4/custom_domains', {
    scope: ['links:read', 'domains'],
    list: { name: 'custom_domains', by: 'custom_domain' },
    access: auditorOfQuery,
    summary: 'List the custom domains of the organizations that you administer or audit',
    description: 'In alphabetical order, with the last known state of their DNS; get one domain for the present state.',
    querystring: Type.Object({
      organization_guid: Type.Optional(Type.String({ description: 'Only domains of this organization' })),
    }),
    response: { 200: listAnswer('custom_domains', named(CustomDomain, 'A domain'), 'All, in alphabetical order') },
    answer: async ({ actor, query }) => {
      const domains = await administeredDomains(deps, actor, query.organization_guid)
      const guids = [...new Set(domains.map(({ organizationGuid }) => organizationGuid))]
      const apps = new Map(await Promise.all(guids.map(async (guid) => [guid, await appsOf(guid)] as const)))
      return {
        custom_domains: domains.map((domain) =>
          presentCustomDomain({ domain, dns: knownOf(domain) }, isHttps, apps.get(domain.organizationGuid)),
        ),
      }
    },
  })

  route(http, tag, 'createCustomDomain: POST /v4/custom_domains', {
    scope: 'domains',
    access: ({ actor, body }) => {
      const guid = textIn(body, 'organization_guid')
      if (guid !== undefined) requireOrganizationAdmin(actor, guid)
    },
    summary: 'Add a custom domain',
    description:
      'A domain that the organization has is checked again, and nothing else changes. You can set up the DNS later; links ' +
      'can be created on it once its DNS points to this service.',
    body: NewBody,
    response: {
      200: named(AddedCustomDomain, 'The organization has it; its DNS was checked again'),
      201: named(AddedCustomDomain, 'It was added'),
      202: named(AddedCustomDomain, 'It was only checked, because of `prevalidate`'),
      ...refusals(404, 409),
    },
    answer: async ({ actor, body }, _granted, reply) => {
      const { organization_guid, custom_domain, group_guids = [], prevalidate = false } = body
      const input = { domain: custom_domain, groupGuids: group_guids }
      const answer = ({ name, groupGuids }: Pick<BrandedDomain, 'name' | 'groupGuids'>) => ({
        ...partsOf(name),
        organization_guid,
        group_guids: [...groupGuids],
        prevalidate,
      })
      if (prevalidate) {
        const checked = await checkNewDomain(deps, actor, organization_guid, input)
        reply.code(202)
        return answer(checked)
      }
      const { domain, added } = await ensureDomain(deps, actor, organization_guid, input)
      reply.code(added ? 201 : 200)
      return answer(domain)
    },
  })

  route(http, tag, 'getCustomDomain: GET /v4/custom_domains/:custom_domain', {
    scope: ['links:read', 'domains'],
    access: ({ actor, params }) => visibleDomain(deps, actor, params.custom_domain),
    summary: 'Get a custom domain with the state of its DNS and its certificate',
    description:
      'For members of its groups, and for administrators and auditors of its organization, who also see one that waits for DNS.',
    response: { 200: named(CustomDomain, 'The domain'), ...refusals(404) },
    answer: async (_request, domain) => present(await checkDomain(deps, domain)),
  })

  route(http, tag, 'updateCustomDomain: PATCH /v4/custom_domains/:custom_domain', {
    scope: 'domains',
    access: async ({ actor, params }) => {
      const domain = await visibleDomain(deps, actor, params.custom_domain)
      requireOrganizationAdmin(actor, domain.organizationGuid)
      return domain
    },
    summary: 'Update where visitors of a custom domain without a link are redirected to',
    description: 'Fields that are not sent stay unchanged. The domain must be verified.',
    body: ChangeBody,
    response: { 200: named(CustomDomain, 'The updated domain'), ...refusals(404) },
    answer: async ({ actor, body }, found) => {
      const { name, organizationGuid, isProven } = (await checkDomain(deps, found)).domain
      if (!isProven) throw unprocessable(`The domain ${name} is not verified yet. Set its DNS records first.`)
      requirePossible(body, isHttps)
      const settings = { rootUrl: body.root_redirect, notFoundUrl: body.wildcard_redirect }
      const changed = await changeDomain(deps, actor, organizationGuid, name, settings, customFieldNames)
      return present(await checkDomain(deps, changed))
    },
  })

  route(http, tag, 'getCustomDomainDns: GET /v4/custom_domains/:custom_domain/dns', {
    scope: ['links:read', 'domains'],
    access: auditorOfQuery,
    summary: 'Get the DNS records that a custom domain needs and has',
    description: 'Works also for a domain that the organization has not added yet.',
    querystring: Type.Object({ organization_guid: Type.String() }),
    response: { 200: CustomDomainDns },
    answer: async ({ actor, params, query }) => {
      const { name, dns } = await dnsOf(deps, actor, query.organization_guid, params.custom_domain)
      return presentCustomDomainDns(name, dns)
    },
  })
}

/** Administrators and auditors of the organization that the query names; everybody where it names none. */
function auditorOfQuery({ actor, query }: RouteRequest): void {
  // An empty parameter counts as absent.
  const guid = textIn(query, 'organization_guid') || undefined
  if (guid !== undefined) requireOrganizationAuditor(actor, guid)
}

function requirePossible(body: Static<typeof ChangeBody>, isHttps: boolean): void {
  if (body.https_enabled === !isHttps) {
    const message = `Whether short URLs have HTTPS follows from the base URL of the service, which has ${isHttps ? 'it' : 'none'}.`
    throw unprocessable(message, 'httpsEnabled')
  }
  for (const [field, wanted] of [
    ['hstsEnabled', body.hsts_enabled],
    ['upgradeInsecureRequests', body.upgrade_insecure_requests],
  ] as const) {
    if (wanted) throw unprocessable('HTTPS is set up in front of the service: set this header there.', field)
  }
}

function unprocessable(message: string, field?: string): Refusal {
  return new Refusal('UNPROCESSABLE_ENTITY', message, { resource: 'domains', ...(field && { field }) })
}

function partsOf(name: string) {
  const domain = getDomain(name) ?? name
  return { custom_domain: name, domain, subdomain: name.slice(0, -domain.length - 1) }
}

type Known = { readonly domain: BrandedDomain; readonly dns: DnsState | undefined } & Pick<CheckedDomain, 'certificate'>

function presentCustomDomain(
  { domain, dns, certificate }: Known,
  isHttps: boolean,
  apps: Static<typeof CustomDomain>['deeplink_apps'] = [],
): Static<typeof CustomDomain> {
  const status = statusOf(domain, dns)
  const { issuer, validUntil, state, explanation = '' } = certificate ?? {}
  const isBroken = state === 'invalid' || state === 'unreachable'
  return {
    custom_domain: domain.name,
    is_active: domain.isProven,
    group_guids: [...domain.groupGuids],
    root_redirect: domain.rootUrl ?? '',
    wildcard_redirect: domain.notFoundUrl ?? '',
    validation_status: status,
    validation_error:
      status === 'ok' ? '' : (dns?.explanation ?? 'Its DNS was not checked yet. Get the domain to check it.'),
    ...(dns && { configuration_last_check_ts: timestamp(dns.checkedAt) }),
    https_enabled: isHttps,
    https_shortlinks: isHttps,
    hsts_enabled: false,
    upgrade_insecure_requests: false,
    ssl_configuration_error: isBroken ? explanation : '',
    ssl_autoconfigure_error: isBroken,
    ...(issuer !== undefined && {
      ssl_cert: { issuer, valid_end: validUntil === undefined ? '' : timestamp(validUntil), custom_cert: false },
    }),
    deeplink_apps: [...apps],
    created: timestamp(domain.createdAt),
  }
}

/** A verified domain whose DNS nobody checks is fine: the operator answers for it. */
function statusOf({ isProven }: BrandedDomain, dns: DnsState | undefined): 'ok' | 'pending' | 'error' {
  if (dns?.problem === 'points-elsewhere' || dns?.problem === 'contested')
    return dns.checked || !isProven ? 'error' : 'ok'
  if (isProven && (!dns?.checked || dns.match || dns.problem === 'no-answer')) return 'ok'
  return 'pending'
}

function presentCustomDomainDns(name: string, dns: DnsState): Static<typeof CustomDomainDns> {
  const report = presentDns(name, dns)
  const types = dns.required.map(({ type }) => type)
  const type = types.includes('CNAME') ? 'CNAME' : types.includes('A') ? 'A' : 'unknown'
  const { resolving_records: records, match: records_valid } = report
  return { domain: name, dns_provider: 'unknown', type, records, records_valid, ...report }
}
