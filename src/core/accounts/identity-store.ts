/**
 * What signing in needs to know about accounts: password hashes, browser sessions, secrets for a forgotten password.
 * Each method is one atomic step; identity-store.contract.ts says what they promise. Secrets arrive here already hashed.
 */
export interface IdentityStore {
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
  reset(secretHash: string, now: number): Promise<string | undefined>
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
}

export interface Account {
  readonly login: string
  readonly name: string
  readonly email: string | undefined
  readonly passwordHash: string
  readonly isActive: boolean
  readonly twoFactor: TwoFactor | undefined
}

export type ActiveAnswer =
  /** `as-before`: it was so already. */
  | { readonly outcome: 'set' | 'as-before' | 'no-user' }
  /** An organization would be left without anybody who may administer it; nothing is changed. */
  | { readonly outcome: 'last-admin'; readonly organizationGuid: string }

/** How the account proves itself a second time. */
export type TwoFactor = { readonly by: 'sms'; readonly phone: string } | { readonly by: 'app'; readonly secret: string }

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
