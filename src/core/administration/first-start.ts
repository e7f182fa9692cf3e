import { tokenRule } from '../../lib/credentials.js'
import type { AccountStore } from '../accounts/account-store.js'
import { hashToken } from '../accounts/authenticate.js'
import { hashPassword, newPassword, newTokenSecret, tokenFrom, verifyPassword } from '../accounts/secrets.js'
import { requireLogin, requirePassword } from '../accounts/users.js'
import { newGuid } from '../values/guid.js'
import { invalid } from '../values/refusal.js'
import type { Clock } from '../values/time.js'

export interface FirstStartDeps {
  readonly accounts: AccountStore
  readonly clock: Clock
}

export interface FirstAccountInput {
  readonly login: string | undefined
  readonly password: string | undefined
  readonly token: string | undefined
}

export interface FirstStart {
  readonly login: string
  readonly groupGuid: string
  /** Undefined when it was given: then the operator knows it, and it is not repeated. */
  readonly generatedPassword: string | undefined
  readonly generatedToken: string | undefined
}

/**
 * Makes organization, group, user and token on a service that has no user yet; undefined when it has. Several
 * processes may start at once: the store lets one of them win. `keep` is handed the generated secrets before they are
 * stored, and may throw: secrets that nobody could read are not made.
 */
export async function firstStart(
  deps: FirstStartDeps,
  input: FirstAccountInput,
  keep: (first: FirstStart) => void = () => {},
): Promise<FirstStart | undefined> {
  // Hashing a password costs 20 MiB and tens of milliseconds: not at every start.
  if ((await deps.accounts.firstGroup()) !== undefined) return undefined

  // Our choice: the names of organization and group.
  const login = input.login ?? 'admin'
  const password = input.password ?? newPassword()
  const secret = input.token ?? newTokenSecret()
  requireLogin(login)
  requirePassword(password)
  if (!tokenRule.test(secret)) {
    throw invalid('token', `This cannot be an access token. Allowed: ${tokenRule.allowed}.`, 'tokens')
  }

  const groupGuid = newGuid('group')
  const first = {
    login,
    groupGuid,
    generatedPassword: input.password === undefined ? password : undefined,
    generatedToken: input.token === undefined ? secret : undefined,
  }
  keep(first)
  const created = await deps.accounts.bootstrap({
    organization: { guid: newGuid('organization'), name: 'My organization' },
    group: { guid: groupGuid, name: 'My group' },
    user: { login, passwordHash: await hashPassword(password) },
    token: { ...tokenFrom(secret), label: 'first start' },
    at: deps.clock.now(),
  })
  return created ? first : undefined
}

/** Which wishes a service that was started before does not fulfil. They count at the first start only. */
export async function ignoredAccountInput(
  { accounts }: { readonly accounts: AccountStore },
  { login, password, token }: FirstAccountInput,
): Promise<readonly (keyof FirstAccountInput)[]> {
  const account = await accounts.account(login ?? 'admin')
  const ignored: (keyof FirstAccountInput)[] = []
  if (login !== undefined && account?.login !== login) ignored.push('login')
  if (password !== undefined && !(account && (await verifyPassword(account.passwordHash, password)))) {
    ignored.push('password')
  }
  if (token !== undefined && !(await accounts.actorByToken(hashToken(token)))) ignored.push('token')
  return ignored
}
