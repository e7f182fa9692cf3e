/** Domains from the command line, where a name alone says which organization is meant. */
import { note } from '../audit/audit.js'
import type { AccountStore } from '../auth/account-store.js'
import type { BuiltInDomainStore } from '../domains/built-in-store.js'
import { normaliseBuiltInName } from '../domains/domain-name.js'
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
import { type NameChange, renameBuiltIn } from '../domains/settle.js'
import type { GroupStore } from '../groups/group-store.js'
import { quoted, Refusal } from '../refusal.js'

export interface DomainAdministrationParts extends DomainParts {
  readonly builtInDomains: Pick<BuiltInDomainStore, 'change'>
  readonly accounts: AccountStore
  readonly groups: Pick<GroupStore, 'groups' | 'organizations'>
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

/** Gives a built-in domain another name. Its links and statistics stay, and its former name is still understood. */
export async function renameDomain(parts: DomainAdministrationParts, wish: NameChange): Promise<NameChange> {
  const from = wish.from.toLowerCase()
  const to = normaliseBuiltInName(wish.to, 'to')
  const renamed = await renameBuiltIn(parts.builtInDomains, { from, to })
  switch (renamed.outcome) {
    case 'unknown': {
      const known = renamed.names.length === 0 ? 'start the service once' : `there are ${renamed.names.join(', ')}`
      throw new Refusal('NOT_FOUND', `There is no built-in domain ${quoted(from)}: ${known}.`, { resource: 'domains' })
    }
    case 'taken':
      throw new Refusal('CONFLICT', `${to} is another built-in domain.`, { resource: 'domains' })
    case 'branded':
      throw new Refusal('CONFLICT', `${to} is a branded domain, or has links of one.`, { resource: 'domains' })
  }
  await parts.domains.refresh()
  await note(parts, { action: 'domain_changed', login: 'operator', subject: to, details: { former_name: from } })
  return { from, to }
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
