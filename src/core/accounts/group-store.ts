import type { OrganizationRole } from './actor.js'

/**
 * Where groups and organizations are kept, and who belongs to them. Each method is one atomic step; what the methods
 * promise is written as tests in group-store.contract.ts.
 */
export interface GroupStore {
  /** Those of the guids that exist, or all groups, oldest first. */
  groups(guids: readonly string[] | 'all'): Promise<readonly Group[]>
  organizations(guids: readonly string[] | 'all'): Promise<readonly Organization[]>

  /** `no-user` when the administrator does not exist. */
  addOrganization(organization: NewOrganization): Promise<'added' | 'no-user'>
  /** Undefined when there is no such organization. */
  renameOrganization(guid: string, name: string, at: number): Promise<Organization | undefined>
  /** `no-organization` when it does not exist. */
  addGroup(group: NewGroup): Promise<'added' | 'no-organization'>

  /**
   * Changes what is named and nothing else. The group's domains, given or kept, must belong to the organization it is in
   * afterwards, else nothing changes and the others are answered. A preference for a domain that is taken from the
   * group is reset. Members of a group that moves become members of its new organization.
   */
  changeGroup(guid: string, change: GroupChange, at: number): Promise<GroupChanged>
  /**
   * Nobody reaches the group from then on, and its branded domains are free for other groups. Its links, campaigns and
   * members are kept: links go on redirecting, and `restoreGroup` brings everything else back. `last-group` when its
   * organization has no other group that is active; `no-group` also when it was removed before.
   */
  removeGroup(guid: string, at: number): Promise<'removed' | 'no-group' | 'last-group'>
  /** False when there is no removed group of this guid. */
  restoreGroup(guid: string, at: number): Promise<boolean>
  /** Undefined resets. `not-assigned` when a branded domain is not one of the group's. */
  preferDomain(guid: string, domain: PreferredDomain | undefined, at: number): Promise<'preferred' | 'not-assigned'>

  /** The tags the group uses, in alphabetical order. */
  tags(groupGuid: string, type: TagType): Promise<readonly string[]>

  // Who belongs to them.

  /** Gives a user a role in a group, and makes them a member of its organization if they are not in it. */
  setGroupRole(login: string, groupGuid: string, role: MemberRole): Promise<'set' | 'no-user' | 'no-group'>
  /** `last-admin` when the user is the only active administrator of the organization and would be one no longer. */
  setOrganizationRole(
    login: string,
    organizationGuid: string,
    role: OrganizationRole,
  ): Promise<'set' | 'no-user' | 'no-organization' | 'last-admin'>

  leaveGroup(login: string, groupGuid: string): Promise<'left' | 'not-a-member'>
  /** Leaves the organization and all its groups; its only active administrator cannot. */
  leaveOrganization(login: string, organizationGuid: string): Promise<'left' | 'not-a-member' | 'last-admin'>

  /** Everyone in everything, by login. */
  members(): Promise<readonly Member[]>
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
}

export type GroupChanged =
  | { readonly outcome: 'changed'; readonly group: Group }
  | { readonly outcome: 'no-group' }
  | { readonly outcome: 'foreign-domains'; readonly domains: readonly string[] }

export interface PreferredDomain {
  readonly name: string
  readonly branded: boolean
}

/** A role in a group, as it is kept: `org-admin` is not given but follows from the organization. */
export type MemberRole = 'admin' | 'member' | 'reader'

export interface Member {
  readonly login: string
  readonly in: 'group' | 'organization'
  readonly guid: string
  readonly role: MemberRole
}

/** A subdivision of an organization: it owns links, campaigns and channels, and may use some of its branded domains. */
export interface Group {
  readonly guid: string
  readonly organizationGuid: string
  readonly name: string
  /** False for one that was removed: only its links go on. */
  readonly isActive: boolean
  readonly createdAt: number
  readonly modifiedAt: number
  /** Branded domains assigned to the group, by name. */
  readonly domains: readonly string[]
  /** The domain its links are made on unless a caller names one; undefined for the service's default. */
  readonly domainPreference: string | undefined
}

/** The account level: groups, users and branded domains belong to one. */
export interface Organization {
  readonly guid: string
  readonly name: string
  readonly isActive: boolean
  readonly createdAt: number
  readonly modifiedAt: number
  /** Its branded domains, by name. */
  readonly domains: readonly string[]
}
