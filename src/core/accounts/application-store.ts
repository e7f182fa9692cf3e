import type { NewToken } from './account-store.js'
import type { Scope } from './scopes.js'

/**
 * Stores OAuth applications, authorization codes and the tokens issued for them. Each method is one atomic step; the
 * promises are tested in application-store.contract.ts. Callers hash secrets, codes and tokens before.
 */
export interface ApplicationStore {
  /**
   * `no-user`: the owner does not exist. Without a login it registered itself; those that nobody has allowed for a day, or
   * used for 90 days, are deleted then, with their tokens.
   */
  add(application: NewApplication): Promise<'added' | 'no-user'>
  /** Also finds revoked applications. */
  get(clientId: string): Promise<Application | undefined>
  /** All applications, or those of one owner, oldest first, including revoked ones. Without hashes. */
  list(login: string | undefined): Promise<readonly Application[]>
  /** Changes the given fields; undefined when it does not exist, is revoked, or has another owner. */
  change(clientId: string, login: string, change: ApplicationChange): Promise<Application | undefined>
  /** Invalidates the old secret. False in the cases where `change` returns undefined. */
  replaceSecret(clientId: string, login: string, secretHash: string): Promise<boolean>
  /** Revokes the application and all its tokens; false when it does not exist or is already revoked. */
  revoke(clientId: string, at: number): Promise<boolean>

  // Authorization codes, and the tokens issued for them.

  /** The application with its secret hash, for client authentication; undefined when unknown or revoked. */
  client(clientId: string): Promise<Client | undefined>

  /**
   * `refused`: the user is inactive or the application is revoked. Also deletes old codes, and writes the application if it
   * came with the code. For one that registered itself, deletes others as `add` does.
   */
  addCode(code: NewCode): Promise<'added' | 'refused'>
  /** A code, also when it is used or expired; undefined when unknown or deleted. */
  code(codeHash: string): Promise<Code | undefined>
  /**
   * Exchanges the code for a token, once and before it expires. A second use is refused and revokes the first token,
   * because the code may have been stolen (RFC 6749, 4.1.2).
   */
  redeem(codeHash: string, token: NewToken, quota: Quota): Promise<Redemption>
  /** Issues a token without a code. */
  grant(token: NewToken, quota: Quota): Promise<'granted' | 'refused' | 'too-many'>
  /**
   * Gives the token new secrets if this is its refresh token. Of the one before, repeats the answer for a while. Any other
   * was used before, maybe by a thief, and revokes the token. Tokens of other applications are not touched.
   */
  renew(renewal: Renewal): Promise<RenewalOutcome>
  /** Revokes a token of the application, found by one of its hashes. */
  revokeToken(
    clientId: string,
    hashes: { readonly secretHash: string; readonly refreshKey: string },
    at: number,
  ): Promise<{ readonly guid: string; readonly login: string } | undefined>
}

export interface Application {
  readonly clientId: string
  /** Login of the owner; undefined when it registered itself. */
  readonly login: string | undefined
  readonly name: string
  readonly description: string
  /** The application's home page. */
  readonly link: string
  readonly redirectUris: readonly string[]
  readonly requirePkce: boolean
  /** The word for short links in which its tokens are answered. */
  readonly answersIn?: string | undefined
  /** What its tokens may do at most. */
  readonly scopes: readonly Scope[]
  readonly createdAt: number
  readonly revokedAt: number | undefined
}

export interface ApplicationChange {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly link?: string | undefined
  readonly redirectUris?: readonly string[] | undefined
  readonly requirePkce?: boolean | undefined
  readonly scopes?: readonly Scope[] | undefined
}

export interface NewApplication extends Omit<Application, 'createdAt' | 'revokedAt'> {
  readonly secretHash: string
  readonly isPublic?: boolean
  readonly at: number
}

export interface Client {
  readonly clientId: string
  readonly name: string
  readonly description: string
  /** The application's home page; may be empty. */
  readonly link: string
  readonly redirectUris: readonly string[]
  readonly requirePkce: boolean
  readonly scopes: readonly Scope[]
  /** It registered itself without a secret. */
  readonly isPublic: boolean
  readonly secretHash: string
}

export interface Code {
  readonly clientId: string
  readonly login: string
  readonly redirectUri: string
  /** The PKCE challenge (S256). */
  readonly challenge: string | undefined
  /** What the user allowed. */
  readonly scopes: readonly Scope[]
  readonly expiresAt: number
}

export interface NewCode extends Code {
  readonly codeHash: string
  /** As its document describes it now. */
  readonly application?: NewApplication | undefined
  readonly at: number
}

/** Maximum number of tokens since a time, for one user and one application, including revoked ones. */
export interface Quota {
  readonly most: number
  readonly since: number
}

export type Redemption =
  | { readonly outcome: 'redeemed' | 'refused' | 'too-many' }
  /** `revoked`: the guid of the first token, which callers must remove from their caches. */
  | { readonly outcome: 'replayed'; readonly revoked: string | undefined }

export interface Renewal {
  readonly clientId: string
  /** Of the part that all refresh tokens of the token share. */
  readonly refreshKey: string
  readonly presentedHash: string
  /** What the secrets of the answer are derived with. */
  readonly refreshSalt: string
  readonly secretHash: string
  readonly hint: string
  readonly refreshHash: string
  readonly expiresAt: number
  readonly refreshExpiresAt: number
  /** An answer that was given after this time is repeated. */
  readonly repeatableSince: number
  readonly at: number
}

export type RenewalOutcome =
  /** With what the answer was derived with: now, or when it was given first. */
  | {
      readonly outcome: 'renewed' | 'repeated'
      readonly guid: string
      readonly login: string
      readonly scopes: readonly Scope[]
      readonly refreshSalt: string
      readonly expiresAt: number
    }
  /** The token was revoked. */
  | { readonly outcome: 'reused'; readonly guid: string; readonly login: string }
  | { readonly outcome: 'refused' }
