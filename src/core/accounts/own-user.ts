import type { Clock } from '../values/clock.js'
import { requireName } from '../values/names.js'
import type { User, UserChange } from './account.js'
import type { AccountStore } from './account-store.js'
import { type Actor, requireGroup } from './actor.js'

export interface OwnUserDeps {
  readonly accounts: AccountStore
}

export interface ChangeUserDeps extends OwnUserDeps {
  readonly clock: Clock
  /** The default group is part of what is remembered about an actor. */
  readonly tokens: { clear(): void }
}

export async function readUser(deps: OwnUserDeps, actor: Actor): Promise<User> {
  return asSeenBy(actor, await deps.accounts.user(actor.login))
}

/** Whoever may ask may change their own name and default group, readers too: it touches nobody else. */
export async function changeUser(deps: ChangeUserDeps, actor: Actor, change: UserChange): Promise<User> {
  if (change.defaultGroupGuid !== undefined) requireGroup(actor, change.defaultGroupGuid)
  if (change.name !== undefined) requireName(change.name, 'users')
  const user = await deps.accounts.changeUser(actor.login, change, deps.clock.now())
  if (change.defaultGroupGuid !== undefined) deps.tokens.clear()
  return asSeenBy({ ...actor, defaultGroupGuid: change.defaultGroupGuid ?? actor.defaultGroupGuid }, user)
}

/** With the default group that is in force, which need not be the one that was chosen once. */
function asSeenBy(actor: Pick<Actor, 'login' | 'defaultGroupGuid'>, user: User | undefined): User {
  if (!user) throw new Error(`the user ${actor.login} has a token but does not exist`)
  return { ...user, defaultGroupGuid: actor.defaultGroupGuid }
}
