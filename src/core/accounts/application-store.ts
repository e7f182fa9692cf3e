/**
 * Programs registered to act for users. Each method is one atomic step; application-store.contract.ts says what they
 * promise. Secrets arrive here already hashed.
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
