import { tokenRule } from '../../lib/credentials.js'
import type { AccountStore } from '../auth/account-store.js'
import { hashPassword } from '../auth/passwords.js'
import type { Clock } from '../clock.js'
import { newGuid } from '../guid.js'
import { invalid } from '../refusal.js'
import { newPassword, newTokenSecret, tokenFrom } from './secrets.js'
import { requireLogin, requirePassword } from './users.js'

export interface FirstStartParts {
  readonly accounts: AccountStore
  readonly clock: Clock
}

export interface FirstWishes {
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
 * processes may start at once: the store lets one of them win.
 */
export async function firstStart(parts: FirstStartParts, wishes: FirstWishes): Promise<FirstStart | undefined> {
  // Hashing a password costs 20 MiB and tens of milliseconds: not at every start.
  if ((await parts.accounts.firstGroup()) !== undefined) return undefined

  // Our choice: the names, which the operator can change later.
  const login = wishes.login ?? 'admin'
  const password = wishes.password ?? newPassword()
  const secret = wishes.token ?? newTokenSecret()
  requireLogin(login)
  requirePassword(password)
  if (!tokenRule.test(secret)) {
    throw invalid('token', `This cannot be an access token. Allowed: ${tokenRule.allowed}.`, 'tokens')
  }

  const groupGuid = newGuid('group')
  const created = await parts.accounts.bootstrap({
    organization: { guid: newGuid('organization'), name: 'My organization' },
    group: { guid: groupGuid, name: 'My group' },
    user: { login, passwordHash: await hashPassword(password) },
    token: { ...tokenFrom(secret), label: 'first start' },
    at: parts.clock.now(),
  })
  if (!created) return undefined
  return {
    login,
    groupGuid,
    generatedPassword: wishes.password === undefined ? password : undefined,
    generatedToken: wishes.token === undefined ? secret : undefined,
  }
}
