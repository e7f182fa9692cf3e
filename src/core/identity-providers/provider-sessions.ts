/** Sessions that began at an identity provider: asked about every 15 minutes of use, and ended by it. */
import { audited } from '../accounts/audit.js'
import type { SessionProvenance } from '../accounts/identity-store.js'
import { saysGroups } from './access.js'
import { type IdentityProvider, isSameIssuer, ProviderFailure, signedOutUrl } from './provider.js'
import { enter, type ProviderDeps, shutOut } from './provider-sign-in.js'

// docs/sso.md#how-long-a-session-lasts
const checkEvery = 15 * 60_000
const longestUnconfirmed = 24 * 3_600_000

/**
 * Whether the session goes on. One request in 15 minutes asks the provider; it does not change what the others get. While
 * the provider does not answer, refuses this service itself, or gave no refresh token, a session lasts a day from its last confirmation.
 */
export async function isSessionAlive(
  deps: ProviderDeps,
  secretHash: string,
  login: string,
  session: SessionProvenance,
): Promise<boolean> {
  const now = deps.clock.now()
  if (now - session.confirmedAt >= longestUnconfirmed) return end(deps, secretHash)
  if (now - session.checkedAt < checkEvery) return true
  const claimed = await deps.accounts.claimSessionCheck(secretHash, session.checkedAt, now)
  if (claimed.outcome === 'not-mine') return true
  // Encrypted with a key that is lost.
  if (!claimed.tokens) return end(deps, secretHash)
  const { refreshToken, idToken } = claimed.tokens
  const provider = providerOf(deps, session.issuer)
  if (!provider) return end(deps, secretHash)
  if (refreshToken === undefined) return true
  try {
    const answer = await provider.client.refresh(refreshToken, session.subject, (tokens) =>
      deps.accounts.keepProviderTokens(secretHash, {
        refreshToken: tokens.refreshToken ?? refreshToken,
        idToken: tokens.idToken ?? idToken,
      }),
    )
    await deps.accounts.confirmSession(secretHash, now)
    // Some providers send groups with the ID token alone, and that not with a refresh: then nothing is known of them.
    if (!answer.hasIdToken && !saysGroups(answer.claims, provider.settings)) return true
    // Ends the sessions of those who may no longer sign in; of those whose groups are unknown, this one.
    return (await enter(deps, provider, answer)).outcome === 'entered' || end(deps, secretHash)
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    // A secret that somebody changed there must not sign everybody out here, where they could not sign in again.
    if (error.reason === 'away' || error.reason === 'misconfigured') return true
    if (error.reason === 'ended' && provider.settings.endTokens) {
      await shutOut(deps, provider.settings, { ...session, login })
      return false
    }
    return end(deps, secretHash)
  }
}

/** Undefined when it is no longer configured. */
function providerOf(deps: ProviderDeps, issuer: string): IdentityProvider | undefined {
  return deps.identityProviders.find(({ settings }) => isSameIssuer(settings.issuer, issuer))
}

async function end(deps: ProviderDeps, secretHash: string): Promise<false> {
  await deps.accounts.endSession(secretHash)
  return false
}

/** Back-channel logout: the provider says that somebody is signed out. */
export async function endByProvider(deps: ProviderDeps, provider: IdentityProvider, token: string): Promise<void> {
  const { issuer, subject, providerSession, at } = await provider.client.readLogoutToken(token)
  // A notice that is sent once more must not end a session that was begun since.
  const which = { issuer, subject, providerSession, begunUntil: at }
  await audited(
    deps,
    ({ accounts }) => accounts.endProviderSessions(which),
    ({ logins }) =>
      logins.map((login) => ({ action: 'sessions_ended', login, details: { through: provider.settings.id } })),
  )
}

/** The page of the provider that ends its own session; undefined when there is none, or it does not answer. */
export async function endSessionUrl(
  deps: ProviderDeps,
  secretHash: string,
): Promise<{ readonly name: string; readonly url: string } | undefined> {
  const session = await deps.accounts.providedSession(secretHash)
  const provider = session && providerOf(deps, session.issuer)
  if (!provider) return undefined
  try {
    const url = await provider.client.endSessionUrl(session.tokens.idToken, signedOutUrl(deps.config.baseUrl))
    return url === undefined ? undefined : { name: provider.settings.name, url }
  } catch (error) {
    if (error instanceof ProviderFailure) return undefined
    throw error
  }
}
