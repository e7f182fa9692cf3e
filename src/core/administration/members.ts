import type { Actor, OrganizationRole } from '../accounts/actor.js'
import { type AuditDeps, audited, type NewAuditEntry } from '../accounts/audit.js'
import type { AuditedStores } from '../accounts/audit-store.js'
import type { GroupStore, Member, MemberRole, OnlyMembers } from '../accounts/group-store.js'
import { lastAdmin } from '../accounts/users.js'
import { invalid, quoted, Refusal } from '../values/refusal.js'

export interface MemberDeps extends AuditDeps {
  readonly groups: GroupStore
  /** Clears caches of permissions. */
  readonly onAccessChanged?: () => void
}

/** Either a group or an organization. */
export interface Place {
  readonly groupGuid?: string | undefined
  readonly organizationGuid?: string | undefined
}

export interface MemberInput extends Place {
  readonly login: string
  readonly role: MemberRole | OrganizationRole
  /** Changes roles of members, and adds nobody. */
  readonly onlyMembers?: OnlyMembers
}

export function listMembers(deps: MemberDeps): Promise<readonly Member[]> {
  return deps.groups.members()
}

export async function setMember(deps: MemberDeps, actor: Actor, input: MemberInput): Promise<MemberInput> {
  const { kind, guid } = placeOf(input)
  const entry = await memberEntry(deps, actor, 'role_given', input, { role: input.role, in: guid })
  const set = kind === 'group' ? setInGroup(input, guid) : setInOrganization(input, guid)
  const outcome = await audited(deps, set, (answer) => answer === 'set' && entry)
  if (outcome === 'no-user') {
    throw new Refusal('NOT_FOUND', `There is no user "${input.login}".`, { resource: 'users' })
  }
  if (outcome === 'last-admin') throw lastAdmin(actor, input.login, guid)
  if (outcome === 'last-group') throw lastGroup(actor, input.login)
  if (outcome !== 'set') throw new Refusal('NOT_FOUND', `There is no ${kind} "${guid}".`, { resource: `${kind}s` })
  deps.onAccessChanged?.()
  return input
}

export async function removeMember(
  deps: MemberDeps,
  actor: Actor,
  input: Place & { login: string },
): Promise<{ login: string }> {
  const { kind, guid } = placeOf(input)
  const entry = await memberEntry(deps, actor, 'member_removed', input, { in: guid })
  const leave = ({ groups }: AuditedStores): Promise<'left' | 'not-a-member' | 'last-admin' | 'last-group'> =>
    kind === 'group' ? groups.leaveGroup(input.login, guid) : groups.leaveOrganization(input.login, guid)
  const outcome = await audited(deps, leave, (answer) => answer === 'left' && entry)
  if (outcome === 'last-admin') throw lastAdmin(actor, input.login, guid)
  if (outcome === 'last-group') throw lastGroup(actor, input.login)
  if (outcome !== 'left') {
    throw new Refusal('NOT_FOUND', `The user "${input.login}" is not in the ${kind} "${guid}".`, { resource: 'users' })
  }
  deps.onAccessChanged?.()
  return { login: input.login }
}

async function memberEntry(
  deps: MemberDeps,
  { login }: Actor,
  action: 'role_given' | 'member_removed',
  input: Place & { readonly login: string },
  details: Readonly<Record<string, string>>,
): Promise<NewAuditEntry> {
  const [group] = input.groupGuid === undefined ? [] : await deps.groups.groups([input.groupGuid])
  const organizationGuid = input.organizationGuid ?? group?.organizationGuid
  return { action, login, organizationGuid, subject: input.login, details }
}

/** docs/api/groups.md#the-last-group */
function lastGroup({ isOperator }: Actor, login: string): Refusal {
  const [another, orElse] = isOperator
    ? [
        ': shortlink member set LOGIN --group GUID --role member',
        ', or deactivate the user: shortlink user deactivate LOGIN',
      ]
    : ['', '']
  const message =
    `${quoted(login)} would be in no group. Add them to another group first${another}, ` +
    `or remove them from the organization${orElse}.`
  return invalid('login', message, 'users')
}

type SetRole = (
  stores: AuditedStores,
) => Promise<'set' | 'no-user' | 'no-group' | 'no-organization' | 'last-admin' | 'last-group'>

function setInGroup({ login, role, onlyMembers }: MemberInput, guid: string): SetRole {
  if (role === 'auditor') {
    throw invalid('role', 'A group has the roles admin, member and reader. Auditors are of an organization.', 'users')
  }
  return ({ groups }) => groups.setGroupRole(login, guid, role, onlyMembers)
}

function setInOrganization({ login, role, onlyMembers }: MemberInput, guid: string): SetRole {
  if (role === 'reader') {
    throw invalid(
      'role',
      'An organization has the roles admin, auditor and member. The role reader exists in groups only.',
      'users',
    )
  }
  return ({ groups }) => groups.setOrganizationRole(login, guid, role, onlyMembers)
}

function placeOf({ groupGuid, organizationGuid }: Place): { kind: 'group' | 'organization'; guid: string } {
  if (groupGuid !== undefined && organizationGuid === undefined) return { kind: 'group', guid: groupGuid }
  if (groupGuid === undefined && organizationGuid !== undefined) return { kind: 'organization', guid: organizationGuid }
  throw invalid('groupGuid', 'Name either a group or an organization.', 'users')
}
