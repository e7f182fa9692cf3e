/** Renews tokens that expire, and revokes tokens for applications. A renewed token keeps its guid: revoking it ends everything. */
import type { Renewal } from '../accounts/application-store.js'
import { audited } from '../accounts/audit.js'
import { hashToken } from '../accounts/authenticate.js'
import { newTokenSecret } from '../accounts/secrets.js'
import { authenticateClient, type ClientCredentials } from './clients.js'
import { derivedFrom, expiryAt, keyOf } from './refresh-token.js'
import type { RedeemDeps, TokenOutcome } from './tokens.js'

/** The answer to a renewal may be lost; the same request then gets the same answer again. */
const grace = 30_000

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
  const { login, scopes, expiresAt } = answer
  const given = derivedFrom(refreshToken, answer.refreshSalt)
  const renewable = { refreshToken: given.refresh, expiresIn: Math.floor((expiresAt - at) / 1000), scopes }
  return { outcome: 'granted', accessToken: given.access, login, renewable }
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
