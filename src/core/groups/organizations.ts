import { type Actor, type OrganizationRole, requireOrganization } from '../auth/actor.js'
import type { Organization } from './group.js'
import type { GroupStore } from './group-store.js'

export interface OrganizationParts {
  readonly groups: Pick<GroupStore, 'organizations'>
}

/** An organization as one of its members sees it. */
export interface OwnOrganization {
  readonly organization: Organization
  readonly role: OrganizationRole
}

/** Tokens are not bound to one organization, so a caller sees all of theirs. */
export async function listOrganizations(parts: OrganizationParts, actor: Actor): Promise<readonly OwnOrganization[]> {
  const guids = actor.organizations.map(({ organizationGuid }) => organizationGuid)
  const organizations = await parts.groups.organizations(guids)
  return organizations.map((organization) => ({
    organization,
    role: requireOrganization(actor, organization.guid).role,
  }))
}

export async function readOrganization(parts: OrganizationParts, actor: Actor, guid: string): Promise<OwnOrganization> {
  const { role } = requireOrganization(actor, guid)
  const [organization] = await parts.groups.organizations([guid])
  if (!organization) throw new Error(`the organization ${guid} has members but does not exist`)
  return { organization, role }
}
