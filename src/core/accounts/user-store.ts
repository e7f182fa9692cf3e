/**
 * What users see of themselves, and operators of them. Each method is one atomic step; user-store.contract.ts says what
 * they promise.
 */
export interface UserStore {
  user(login: string): Promise<User | undefined>
  /** Everybody there is, by login. */
  users(): Promise<readonly User[]>
  /** Changes what is named; undefined when there is no such user. */
  changeUser(login: string, change: UserChange, at: number): Promise<User | undefined>
}

export interface User {
  readonly login: string
  readonly name: string
  readonly email: string | undefined
  /** Somebody has answered from the address. */
  readonly isEmailVerified: boolean
  readonly hasTwoFactor: boolean
  readonly isActive: boolean
  readonly createdAt: number
  readonly modifiedAt: number
  readonly defaultGroupGuid: string
}

export interface UserChange {
  readonly name?: string | undefined
  readonly defaultGroupGuid?: string | undefined
}
