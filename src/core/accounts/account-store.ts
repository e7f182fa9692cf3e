import type { Actor } from './actor.js'

/**
 * Where organizations, groups, users and access tokens are kept. Each method is one atomic step; what the methods
 * promise is written as tests in account-store.contract.ts. Secrets arrive here already hashed.
 */
export interface AccountStore {
  /** Creates everything a service needs before its first request, unless any user exists: then answers false and writes nothing. */
  bootstrap(first: FirstAccount): Promise<boolean>

  /**
   * Adds a user to an existing group. `taken` when the login exists, is another's address, or was that of somebody who was
   * removed; `email-taken` when the address is; `no-group` when the group does not exist or was removed.
   */
  addUser(user: NewUser): Promise<'added' | 'taken' | 'email-taken' | 'no-group'>
  /**
   * Removes the account with everything that lets somebody in or belongs to nobody else: password, address, sessions,
   * tokens, keys, second factor, memberships, applications with all their tokens. Links keep the login as their author,
   * and nobody gets it again. The only active administrator of an organization cannot be removed.
   */
  removeUser(login: string, at: number): Promise<RemovedUser>
  /** The group new users join unless told otherwise: the oldest one. */
  firstGroup(): Promise<string | undefined>

  /** `no-user` when the login does not exist. */
  addToken(token: NewToken): Promise<'added' | 'no-user'>
  /** All tokens, or those of one user, oldest first; revoked ones too. Hashes stay inside. */
  listTokens(login: string | undefined): Promise<readonly TokenRecord[]>
  /** Revokes once: false when there is no such token or it was revoked before. */
  revokeToken(guid: string, at: number): Promise<boolean>
  /** False when there is no such token or it was revoked. */
  labelToken(guid: string, label: string): Promise<boolean>
  /** Who the token with this hash speaks for; undefined when unknown, revoked, or its user is inactive. */
  actorByToken(secretHash: string): Promise<TokenActor | undefined>
  /** The same for somebody who proved who they are without a token; undefined when unknown or inactive. */
  actorByLogin(login: string): Promise<Actor | undefined>
  /** Remembers when tokens were last used; the newest time wins. */
  touchTokens(lastUsed: ReadonlyMap<string, number>): Promise<void>
}

export interface TokenActor {
  readonly tokenGuid: string
  readonly actor: Actor
}

export type RemovedUser =
  | { readonly outcome: 'removed'; readonly organizationGuids: readonly string[] }
  | { readonly outcome: 'no-user' }
  | { readonly outcome: 'last-admin'; readonly organizationGuid: string }

export interface FirstAccount {
  readonly organization: { readonly guid: string; readonly name: string }
  readonly group: { readonly guid: string; readonly name: string }
  readonly user: { readonly login: string; readonly passwordHash: string }
  readonly token: { readonly guid: string; readonly secretHash: string; readonly hint: string; readonly label: string }
  readonly at: number
}

export interface NewUser {
  readonly login: string
  readonly name: string
  readonly email: string | undefined
  readonly passwordHash: string
  readonly groupGuid: string
  readonly at: number
}

export interface NewToken {
  readonly guid: string
  readonly secretHash: string
  /** The last four characters, so that people can tell their tokens apart. */
  readonly hint: string
  readonly login: string
  readonly label: string
  /** The application it was given to; undefined for one that its owner made. */
  readonly clientId?: string | undefined
  readonly at: number
}

export interface TokenRecord {
  readonly guid: string
  readonly hint: string
  readonly login: string
  readonly label: string
  readonly clientId: string | undefined
  readonly createdAt: number
  readonly lastUsedAt: number | undefined
  readonly revokedAt: number | undefined
}
