/** Browser sessions. Stores only hashes of their secrets; a new password ends all sessions. */
import { hash, randomBytes } from 'node:crypto'
import { isSameText } from '../../lib/same-text.js'
import type { PasswordStore, SessionOrigin, SessionStore, TokenStore } from '../accounts/account-store.js'
import { type Actor, requireOwnToken } from '../accounts/actor.js'
import type { ProvidedSession, SessionProvenance } from '../accounts/identity-store.js'
import { Refusal } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import type { SecondStep } from './sign-in.js'

export interface SessionDeps {
  readonly accounts: PasswordStore & SessionStore & TokenStore
  readonly clock: Clock
  /** Asks the identity provider where a session began whether it goes on; undefined without providers. */
  readonly isSessionAlive?: (secretHash: string, login: string, provided: SessionProvenance) => Promise<boolean>
}

export interface Session {
  readonly login: string
  /** Part of every form of the session. */
  readonly csrf: string
}

// A session ends after two weeks without a visit. Renewing needs a write, so it is done at most once an hour.
const lifetime = 14 * 86_400_000
const renewAfter = 3_600_000

/** Returns the secret for the cookie. */
export async function beginSession(
  deps: SessionDeps,
  login: string,
  origin?: SessionOrigin,
  provided?: ProvidedSession,
): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  const at = deps.clock.now()
  await deps.accounts.addSession({
    secretHash: hashSecret(secret),
    login,
    at,
    expiresAt: at + lifetime,
    origin,
    provided,
  })
  return secret
}

export async function findSession(deps: SessionDeps, secret: string): Promise<Session | undefined> {
  const now = deps.clock.now()
  const secretHash = hashSecret(secret)
  const found = await deps.accounts.session(secretHash, now)
  if (!found) return undefined
  const { login, provided } = found
  if (provided && deps.isSessionAlive && !(await deps.isSessionAlive(secretHash, login, provided))) return undefined
  const expiresAt = now + lifetime
  if (expiresAt - found.expiresAt >= renewAfter) await deps.accounts.renewSession(secretHash, expiresAt)
  // Derived from the secret, so it needs no storage.
  return { login, csrf: hash('sha256', `csrf\n${secret}`) }
}

/**
 * The user behind an API request of a browser. The cookie alone proves nothing: another site can make the browser send
 * it, but cannot know the CSRF value of the session.
 */
export async function actorOfSession(deps: SessionDeps, secret: string | undefined, csrf: string): Promise<Actor> {
  return actorBehind(deps, secret, ({ csrf: wanted }) => isSameText(csrf, wanted))
}

/** The user behind a request that the browser attests to come from a page of the service itself. */
export async function actorOfOwnPage(deps: SessionDeps, secret: string | undefined): Promise<Actor> {
  return actorBehind(deps, secret, () => true)
}

async function actorBehind(
  deps: SessionDeps,
  secret: string | undefined,
  isGenuine: (session: Session) => boolean,
): Promise<Actor> {
  const session = secret === undefined ? undefined : await findSession(deps, secret)
  const actor = session && isGenuine(session) ? await deps.accounts.actorByLogin(session.login) : undefined
  if (!actor) throw new Refusal('SESSION_EXPIRED', 'You are signed out. Sign in again.', { resource: 'sessions' })
  return actor
}

export async function endSession(deps: SessionDeps, secret: string): Promise<void> {
  await deps.accounts.endSession(hashSecret(secret))
}

export interface OwnSession extends SessionOrigin {
  /** Does not reveal the secret, nor its hash. */
  readonly id: string
  readonly createdAt: number
  /** Within an hour. */
  readonly lastSeenAt: number
  readonly isCurrent: boolean
}

/** Newest first. `secret` is that of the session that asks, if it is one. */
export async function listOwnSessions(
  deps: SessionDeps,
  actor: Actor,
  secret: string | undefined,
): Promise<readonly OwnSession[]> {
  requireOwnToken(actor)
  const current = secret === undefined ? undefined : hashSecret(secret)
  const sessions = await deps.accounts.listSessions(actor.login, deps.clock.now())
  return sessions.map(({ secretHash, at, expiresAt, address, userAgent }) => ({
    id: idOf(secretHash),
    createdAt: at,
    lastSeenAt: Math.max(at, expiresAt - lifetime),
    isCurrent: secretHash === current,
    address,
    userAgent,
  }))
}

export async function endOwnSession(deps: SessionDeps, actor: Actor, id: string): Promise<void> {
  requireOwnToken(actor)
  const sessions = await deps.accounts.listSessions(actor.login, deps.clock.now())
  const found = sessions.find(({ secretHash }) => idOf(secretHash) === id)
  if (found && (await deps.accounts.endSession(found.secretHash))) return
  throw new Refusal('NOT_FOUND', 'There is no such session, or it has ended.', { resource: 'sessions' })
}

/** All but the one that asks. Returns how many ended. */
export async function endOtherSessions(deps: SessionDeps, actor: Actor, secret: string | undefined): Promise<number> {
  requireOwnToken(actor)
  return deps.accounts.endOtherSessions(actor.login, secret === undefined ? undefined : hashSecret(secret))
}

function idOf(secretHash: string): string {
  return hash('sha256', `session id\n${secretHash}`).slice(0, 20)
}

/** Under which the store knows the session. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret)
}

/**
 * After the password and before the code of the second factor: remembers for a few minutes, for one browser, that the
 * password was right. Stores only a hash of the browser's secret.
 */
export interface HalfSession {
  readonly login: string
  readonly by: SecondStep
  readonly hasPasskeys: boolean
}

// The lifetime of an SMS code.
const halfSessionLifetime = 5 * 60_000

export async function beginHalfSession(deps: SessionDeps, browser: string, login: string): Promise<void> {
  const at = deps.clock.now()
  await deps.accounts.addHalfSession({ secretHash: hashOf(browser), login, at, expiresAt: at + halfSessionLifetime })
}

/** Undefined when it expired, or when the second factor was turned off in the meantime: then the password is enough. */
export async function findHalfSession(deps: SessionDeps, browser: string): Promise<HalfSession | undefined> {
  const login = await deps.accounts.halfSession(hashOf(browser), deps.clock.now())
  const account = login === undefined ? undefined : await deps.accounts.account(login)
  if (!account?.twoFactor && !account?.passkeys) return undefined
  return { login: account.login, by: account.twoFactor?.by ?? 'passkey', hasPasskeys: account.passkeys > 0 }
}

export async function endHalfSession(deps: SessionDeps, browser: string): Promise<void> {
  await deps.accounts.endHalfSession(hashOf(browser))
}

function hashOf(browser: string): string {
  return hash('sha256', `half session\n${browser}`)
}
