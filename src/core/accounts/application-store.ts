import type { NewToken } from './account-store.js'
import type { Scope } from './scopes.js'

/**
 * Stores OAuth applications, authorization codes and the tokens issued for them. Each method is one atomic step; the
 * promises are tested in application-store.contract.ts. Callers hash secrets, codes and tokens before.
 */
export interface ApplicationStore {
  /** `no-user`: the owner does not exist. */
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

  /** `refused`: the user is inactive or the application is revoked. Also deletes old codes. */
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
}

export interface Application {
  readonly clientId: string
  /** Login of the owner. */
  readonly login: string
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
