/**
 * Programs registered to act for users, and what users have granted to them. Each method is one atomic step;
 * application-store.contract.ts says what they promise. Secrets, codes and tokens arrive here already hashed.
 */
export interface ApplicationStore {
  /** `no-user` when the owner does not exist. */
  add(application: NewApplication): Promise<'added' | 'no-user'>
  /** Revoked ones too. */
  get(clientId: string): Promise<Application | undefined>
  /** All, or those of one owner, oldest first; revoked ones too. Hashes stay inside. */
  list(login: string | undefined): Promise<readonly Application[]>
  /** Changes what is named; undefined when it does not exist, was revoked, or is not the owner's. */
  change(clientId: string, login: string, change: ApplicationChange): Promise<Application | undefined>
  /** The old secret is no good from then on. False as above. */
  replaceSecret(clientId: string, login: string, secretHash: string): Promise<boolean>
  /** Revokes the application and every token made through it; false when there is none or it was revoked before. */
  revoke(clientId: string, at: number): Promise<boolean>

  // What users grant to applications: authorization codes on their way, and the tokens made of them.

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

export interface Application {
  readonly clientId: string
  /** Login of the owner. */
  readonly login: string
  readonly name: string
  readonly description: string
  /** The application's own page. */
  readonly link: string
  readonly redirectUris: readonly string[]
  readonly requirePkce: boolean
  readonly createdAt: number
  readonly revokedAt: number | undefined
}

export interface ApplicationChange {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly link?: string | undefined
  readonly redirectUris?: readonly string[] | undefined
  readonly requirePkce?: boolean | undefined
}

export interface NewApplication extends Omit<Application, 'createdAt' | 'revokedAt'> {
  readonly secretHash: string
  readonly at: number
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
