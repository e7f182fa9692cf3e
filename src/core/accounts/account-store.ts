import type {
  Account,
  ApiKeyRecord,
  Invitation,
  MailDelivery,
  TokenRecord,
  TwoFactor,
  User,
  UserChange,
} from './account.js'
import type { Actor, GroupRole } from './actor.js'
import type { IdentityStore, ProvidedSession, ProviderTokens, SessionProvenance } from './identity-store.js'
import type { PasskeyStore } from './passkey-store.js'
import type { ProvisioningStore } from './provisioning-store.js'
import type { Scope } from './scopes.js'

/**
 * Stores users and their credentials. Each method is one atomic step; the contracts beside this file test the promises.
 * Callers hash secrets before they reach a store.
 */
export interface AccountStore
  extends UserStore,
    PasswordStore,
    EmailStore,
    SessionStore,
    TwoFactorStore,
    AttemptStore,
    TokenStore,
    ApiKeyStore,
    InvitationStore,
    IdentityStore,
    ProvisioningStore,
    PasskeyStore {}

/** Users, without their credentials. */
export interface UserStore {
  /** Creates the first organization, group, user and token. Returns false and writes nothing if any user exists. */
  bootstrap(first: FirstAccount): Promise<boolean>
  /**
   * Adds a user to an existing group. `taken`: the login exists, is another user's e-mail address, or belonged to a
   * removed user. `email-taken`: another user has the address. `no-group`: the group does not exist or was removed.
   */
  addUser(user: NewUser): Promise<'added' | 'taken' | 'email-taken' | 'no-group'>
  /**
   * Removes the account with its credentials and personal data: password, e-mail address, sessions, tokens, API keys,
   * second factor, memberships, and applications with all their tokens. Links keep the login as their creator, and the
   * login cannot be used again. The only active administrator of an organization cannot be removed.
   */
  removeUser(login: string, at: number): Promise<RemovedUser>
  /** The oldest group, which new users join by default. */
  firstGroup(): Promise<string | undefined>
  user(login: string): Promise<User | undefined>
  /** All users, ordered by login. */
  users(): Promise<readonly User[]>
  /** Changes the given fields; undefined when the user does not exist. */
  changeUser(login: string, change: UserChange, at: number): Promise<User | undefined>
  /**
   * An inactive user cannot sign in: passwords, tokens, API keys and sessions are all refused. Deactivating also ends the
   * account's sessions and pending resets for good; tokens and API keys work again after reactivation.
   */
  setActive(login: string, active: boolean, at: number): Promise<ActiveAnswer>
}

/** Accounts that sign in, their passwords and password resets. */
export interface PasswordStore {
  /** Finds an account by login, else by e-mail address; both in lower case. */
  account(loginOrEmail: string): Promise<Account | undefined>
  /** Also ends the account's sessions, pending password resets and e-mail changes. False when the user does not exist. */
  setPassword(login: string, passwordHash: string, at: number): Promise<boolean>
  addReset(reset: NewSecret): Promise<void>
  /** The login a reset is for; undefined when the reset is unknown, used or expired. */
  loginOfReset(secretHash: string, now: number): Promise<string | undefined>
  /**
   * Uses the reset once and sets the password like `setPassword`. Returns the login, or undefined when the reset is not
   * valid. The secret was sent by e-mail, so this also marks the address as verified.
   */
  useReset(secretHash: string, passwordHash: string, at: number): Promise<string | undefined>
}

/** E-mail addresses, and requests to change them. */
export interface EmailStore {
  /** `taken`: the address is another account's address or login. */
  setEmail(login: string, email: string, at: number): Promise<'set' | 'taken' | 'no-user'>
  /** Replaces the account's earlier request, and deletes all that have expired. Ends with the account's sessions, and when the address changes. */
  addEmailChange(change: NewSecret & { readonly email: string }): Promise<void>
  /** Undefined when the request is unknown, used, replaced or expired, or when the user is inactive. */
  emailChange(secretHash: string, now: number): Promise<PendingEmail | undefined>
  /**
   * Uses the request once and sets the address, which is verified then. `taken`: it is another account's address or login
   * by now, and nothing changes.
   */
  useEmailChange(secretHash: string, at: number): Promise<EmailChanged>
}

/** Sessions of browsers. */
export interface SessionStore {
  /** Also deletes the account's expired sessions. */
  addSession(session: NewSession): Promise<void>
  /** Sessions that have not expired, newest first. */
  listSessions(login: string, now: number): Promise<readonly ListedSession[]>
  /** Ends all sessions of the account but one. Returns how many ended. */
  endOtherSessions(login: string, keptHash: string | undefined): Promise<number>
  /** Undefined when unknown or expired, or when the user is inactive. */
  session(secretHash: string, now: number): Promise<SessionRecord | undefined>
  renewSession(secretHash: string, expiresAt: number): Promise<void>
  /** What an identity provider needs to end its own session; undefined when the session did not come from one. */
  providedSession(secretHash: string): Promise<{ readonly issuer: string; readonly tokens: ProviderTokens } | undefined>
  /** False when the session did not exist. */
  endSession(secretHash: string): Promise<boolean>
  /** A session between password and second factor. Replaces one with the same secret; ends with the account's sessions. */
  addHalfSession(session: NewSecret): Promise<void>
  /** The login whose password was right; undefined when unknown or expired, or when the user is inactive. */
  halfSession(secretHash: string, now: number): Promise<string | undefined>
  /** False when it did not exist. */
  endHalfSession(secretHash: string): Promise<boolean>
}

/** The second factor: setup, confirmed factor, SMS codes, recovery codes. */
export interface TwoFactorStore {
  /** Starts a setup and replaces an earlier one. The current factor stays on until the new one is confirmed. */
  beginTwoFactor(login: string, factor: TwoFactor, expiresAt: number): Promise<void>
  /** The factor being set up; undefined when there is none or it has expired. */
  begunTwoFactor(login: string, now: number): Promise<TwoFactor | undefined>
  /**
   * Turns on the factor being set up and replaces the recovery codes. False when another setup was started meanwhile; one
   * of several racing callers gets true. `usedStep` is not accepted again.
   */
  turnTwoFactorOn(login: string, on: TurnedOn): Promise<boolean>
  /**
   * Deletes the factor and its codes, and the recovery codes unless passkeys are left. False when no factor was on.
   * `withPasskeys` deletes these too.
   */
  turnTwoFactorOff(login: string, withPasskeys?: boolean): Promise<boolean>
  /** Accepts each TOTP time step once: false for a used step and for all steps before it. */
  useTotpStep(login: string, step: number): Promise<boolean>
  replaceRecoveryCodes(login: string, codeHashes: readonly string[]): Promise<void>
  /** Of racing callers with one code, one gets true. */
  useRecoveryCode(login: string, codeHash: string): Promise<boolean>
  recoveryCodesLeft(login: string): Promise<number>
  /** Replaces the pending code. Returns false when that code was sent after `notSince`. */
  addSmsCode(code: SentCode, notSince: number): Promise<boolean>
  /** Deletes a code that could not be sent, so that another can be sent at once. */
  forgetSmsCode(login: string): Promise<void>
  /**
   * A right code is used up. A wrong code uses one try, and after the last try the code is invalid.
   */
  checkSmsCode(login: string, codeHash: string, now: number): Promise<boolean>
}

/** Rate limits for guessing secrets, shared by all processes on the same records. */
export interface AttemptStore {
  /**
   * Counts one attempt in every budget. If one budget is exhausted, counts nothing and returns the milliseconds until it
   * resets. Call it before checking the secret, so that concurrent attempts cannot exceed the limit.
   */
  countTry(budgets: readonly Budget[], now: number): Promise<number | undefined>
  /** Takes back an attempt that was not a guess. */
  takeTryBack(keys: readonly string[]): Promise<void>
  /** Resets the counters. */
  clearTries(keys: readonly string[]): Promise<void>
}

/** Access tokens, and the actors that they stand for. */
export interface TokenStore {
  /** `no-user` when the login does not exist. */
  addToken(token: NewToken): Promise<'added' | 'no-user'>
  /** All tokens, or those of one user, oldest first, including revoked ones. Without hashes. */
  listTokens(login: string | undefined): Promise<readonly TokenRecord[]>
  /** False when the token does not exist or is already revoked. */
  revokeToken(guid: string, at: number): Promise<boolean>
  /** False when the token does not exist or is revoked. */
  labelToken(guid: string, label: string): Promise<boolean>
  /**
   * Adds a token with the user, label, application, scopes and groups of an older one, which expires at `oldExpiresAt` or
   * when it did before. Of racing callers with one token, one gets `rotated`.
   */
  rotateToken(guid: string, by: RotatedToken): Promise<'rotated' | 'rotated-before' | 'no-token'>
  /** The actor of the token with this hash, also of an expired one; undefined when unknown, revoked, or its user is inactive. */
  actorByToken(secretHash: string): Promise<TokenActor | undefined>
  /** The actor of a user who signed in without a token; undefined when unknown or inactive. */
  actorByLogin(login: string): Promise<Actor | undefined>
  /** Saves the last use of tokens; the newest time wins. */
  touchTokens(lastUsed: ReadonlyMap<string, number>): Promise<void>
}

/** API keys, which v3 clients send together with a login. */
export interface ApiKeyStore {
  addApiKey(key: NewApiKey): Promise<void>
  /** Oldest first, without revoked keys and without hashes. */
  listApiKeys(login: string): Promise<readonly ApiKeyRecord[]>
  /** False when the user has no such key, or it is already revoked. */
  revokeApiKey(login: string, guid: string, at: number): Promise<boolean>
  /** Undefined when the key belongs to another user, is revoked, or the user is inactive. */
  findApiKey(login: string, keyHash: string): Promise<ApiKeyRecord | undefined>
  /** The newest time wins. */
  touchApiKey(guid: string, at: number): Promise<void>
}

/** Invitations into a group of an organization. */
export interface InvitationStore {
  /** `no-group`: the group does not exist or belongs to another organization. */
  addInvitation(invitation: NewInvitation): Promise<'added' | 'no-group'>
  /** Pending invitations, newest first. */
  listInvitations(organizationGuid: string | undefined, now: number): Promise<readonly Invitation[]>
  /** Undefined when it is unknown, revoked, accepted or expired. */
  findInvitation(secretHash: string, now: number): Promise<Invitation | undefined>
  /** False when the invitation is not pending. Without an organization (the operator) it finds any invitation. */
  revokeInvitation(guid: string, organizationGuid: string | undefined, at: number): Promise<boolean>
  /**
   * Uses the invitation once and gives the role to an existing user or to a new one; one of several racing callers gets
   * `accepted`. A higher role that the user already has is kept.
   */
  acceptInvitation(secretHash: string, by: Invitee, at: number): Promise<Accepted>
}

export interface TokenActor {
  readonly tokenGuid: string
  readonly actor: Actor
}

export interface RotatedToken extends Pick<NewToken, 'guid' | 'secretHash' | 'hint' | 'expiresAt' | 'at'> {
  /** Of the older one. */
  readonly oldExpiresAt: number
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
  /** The last four characters, so that users can recognise a token. */
  readonly hint: string
  readonly login: string
  readonly label: string
  /** The application that got the token; undefined for a token that its owner created. */
  readonly clientId?: string | undefined
  /** A word for short links; undefined: that of the application, if any. */
  readonly answersIn?: string | undefined
  /** Undefined: all. */
  readonly scopes?: readonly Scope[] | undefined
  /** The only groups that it reaches; undefined: all of its user. */
  readonly groupGuids?: readonly string[] | undefined
  /** The only domains whose links it reaches; undefined: all. */
  readonly domains?: readonly string[] | undefined
  readonly expiresAt?: number | undefined
  /** The hashes of its refresh token and of the part that stays the same, if it has one. */
  readonly refreshHash?: string | undefined
  readonly refreshKey?: string | undefined
  readonly refreshExpiresAt?: number | undefined
  readonly at: number
}

export type ActiveAnswer =
  /** `as-before`: nothing to change. */
  | { readonly outcome: 'set' | 'as-before' | 'no-user' }
  /** The organization would have no active administrator left; nothing is changed. */
  | { readonly outcome: 'last-admin'; readonly organizationGuid: string }

export interface PendingEmail {
  readonly login: string
  readonly email: string
  /** The address that the account has until then. */
  readonly former: string | undefined
}

type EmailChanged =
  | ({ readonly outcome: 'changed' } & PendingEmail)
  | { readonly outcome: 'taken'; readonly email: string }
  | { readonly outcome: 'gone' }

/** The hash of a secret that lets a user in until it expires. */
export interface NewSecret {
  readonly secretHash: string
  readonly login: string
  readonly at: number
  readonly expiresAt: number
}

/** Where a session was begun. */
export interface SessionOrigin {
  readonly address: string | undefined
  readonly userAgent: string | undefined
}

interface NewSession extends NewSecret {
  readonly origin?: SessionOrigin | undefined
  /** Undefined when it began with a password. */
  readonly provided?: ProvidedSession | undefined
}

interface ListedSession extends NewSecret, SessionOrigin {}

interface SessionRecord {
  readonly login: string
  readonly expiresAt: number
  readonly provided: SessionProvenance | undefined
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
  /** Allowed attempts per window. */
  readonly limit: number
  /** Milliseconds from the first attempt. */
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
  readonly delivery: MailDelivery
  readonly at: number
  readonly expiresAt: number
}

export type Invitee =
  | { readonly login: string; readonly name: string; readonly passwordHash: string }
  /** An existing user. */
  | { readonly login: string }

export type Accepted =
  | { readonly outcome: 'accepted'; readonly invitation: Invitation }
  | { readonly outcome: 'gone' | 'login-taken' | 'email-taken' | 'no-user' }

export interface NewApiKey {
  readonly guid: string
  readonly keyHash: string
  /** The last four characters, so that users can recognise a key. */
  readonly hint: string
  readonly login: string
  readonly label: string
  readonly at: number
}
