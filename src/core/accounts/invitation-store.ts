import type { GroupRole } from './actor.js'

/**
 * Invitations into a group of an organization. Each method is one atomic step; invitation-store.contract.ts says what
 * they promise. Secrets arrive here already hashed.
 */
export interface InvitationStore {
  /** `no-group` when the group does not exist or is not one of the organization. */
  add(invitation: NewInvitation): Promise<'added' | 'no-group'>
  /** Those that can still be accepted, newest first. */
  list(organizationGuid: string | undefined, now: number): Promise<readonly Invitation[]>
  /** Undefined when it is unknown, revoked, accepted or over. */
  find(secretHash: string, now: number): Promise<Invitation | undefined>
  /** False when it cannot be accepted any more; within one organization, or anywhere for the operator. */
  revoke(guid: string, organizationGuid: string | undefined, at: number): Promise<boolean>
  /**
   * Uses the invitation up and gives the role, to a user who exists or to one who is made by it; one of several callers
   * gets `accepted`. A role that somebody has already is never lowered.
   */
  accept(secretHash: string, by: Invitee, at: number): Promise<Accepted>
}

export interface Invitation {
  readonly guid: string
  readonly email: string
  readonly organizationGuid: string
  readonly organizationName: string
  readonly groupGuid: string
  readonly groupName: string
  readonly role: GroupRole
  readonly invitedBy: string
  readonly createdAt: number
  readonly expiresAt: number
}

export interface NewInvitation {
  readonly guid: string
  readonly secretHash: string
  readonly email: string
  readonly organizationGuid: string
  readonly groupGuid: string
  readonly role: GroupRole
  readonly invitedBy: string
  readonly at: number
  readonly expiresAt: number
}

export type Invitee =
  | { readonly login: string; readonly name: string; readonly passwordHash: string }
  /** A user who exists. */
  | { readonly login: string }

export type Accepted =
  | { readonly outcome: 'accepted'; readonly invitation: Invitation }
  | { readonly outcome: 'gone' | 'login-taken' | 'email-taken' | 'no-user' }
