import { type Actor, type OrganizationRole, requireOrganization, requireOrganizationAdmin } from '../accounts/actor.js'
import { type AuditDeps, audited } from '../accounts/audit.js'
import type { GroupStore, Organization } from '../accounts/group-store.js'
import { requireName } from '../values/names.js'
import { Refusal } from '../values/refusal.js'

export interface OrganizationDeps {
  readonly groups: GroupStore
}

/** An organization as one of its members sees it. */
export interface OwnOrganization {
  readonly organization: Organization
  readonly role: OrganizationRole
}

/** Tokens are not bound to an organization, so callers see all of theirs. */
export async function listOrganizations(deps: OrganizationDeps, actor: Actor): Promise<readonly OwnOrganization[]> {
  const guids = actor.organizations.map(({ organizationGuid }) => organizationGuid)
  const organizations = await deps.groups.organizations(guids)
  return organizations.map((organization) => ({
    organization,
    role: requireOrganization(actor, organization.guid).role,
  }))
}

export async function readOrganization(deps: OrganizationDeps, actor: Actor, guid: string): Promise<OwnOrganization> {
  const { role } = requireOrganization(actor, guid)
  const [organization] = await deps.groups.organizations([guid])
  if (!organization) throw noOrganization(guid)
  return { organization, role }
}

/** Only for administrators. */
export async function renameOrganization(
  deps: OrganizationDeps & AuditDeps,
  actor: Actor,
  guid: string,
  name: string | undefined,
): Promise<OwnOrganization> {
  requireOrganizationAdmin(actor, guid)
  if (name !== undefined) await renameAudited(deps, actor, guid, name)
  return readOrganization(deps, actor, guid)
}

async function renameAudited(deps: AuditDeps, { login }: Actor, guid: string, input: string): Promise<void> {
  const name = requireName(input, 'organizations')
  const at = deps.clock.now()
  const renamed = await audited(
    deps,
    ({ groups }) => groups.renameOrganization(guid, name, at),
    (done) => done && { action: 'organization_renamed', login, organizationGuid: guid, details: { name } },
  )
  if (!renamed) throw noOrganization(guid)
}

function noOrganization(guid: string): Refusal {
  return new Refusal('NOT_FOUND', `There is no organization "${guid}".`, { resource: 'organizations' })
}
