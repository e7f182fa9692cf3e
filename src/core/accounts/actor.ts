import { Refusal } from '../values/refusal.js'

/**
 * Who is asking. Edges establish the actor (from a bearer token, a session, a command line); core decides what the
 * actor may do. Roles as in the v4 resources: an organization has admins and members, a group admins, members and readers.
 */
export interface Actor {
  readonly login: string
  /** One of the groups: the oldest where the one that was chosen is no longer reached. Without any it opens nothing. */
  readonly defaultGroupGuid: string
  /** The application the actor came through, if any (v4 `client_id`). */
  readonly clientId: string | undefined
  readonly groups: readonly GroupMembership[]
  /** Active organizations the actor belongs to, also those without a group. */
  readonly organizations: readonly OrganizationMembership[]
  /** Runs the service: administers every organization and account, and belongs to none. */
  readonly isOperator?: boolean
}

/** Whoever gives commands on the machine of the service. Nobody can have this login. */
export const operator: Actor = {
  login: 'operator',
  defaultGroupGuid: '',
  clientId: undefined,
  groups: [],
  organizations: [],
  isOperator: true,
}

export interface OrganizationMembership {
  readonly organizationGuid: string
  readonly role: OrganizationRole
}

export type OrganizationRole = 'admin' | 'member'

export interface GroupMembership {
  readonly groupGuid: string
  readonly organizationGuid: string
  readonly role: GroupRole
}

/** A membership that may change what the group owns: `requireWriter` answers it, and use cases that write ask for it. */
export interface WriterMembership extends GroupMembership {
  readonly role: Exclude<GroupRole, 'reader'>
}

/** `org-admin`: reaches the group because the actor administers its organization. */
export type GroupRole = 'org-admin' | 'group-admin' | 'member' | 'reader'

/** The membership, or 403: a group that does not exist and one that is not yours look the same. */
export function requireGroup(actor: Actor, groupGuid: string): GroupMembership {
  const membership = actor.groups.find((group) => group.groupGuid === groupGuid)
  if (membership) return membership
  const message =
    actor.groups.length === 0
      ? 'You are in no group. Ask an administrator of your organization to add you to one.'
      : 'You do not have access to this group.'
  throw new Refusal('FORBIDDEN', message, { resource: 'groups' })
}

/** Like `requireGroup`, for operations that change something. */
export function requireWriter(actor: Actor, groupGuid: string): WriterMembership {
  const membership = requireGroup(actor, groupGuid)
  if (isWriter(membership)) return membership
  throw new Refusal('FORBIDDEN', 'Your role in this group is read only.', { resource: 'groups' })
}

function isWriter(membership: GroupMembership): membership is WriterMembership {
  return membership.role !== 'reader'
}

/** Like `requireGroup`, for the settings of the group itself. */
export function requireGroupAdmin(actor: Actor, groupGuid: string): GroupMembership {
  const membership = requireGroup(actor, groupGuid)
  if (membership.role !== 'org-admin' && membership.role !== 'group-admin') {
    throw new Refusal('FORBIDDEN', 'Only administrators of this group may do this.', { resource: 'groups' })
  }
  return membership
}

/** The membership, or 403: as with groups, unknown and foreign organizations look the same. */
export function requireOrganization(actor: Actor, organizationGuid: string): OrganizationMembership {
  if (actor.isOperator) return { organizationGuid, role: 'admin' }
  const membership = actor.organizations.find((each) => each.organizationGuid === organizationGuid)
  if (!membership) {
    throw new Refusal('FORBIDDEN', 'You do not have access to this organization.', { resource: 'organizations' })
  }
  return membership
}

/** Without an organization: of all of them, which only the operator is. */
export function requireOrganizationAdmin(actor: Actor, organizationGuid: string | undefined): void {
  const { role } = requireOrganization(actor, organizationGuid ?? '')
  if (role !== 'admin') {
    throw new Refusal('FORBIDDEN', 'Only administrators of this organization may do this.', {
      resource: 'organizations',
    })
  }
}

export function requireOperator(actor: Actor): void {
  if (!actor.isOperator) throw new Refusal('FORBIDDEN', 'Only the operator of the service may do this.')
}
