/**
 * Tokens that expire are renewed with a refresh token, which changes with each use (docs/oauth.md#refresh-tokens). Its first
 * half stays the same for all that come of one consent, so that an old one is recognised, however old, without keeping it.
 * The token keeps its guid: revoking it ends everything.
 */
import { createHmac } from 'node:crypto'
import type { NewToken } from '../accounts/account-store.js'
import type { Renewal } from '../accounts/application-store.js'
import { audited } from '../accounts/audit.js'
import { hashToken } from '../accounts/authenticate.js'
import type { Scope } from '../accounts/scopes.js'
import { newTokenSecret } from '../accounts/secrets.js'
import { authenticateClient, type ClientCredentials } from './clients.js'
import type { RedeemDeps, TokenOutcome } from './tokens.js'

const accessLifetime = 60 * 60_000
const refreshLifetime = 90 * 86_400_000
/** The answer to a renewal may be lost; the same request then gets the same answer again. */
const grace = 30_000

/** The first refresh token of a consent. */
export function withRefreshToken(token: NewToken): { token: NewToken; refreshToken: string; expiresIn: number } {
  const refreshToken = newTokenSecret() + newTokenSecret()
  const stored = { refreshKey: keyOf(refreshToken), refreshHash: hashToken(refreshToken), ...expiryAt(token.at) }
  return { token: { ...token, ...stored }, refreshToken, expiresIn: accessLifetime / 1000 }
}

export async function renewToken(
  deps: RedeemDeps,
  input: ClientCredentials & { readonly refreshToken: string },
): Promise<TokenOutcome> {
  const { clientId, refreshToken } = input
  const authenticated = await authenticateClient(deps, input)
  if ('refused' in authenticated) return { outcome: 'refused', why: authenticated.refused }

  const at = deps.clock.now()
  const salt = newTokenSecret()
  const { access, refresh } = derivedFrom(refreshToken, salt)
  const renewal: Renewal = {
    clientId,
    refreshKey: keyOf(refreshToken),
    presentedHash: hashToken(refreshToken),
    secretHash: hashToken(access),
    hint: access.slice(-4),
    refreshHash: hashToken(refresh),
    refreshSalt: salt,
    ...expiryAt(at),
    repeatableSince: at - grace,
    at,
  }
  const answer = await audited(
    deps,
    ({ applications }) => applications.renew(renewal),
    (renewed) =>
      renewed.outcome === 'reused' && revokedEntry(renewed, clientId, 'its refresh token was used a second time'),
  )
  if (answer.outcome === 'refused') return { outcome: 'refused', why: 'refresh-token' }
  deps.tokens.forget(answer.guid)
  if (answer.outcome === 'reused') return { outcome: 'refused', why: 'refresh-token' }
  const secrets = derivedFrom(refreshToken, answer.refreshSalt)
  return granted(answer, secrets, Math.floor((answer.expiresAt - at) / 1000))
}

function granted(
  { login, scopes }: { readonly login: string; readonly scopes: readonly Scope[] },
  { access, refresh }: ReturnType<typeof derivedFrom>,
  expiresIn: number,
): TokenOutcome {
  return { outcome: 'granted', accessToken: access, login, renewable: { refreshToken: refresh, expiresIn, scopes } }
}

/** RFC 7009, for every application: nothing happens for tokens that are not its own. Returns why it is refused. */
export async function revokeByClient(
  deps: RedeemDeps,
  input: ClientCredentials & { readonly token: string },
): Promise<'client' | 'client-secret' | undefined> {
  const { clientId, token } = input
  const authenticated = await authenticateClient(deps, input)
  if ('refused' in authenticated) return authenticated.refused
  const at = deps.clock.now()
  const hashes = { secretHash: hashToken(token), refreshKey: keyOf(token) }
  const revoked = await audited(
    deps,
    ({ applications }) => applications.revokeToken(clientId, hashes, at),
    (found) => found && revokedEntry(found, clientId, 'by its application'),
  )
  if (revoked) deps.tokens.forget(revoked.guid)
  return undefined
}

function revokedEntry({ guid, login }: { guid: string; login: string }, clientId: string, reason: string) {
  return { action: 'token_revoked', login, subject: guid, details: { reason, clientId } } as const
}

/**
 * The next secrets follow from the refresh token that was sent and a random value in the store: a repeated request gets
 * the same ones, and neither a thief of an old refresh token nor a reader of the store can compute them.
 */
function derivedFrom(refreshToken: string, salt: string): { access: string; refresh: string } {
  const part = (of: string) => createHmac('sha256', salt).update(`${of} ${refreshToken}`).digest('hex').slice(0, half)
  return { access: part('access'), refresh: refreshToken.slice(0, half) + part('refresh') }
}

function keyOf(refreshToken: string): string {
  return hashToken(refreshToken.slice(0, half))
}

/** The length of a token. */
const half = 40

function expiryAt(at: number): { expiresAt: number; refreshExpiresAt: number } {
  return { expiresAt: at + accessLifetime, refreshExpiresAt: at + refreshLifetime }
}
