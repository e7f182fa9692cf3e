import type { Actor } from '../accounts/actor.js'
import { type AuditDeps, audited } from '../accounts/audit.js'
import type { Group, GroupStore, Organization } from '../accounts/group-store.js'
import * as organizations from '../groups/organizations.js'
import { type AllowanceDeps, type AssignPlanDeps, assignPlan, type PlanLimit, readPlanLimits } from '../limits/plans.js'
import { newGuid } from '../values/guid.js'
import { requireName } from '../values/names.js'
import { invalid, quoted, Refusal } from '../values/refusal.js'

export interface GroupDeps extends AuditDeps {
  readonly groups: GroupStore
  /** Undefined on a stopped service. */
  readonly redirectCache?: { forget(address: string): void }
  /** Clears caches of permissions. */
  readonly onAccessChanged?: () => void
}

/** Creates an organization with one administrator and no group. */
export async function createOrganization(
  deps: GroupDeps,
  { login }: Actor,
  input: { name: string; admin: string },
): Promise<{ guid: string; name: string }> {
  const organization = {
    guid: newGuid('organization'),
    name: requireName(input.name, 'organizations'),
    admin: input.admin,
    at: deps.clock.now(),
  }
  const { guid, name, admin } = organization
  const outcome = await audited(
    deps,
    ({ groups }) => groups.addOrganization(organization),
    (answer) =>
      answer === 'added' && { action: 'organization_added', login, organizationGuid: guid, details: { name, admin } },
  )
  if (outcome === 'no-user') throw new Refusal('NOT_FOUND', `There is no user "${admin}".`, { resource: 'users' })
  deps.onAccessChanged?.()
  return { guid, name }
}

export function listOrganizations(deps: GroupDeps): Promise<readonly Organization[]> {
  return deps.groups.organizations('all')
}

export async function renameOrganization(
  deps: GroupDeps,
  actor: Actor,
  input: { guid: string; name: string },
): Promise<{ guid: string; name: string }> {
  const { guid, name } = input
  await organizations.renameOrganization(deps, actor, guid, name)
  return { guid, name }
}

/** The default organization is the oldest one. Its administrators have access to the group at once. */
export async function createGroup(
  deps: GroupDeps,
  { login }: Actor,
  input: { name: string; organizationGuid?: string | undefined },
): Promise<{ guid: string; name: string; organizationGuid: string }> {
  const name = requireName(input.name, 'groups')
  const [oldest] = input.organizationGuid === undefined ? await deps.groups.organizations('all') : []
  const organizationGuid = input.organizationGuid ?? oldest?.guid
  if (organizationGuid === undefined) throw noOrganization('yet. Start the service once to create the first one')
  const guid = newGuid('group')
  const at = deps.clock.now()
  const outcome = await audited(
    deps,
    ({ groups }) => groups.addGroup({ guid, name, organizationGuid, at }),
    (answer) =>
      answer === 'added' && { action: 'group_added', login, organizationGuid, subject: guid, details: { name } },
  )
  if (outcome === 'no-organization') throw noOrganization(`"${organizationGuid}"`)
  deps.onAccessChanged?.()
  return { guid, name, organizationGuid }
}

export function listGroups(deps: GroupDeps): Promise<readonly Group[]> {
  return deps.groups.groups('all')
}

export async function renameGroup(
  deps: GroupDeps,
  { login }: Actor,
  input: { guid: string; name: string },
): Promise<{ guid: string; name: string }> {
  const { guid } = input
  const name = requireName(input.name, 'groups')
  const { organizationGuid } = await existing(deps, guid)
  const at = deps.clock.now()
  const changed = await audited(
    deps,
    ({ groups }) => groups.changeGroup(guid, { name }, at),
    ({ outcome }) =>
      outcome === 'changed' && { action: 'group_changed', login, organizationGuid, subject: guid, details: { name } },
  )
  if (changed.outcome !== 'changed') throw noGroup(guid)
  return { guid, name }
}

interface NamedGroup {
  readonly guid: string
}

/** Ends all access to the group. Its links keep redirecting, and it can be restored (docs/api/groups.md#removing-a-group). */
export async function removeGroup(
  deps: GroupDeps,
  { login, isOperator }: Actor,
  { guid }: NamedGroup,
): Promise<NamedGroup> {
  const { organizationGuid } = await existing(deps, guid)
  const at = deps.clock.now()
  const removed = await audited(
    deps,
    ({ groups }) => groups.removeGroup(guid, at),
    ({ outcome }) => outcome === 'removed' && { action: 'group_removed', login, organizationGuid, subject: guid },
  )
  if (removed.outcome === 'no-group') throw noGroup(guid)
  if (removed.outcome === 'last-group') {
    const next = `shortlink group create NAME --organization ${organizationGuid}`
    const message = `The group ${guid} is the only one of its organization. Add another first: ${next}.`
    throw invalid('groupGuid', message, 'groups')
  }
  if (removed.outcome === 'only-group') {
    const command = isOperator ? ': shortlink member set LOGIN --group GUID --role member' : ''
    const message = `${someOf(removed.logins)} would be in no group. Add them to another group first${command}, or remove them from the organization.`
    throw invalid('login', message, 'users')
  }
  for (const address of removed.freed) deps.redirectCache?.forget(address)
  deps.onAccessChanged?.()
  return { guid }
}

function someOf(logins: readonly string[]): string {
  const named = logins.slice(0, 10).map(quoted)
  return [...named, ...(logins.length > 10 ? [`${logins.length - 10} more`] : [])].join(', ')
}

export async function restoreGroup(deps: GroupDeps, { login }: Actor, { guid }: NamedGroup): Promise<NamedGroup> {
  const { organizationGuid } = await existing(deps, guid)
  const at = deps.clock.now()
  const restored = await audited(
    deps,
    ({ groups }) => groups.restoreGroup(guid, at),
    (done) => done && { action: 'group_restored', login, organizationGuid, subject: guid },
  )
  if (!restored) throw invalid('guid', `The group ${guid} was not removed.`, 'groups')
  deps.onAccessChanged?.()
  return { guid }
}

async function existing(deps: GroupDeps, guid: string): Promise<Group> {
  const [group] = await deps.groups.groups([guid])
  if (!group) throw new Refusal('NOT_FOUND', `There is no group "${guid}".`, { resource: 'groups' })
  return group
}

function noGroup(guid: string): Refusal {
  return new Refusal('NOT_FOUND', `There is no group "${guid}", or it was removed.`, { resource: 'groups' })
}

function noOrganization(which: string): Refusal {
  return new Refusal('NOT_FOUND', `There is no organization ${which}.`, { resource: 'organizations' })
}

export type PlanAdministrationDeps = AllowanceDeps &
  AssignPlanDeps &
  Pick<GroupDeps, 'groups'> & { readonly plans: AllowanceDeps['plans'] & AssignPlanDeps['plans'] }

export interface OrganizationPlan {
  readonly organizationGuid: string
  readonly plan: string
  readonly limits: readonly PlanLimit[]
}

/** An organization's plan, with its limits and the usage of this month. */
export async function readPlan(
  deps: PlanAdministrationDeps,
  actor: Actor,
  input: { organizationGuid: string },
): Promise<OrganizationPlan> {
  const { organizationGuid } = input
  const [organization] = await deps.groups.organizations([organizationGuid])
  if (!organization) {
    const message = `There is no organization "${organizationGuid}".`
    throw new Refusal('NOT_FOUND', message, { resource: 'organizations' })
  }
  await deps.plans.refresh()
  const limits = await readPlanLimits(deps, actor, organizationGuid)
  return { organizationGuid, plan: deps.plans.of(organizationGuid).name, limits }
}

export async function setPlan(
  deps: PlanAdministrationDeps,
  actor: Actor,
  input: { organizationGuid: string; plan: string; force?: boolean | undefined },
): Promise<OrganizationPlan> {
  await assignPlan(deps, actor, { ...input, force: input.force ?? false })
  return readPlan(deps, actor, input)
}
