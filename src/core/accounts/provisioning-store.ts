import type { AccessOf, RoleChange } from './identity-store.js'

/**
 * Stores users and groups as identity providers keep them by SCIM, beside the users that they stand for. Each method is
 * one atomic step; provisioning.contract.ts tests the promises. Edits may run again, and undo everything by throwing.
 */
export interface ProvisioningStore {
  /**
   * Finds the user who has signed in with the external id, or creates one, whose login gets a number if it is taken.
   * Nobody is found by address. `taken`: the provider has another user with the name or the external id.
   */
  addProvisionedUser(by: Provisioner, draft: UserDraft): Promise<AddedUser>
  /** Oldest first. */
  provisionedUsers(issuer: string, page: ProvisionedPage): Promise<Listed<ProvisionedUser>>
  /**
   * Name and address of the user follow as long as they are those that the provider sent before; an address also if there
   * is none. Deactivating ends all sessions, each time, and tokens with `endTokens`; the only active administrator of an organization loses the
   * sessions alone, until there is another and the provider deactivates again. Only whom the provider deactivated is activated.
   */
  changeProvisionedUser(by: Provisioner, id: string, edit: (user: ProvisionedUser) => Person): Promise<ChangedUser>
  /** Removes the user, too; the only active administrator of an organization loses the sessions alone. */
  removeProvisionedUser(by: Provisioner, id: string): Promise<DroppedUser>
  /**
   * Adds, changes or removes a group: `edit` gets the one that is there, and returns what is to be there. Gives and takes the
   * roles that follow, and ends sessions of those who may no longer sign in, and tokens with `endTokens`.
   */
  editProvisionedGroup(
    by: Provisioner,
    id: string,
    edit: (group: ProvisionedGroup | undefined) => GroupFields | undefined,
  ): Promise<ChangedGroup>
  /** Oldest first. */
  provisionedGroups(issuer: string, page: ProvisionedPage): Promise<Listed<ProvisionedGroup>>
}

export interface Provisioner {
  /** Without a slash at the end. */
  readonly issuer: string
  readonly accessOf: AccessOf
  /** Whether those who are kept out lose their tokens and API keys too. */
  readonly endTokens: boolean
  readonly at: number
}

/** Also the columns that are stored as they are. */
export interface ProvisionedAttributes {
  readonly displayName?: string | undefined
  readonly formattedName?: string | undefined
  readonly givenName?: string | undefined
  readonly familyName?: string | undefined
  readonly email?: string | undefined
  /** The last address that was taken over here; it stays when the provider takes its own away. */
  readonly givenEmail?: string | undefined
  /** What the user is called here, made from the others. */
  readonly name: string
}

export interface Person extends ProvisionedAttributes {
  /** Of the provider; upper and lower case are the same. */
  readonly userName: string
  readonly externalId?: string | undefined
  readonly isActive: boolean
}

export interface UserDraft extends Person {
  readonly id: string
  /** Wanted. */
  readonly login: string
  readonly passwordHash: string
}

export interface ProvisionedUser extends Person {
  readonly id: string
  readonly login: string
  readonly createdAt: number
  readonly modifiedAt: number
}

export interface GroupFields {
  readonly name: string
  readonly externalId?: string | undefined
  /** Ids of users. */
  readonly members: readonly string[]
}

export interface ProvisionedGroup extends GroupFields {
  readonly id: string
  readonly createdAt: number
  readonly modifiedAt: number
}

export interface ProvisionedPage {
  /** Names in any case. */
  readonly where?: { readonly field: 'id' | 'name' | 'externalId'; readonly value: string } | undefined
  readonly offset: number
  readonly size: number
}

export interface Listed<Item> {
  readonly total: number
  readonly items: readonly Item[]
}

/** What happened to somebody's access. */
export interface Moved {
  readonly login: string
  readonly changes: readonly RoleChange[]
  /** Guids of tokens and API keys. */
  readonly revoked: readonly string[]
}

/** `kept`: the only administrator of an organization stays active, without sessions. */
type ActiveEffect = 'deactivated' | 'activated' | 'kept' | undefined

export interface ActiveChange {
  readonly user: ProvisionedUser
  readonly effect: ActiveEffect
  /** Guids of tokens and API keys. */
  readonly revoked: readonly string[]
}

export type AddedUser =
  | (ActiveChange & { readonly outcome: 'done'; readonly how: 'created' | 'linked'; readonly moved: Moved })
  | { readonly outcome: 'taken'; readonly field: 'userName' | 'externalId' }

export type ChangedUser =
  | (ActiveChange & { readonly outcome: 'done'; readonly isEmailChanged: boolean })
  | { readonly outcome: 'taken'; readonly field: 'userName' | 'externalId' }
  | { readonly outcome: 'unknown' }

export type DroppedUser =
  | { readonly outcome: 'removed'; readonly login: string; readonly organizationGuids: readonly string[] }
  | { readonly outcome: 'kept'; readonly login: string; readonly moved: Moved }
  | { readonly outcome: 'unknown' }

export type ChangedGroup =
  | { readonly outcome: 'done'; readonly group: ProvisionedGroup | undefined; readonly moved: readonly Moved[] }
  | { readonly outcome: 'taken'; readonly field: 'displayName' | 'externalId' }
  | { readonly outcome: 'no-user'; readonly id: string }
  | { readonly outcome: 'unknown' }
