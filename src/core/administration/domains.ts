/** Branded domains from the command line, where a name alone says which organization is meant. */
import type { AccountStore } from '../auth/account-store.js'
import type { BrandedDomain } from '../domains/domain-store.js'
import {
  addDomain,
  type CheckedDomain,
  changeDomain,
  type DomainParts,
  type DomainSettings,
  type DomainWish,
  foreignGroup,
  noDomain,
  noteDomain,
  readDomain,
  removeDomain,
} from '../domains/manage.js'
import type { GroupStore } from '../groups/group-store.js'
import { Refusal } from '../refusal.js'

export interface DomainAdministrationParts extends DomainParts {
  readonly accounts: AccountStore
  readonly groups: Pick<GroupStore, 'groups'>
}

export interface AddDomainWish extends DomainWish {
  readonly organizationGuid?: string | undefined
}

export async function addDomainAsOperator(
  parts: DomainAdministrationParts,
  wish: AddDomainWish,
): Promise<BrandedDomain> {
  const organizationGuid = wish.organizationGuid ?? (await organizationFor(parts, wish.groupGuids?.[0]))
  const groupGuids = wish.groupGuids ?? (await onlyGroupOf(parts, organizationGuid))
  return addDomain(parts, 'operator', organizationGuid, { ...wish, groupGuids })
}

/** Nobody can use a domain that no group has: where there is only one group, it is the one that is meant. */
async function onlyGroupOf(
  { groups }: DomainAdministrationParts,
  organizationGuid: string,
): Promise<readonly string[]> {
  const own = (await groups.groups('all')).filter(
    (group) => group.isActive && group.organizationGuid === organizationGuid,
  )
  return own.length === 1 ? own.map(({ guid }) => guid) : []
}

export function listDomainsAsOperator(
  parts: DomainAdministrationParts,
  wish: { organizationGuid?: string | undefined },
): Promise<readonly BrandedDomain[]> {
  return parts.domainStore.list(wish.organizationGuid)
}

export async function setDomain(
  parts: DomainAdministrationParts,
  wish: { domain: string } & Pick<DomainSettings, 'rootUrl' | 'notFoundUrl'>,
): Promise<BrandedDomain> {
  const { name, organizationGuid } = await domainNamed(parts, wish.domain)
  const { rootUrl, notFoundUrl } = wish
  return changeDomain(parts, 'operator', organizationGuid, name, { rootUrl, notFoundUrl })
}

export async function verifyDomainAsOperator(
  parts: DomainAdministrationParts,
  wish: { domain: string },
): Promise<CheckedDomain> {
  const { name, organizationGuid } = await domainNamed(parts, wish.domain)
  return readDomain(parts, 'operator', organizationGuid, name, true)
}

export async function assignDomain(
  parts: DomainAdministrationParts,
  wish: { domain: string; groupGuid: string },
): Promise<BrandedDomain> {
  const { name, organizationGuid } = await domainNamed(parts, wish.domain)
  const outcome = await parts.domainStore.assign(name, wish.groupGuid)
  if (outcome === 'no-domain') throw noDomain(name)
  if (outcome === 'no-group') throw foreignGroup()
  await parts.domains.refresh()
  await noteDomain(parts, 'operator', 'domain_changed', organizationGuid, name, { group_added: wish.groupGuid })
  return domainNamed(parts, name)
}

export async function unassignDomain(
  parts: DomainAdministrationParts,
  wish: { domain: string; groupGuid: string },
): Promise<BrandedDomain> {
  const { name, organizationGuid } = await domainNamed(parts, wish.domain)
  if (!(await parts.domainStore.unassign(name, wish.groupGuid))) {
    throw new Refusal('NOT_FOUND', `The group "${wish.groupGuid}" does not use ${name}.`, { resource: 'domains' })
  }
  await parts.domains.refresh()
  await noteDomain(parts, 'operator', 'domain_changed', organizationGuid, name, { group_removed: wish.groupGuid })
  return domainNamed(parts, name)
}

export async function removeDomainAsOperator(
  parts: DomainAdministrationParts,
  wish: { domain: string },
): Promise<{ domain: string }> {
  const { name, organizationGuid } = await domainNamed(parts, wish.domain)
  await removeDomain(parts, 'operator', organizationGuid, name)
  return { domain: name }
}

async function domainNamed(parts: DomainAdministrationParts, text: string): Promise<BrandedDomain> {
  const domain = await parts.domainStore.get(text.toLowerCase())
  if (!domain) throw noDomain(text)
  return domain
}

/** That of the group named first, else that of the oldest group. */
async function organizationFor(parts: DomainAdministrationParts, groupGuid: string | undefined): Promise<string> {
  const group = groupGuid ?? (await parts.accounts.firstGroup())
  const organization = group === undefined ? undefined : await parts.domainStore.organizationOf(group)
  if (organization !== undefined) return organization
  const message =
    group === undefined
      ? 'There is no group yet: start the service once, it makes the first one.'
      : `There is no group "${group}".`
  throw new Refusal('NOT_FOUND', message, { resource: 'groups' })
}
