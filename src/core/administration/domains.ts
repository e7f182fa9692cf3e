/** Domain commands of the operator. A domain name is unique, so commands need no organization. */

import type { UserStore } from '../accounts/account-store.js'
import type { Actor } from '../accounts/actor.js'
import { addAuditEntry } from '../accounts/audit.js'
import type { GroupStore } from '../accounts/group-store.js'
import type { BrandedDomain, DomainStore } from '../domains/domain-store.js'
import * as manage from '../domains/manage.js'
import {
  auditDomain,
  type CheckedDomain,
  type DomainDeps,
  type DomainInput,
  type DomainSettings,
  foreignGroup,
  noDomain,
} from '../domains/manage.js'
import { type NameChange, renameBuiltIn } from '../domains/reconcile-built-in.js'
import { normaliseBuiltInName } from '../values/domain-name.js'
import { quoted, Refusal } from '../values/refusal.js'

export interface DomainAdministrationDeps extends DomainDeps {
  readonly domainStore: DomainStore
  readonly accounts: UserStore
  readonly groups: GroupStore
}

export interface AddDomainInput extends DomainInput {
  readonly organizationGuid?: string | undefined
}

export async function addDomain(
  deps: DomainAdministrationDeps,
  actor: Actor,
  input: AddDomainInput,
): Promise<BrandedDomain> {
  const organizationGuid = input.organizationGuid ?? (await organizationFor(deps, input.groupGuids?.[0]))
  const groupGuids = input.groupGuids ?? (await onlyGroupOf(deps, organizationGuid))
  return manage.addDomain(deps, actor, organizationGuid, { ...input, groupGuids })
}

/** A domain is unusable without a group: assign it to the organization's group if there is only one. */
async function onlyGroupOf({ groups }: DomainAdministrationDeps, organizationGuid: string): Promise<readonly string[]> {
  const own = (await groups.groups('all')).filter(
    (group) => group.isActive && group.organizationGuid === organizationGuid,
  )
  return own.length === 1 ? own.map(({ guid }) => guid) : []
}

export function listDomains(
  deps: DomainAdministrationDeps,
  actor: Actor,
  input: { organizationGuid?: string | undefined },
): Promise<readonly BrandedDomain[]> {
  return manage.listDomains(deps, actor, input.organizationGuid)
}

export async function setDomain(
  deps: DomainAdministrationDeps,
  actor: Actor,
  input: { domain: string } & Pick<DomainSettings, 'rootUrl' | 'notFoundUrl'>,
): Promise<BrandedDomain> {
  const { name, organizationGuid } = await domainNamed(deps, input.domain)
  const { rootUrl, notFoundUrl } = input
  return manage.changeDomain(deps, actor, organizationGuid, name, { rootUrl, notFoundUrl })
}

export async function verifyDomain(
  deps: DomainAdministrationDeps,
  actor: Actor,
  input: { domain: string },
): Promise<CheckedDomain> {
  const { name, organizationGuid } = await domainNamed(deps, input.domain)
  return manage.readDomain(deps, actor, organizationGuid, name, true)
}

export async function assignDomain(
  deps: DomainAdministrationDeps,
  actor: Actor,
  input: { domain: string; groupGuid: string },
): Promise<BrandedDomain> {
  const { name, organizationGuid } = await domainNamed(deps, input.domain)
  const outcome = await deps.domainStore.assign(name, input.groupGuid)
  if (outcome === 'no-domain') throw noDomain(name)
  if (outcome === 'no-group') throw foreignGroup()
  await deps.domains.refresh()
  await auditDomain(deps, actor, 'domain_changed', organizationGuid, name, { group_added: input.groupGuid })
  return domainNamed(deps, name)
}

export async function unassignDomain(
  deps: DomainAdministrationDeps,
  actor: Actor,
  input: { domain: string; groupGuid: string },
): Promise<BrandedDomain> {
  const { name, organizationGuid } = await domainNamed(deps, input.domain)
  if (!(await deps.domainStore.unassign(name, input.groupGuid))) {
    throw new Refusal('NOT_FOUND', `The group "${input.groupGuid}" does not use ${name}.`, { resource: 'domains' })
  }
  await deps.domains.refresh()
  await auditDomain(deps, actor, 'domain_changed', organizationGuid, name, { group_removed: input.groupGuid })
  return domainNamed(deps, name)
}

export async function removeDomain(
  deps: DomainAdministrationDeps,
  actor: Actor,
  input: { domain: string },
): Promise<{ domain: string }> {
  const { name, organizationGuid } = await domainNamed(deps, input.domain)
  await manage.removeDomain(deps, actor, organizationGuid, name)
  return { domain: name }
}

/** Renames a built-in domain. Its links and statistics stay, and its former name keeps working. */
export async function renameDomain(
  deps: DomainAdministrationDeps,
  { login }: Actor,
  input: NameChange,
): Promise<NameChange> {
  const from = input.from.toLowerCase()
  const to = normaliseBuiltInName(input.to, 'to')
  const renamed = await renameBuiltIn(deps.domainStore, { from, to })
  switch (renamed.outcome) {
    case 'unknown': {
      const known = renamed.names.length === 0 ? 'start the service once' : `there are ${renamed.names.join(', ')}`
      throw new Refusal('NOT_FOUND', `There is no built-in domain ${quoted(from)}: ${known}.`, { resource: 'domains' })
    }
    case 'taken':
      throw new Refusal('CONFLICT', `${to} is another built-in domain.`, { resource: 'domains' })
    case 'branded':
      throw new Refusal('CONFLICT', `${to} is a branded domain, or a removed one that still has links.`, {
        resource: 'domains',
      })
  }
  await deps.domains.refresh()
  await addAuditEntry(deps, { action: 'domain_changed', login, subject: to, details: { former_name: from } })
  return { from, to }
}

async function domainNamed(deps: DomainAdministrationDeps, text: string): Promise<BrandedDomain> {
  const domain = await deps.domainStore.get(text.toLowerCase())
  if (!domain) throw noDomain(text)
  return domain
}

/** The organization of the given group, else of the oldest group. */
async function organizationFor(deps: DomainAdministrationDeps, groupGuid: string | undefined): Promise<string> {
  const group = groupGuid ?? (await deps.accounts.firstGroup())
  const organization = group === undefined ? undefined : await deps.domainStore.organizationOf(group)
  if (organization !== undefined) return organization
  const message =
    group === undefined
      ? 'There is no group yet. Start the service once to create the first group.'
      : `There is no group "${group}".`
  throw new Refusal('NOT_FOUND', message, { resource: 'groups' })
}
