import type { Clock } from '../clock.js'
import { requireName } from '../names.js'
import { type Actor, requireGroup } from './actor.js'
import type { User, UserChange, UserStore } from './user-store.js'

export interface OwnUserParts {
  readonly users: UserStore
}

export interface ChangeUserParts extends OwnUserParts {
  readonly clock: Clock
  /** The default group is part of what is remembered about an actor. */
  readonly tokens: { clear(): void }
}

export async function readUser(parts: OwnUserParts, actor: Actor): Promise<User> {
  return asSeenBy(actor, await parts.users.user(actor.login))
}

/** Whoever may ask may change their own name and default group, readers too: it touches nobody else. */
export async function changeUser(parts: ChangeUserParts, actor: Actor, change: UserChange): Promise<User> {
  if (change.defaultGroupGuid !== undefined) requireGroup(actor, change.defaultGroupGuid)
  if (change.name !== undefined) requireName(change.name, 'users')
  const user = await parts.users.changeUser(actor.login, change, parts.clock.now())
  if (change.defaultGroupGuid !== undefined) parts.tokens.clear()
  return asSeenBy({ ...actor, defaultGroupGuid: change.defaultGroupGuid ?? actor.defaultGroupGuid }, user)
}

/** With the default group that is in force, which need not be the one that was chosen once. */
function asSeenBy(actor: Pick<Actor, 'login' | 'defaultGroupGuid'>, user: User | undefined): User {
  if (!user) throw new Error(`the user ${actor.login} has a token but does not exist`)
  return { ...user, defaultGroupGuid: actor.defaultGroupGuid }
}
