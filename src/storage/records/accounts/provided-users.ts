import type { Transaction } from 'kysely'
import type { Schema } from '../../sql/tables/schema.js'
import { isLoginTaken, isTaken } from './sign-in.js'
import { insertUser, joinGroup } from './users.js'

interface ProvidedUser {
  /** Wanted: the first that is free of `ada`, `ada-2`, `ada-3`... */
  readonly login: string
  readonly name: string
  /** Left out when another user has it. */
  readonly email?: string | undefined
  readonly isEmailVerified: boolean
  readonly passwordHash: string
  /** A member of the group, unless the provider gives the roles. */
  readonly isMember: boolean
  readonly at: number
}

/** Creates a user of an identity provider, who begins in the group. Returns the login. Serializable, as all that give logins. */
export async function addProvidedUser(
  tx: Transaction<Schema>,
  { login: wanted, name, passwordHash, at, isMember, ...given }: ProvidedUser,
  group: { readonly guid: string; readonly organization_guid: string },
): Promise<string> {
  const login = await freeLogin(tx, wanted)
  const isFree = given.email !== undefined && !(await isTaken(tx, given.email.toLowerCase(), login))
  const email = isFree ? given.email : undefined
  const emailVerifiedAt = email === undefined || !given.isEmailVerified ? undefined : at
  await insertUser(tx, { login, name, email, emailVerifiedAt, passwordHash, groupGuid: group.guid, at })
  if (isMember) await joinGroup(tx, login, group.guid, group.organization_guid)
  return login
}

async function freeLogin(tx: Transaction<Schema>, wanted: string): Promise<string> {
  for (let number = 1; ; number++) {
    const ending = number === 1 ? '' : `-${number}`
    const login = wanted.slice(0, longestLogin - ending.length) + ending
    if (!(await isLoginTaken(tx, login))) return login
  }
}

const longestLogin = 64
