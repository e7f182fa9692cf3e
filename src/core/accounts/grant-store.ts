/**
 * What users have granted to applications: authorization codes on their way, and the tokens made of them. Each method
 * is one atomic step; grant-store.contract.ts says what they promise. Codes and tokens arrive here already hashed.
 */
export interface GrantStore {
  /** The application with what is needed to recognise it; undefined when there is none or it was revoked. */
  client(clientId: string): Promise<Client | undefined>

  /** `refused` when the user is not active or the application was revoked meanwhile. Old codes are forgotten on the way. */
  addCode(code: NewCode): Promise<'added' | 'refused'>
  /** What a code was given for, used, expired or not; undefined when it is unknown or long forgotten. */
  code(codeHash: string): Promise<Code | undefined>
  /**
   * Exchanges the code for the token, once and in time. Whoever comes second, however late, gets nothing and revokes what
   * the first one got: one of the two is a thief, and nobody can tell which (RFC 6749, 4.1.2).
   */
  redeem(codeHash: string, token: GrantedToken, quota: Quota): Promise<Redemption>
  /** A token without a code. */
  grant(token: GrantedToken, quota: Quota): Promise<'granted' | 'refused' | 'too-many'>
}

export interface Client {
  readonly clientId: string
  readonly name: string
  readonly description: string
  /** The application's own page, or nothing. */
  readonly link: string
  readonly redirectUris: readonly string[]
  readonly requirePkce: boolean
  readonly secretHash: string
}

export interface Code {
  readonly clientId: string
  readonly login: string
  readonly redirectUri: string
  /** PKCE, by S256. */
  readonly challenge: string | undefined
  readonly expiresAt: number
}

export interface NewCode extends Code {
  readonly codeHash: string
  readonly at: number
}

export interface GrantedToken {
  readonly guid: string
  readonly secretHash: string
  readonly hint: string
  readonly login: string
  /** None: the user asked for it without an application. */
  readonly clientId: string | undefined
  readonly label: string
  readonly at: number
}

/** At most so many tokens since then for one user and one application; what was revoked counts too. */
export interface Quota {
  readonly most: number
  readonly since: number
}

export type Redemption =
  | { readonly outcome: 'redeemed' | 'refused' | 'too-many' }
  /** With the guid of the token that was revoked just now, for whoever remembers it. */
  | { readonly outcome: 'replayed'; readonly revoked: string | undefined }
