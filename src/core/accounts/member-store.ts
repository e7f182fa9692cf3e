import type { OrganizationRole } from './actor.js'

/**
 * Who belongs to which group and organization. Each method is one atomic step; what the methods promise is written as
 * tests in member-store.contract.ts.
 */
export interface MemberStore {
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

/** A role in a group, as it is kept: `org-admin` is not given but follows from the organization. */
export type MemberRole = 'admin' | 'member' | 'reader'

export interface Member {
  readonly login: string
  readonly in: 'group' | 'organization'
  readonly guid: string
  readonly role: MemberRole
}
