import type { Account, ApiKeyRecord, Invitation, TokenRecord, TwoFactor, User, UserChange } from './account.js'
import type { Actor, GroupRole } from './actor.js'

/**
 * Where people are kept, and everything that lets them in: passwords, sessions, second factors, tokens, keys,
 * invitations. Each method is one atomic step; what the methods promise is written as tests in account-store.contract.ts.
 * Secrets arrive here already hashed.
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
  user(login: string): Promise<User | undefined>
  /** Everybody there is, by login. */
  users(): Promise<readonly User[]>
  /** Changes what is named; undefined when there is no such user. */
  changeUser(login: string, change: UserChange, at: number): Promise<User | undefined>

  // Passwords and sessions.

  /** By login, else by e-mail address; both in lower case. */
  account(loginOrEmail: string): Promise<Account | undefined>
  /** Also ends the account's sessions and open resets. False when there is no such user. */
  setPassword(login: string, passwordHash: string, at: number): Promise<boolean>
  /** `taken` when the address belongs to another account, or is another's login. */
  setEmail(login: string, email: string, at: number): Promise<'set' | 'taken' | 'no-user'>
  /**
   * Who is not active is let in by nothing they have: no password, token, key or session. Deactivating also ends the
   * account's sessions and open resets for good; tokens and keys are good again when it is active again.
   */
  setActive(login: string, active: boolean, at: number): Promise<ActiveAnswer>

  addReset(reset: NewReset): Promise<void>
  /** The login a reset is for; undefined when it is unknown, used or over. */
  loginOfReset(secretHash: string, now: number): Promise<string | undefined>
  /**
   * Uses the reset up and sets the password, as `setPassword` does; the login, or undefined when it is no good. Whoever
   * has the secret reads the account's mail, so the address is known to be theirs.
   */
  useReset(secretHash: string, passwordHash: string, at: number): Promise<string | undefined>

  /** Also forgets the account's sessions that are over. */
  addSession(session: NewSession): Promise<void>
  /** Undefined when unknown or over, or when the user is no longer active. */
  session(secretHash: string, now: number): Promise<SessionRecord | undefined>
  renewSession(secretHash: string, expiresAt: number): Promise<void>
  /** False when there was none. */
  endSession(secretHash: string): Promise<boolean>

  /** Replaces another one of the same secret. Ends with the account's sessions. */
  addHalfSession(session: NewSession): Promise<void>
  /** The login whose password was right; undefined when unknown or over, or when the user is no longer active. */
  halfSession(secretHash: string, now: number): Promise<string | undefined>
  /** False when there was none. */
  endHalfSession(secretHash: string): Promise<boolean>

  // The second factor: what is being set up, what is on, codes sent by SMS, recovery codes.

  /** Remembers what is being set up, in place of anything begun before. What is on stays on until it is confirmed. */
  beginTwoFactor(login: string, factor: TwoFactor, expiresAt: number): Promise<void>
  /** What is being set up; undefined when nothing is, or its time is over. */
  begunTwoFactor(login: string, now: number): Promise<TwoFactor | undefined>
  /**
   * Turns on what is being set up, with these recovery codes in place of older ones. False when it is not what is being
   * set up any more: of several callers at once one gets true. `usedStep` is not accepted again.
   */
  turnTwoFactorOn(login: string, on: TurnedOn): Promise<boolean>
  /** Forgets factor, codes and recovery codes. False when nothing was on. */
  turnTwoFactorOff(login: string): Promise<boolean>

  /** Accepts each time step of an authenticator app once, and none before it: false for a step that was used. */
  useTotpStep(login: string, step: number): Promise<boolean>

  replaceRecoveryCodes(login: string, codeHashes: readonly string[]): Promise<void>
  /** True for one caller per code. */
  useRecoveryCode(login: string, codeHash: string): Promise<boolean>
  recoveryCodesLeft(login: string): Promise<number>

  /** Replaces the code that is out, unless that one was sent after `notSince`: then answers false. */
  addSmsCode(code: SentCode, notSince: number): Promise<boolean>
  /** Makes room for another at once: the one that is out never arrived. */
  forgetSmsCode(login: string): Promise<void>
  /**
   * Right uses the code up. Wrong costs one of its tries, and without any left it is over.
   */
  checkSmsCode(login: string, codeHash: string, now: number): Promise<boolean>

  // Tries of secrets, counted for all processes on the same records. The store does not know what is tried.

  /**
   * Counts one try under every budget, or none at all when one of them is used up: then answers the milliseconds until
   * that one begins anew. Counting comes before trying, so that many tries at once cannot slip through together.
   */
  countTry(budgets: readonly Budget[], now: number): Promise<number | undefined>
  /** Takes a try back that turned out not to be a guess. */
  takeTryBack(keys: readonly string[]): Promise<void>
  /** Begins anew at once. */
  clearTries(keys: readonly string[]): Promise<void>

  // Access tokens.

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

  // Legacy keys, which v3 clients send beside a login.

  addApiKey(key: NewApiKey): Promise<void>
  /** Oldest first, without revoked ones. Hashes stay inside. */
  listApiKeys(login: string): Promise<readonly ApiKeyRecord[]>
  /** False when the user has no such key, or it was revoked before. */
  revokeApiKey(login: string, guid: string, at: number): Promise<boolean>
  /** Undefined when the key is not that user's, was revoked, or the user is inactive. */
  findApiKey(login: string, keyHash: string): Promise<ApiKeyRecord | undefined>
  /** The newest time wins. */
  touchApiKey(guid: string, at: number): Promise<void>

  // Invitations into a group of an organization.

  /** `no-group` when the group does not exist or is not one of the organization. */
  addInvitation(invitation: NewInvitation): Promise<'added' | 'no-group'>
  /** Those that can still be accepted, newest first. */
  listInvitations(organizationGuid: string | undefined, now: number): Promise<readonly Invitation[]>
  /** Undefined when it is unknown, revoked, accepted or over. */
  findInvitation(secretHash: string, now: number): Promise<Invitation | undefined>
  /** False when it cannot be accepted any more; within one organization, or anywhere for the operator. */
  revokeInvitation(guid: string, organizationGuid: string | undefined, at: number): Promise<boolean>
  /**
   * Uses the invitation up and gives the role, to a user who exists or to one who is made by it; one of several callers
   * gets `accepted`. A role that somebody has already is never lowered.
   */
  acceptInvitation(secretHash: string, by: Invitee, at: number): Promise<Accepted>
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

export type ActiveAnswer =
  /** `as-before`: it was so already. */
  | { readonly outcome: 'set' | 'as-before' | 'no-user' }
  /** An organization would be left without anybody who may administer it; nothing is changed. */
  | { readonly outcome: 'last-admin'; readonly organizationGuid: string }

interface NewReset {
  readonly secretHash: string
  readonly login: string
  readonly at: number
  readonly expiresAt: number
}

interface NewSession {
  readonly secretHash: string
  readonly login: string
  readonly at: number
  readonly expiresAt: number
}

interface SessionRecord {
  readonly login: string
  readonly expiresAt: number
}

export interface TurnedOn {
  readonly factor: TwoFactor
  readonly recoveryCodeHashes: readonly string[]
  /** The time step of the code that confirmed it; undefined for SMS. */
  readonly usedStep: number | undefined
}

export interface SentCode {
  readonly login: string
  readonly codeHash: string
  readonly tries: number
  readonly sentAt: number
  readonly expiresAt: number
}

export interface Budget {
  readonly key: string
  /** How many tries there are ... */
  readonly limit: number
  /** ... in this many milliseconds, counted from the first of them. */
  readonly window: number
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

export interface NewApiKey {
  readonly guid: string
  readonly keyHash: string
  /** The last four characters, so that people can tell their keys apart. */
  readonly hint: string
  readonly login: string
  readonly label: string
  readonly at: number
}
