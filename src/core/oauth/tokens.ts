/** The second half: issues tokens for codes and passwords. Returns outcomes; the edge formats the response. */
import type { NewToken } from '../accounts/account-store.js'
import type { ApplicationStore, Client, Code, Quota, Redemption } from '../accounts/application-store.js'
import { type AuditDeps, audited, type NewAuditEntry } from '../accounts/audit.js'
import { hashToken } from '../accounts/authenticate.js'
import type { Scope } from '../accounts/scopes.js'
import { newTokenSecret, tokenFrom } from '../accounts/secrets.js'
import { type SignInDeps, signIn } from '../sign-in/sign-in.js'
import { authenticateClient, authenticateTrustedClient, type ClientCredentials, matchesChallenge } from './clients.js'
import { withRefreshToken } from './refresh-token.js'
import { isSelfRegistered } from './self-registered.js'

export interface RedeemDeps extends AuditDeps {
  readonly applications: ApplicationStore
  /** The token cache: a replayed code revokes its token. */
  readonly tokens: { forget(tokenGuid: string): void }
}

export type PasswordDeps = Pick<RedeemDeps, 'applications'> & SignInDeps

export interface CodeRedemption extends ClientCredentials {
  readonly code: string
  readonly redirectUri: string
  readonly verifier: string | undefined
}

export interface PasswordAttempt {
  readonly username: string
  readonly password: string
  /** The code of the second factor. */
  readonly code: string | undefined
  readonly address: string
}

export type TokenOutcome =
  | {
      readonly outcome: 'granted'
      readonly accessToken: string
      readonly login: string
      /** Of an application that registered itself. */
      readonly renewable?: Renewable
    }
  /** With `second-factor`, `retryAfter` is the seconds until another SMS may be requested, if none was sent now. */
  | { readonly outcome: 'refused'; readonly why: TokenRefusal; readonly retryAfter?: number | undefined }
  | { readonly outcome: 'throttled'; readonly retryAfter: number }

export interface Renewable {
  readonly refreshToken: string
  /** Seconds. */
  readonly expiresIn: number
  readonly scopes: readonly Scope[]
}

export type TokenRefusal =
  | 'client'
  | 'client-secret'
  /** This kind of application must not use this grant. */
  | 'unauthorized-client'
  | 'code'
  | 'refresh-token'
  | 'redirect-uri'
  | 'verifier'
  | 'login'
  /** The password was right, but a code is required too. */
  | 'second-factor'

/** Exchanges a code of the web flow for a token (docs/oauth.md#web-flow). */
export async function redeemCode(deps: RedeemDeps, input: CodeRedemption): Promise<TokenOutcome> {
  const authenticated = await authenticateClient(deps, input)
  if ('refused' in authenticated) return refused(authenticated.refused)
  const { client } = authenticated

  const codeHash = hashToken(input.code)
  const code = await deps.applications.code(codeHash)
  // Another application's code looks like an unknown one, and stays valid for its own application.
  if (!code || code.clientId !== client.clientId) return refused('code')
  const problem = problemOf(code, input)
  if (problem) return refused(problem)

  const at = deps.clock.now()
  const { secret, token: plain } = newToken(code.login, client, code.scopes, at)
  const renewable = isSelfRegistered(client.clientId) ? withRefreshToken(plain) : undefined
  const token = renewable?.token ?? plain
  const redemption = await audited(
    deps,
    ({ applications }) => applications.redeem(codeHash, token, quotaAt(at)),
    (answer) => (answer.outcome === 'redeemed' ? tokenMade(token) : replayNote(answer, token)),
  )
  if (redemption.outcome === 'too-many') return tooMany
  if (redemption.outcome === 'redeemed') {
    const { login, scopes } = code
    return { outcome: 'granted', accessToken: secret, login, ...(renewable && { renewable: { ...renewable, scopes } }) }
  }
  if (redemption.outcome === 'replayed' && redemption.revoked !== undefined) deps.tokens.forget(redemption.revoked)
  return refused('code')
}

/** The application sends the user's password (docs/oauth.md#password-grant). */
export async function grantByPassword(
  deps: PasswordDeps,
  credentials: ClientCredentials,
  attempt: PasswordAttempt,
): Promise<TokenOutcome> {
  const authenticated = await authenticateTrustedClient(deps, credentials)
  if ('refused' in authenticated) return refused(authenticated.refused)
  return grantAfterSignIn(deps, authenticated.client, attempt, 'password-grant')
}

/** Login and password, with or without an application (docs/oauth.md#http-basic-flow). */
export async function grantByBasicFlow(
  deps: PasswordDeps,
  credentials: ClientCredentials | undefined,
  attempt: Omit<PasswordAttempt, 'code'>,
): Promise<TokenOutcome> {
  const authenticated = credentials && (await authenticateTrustedClient(deps, credentials))
  if (authenticated && 'refused' in authenticated) return refused(authenticated.refused)
  return grantAfterSignIn(deps, authenticated?.client, { ...attempt, code: undefined }, 'basic-flow')
}

async function grantAfterSignIn(
  deps: PasswordDeps,
  client: Client | undefined,
  attempt: PasswordAttempt,
  through: 'password-grant' | 'basic-flow',
): Promise<TokenOutcome> {
  const { username, password, code, address } = attempt
  const signedIn = await signIn(deps, { login: username, password, code, address, through })
  if (signedIn.outcome === 'throttled') return signedIn
  if (signedIn.outcome === 'wrong' || signedIn.outcome === 'no-passwords') return refused('login')
  if (signedIn.outcome === 'code-wanted')
    return { outcome: 'refused', why: 'second-factor', retryAfter: signedIn.retryAfter }

  const at = deps.clock.now()
  const { secret, token } = newToken(signedIn.login, client, client?.scopes ?? ['all'], at)
  const outcome = await audited(
    deps,
    ({ applications }) => applications.grant(token, quotaAt(at)),
    (answer) => answer === 'granted' && tokenMade(token),
  )
  if (outcome === 'too-many') return tooMany
  if (outcome === 'refused') return refused(client ? 'client' : 'login')
  return { outcome, accessToken: secret, login: signedIn.login }
}

function problemOf(code: Code, input: CodeRedemption): TokenRefusal | undefined {
  if (code.redirectUri !== input.redirectUri) return 'redirect-uri'
  // A verifier without a challenge: somebody removed the challenge from the authorization request (a downgrade attack).
  if (code.challenge === undefined) return input.verifier === undefined ? undefined : 'verifier'
  return input.verifier !== undefined && matchesChallenge(input.verifier, code.challenge) ? undefined : 'verifier'
}

function newToken(
  login: string,
  client: Client | undefined,
  scopes: readonly Scope[],
  at: number,
): { secret: string; token: NewToken } {
  const secret = newTokenSecret()
  const label = client?.name ?? 'HTTP basic flow'
  return { secret, token: { ...tokenFrom(secret), login, clientId: client?.clientId, label, scopes, at } }
}

/**
 * Applications should request a token once and keep it: at most twenty within five minutes per user and application.
 */
const window = { tokens: 20, milliseconds: 5 * 60_000 }

function quotaAt(at: number): Quota {
  return { most: window.tokens, since: at - window.milliseconds }
}

function tokenMade({ guid, login, clientId, scopes = [] }: NewToken): NewAuditEntry {
  const details = { scopes: scopes.join(' '), ...(clientId && { clientId }) }
  return { action: 'token_made', login, subject: guid, details }
}

/** The audit entry of a code that was used a second time, if its token was still valid. */
function replayNote(redemption: Redemption, { login, clientId = '' }: NewToken): NewAuditEntry | undefined {
  if (redemption.outcome !== 'replayed' || redemption.revoked === undefined) return undefined
  const details = { reason: 'its code was used a second time', clientId }
  return { action: 'token_revoked', login, subject: redemption.revoked, details }
}

const tooMany: TokenOutcome = { outcome: 'throttled', retryAfter: window.milliseconds / 1000 }

function refused(why: TokenRefusal): TokenOutcome {
  return { outcome: 'refused', why }
}
