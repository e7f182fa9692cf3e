/** Deletes people from the records. Each method is one atomic step; test/archives/forget.test.ts tests it on both engines. */
export interface PrivacyStore {
  /** The salt of visitor numbers of a day, if it is still stored here. */
  saltOf(day: number): Promise<string | undefined>
  /**
   * Removes an account and replaces its login wherever it is written by a pseudonym. Also for accounts that were removed
   * before. With `dryRun` nothing changes.
   */
  forgetUser(login: string, as: ForgetUser): Promise<ForgottenUser>
  /**
   * Deletes a link and empties all that it says: destination, title, note, tags, history. Its addresses stay taken. Undefined
   * if there is no such address. With `dryRun` nothing changes.
   */
  forgetLink(address: string, as: ForgetOptions): Promise<ForgottenLink | undefined>
}

export interface ForgetOptions {
  readonly at: number
  readonly dryRun: boolean
}

export interface ForgetUser extends ForgetOptions {
  readonly pseudonym: string
}

/** Changed or deleted rows by table. */
export type ForgottenRows = Readonly<Record<string, number>>

export type ForgottenUser =
  | { readonly outcome: 'forgotten'; readonly rows: ForgottenRows }
  | { readonly outcome: 'no-user' }
  | { readonly outcome: 'last-admin'; readonly organizationGuid: string }

export interface ForgottenLink {
  readonly id: string
  /** The link's own address and its keywords. */
  readonly addresses: readonly string[]
  readonly groupGuid: string
  readonly rows: ForgottenRows
}
