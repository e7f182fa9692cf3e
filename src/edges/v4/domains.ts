/** Branded domains of an organization (docs/api/domains.md). An addition: the public API only lists them. */

import { type Static, Type } from 'typebox'
import { requireGroup } from '../../core/accounts/actor.js'
import { type CertificateState, httpsProblems } from '../../core/domains/certificate-check.js'
import { type DnsRecord, type DnsState, dnsProblems, proofName } from '../../core/domains/dns-check.js'
import type { BrandedDomain } from '../../core/domains/domain-store.js'
import type { Domains } from '../../core/domains/domains.js'
import {
  addDomain,
  type CheckedDomain,
  changeDomain,
  type DomainDeps,
  listDomains,
  readDomain,
  removeDomain,
} from '../../core/domains/manage.js'
import { domainNameLimit } from '../../core/values/domain-name.js'
import { timestamp } from '../../core/values/time.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { emptyRemoves } from '../http/validation.js'
import { memberOfQuery, organizationAdmin, organizationAuditor } from './access.js'
import { type BaseUrlDeps, route } from './route.js'
import { domainBounds, webUrlOrNoneBounds } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { moment, named } from './schemas/fields.js'
import { listAnswer } from './schemas/lists.js'

export type DomainRouteDeps = DomainDeps & BaseUrlDeps

/** `points_elsewhere` of core's `points-elsewhere`. */
function inWire(name: string): string {
  return name.replaceAll('-', '_')
}

export const DnsRecords = Type.Array(
  Type.Object(
    {
      type: Type.String({ description: '`A`, `AAAA`, `CNAME` or `TXT`' }),
      name: Type.String(),
      host: Type.String({ description: 'The same as `name`' }),
      value: Type.String(),
    },
    { title: 'DnsRecord' },
  ),
)

export const DnsReport = Type.Object(
  {
    required_records: DnsRecords,
    resolving_records: DnsRecords,
    match: Type.Boolean({ description: 'The DNS of the domain points to this service' }),
    checked: Type.Boolean({
      description:
        'Links can be created only while `match` is true. False if the operator configured no DNS targets: then the records ' +
        'follow from the base URL, and links can be created in any case',
    }),
    problem: Type.Optional(
      Type.Enum(dnsProblems.map(inWire), {
        type: 'string',
        description:
          'Absent while `match` is true. `targets_unknown`: the operator has to configure the address of the service; ' +
          '`no_answer`: the name servers could not be asked; `no_records`; `points_elsewhere`; `not_proven`: a record that ' +
          'proves ownership is missing; `contested`: another organization claims the domain too',
        examples: ['no_records'],
      }),
    ),
    explanation: Type.String({ description: 'The records found and the records to set' }),
    checked_at: Type.String({ description: 'UTC, as `YYYY-MM-DDThh:mm:ss+0000`' }),
  },
  { $id: 'DnsReport' },
)

export const CertificateReport = Type.Object(
  {
    state: Type.Enum(['valid', 'expiring', 'invalid', 'unreachable', 'unknown', 'checking'], {
      type: 'string',
      description:
        '`valid`; `expiring`: works, but ends within 14 days; `invalid`: browsers refuse it; `unreachable`: nothing answers ' +
        'HTTPS; `unknown`: the address is not public, so it is not checked; `checking`: ask again in a few seconds',
      examples: ['valid'],
    }),
    issuer: Type.Optional(Type.String({ description: 'Who issued the certificate', examples: ["Let's Encrypt"] })),
    valid_until: Type.Optional(moment()),
    problem: Type.Optional(
      Type.Enum(httpsProblems.map(inWire), {
        type: 'string',
        description: 'Why HTTPS does not work. Absent while it does, or is being checked',
        examples: ['refused'],
      }),
    ),
    explanation: Type.String({ description: 'What works or is wrong, for people' }),
    checked_at: Type.Optional(moment()),
  },
  { $id: 'CertificateReport' },
)

export const BrandedDomainBody = Type.Object(
  {
    references: Type.Object({ organization: Type.String() }, { description: 'URLs of related data' }),
    domain: Type.String(),
    organization_guid: Type.String(),
    verified: Type.Boolean({
      description:
        'Ownership was confirmed by DNS or by the operator; until then another organization can add the same domain',
    }),
    group_guids: Type.Array(Type.String(), { description: 'Groups that may create links on it' }),
    root_url: Type.Optional(Type.String({ description: 'Where the bare domain redirects to' })),
    not_found_url: Type.Optional(Type.String({ description: 'Where unknown links redirect to' })),
    created: Type.String({ description: 'UTC, as `YYYY-MM-DDThh:mm:ss+0000`' }),
    created_by: Type.String({ description: 'Login of the user who added it; `operator` for the command line' }),
    dns: Type.Optional(named(DnsReport, 'Present when you get or verify one domain')),
    certificate: Type.Optional(
      named(CertificateReport, 'Whether HTTPS works. Present when you get or verify one domain that is verified'),
    ),
  },
  { $id: 'BrandedDomain' },
)

const url = (description: string) => Type.Optional(Type.String({ ...emptyRemoves, ...webUrlOrNoneBounds, description }))
const settings = {
  group_guids: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: 1000,
      description: 'Groups that may create links on it; replaces the current list',
    }),
  ),
  root_url: url('http or https URL that the bare domain redirects to. Send an empty string to remove it'),
  not_found_url: url('http or https URL that unknown links redirect to. Send an empty string to remove it'),
}

const AddBody = Type.Object({
  domain: Type.String({ ...domainBounds, description: `A bare host name of at most ${domainNameLimit} characters` }),
  ...settings,
})
const ChangeBody = Type.Object(settings)

const domainPath = { domain: Type.String() }

export function domainRoutes(http: TypedFastify, deps: DomainRouteDeps): void {
  const { baseUrl } = deps.config
  const tag = 'Domains'
  const answer = (description: string) => ({ 200: named(BrandedDomainBody, description) })

  route(http, tag, 'listDomains: GET /v4/organizations/:organization_guid/domains', {
    scope: ['links:read', 'domains'],
    list: { name: 'domains', by: 'domain' },
    access: organizationAuditor,
    summary: 'List the branded domains of an organization',
    description: 'In alphabetical order, without their DNS state. For administrators and auditors of the organization.',
    response: {
      200: listAnswer('domains', named(BrandedDomainBody, 'A branded domain'), 'All of them, in alphabetical order'),
    },
    answer: async ({ actor, params }) => {
      const domains = await listDomains(deps, actor, params.organization_guid)
      return { domains: domains.map((domain) => presentDomain(domain, baseUrl)) }
    },
  })

  route(http, tag, 'createDomain: POST /v4/organizations/:organization_guid/domains', {
    scope: 'domains',
    access: organizationAdmin,
    summary: 'Add a branded domain to an organization',
    description: 'You can set up its DNS later; links can be created on it once its DNS points to this service.',
    body: AddBody,
    response: { 201: named(BrandedDomainBody, 'The new domain'), ...refusals(409) },
    answer: async ({ actor, params, body }) => {
      const input = { domain: body.domain, ...settingsFrom(body) }
      const domain = await addDomain(deps, actor, params.organization_guid, input)
      return presentDomain(domain, baseUrl)
    },
  })

  const read = {
    summary: 'Get a branded domain with its DNS status and its certificate',
    description:
      'Its DNS state may be some minutes old and that of its certificate an hour; `verify` looks both up now. For ' +
      'administrators and auditors of the organization.',
    params: domainPath,
    response: { ...answer('The domain'), ...refusals(404) },
  }
  route(http, tag, 'getDomain: GET /v4/organizations/:organization_guid/domains/:domain', {
    scope: ['links:read', 'domains'],
    ...read,
    access: organizationAuditor,
    answer: async ({ actor, params }) => {
      const { domain, ...checked } = await readDomain(deps, actor, params.organization_guid, params.domain, false)
      return presentDomain(domain, baseUrl, checked)
    },
  })

  route(http, tag, 'verifyDomain: POST /v4/organizations/:organization_guid/domains/:domain/verify', {
    scope: 'domains',
    ...read,
    access: organizationAdmin,
    summary: 'Check the DNS and the certificate of a branded domain now',
    description:
      'Looks up the DNS records again. A domain that points to this service is confirmed as yours. The certificate of a ' +
      'confirmed domain is read again too, which takes up to 5 seconds.',
    answer: async ({ actor, params }) => {
      const { domain, ...checked } = await readDomain(deps, actor, params.organization_guid, params.domain, true)
      return presentDomain(domain, baseUrl, checked)
    },
  })

  route(http, tag, 'updateDomain: PATCH /v4/organizations/:organization_guid/domains/:domain', {
    scope: 'domains',
    access: organizationAdmin,
    summary: 'Update a branded domain: its groups, root URL and not-found URL',
    description:
      'Fields that are not sent stay unchanged. Groups that are removed keep their links on the domain, but cannot create new ones.',
    params: domainPath,
    body: ChangeBody,
    response: { ...answer('The updated domain'), ...refusals(404) },
    answer: async ({ actor, params, body }) => {
      const input = settingsFrom(body)
      const domain = await changeDomain(deps, actor, params.organization_guid, params.domain, input)
      return presentDomain(domain, baseUrl)
    },
  })

  route(http, tag, 'deleteDomain: DELETE /v4/organizations/:organization_guid/domains/:domain', {
    scope: 'domains',
    access: organizationAdmin,
    summary: 'Remove a branded domain',
    description: 'Its links stop redirecting but are kept: they work again if the organization adds the domain again.',
    params: domainPath,
    response: { 204: Type.Null({ description: 'The domain was removed' }), ...refusals(404) },
    answer: ({ actor, params }) => removeDomain(deps, actor, params.organization_guid, params.domain),
  })
}

function settingsFrom(body: Static<typeof ChangeBody>) {
  return { groupGuids: body.group_guids, rootUrl: body.root_url, notFoundUrl: body.not_found_url }
}

function presentDomain(
  domain: BrandedDomain,
  baseUrl: string,
  { dns, certificate }: Partial<Omit<CheckedDomain, 'domain'>> = {},
): Static<typeof BrandedDomainBody> {
  return {
    references: { organization: `${baseUrl}/v4/organizations/${domain.organizationGuid}` },
    domain: domain.name,
    organization_guid: domain.organizationGuid,
    verified: domain.isProven,
    group_guids: [...domain.groupGuids],
    ...(domain.rootUrl !== undefined && { root_url: domain.rootUrl }),
    ...(domain.notFoundUrl !== undefined && { not_found_url: domain.notFoundUrl }),
    created: timestamp(domain.createdAt),
    created_by: domain.createdBy,
    ...(dns && { dns: presentDns(domain.name, dns) }),
    ...(certificate && { certificate: presentCertificate(certificate) }),
  }
}

function presentCertificate(certificate: CertificateState): Static<typeof CertificateReport> {
  const { state, issuer, validUntil, problem, explanation, checkedAt } = certificate
  return {
    state,
    ...(issuer !== undefined && { issuer }),
    ...(validUntil !== undefined && { valid_until: timestamp(validUntil) }),
    ...(problem && { problem: inWire(problem) }),
    explanation,
    ...(checkedAt !== undefined && { checked_at: timestamp(checkedAt) }),
  }
}

export function presentDns(name: string, dns: DnsState): Static<typeof DnsReport> {
  const record = ({ type, value }: DnsRecord) => {
    const host = type === 'TXT' ? proofName(name) : name
    return { type, name: host, host, value }
  }
  return {
    required_records: dns.required.map(record),
    resolving_records: dns.found.map(record),
    match: dns.match,
    checked: dns.checked,
    ...(dns.problem && { problem: inWire(dns.problem) }),
    explanation: dns.explanation,
    checked_at: timestamp(dns.checkedAt),
  }
}

export interface BsdRouteDeps {
  readonly domains: Domains
}

// An addition: the public API has no such parameter here.
const BsdQuery = Type.Object({
  group_guid: Type.Optional(Type.String({ description: 'Only the domains this group may use' })),
})

const Bsds = listAnswer('bsds', Type.String(), 'Branded short domains, in alphabetical order')

export function bsdRoutes(http: TypedFastify, deps: BsdRouteDeps): void {
  route(http, 'Domains', 'listBsds: GET /v4/bsds', {
    scope: 'any',
    list: { name: 'bsds', by: undefined },
    access: memberOfQuery,
    summary: 'List the branded short domains that your groups may use',
    description: 'Names only. The default domain of the service is not among them: everybody may use it.',
    querystring: BsdQuery,
    response: { 200: Bsds },
    answer: async ({ actor, query }) => {
      const groups = query.group_guid === undefined ? actor.groups : [requireGroup(actor, query.group_guid)]
      return { bsds: [...deps.domains.brandedOf(groups.map((group) => group.groupGuid))] }
    },
  })
}
