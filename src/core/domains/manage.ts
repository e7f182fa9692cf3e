/**
 * Managing branded domains: add, change, remove, and check DNS. Organization administrators use the API, the operator
 * uses the command line; both follow the same rules.
 */

import { parseUrl } from '../../lib/parse-url.js'
import { type Actor, requireOrganizationAdmin, requireOrganizationAuditor, seesAll } from '../accounts/actor.js'
import { type AuditDeps, addAuditEntry } from '../accounts/audit.js'
import type { GroupStore } from '../accounts/group-store.js'
import { couldBeDomain, normaliseDomainName } from '../values/domain-name.js'
import { longUrlLimit } from '../values/long-url.js'
import { invalid, quoted, Refusal } from '../values/refusal.js'
import type { CertificateCheck, CertificateState } from './certificate-check.js'
import { type DnsCheck, type DnsState, proveByDns, withProof } from './dns-check.js'
import type { BrandedDomain, DomainStore } from './domain-store.js'
import type { Domains } from './domains.js'

export interface DomainDeps extends AuditDeps {
  readonly domainStore: DomainStore
  readonly domains: Domains
  readonly dns: DnsCheck
  readonly certificates: CertificateCheck
  readonly groups: GroupStore
}

export interface DomainSettings {
  /** The groups that may create links on it; replaces the list. */
  readonly groupGuids?: readonly string[] | undefined
  /** Send an empty string to remove the URL. */
  readonly rootUrl?: string | undefined
  readonly notFoundUrl?: string | undefined
}

export interface DomainInput extends DomainSettings {
  readonly domain: string
}

/** What a refusal calls the fields. */
const fieldNames = { domain: 'domain', rootUrl: 'rootUrl', notFoundUrl: 'notFoundUrl' }
/** As the public API does. */
export const customFieldNames = { domain: 'customDomain', rootUrl: 'rootRedirect', notFoundUrl: 'wildcardRedirect' }

export interface CheckedDomain {
  readonly domain: BrandedDomain
  readonly dns: DnsState
  /** Undefined until the domain is proven: before, its visitors are not ours. */
  readonly certificate?: CertificateState | undefined
}

/**
 * Adds a domain before its DNS points here; it accepts links once it does. Until DNS proves ownership it exists for its
 * organization only. No proof is required from the operator, nor, if DNS is not checked, from the organization that runs
 * the service.
 */
export async function addDomain(
  deps: DomainDeps,
  actor: Actor,
  organizationGuid: string,
  input: DomainInput,
  names = fieldNames,
): Promise<BrandedDomain> {
  requireOrganizationAdmin(actor, organizationGuid)
  const groupGuids = groupsOf(actor, organizationGuid, input.groupGuids ?? [])
  const name = normaliseDomainName(input.domain, names.domain)
  if (deps.domains.isOwn(name)) throw ownName(name, names.domain)
  const outcome = await deps.domainStore.add({
    name,
    organizationGuid,
    groupGuids,
    isProven: actor.isOperator || (await needsNoProof(deps, organizationGuid)),
    rootUrl: webUrl(names.rootUrl, input.rootUrl, name) ?? undefined,
    notFoundUrl: webUrl(names.notFoundUrl, input.notFoundUrl, name) ?? undefined,
    createdBy: actor.login,
    at: deps.clock.now(),
  })
  if (outcome === 'taken') throw taken(name, names.domain)
  if (outcome === 'built-in') throw ownName(name, names.domain)
  if (outcome === 'no-organization') throw noOrganization(organizationGuid)
  if (outcome === 'no-group') throw foreignGroup()
  await deps.domains.refresh()
  await auditDomain(deps, actor, 'domain_added', organizationGuid, name)
  const added = found(await deps.domainStore.own(organizationGuid, name), name)
  return added.isProven ? added : (await retryProof(deps, added)).domain
}

export async function listDomains(
  deps: DomainDeps,
  actor: Actor,
  organizationGuid: string | undefined,
): Promise<readonly BrandedDomain[]> {
  requireOrganizationAuditor(actor, organizationGuid)
  return deps.domainStore.list(organizationGuid)
}

/** The domain, its DNS state and its certificate. `now` bypasses the caches. */
export async function readDomain(
  deps: DomainDeps,
  actor: Actor,
  organizationGuid: string,
  name: string,
  now: boolean,
): Promise<CheckedDomain> {
  requireOrganizationAuditor(actor, organizationGuid)
  const domain = await domainOf(deps, organizationGuid, name)
  if (now) await verify(deps, domain)
  return checkDomain(deps, domain)
}

async function verify({ dns, certificates }: DomainDeps, { name, isProven }: BrandedDomain): Promise<void> {
  await Promise.all([dns.verify(name), isProven && certificates.verify(name)])
}

export async function checkDomain(deps: DomainDeps, domain: BrandedDomain): Promise<CheckedDomain> {
  const { dns, certificates } = deps
  const checked = domain.isProven ? { domain, dns: await dns.check(domain.name) } : await retryProof(deps, domain)
  return checked.domain.isProven ? { ...checked, certificate: certificates.current(domain.name) } : checked
}

/** Tries again to prove an unproven domain by DNS. */
async function retryProof(deps: DomainDeps, domain: BrandedDomain): Promise<CheckedDomain> {
  const outcome = await proveByDns(deps, domain)
  const dns = await deps.dns.check(domain.name)
  if (outcome === 'proven') return { domain: { ...domain, isProven: true }, dns }
  if (outcome === 'taken') throw taken(domain.name)
  return { domain, dns: withProof(dns, outcome === 'contested', domain) }
}

async function needsNoProof({ dns, groups }: DomainDeps, organizationGuid: string): Promise<boolean> {
  if (dns.isOn) return false
  const [oldest] = await groups.organizations('all')
  return oldest?.guid === organizationGuid
}

export async function changeDomain(
  deps: DomainDeps,
  actor: Actor,
  organizationGuid: string,
  name: string,
  settings: DomainSettings,
  names = fieldNames,
): Promise<BrandedDomain> {
  const domain = await ownDomain(deps, actor, organizationGuid, name)
  const outcome = await deps.domainStore.update(organizationGuid, domain.name, {
    groupGuids: settings.groupGuids && groupsOf(actor, organizationGuid, settings.groupGuids),
    rootUrl: webUrl(names.rootUrl, settings.rootUrl, domain.name),
    notFoundUrl: webUrl(names.notFoundUrl, settings.notFoundUrl, domain.name),
  })
  if (outcome === 'no-domain') throw noDomain(name)
  if (outcome === 'no-group') throw foreignGroup()
  await deps.domains.refresh()
  await auditDomain(deps, actor, 'domain_changed', organizationGuid, domain.name)
  return found(await deps.domainStore.own(organizationGuid, domain.name), domain.name)
}

/**
 * Removes a domain. Its links are kept but stop redirecting; the name stays with the organization while it has links, and
 * adding it again restores them.
 */
export async function removeDomain(
  deps: DomainDeps,
  actor: Actor,
  organizationGuid: string,
  name: string,
): Promise<void> {
  const domain = await ownDomain(deps, actor, organizationGuid, name)
  const removed = await deps.domainStore.remove(organizationGuid, domain.name, deps.clock.now())
  if (!removed) throw noDomain(name)
  await deps.domains.refresh()
  await auditDomain(deps, actor, 'domain_removed', organizationGuid, domain.name)
}

/** The domains of one organization, or of all that the actor administers or audits. */
export async function administeredDomains(
  { domainStore }: Pick<DomainDeps, 'domainStore'>,
  actor: Actor,
  organizationGuid: string | undefined,
): Promise<readonly BrandedDomain[]> {
  if (organizationGuid !== undefined) requireOrganizationAuditor(actor, organizationGuid)
  const guids = organizationGuid === undefined ? administeredBy(actor) : [organizationGuid]
  const lists = await Promise.all(guids.map((guid) => domainStore.list(guid)))
  return lists.flat().sort((one, other) => one.name.localeCompare(other.name, 'en'))
}

/**
 * The domain of this name, if the actor may know it: administrators of its organization do, and members of its groups
 * once it is proven, who see no groups but theirs.
 */
export async function visibleDomain(
  { domainStore }: Pick<DomainDeps, 'domainStore'>,
  actor: Actor,
  name: string,
): Promise<BrandedDomain> {
  const kept = name.toLowerCase()
  if (!couldBeDomain(kept)) throw noDomain(name)
  for (const guid of administeredBy(actor)) {
    const own = await domainStore.own(guid, kept)
    if (own) return own
  }
  const proven = await domainStore.get(kept)
  const own = actor.groups.map(({ groupGuid }) => groupGuid)
  const groupGuids = proven?.groupGuids.filter((guid) => own.includes(guid)) ?? []
  if (!proven || groupGuids.length === 0) throw noDomain(name)
  return { ...proven, groupGuids }
}

function administeredBy({ organizations }: Actor): readonly string[] {
  return organizations.filter(seesAll).map(({ organizationGuid }) => organizationGuid)
}

/** Checks what `addDomain` does but for links of a removed domain, and DNS; adds nothing. Returns the name and the groups. */
export async function checkNewDomain(
  deps: DomainDeps,
  actor: Actor,
  organizationGuid: string,
  input: DomainInput,
): Promise<Pick<BrandedDomain, 'name' | 'groupGuids'>> {
  requireOrganizationAdmin(actor, organizationGuid)
  const groupGuids = groupsOf(actor, organizationGuid, input.groupGuids ?? [])
  const name = normaliseDomainName(input.domain, customFieldNames.domain)
  if (deps.domains.isOwn(name)) throw ownName(name, customFieldNames.domain)
  const owner = (await deps.domainStore.get(name))?.organizationGuid
  if (owner !== undefined && owner !== organizationGuid) throw taken(name, customFieldNames.domain)
  await deps.dns.verify(name)
  return { name, groupGuids }
}

/** Adds a domain, or checks the DNS of one that the organization has; its groups then stay as they are. */
export async function ensureDomain(
  deps: DomainDeps,
  actor: Actor,
  organizationGuid: string,
  input: DomainInput,
): Promise<{ readonly domain: BrandedDomain; readonly added: boolean }> {
  requireOrganizationAdmin(actor, organizationGuid)
  const name = normaliseDomainName(input.domain, customFieldNames.domain)
  let known = await deps.domainStore.own(organizationGuid, name)
  if (!known) {
    try {
      return { domain: await addDomain(deps, actor, organizationGuid, input, customFieldNames), added: true }
    } catch (error) {
      // The same request may have added it meanwhile.
      known = await deps.domainStore.own(organizationGuid, name)
      if (!known) throw error
    }
  }
  await verify(deps, known)
  return { domain: (await checkDomain(deps, known)).domain, added: false }
}

/** The DNS state of a name that the organization owns or could add. */
export async function dnsOf(
  deps: DomainDeps,
  actor: Actor,
  organizationGuid: string,
  customDomain: string,
): Promise<{ readonly name: string; readonly dns: DnsState }> {
  requireOrganizationAuditor(actor, organizationGuid)
  const name = normaliseDomainName(customDomain, 'customDomain')
  const owner = (await deps.domainStore.get(name))?.organizationGuid
  if (owner !== undefined && owner !== organizationGuid) {
    throw new Refusal('FORBIDDEN', `The domain ${name} is not yours.`, { resource: 'domains' })
  }
  return { name, dns: await deps.dns.check(name) }
}

export function noDomain(name: string): Refusal {
  return new Refusal('NOT_FOUND', `There is no domain ${quoted(name)}.`, { resource: 'domains' })
}

export function foreignGroup(): Refusal {
  return new Refusal('FORBIDDEN', 'A group does not exist or does not belong to the organization.', {
    resource: 'groups',
  })
}

export function auditDomain(
  deps: DomainDeps,
  actor: Actor,
  action: 'domain_added' | 'domain_changed' | 'domain_removed',
  organizationGuid: string,
  subject: string,
  details: Readonly<Record<string, string>> = {},
): Promise<void> {
  return addAuditEntry(deps, { action, login: actor.login, organizationGuid, subject, details })
}

async function ownDomain(
  deps: DomainDeps,
  actor: Actor,
  organizationGuid: string,
  name: string,
): Promise<BrandedDomain> {
  requireOrganizationAdmin(actor, organizationGuid)
  return domainOf(deps, organizationGuid, name)
}

async function domainOf(deps: DomainDeps, organizationGuid: string, name: string): Promise<BrandedDomain> {
  const kept = name.toLowerCase()
  const domain = couldBeDomain(kept) ? await deps.domainStore.own(organizationGuid, kept) : undefined
  if (!domain) throw noDomain(name)
  return domain
}

/** Checks access before anything else; the store checks again when it writes. */
function groupsOf(actor: Actor, organizationGuid: string, groupGuids: readonly string[]): readonly string[] {
  const isAccessible = (guid: string) =>
    actor.isOperator ||
    actor.groups.some((group) => group.groupGuid === guid && group.organizationGuid === organizationGuid)
  if (!groupGuids.every(isAccessible)) throw foreignGroup()
  return [...new Set(groupGuids)]
}

/** The URL for a Location header; null for an empty string, undefined if not given. */
function webUrl(field: string, text: string | undefined, name: string): string | null | undefined {
  if (text === undefined) return undefined
  if (text === '') return null
  // The URL parser drops line breaks and tabs, so the stored URL would differ from the one sent.
  const readable = /^https?:\/\/[^/]/i.test(text) && !/[\p{Cc}\p{Cs}]/u.test(text)
  const url = readable ? parseUrl(text) : undefined
  if (url?.username !== '' || url.password !== '' || url.href.length > longUrlLimit) {
    const message = `Send a complete http or https URL of at most ${longUrlLimit} characters, without control characters, or an empty string.`
    throw invalid(field, message, 'domains')
  }
  // A redirect to the domain itself could loop.
  if (url.hostname.replace(/\.$/, '') === name)
    throw invalid(field, `The URL must not point to ${name} itself.`, 'domains')
  return url.href
}

function ownName(name: string, field: string): Refusal {
  const message = `${name} is or was a domain of this service. Add a domain of your own.`
  return invalid(field, message, 'domains')
}

function taken(name: string, field?: string): Refusal {
  return new Refusal('CONFLICT', `The domain ${name} is taken.`, { resource: 'domains', ...(field && { field }) })
}

function noOrganization(guid: string): Refusal {
  return new Refusal('NOT_FOUND', `There is no organization "${guid}".`, { resource: 'organizations' })
}

function found(domain: BrandedDomain | undefined, name: string): BrandedDomain {
  if (!domain) throw noDomain(name)
  return domain
}
