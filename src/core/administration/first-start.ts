import { tokenRule } from '../../lib/credentials.js'
import type { PasswordStore, TokenStore, UserStore } from '../accounts/account-store.js'
import { hashToken } from '../accounts/authenticate.js'
import { hashPassword, newPassword, newTokenSecret, tokenFrom, verifyPassword } from '../accounts/secrets.js'
import { requireLogin, requirePassword } from '../accounts/users.js'
import { newGuid } from '../values/guid.js'
import { invalid } from '../values/refusal.js'
import type { Clock } from '../values/time.js'

export interface FirstStartDeps {
  readonly accounts: UserStore & PasswordStore & TokenStore
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
  /** Undefined when the operator set it: then it is not printed. */
  readonly generatedPassword: string | undefined
  readonly generatedToken: string | undefined
}

/**
 * Creates the first organization, group, user and token; undefined when a user exists. Several processes may start at
 * once: the store lets one of them win. `keep` gets the generated secrets before they are stored, and throws if it cannot
 * save or print them: nothing is created then.
 */
export async function firstStart(
  deps: FirstStartDeps,
  input: FirstAccountInput,
  keep: (first: FirstStart) => void = () => {},
): Promise<FirstStart | undefined> {
  // Hashing a password takes 20 MiB and tens of milliseconds: skip it on later starts.
  if ((await deps.accounts.firstGroup()) !== undefined) return undefined

  const login = input.login ?? 'admin'
  const password = input.password ?? newPassword()
  const secret = input.token ?? newTokenSecret()
  requireLogin(login)
  requirePassword(password)
  if (!tokenRule.test(secret)) {
    throw invalid('token', `This is not a valid access token. Allowed: ${tokenRule.allowed}.`, 'tokens')
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

/** The first-account options that differ from the existing account. They only apply to the first start. */
export async function ignoredAccountInput(
  { accounts }: { readonly accounts: UserStore & PasswordStore & TokenStore },
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
