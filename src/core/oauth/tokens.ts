/**
 * The second half: tokens for codes, and tokens for passwords. Answers outcomes; how they are spelled is the edge's.
 */

import type { ApplicationStore, Client, Code, GrantedToken, Quota, Redemption } from '../accounts/application-store.js'
import { type AuditDeps, audited, type Note } from '../accounts/audit.js'
import { hashToken } from '../accounts/authenticate.js'
import { newTokenSecret, tokenFrom } from '../accounts/secrets.js'
import { type SignInDeps, signIn } from '../sign-in/sign-in.js'
import { type ClientCredentials, findClient, isSecretOf, recogniseClient } from './clients.js'
import { proves } from './pkce.js'

export interface RedeemDeps extends AuditDeps {
  readonly applications: ApplicationStore
  /** A replay revokes a token, and this process must not remember it as good. */
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
  /** The second factor. */
  readonly code: string | undefined
  readonly address: string
}

export type TokenOutcome =
  | { readonly outcome: 'granted'; readonly accessToken: string; readonly login: string }
  | { readonly outcome: 'refused'; readonly why: TokenRefusal }
  | { readonly outcome: 'throttled'; readonly retryAfter: number }

export type TokenRefusal =
  | 'client'
  | 'client-secret'
  | 'code'
  | 'redirect-uri'
  | 'verifier'
  | 'login'
  /** The password was right; a code is wanted as well. */
  | 'second-factor'

/** The code of the web flow becomes a token (docs/oauth.md#web-flow). */
export async function redeemCode(deps: RedeemDeps, input: CodeRedemption): Promise<TokenOutcome> {
  const client = await findClient(deps, input.clientId)
  if (!client) return refused('client')
  if (!mayRedeem(client, input.clientSecret)) return refused('client-secret')

  const codeHash = hashToken(input.code)
  const code = await deps.applications.code(codeHash)
  // A code that was given to another application looks like one that never was, and stays good for its owner.
  if (!code || code.clientId !== client.clientId) return refused('code')
  const problem = problemOf(code, input)
  if (problem) return refused(problem)

  const at = deps.clock.now()
  const { secret, token } = newToken(code.login, client, at)
  const redemption = await audited(
    deps,
    ({ applications }) => applications.redeem(codeHash, token, quotaAt(at)),
    (answer) => (answer.outcome === 'redeemed' ? tokenMade(token) : replayNote(answer, token)),
  )
  if (redemption.outcome === 'too-many') return tooMany
  if (redemption.outcome === 'redeemed') return { outcome: 'granted', accessToken: secret, login: code.login }
  if (redemption.outcome === 'replayed' && redemption.revoked !== undefined) deps.tokens.forget(redemption.revoked)
  return refused('code')
}

/** The application asks the user for the password itself (docs/oauth.md#password-grant). */
export async function grantByPassword(
  deps: PasswordDeps,
  credentials: ClientCredentials,
  attempt: PasswordAttempt,
): Promise<TokenOutcome> {
  const recognised = await recogniseClient(deps, credentials)
  if ('refused' in recognised) return refused(recognised.refused)
  return grantAfterSignIn(deps, recognised.client, attempt, 'password-grant')
}

/** Login and password, with or without an application (docs/oauth.md#http-basic-flow). */
export async function grantByBasicFlow(
  deps: PasswordDeps,
  credentials: ClientCredentials | undefined,
  attempt: Omit<PasswordAttempt, 'code'>,
): Promise<TokenOutcome> {
  const recognised = credentials && (await recogniseClient(deps, credentials))
  if (recognised && 'refused' in recognised) return refused(recognised.refused)
  return grantAfterSignIn(deps, recognised?.client, { ...attempt, code: undefined }, 'basic-flow')
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
  if (signedIn.outcome === 'wrong') return refused('login')
  if (signedIn.outcome === 'code-wanted') return refused('second-factor')

  const at = deps.clock.now()
  const { secret, token } = newToken(signedIn.login, client, at)
  const outcome = await audited(
    deps,
    ({ applications }) => applications.grant(token, quotaAt(at)),
    (answer) => answer === 'granted' && tokenMade(token),
  )
  if (outcome === 'too-many') return tooMany
  if (outcome === 'refused') return refused(client ? 'client' : 'login')
  return { outcome, accessToken: secret, login: signedIn.login }
}

/**
 * Our choice: an application that must use PKCE may be one that cannot keep a secret (on a phone, in a browser), and
 * then leaves it out. A secret that is sent must be right.
 */
function mayRedeem(client: Client, secret: string | undefined): boolean {
  return secret === undefined ? client.requirePkce : isSecretOf(client, secret)
}

function problemOf(code: Code, input: CodeRedemption): TokenRefusal | undefined {
  if (code.redirectUri !== input.redirectUri) return 'redirect-uri'
  // A verifier for a code that was asked for without a challenge: somebody took the challenge out on the way.
  if (code.challenge === undefined) return input.verifier === undefined ? undefined : 'verifier'
  return input.verifier !== undefined && proves(input.verifier, code.challenge) ? undefined : 'verifier'
}

function newToken(login: string, client: Client | undefined, at: number): { secret: string; token: GrantedToken } {
  const secret = newTokenSecret()
  const label = client?.name ?? 'HTTP basic flow'
  return { secret, token: { ...tokenFrom(secret), login, clientId: client?.clientId, label, at } }
}

/**
 * Tokens are obtained once and kept; asking for one per request gets the account limited.
 * Our choice: twenty within five minutes, for one user and one application.
 */
const window = { tokens: 20, milliseconds: 5 * 60_000 }

function quotaAt(at: number): Quota {
  return { most: window.tokens, since: at - window.milliseconds }
}

function tokenMade({ guid, login, clientId }: GrantedToken): Note {
  return { action: 'token_made', login, subject: guid, ...(clientId && { details: { clientId } }) }
}

/** When somebody came with the code a second time, and the token of the first was good until then. */
function replayNote(redemption: Redemption, { login, clientId = '' }: GrantedToken): Note | undefined {
  if (redemption.outcome !== 'replayed' || redemption.revoked === undefined) return undefined
  const details = { reason: 'its code was used a second time', clientId }
  return { action: 'token_revoked', login, subject: redemption.revoked, details }
}

const tooMany: TokenOutcome = { outcome: 'throttled', retryAfter: window.milliseconds / 1000 }

function refused(why: TokenRefusal): TokenOutcome {
  return { outcome: 'refused', why }
}
