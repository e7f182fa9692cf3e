import { type NoteParts, noting } from '../audit/audit.js'
import type { Group, Organization } from '../groups/group.js'
import type { GroupStore } from '../groups/group-store.js'
import { renameAndNote } from '../groups/organizations.js'
import { newGuid } from '../guid.js'
import { requireName } from '../names.js'
import { invalid, Refusal } from '../refusal.js'

export interface GroupParts extends NoteParts {
  readonly groups: GroupStore
  /** Tells whoever remembers what tokens may do that this has changed. */
  readonly onAccessChanged?: () => void
}

const login = 'operator'

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
  const { guid, name, admin } = organization
  const outcome = await noting(
    parts,
    ({ groups }) => groups.addOrganization(organization),
    (answer) =>
      answer === 'added' && { action: 'organization_added', login, organizationGuid: guid, details: { name, admin } },
  )
  if (outcome === 'no-user') throw new Refusal('NOT_FOUND', `There is no user "${admin}".`, { resource: 'users' })
  parts.onAccessChanged?.()
  return { guid, name }
}

export function listOrganizations(parts: GroupParts): Promise<readonly Organization[]> {
  return parts.groups.organizations('all')
}

export async function renameOrganizationAsOperator(
  parts: GroupParts,
  wish: { guid: string; name: string },
): Promise<{ guid: string; name: string }> {
  const { guid, name } = wish
  if (!(await renameAndNote(parts, login, guid, name))) throw noOrganization(`"${guid}"`)
  return { guid, name }
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
  const at = parts.clock.now()
  const outcome = await noting(
    parts,
    ({ groups }) => groups.addGroup({ guid, name, organizationGuid, at }),
    (answer) =>
      answer === 'added' && { action: 'group_added', login, organizationGuid, subject: guid, details: { name } },
  )
  if (outcome === 'no-organization') throw noOrganization(`"${organizationGuid}"`)
  parts.onAccessChanged?.()
  return { guid, name, organizationGuid }
}

export function listGroups(parts: GroupParts): Promise<readonly Group[]> {
  return parts.groups.groups('all')
}

export async function renameGroup(
  parts: GroupParts,
  wish: { guid: string; name: string },
): Promise<{ guid: string; name: string }> {
  const { guid } = wish
  const name = requireName(wish.name, 'groups')
  const { organizationGuid } = await existing(parts, guid)
  const at = parts.clock.now()
  const changed = await noting(
    parts,
    ({ groups }) => groups.changeGroup(guid, { name }, at),
    ({ outcome }) =>
      outcome === 'changed' && { action: 'group_changed', login, organizationGuid, subject: guid, details: { name } },
  )
  if (changed.outcome !== 'changed') throw noGroup(guid)
  return { guid, name }
}

/** Nobody reaches it any more; its links go on redirecting, and it can be restored. */
export async function removeGroup(parts: GroupParts, wish: { guid: string }): Promise<{ guid: string }> {
  const { guid } = wish
  const { organizationGuid } = await existing(parts, guid)
  const at = parts.clock.now()
  const outcome = await noting(
    parts,
    ({ groups }) => groups.removeGroup(guid, at),
    (answer) => answer === 'removed' && { action: 'group_removed', login, organizationGuid, subject: guid },
  )
  if (outcome === 'no-group') throw noGroup(guid)
  if (outcome === 'last-group') {
    const next = `shortlink group create NAME --organization ${organizationGuid}`
    const message = `The group ${guid} is the only one of its organization. Add another first: ${next}.`
    throw invalid('guid', message, 'groups')
  }
  parts.onAccessChanged?.()
  return { guid }
}

export async function restoreGroup(parts: GroupParts, wish: { guid: string }): Promise<{ guid: string }> {
  const { guid } = wish
  const { organizationGuid } = await existing(parts, guid)
  const at = parts.clock.now()
  const restored = await noting(
    parts,
    ({ groups }) => groups.restoreGroup(guid, at),
    (done) => done && { action: 'group_restored', login, organizationGuid, subject: guid },
  )
  if (!restored) throw invalid('guid', `The group ${guid} was not removed.`, 'groups')
  parts.onAccessChanged?.()
  return { guid }
}

async function existing(parts: GroupParts, guid: string): Promise<Group> {
  const [group] = await parts.groups.groups([guid])
  if (!group) throw noGroup(guid)
  return group
}

function noGroup(guid: string): Refusal {
  return new Refusal('NOT_FOUND', `There is no group "${guid}", or it was removed.`, { resource: 'groups' })
}

function noOrganization(which: string): Refusal {
  return new Refusal('NOT_FOUND', `There is no organization ${which}.`, { resource: 'organizations' })
}
