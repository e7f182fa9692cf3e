/** A user's own access tokens: create, list, label, rotate, revoke. */

import type { TokenRecord } from '../accounts/account.js'
import type { TokenStore } from '../accounts/account-store.js'
import { type Actor, requireOwnToken } from '../accounts/actor.js'
import type { AuditDeps } from '../accounts/audit.js'
import {
  createToken,
  labelAudited,
  type Rotation,
  revokeAudited,
  rotateToken,
  type TokenDeps,
  type TokenInput,
} from '../accounts/tokens.js'
import { Refusal } from '../values/refusal.js'

export interface OwnTokenDeps extends AuditDeps, Pick<TokenDeps, 'domains'> {
  readonly accounts: TokenStore
  readonly tokens: { forget(guid: string): void; lastUsed(guid: string): number | undefined }
}

export interface CreatedOwnToken extends TokenRecord {
  /** Returned only once; the store has only its hash. */
  readonly secret: string
}

export async function createOwnToken(
  deps: OwnTokenDeps,
  actor: Actor,
  input: Omit<TokenInput, 'answersIn'>,
): Promise<CreatedOwnToken> {
  requireOwnToken(actor)
  const { guid, secret } = await createToken(deps, actor, { ...input, login: actor.login })
  return { ...(await readOwnToken(deps, actor, guid)), secret }
}

/** The same token with another secret. The older one stays valid for a while, so that programs can change over. */
export async function rotateOwnToken(
  deps: OwnTokenDeps,
  actor: Actor,
  guid: string,
  rotation: Rotation,
): Promise<CreatedOwnToken> {
  await readOwnToken(deps, actor, guid)
  const onTokenRevoked = (old: string) => deps.tokens.forget(old)
  const rotated = await rotateToken({ ...deps, onTokenRevoked }, actor, { ...rotation, guid })
  return { ...(await readOwnToken(deps, actor, rotated.guid)), secret: rotated.secret }
}

/** All that were not revoked, including those of applications. Of these, and of rotated ones, only those that still work. */
export async function listOwnTokens(deps: OwnTokenDeps, actor: Actor): Promise<readonly TokenRecord[]> {
  requireOwnToken(actor)
  const all = await deps.accounts.listTokens(actor.login)
  const now = deps.clock.now()
  const hasExpired = ({ expiresAt }: TokenRecord) => expiresAt !== undefined && expiresAt <= now
  const isOver = (token: TokenRecord) =>
    hasExpired(token) && (token.replacedBy !== undefined || token.clientId !== undefined)
  return all
    .filter((token) => token.revokedAt === undefined && !isOver(token))
    .map((token) => ({ ...token, lastUsedAt: newest(token.lastUsedAt, deps.tokens.lastUsed(token.guid)) }))
}

export async function readOwnToken(deps: OwnTokenDeps, actor: Actor, guid: string): Promise<TokenRecord> {
  const own = (await listOwnTokens(deps, actor)).find((token) => token.guid === guid)
  if (!own) throw noToken()
  return own
}

export async function labelOwnToken(
  deps: OwnTokenDeps,
  actor: Actor,
  guid: string,
  label: string | undefined,
): Promise<TokenRecord> {
  const own = await readOwnToken(deps, actor, guid)
  if (label === undefined) return own
  if (!(await labelAudited(deps, actor, own, label))) throw noToken()
  return { ...own, label }
}

/** May also revoke the token of the request itself. */
export async function revokeOwnToken(deps: OwnTokenDeps, actor: Actor, guid: string): Promise<void> {
  requireOwnToken(actor)
  const own = (await deps.accounts.listTokens(actor.login)).find((token) => token.guid === guid)
  if (!own || !(await revokeAudited(deps, actor, own))) throw noToken()
  deps.tokens.forget(guid)
}

function noToken(): Refusal {
  return new Refusal('NOT_FOUND', 'You have no such token, or it was revoked before.', { resource: 'tokens' })
}

function newest(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return Math.max(one, other)
}
