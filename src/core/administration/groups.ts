import type { Clock } from '../clock.js'
import type { Group, Organization } from '../groups/group.js'
import type { GroupStore } from '../groups/group-store.js'
import { newGuid } from '../guid.js'
import { requireName } from '../names.js'
import { Refusal } from '../refusal.js'

export interface GroupParts {
  readonly groups: GroupStore
  readonly clock: Clock
  /** Tells whoever remembers what tokens may do that this has changed. */
  readonly onAccessChanged?: () => void
}

/** A new organization has one administrator and no group yet. */
export async function createOrganization(
  parts: GroupParts,
  wish: { name: string; admin: string },
): Promise<{ guid: string; name: string }> {
  const organization = {
    guid: newGuid('organization'),
    name: requireName(wish.name, 'organizations'),
    admin: wish.admin,
    at: parts.clock.now(),
  }
  if ((await parts.groups.addOrganization(organization)) === 'no-user') {
    throw new Refusal('NOT_FOUND', `There is no user "${wish.admin}".`, { resource: 'users' })
  }
  parts.onAccessChanged?.()
  return { guid: organization.guid, name: organization.name }
}

export function listOrganizations(parts: GroupParts): Promise<readonly Organization[]> {
  return parts.groups.organizations('all')
}

/** In the oldest organization unless told otherwise; its administrators reach the group at once. */
export async function createGroup(
  parts: GroupParts,
  wish: { name: string; organizationGuid?: string | undefined },
): Promise<{ guid: string; name: string; organizationGuid: string }> {
  const name = requireName(wish.name, 'groups')
  const [oldest] = wish.organizationGuid === undefined ? await parts.groups.organizations('all') : []
  const organizationGuid = wish.organizationGuid ?? oldest?.guid
  if (organizationGuid === undefined) throw noOrganization('yet: start the service once, it makes the first one')
  const guid = newGuid('group')
  const outcome = await parts.groups.addGroup({ guid, name, organizationGuid, at: parts.clock.now() })
  if (outcome === 'no-organization') throw noOrganization(`"${organizationGuid}"`)
  parts.onAccessChanged?.()
  return { guid, name, organizationGuid }
}

export function listGroups(parts: GroupParts): Promise<readonly Group[]> {
  return parts.groups.groups('all')
}

function noOrganization(which: string): Refusal {
  return new Refusal('NOT_FOUND', `There is no organization ${which}.`, { resource: 'organizations' })
}
