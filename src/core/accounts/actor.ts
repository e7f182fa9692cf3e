import { Refusal } from '../values/refusal.js'

/**
 * The authenticated caller. Edges find the actor (by token, session or command line); core decides what the actor may
 * do. An organization has admins, auditors and members; a group has admins, members and readers.
 */
export interface Actor {
  readonly login: string
  /** The chosen default group, or the oldest group when that one is no longer accessible; empty without any group. */
  readonly defaultGroupGuid: string
  /** The application that the token was issued to, if any (v4 `client_id`). */
  readonly clientId: string | undefined
  /** What the token may be used for; undefined without a token, as in the dashboard: everything. */
  readonly scopes?: ScopeSet | undefined
  /** When the token expires. */
  readonly expiresAt?: number | undefined
  /** The token is limited to these groups: `groups` has no others, and `organizations` is empty. */
  readonly isLimitedToGroups?: boolean | undefined
  /** The token is limited to links on these domains, and to groups, too (core/domains/token-domains.ts). */
  readonly domains?: readonly string[] | undefined
  /** The word for short links that was chosen for the token or its application, such as `bitlink`. */
  readonly answersIn?: string | undefined
  /** Public unless the user chose otherwise. */
  readonly defaultLinkPrivacy?: LinkPrivacy
  readonly groups: readonly GroupMembership[]
  /** The actor's active organizations, including those where the actor is in no group. */
  readonly organizations: readonly OrganizationMembership[]
  /** May administer every organization and account, and belongs to none. */
  readonly isOperator?: boolean
}

/** Scopes as bits (scopes.ts), since every request compares them. */
export type ScopeSet = number

export type LinkPrivacy = 'public' | 'private'

/** The actor of commands that run on the server itself. The login is reserved. */
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

/** `auditor`: reads everything of the organization and changes nothing, whatever the role in its groups. */
export type OrganizationRole = 'admin' | 'auditor' | 'member'

export interface GroupMembership {
  readonly groupGuid: string
  readonly organizationGuid: string
  readonly role: GroupRole
}

/** A membership with write access. `requireWriter` returns it, and use cases that write take it as proof. */
export interface WriterMembership extends GroupMembership {
  readonly role: Exclude<GroupRole, 'reader' | 'auditor'>
}

/** `org-admin` and `auditor`: have access by their role in the group's organization. */
export type GroupRole = 'org-admin' | 'auditor' | 'group-admin' | 'member' | 'reader'

/** Refuses unknown and foreign groups alike, so that outsiders cannot find out which groups exist. */
export function requireGroup(actor: Actor, groupGuid: string): GroupMembership {
  const membership = actor.groups.find((group) => group.groupGuid === groupGuid)
  if (membership) return membership
  const message =
    actor.groups.length === 0
      ? 'You are not in any group. Ask an administrator of your organization to add you to one.'
      : 'You do not have access to this group.'
  throw new Refusal('FORBIDDEN', message, { resource: 'groups' })
}

/** Like `requireGroup`, for write operations. */
export function requireWriter(actor: Actor, groupGuid: string): WriterMembership {
  const membership = requireGroup(actor, groupGuid)
  if (isWriter(membership)) return membership
  refuseAuditor(membership.role)
  throw new Refusal('FORBIDDEN', 'Your role in this group is read only.', { resource: 'groups' })
}

export function isWriter(membership: GroupMembership): membership is WriterMembership {
  return membership.role !== 'reader' && membership.role !== 'auditor'
}

function refuseAuditor(role: GroupRole | OrganizationRole): void {
  if (role !== 'auditor') return
  throw new Refusal('FORBIDDEN', 'You are an auditor of this organization: you may read everything and change nothing.')
}

/** Like `requireGroup`, for the settings of the group itself. */
export function requireGroupAdmin(actor: Actor, groupGuid: string): GroupMembership {
  const membership = requireGroup(actor, groupGuid)
  refuseAuditor(membership.role)
  if (membership.role !== 'org-admin' && membership.role !== 'group-admin') {
    throw new Refusal('FORBIDDEN', 'Only administrators of this group may do this.', { resource: 'groups' })
  }
  return membership
}

/** Refuses unknown and foreign organizations alike, as `requireGroup` does. */
export function requireOrganization(actor: Actor, organizationGuid: string): OrganizationMembership {
  if (actor.isOperator) return { organizationGuid, role: 'admin' }
  const membership = actor.organizations.find((each) => each.organizationGuid === organizationGuid)
  if (!membership) {
    throw new Refusal('FORBIDDEN', 'You do not have access to this organization.', { resource: 'organizations' })
  }
  return membership
}

/** Undefined means all organizations, which only the operator may administer. */
export function requireOrganizationAdmin(actor: Actor, organizationGuid: string | undefined): void {
  const { role } = requireOrganization(actor, organizationGuid ?? '')
  refuseAuditor(role)
  if (role !== 'admin') {
    throw new Refusal('FORBIDDEN', 'Only administrators of this organization may do this.', {
      resource: 'organizations',
    })
  }
}

/** The same for reading: administrators and auditors. */
export function requireOrganizationAuditor(actor: Actor, organizationGuid: string | undefined): void {
  if (!seesAll(requireOrganization(actor, organizationGuid ?? ''))) requireOrganizationAdmin(actor, organizationGuid)
}

export function seesAll({ role }: OrganizationMembership): boolean {
  return role === 'admin' || role === 'auditor'
}

/**
 * An application may use an account, but not take it over. Otherwise it could create a token that its owner would not
 * recognise as the application's.
 */
export function requireOwnToken(actor: Actor): void {
  if (actor.clientId === undefined) return
  const message = 'An application cannot do this for you. Use an access token of your own.'
  throw new Refusal('FORBIDDEN', message, { resource: 'users' })
}

/** What is left of an actor whose token is limited to groups: these groups, and nothing that concerns all of them. */
export function limitedTo(actor: Actor, groupGuids: readonly string[]): Actor {
  const groups = actor.groups
    .filter(({ groupGuid }) => groupGuids.includes(groupGuid))
    .map((group) => ({ ...group, role: roleInGroup(group.role) }))
  const isReached = (guid: string) => groups.some(({ groupGuid }) => groupGuid === guid)
  const defaultGroupGuid = [actor.defaultGroupGuid, ...groupGuids].find(isReached) ?? ''
  return { ...actor, defaultGroupGuid, groups, organizations: [], isLimitedToGroups: true }
}

function roleInGroup(role: GroupRole): GroupRole {
  return role === 'org-admin' ? 'group-admin' : role === 'auditor' ? 'reader' : role
}

export function requireOperator(actor: Actor): void {
  if (!actor.isOperator) throw new Refusal('FORBIDDEN', 'Only the operator of the service may do this.')
}
