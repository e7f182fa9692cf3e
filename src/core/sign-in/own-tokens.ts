/** A user's own access tokens: create, list, label, revoke. */

import type { TokenRecord } from '../accounts/account.js'
import type { TokenStore } from '../accounts/account-store.js'
import type { Actor } from '../accounts/actor.js'
import type { AuditDeps } from '../accounts/audit.js'
import { createToken, labelAudited, revokeAudited } from '../accounts/tokens.js'
import { Refusal } from '../values/refusal.js'
import { requireOwnToken } from './own-account.js'

export interface OwnTokenDeps extends AuditDeps {
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
  input: { readonly label: string | undefined },
): Promise<CreatedOwnToken> {
  requireOwnToken(actor)
  const { login } = actor
  const { guid, secret, label } = await createToken(deps, actor, { login, label: input.label })
  const record = { guid, hint: secret.slice(-4), login, label, createdAt: deps.clock.now() }
  return { ...record, clientId: undefined, lastUsedAt: undefined, revokedAt: undefined, secret }
}

/** All valid tokens, including those of applications. */
export async function listOwnTokens(deps: OwnTokenDeps, actor: Actor): Promise<readonly TokenRecord[]> {
  requireOwnToken(actor)
  const all = await deps.accounts.listTokens(actor.login)
  return all
    .filter((token) => token.revokedAt === undefined)
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
