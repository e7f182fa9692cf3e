import type { OrganizationRole } from './actor.js'

/**
 * Stores organizations, groups and memberships. Each method is one atomic step; the promises are tested in
 * group-store.contract.ts.
 */
export interface GroupStore {
  /** The groups with these guids, or all groups, oldest first. */
  groups(guids: readonly string[] | 'all'): Promise<readonly Group[]>
  organizations(guids: readonly string[] | 'all'): Promise<readonly Organization[]>

  /** `no-user`: the administrator does not exist. */
  addOrganization(organization: NewOrganization): Promise<'added' | 'no-user'>
  /** Undefined when the organization does not exist. */
  renameOrganization(guid: string, name: string, at: number): Promise<Organization | undefined>
  /** `no-organization`: the organization does not exist. */
  addGroup(group: NewGroup): Promise<'added' | 'no-organization'>

  /**
   * Changes the given fields. All domains of the group, new or kept, must belong to its (new) organization; otherwise
   * nothing changes and `foreign-domains` lists the others. Removing the preferred domain resets the preference. When a
   * group moves, its members become members of the new organization.
   */
  /** Sites at the root of a domain are deactivated when the group joins another organization. */
  changeGroup(guid: string, change: GroupChange, at: number): Promise<GroupChanged>
  /**
   * Removes all access to the group and unassigns its branded domains. Links, campaigns and members are kept: links keep
   * redirecting, and `restoreGroup` restores the access. Sites at the root of a domain are deactivated, so that the domain
   * can lead elsewhere.
   */
  removeGroup(guid: string, at: number): Promise<GroupRemoved>
  /** False when no removed group has this guid. */
  restoreGroup(guid: string, at: number): Promise<boolean>
  /** Undefined resets the preference. `not-assigned`: the branded domain is not assigned to the group. */
  preferDomain(guid: string, domain: PreferredDomain | undefined, at: number): Promise<'preferred' | 'not-assigned'>

  /** The tags the group uses, in alphabetical order. */
  tags(groupGuid: string, type: TagType): Promise<readonly string[]>

  // Memberships.

  /**
   * Sets a user's role in a group, and adds the user to its organization if necessary. With `onlyMembers` a user who is
   * not in the organization counts as `no-user`, so that administrators cannot add people of other organizations.
   */
  setGroupRole(
    login: string,
    groupGuid: string,
    role: MemberRole,
    onlyMembers?: OnlyMembers,
  ): Promise<'set' | 'no-user' | 'no-group'>
  /**
   * `last-admin`: the user is the only active administrator of the organization and would lose the role. `last-group`:
   * without the role, the user would be in no group.
   */
  setOrganizationRole(
    login: string,
    organizationGuid: string,
    role: OrganizationRole,
    onlyMembers?: OnlyMembers,
  ): Promise<'set' | 'no-user' | 'no-organization' | 'last-admin' | 'last-group'>

  /** `last-group`: every user is in at least one group, or is an administrator or auditor of an organization with groups. */
  leaveGroup(login: string, groupGuid: string): Promise<'left' | 'not-a-member' | 'last-group'>
  /** Removes the user from the organization and all its groups, unless they are its only active administrator. */
  leaveOrganization(login: string, organizationGuid: string): Promise<'left' | 'not-a-member' | 'last-admin'>

  /** All memberships, ordered by login. */
  members(): Promise<readonly Member[]>
  /** The members of one organization with their roles in its active groups, ordered by login. */
  organizationMembers(organizationGuid: string): Promise<readonly OrganizationMember[]>
}

export type OnlyMembers = 'only-members' | undefined

export interface OrganizationMember {
  readonly login: string
  readonly name: string
  readonly email: string | undefined
  readonly isActive: boolean
  readonly role: OrganizationRole
  readonly groups: readonly { readonly groupGuid: string; readonly role: MemberRole }[]
  /** Of the identity providers that they signed in with or that keep them by SCIM; without a slash at the end. */
  readonly issuers: readonly string[]
}

export type TagType = 'shortlink' | 'qr_code'

interface NewOrganization {
  readonly guid: string
  readonly name: string
  /** Login of its first administrator. */
  readonly admin: string
  readonly at: number
}

interface NewGroup {
  readonly guid: string
  readonly name: string
  readonly organizationGuid: string
  readonly at: number
}

export interface GroupChange {
  readonly name?: string | undefined
  readonly organizationGuid?: string | undefined
  /** Replaces the group's branded domains. */
  readonly domains?: readonly string[] | undefined
  /** Null removes it. */
  readonly timeZone?: string | null | undefined
}

export type GroupChanged =
  /** `freed`: the addresses that lead nowhere since. */
  | { readonly outcome: 'changed'; readonly group: Group; readonly freed: readonly string[] }
  | { readonly outcome: 'no-group' }
  | { readonly outcome: 'foreign-domains'; readonly domains: readonly string[] }

export interface PreferredDomain {
  readonly name: string
  readonly branded: boolean
}

/** A stored role in a group. `org-admin` and `auditor` are not stored: they follow from the role in the organization. */
export type MemberRole = 'admin' | 'member' | 'reader'

export interface Member {
  readonly login: string
  readonly in: 'group' | 'organization'
  readonly guid: string
  readonly role: MemberRole | OrganizationRole
}

/** A part of an organization that owns links, campaigns and channels, and may use the branded domains assigned to it. */
export interface Group {
  readonly guid: string
  readonly organizationGuid: string
  readonly name: string
  /** False for a removed group, of which only the links keep working. */
  readonly isActive: boolean
  readonly createdAt: number
  readonly modifiedAt: number
  /** Branded domains assigned to the group, by name. */
  readonly domains: readonly string[]
  /** The default domain of its links; undefined for the service's default. */
  readonly domainPreference: string | undefined
  /** In which its members read its numbers, such as `Europe/Berlin`; undefined: each in their own. */
  readonly timeZone: string | undefined
}

/** The top level: groups, users and branded domains belong to an organization. */
export interface Organization {
  readonly guid: string
  readonly name: string
  readonly isActive: boolean
  readonly createdAt: number
  readonly modifiedAt: number
  /** Its branded domains, by name. */
  readonly domains: readonly string[]
}

type GroupRemoved =
  /** `freed`: the addresses that lead nowhere since. */
  | { readonly outcome: 'removed'; readonly freed: readonly string[] }
  /** It is unknown, or was removed before. */
  | { readonly outcome: 'no-group' }
  /** The organization has no other active group. */
  | { readonly outcome: 'last-group' }
  /** These active users are in no other group. */
  | { readonly outcome: 'only-group'; readonly logins: readonly string[] }
