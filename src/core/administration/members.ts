import { type Note, type NoteParts, noting } from '../audit/audit.js'
import type { AuditedStores } from '../audit/audit-store.js'
import type { GroupStore } from '../groups/group-store.js'
import type { Member, MemberRole, MemberStore } from '../groups/member-store.js'
import { invalid, Refusal } from '../refusal.js'

export interface MemberParts extends NoteParts {
  readonly members: MemberStore
  readonly groups: Pick<GroupStore, 'groups'>
  /** Tells whoever remembers what tokens may do that this has changed. */
  readonly onAccessChanged?: () => void
}

/** A group or an organization, exactly one of them. */
export interface Place {
  readonly groupGuid?: string | undefined
  readonly organizationGuid?: string | undefined
}

export interface MemberWish extends Place {
  readonly login: string
  readonly role: MemberRole
}

export function listMembers(parts: MemberParts): Promise<readonly Member[]> {
  return parts.members.members()
}

export async function setMember(parts: MemberParts, wish: MemberWish): Promise<MemberWish> {
  const { kind, guid } = placeOf(wish)
  const entry = await memberNote(parts, 'role_given', wish, { role: wish.role, in: guid })
  const set = kind === 'group' ? setInGroup(wish, guid) : setInOrganization(wish, guid)
  const outcome = await noting(parts, set, (answer) => answer === 'set' && entry)
  if (outcome === 'no-user') {
    throw new Refusal('NOT_FOUND', `There is no user "${wish.login}".`, { resource: 'users' })
  }
  if (outcome === 'last-admin') throw lastAdmin(wish.login, guid)
  if (outcome !== 'set') throw new Refusal('NOT_FOUND', `There is no ${kind} "${guid}".`, { resource: `${kind}s` })
  parts.onAccessChanged?.()
  return wish
}

export async function removeMember(parts: MemberParts, wish: Place & { login: string }): Promise<{ login: string }> {
  const { kind, guid } = placeOf(wish)
  const entry = await memberNote(parts, 'member_removed', wish, { in: guid })
  const leave = ({ members }: AuditedStores): Promise<'left' | 'not-a-member' | 'last-admin'> =>
    kind === 'group' ? members.leaveGroup(wish.login, guid) : members.leaveOrganization(wish.login, guid)
  const outcome = await noting(parts, leave, (answer) => answer === 'left' && entry)
  if (outcome === 'last-admin') throw lastAdmin(wish.login, guid)
  if (outcome !== 'left') {
    throw new Refusal('NOT_FOUND', `The user "${wish.login}" is not in the ${kind} "${guid}".`, { resource: 'users' })
  }
  parts.onAccessChanged?.()
  return { login: wish.login }
}

async function memberNote(
  parts: MemberParts,
  action: 'role_given' | 'member_removed',
  wish: Place & { readonly login: string },
  details: Readonly<Record<string, string>>,
): Promise<Note> {
  const [group] = wish.groupGuid === undefined ? [] : await parts.groups.groups([wish.groupGuid])
  const organizationGuid = wish.organizationGuid ?? group?.organizationGuid
  return { action, login: 'operator', organizationGuid, subject: wish.login, details }
}

/** Says which command makes somebody else one. */
export function lastAdmin(login: string, organizationGuid: string): Refusal {
  return invalid(
    'login',
    `The user "${login}" is the only active administrator of the organization ${organizationGuid}. Make somebody else ` +
      `one first: shortlink member set LOGIN --organization ${organizationGuid} --role admin.`,
    'users',
  )
}

type SetRole = (stores: AuditedStores) => Promise<'set' | 'no-user' | 'no-group' | 'no-organization' | 'last-admin'>

function setInGroup({ login, role }: MemberWish, guid: string): SetRole {
  return ({ members }) => members.setGroupRole(login, guid, role)
}

function setInOrganization({ login, role }: MemberWish, guid: string): SetRole {
  if (role === 'reader') {
    throw invalid('role', 'An organization has the roles admin and member; readers are readers of a group.', 'users')
  }
  return ({ members }) => members.setOrganizationRole(login, guid, role)
}

function placeOf({ groupGuid, organizationGuid }: Place): { kind: 'group' | 'organization'; guid: string } {
  if (groupGuid !== undefined && organizationGuid === undefined) return { kind: 'group', guid: groupGuid }
  if (groupGuid === undefined && organizationGuid !== undefined) return { kind: 'organization', guid: organizationGuid }
  throw invalid('groupGuid', 'Name either a group or an organization.', 'users')
}
