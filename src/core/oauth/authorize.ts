/**
 * The first half of the web flow: validates the authorization request and issues a code when the user consents. Must not
 * know what the consent page looks like, nor how the user signed in.
 */
import type { ApplicationStore, Client } from '../accounts/application-store.js'
import { registrableScopes, requireApplicationScopes } from '../accounts/applications.js'
import { type AuditDeps, audited } from '../accounts/audit.js'
import { hashToken } from '../accounts/authenticate.js'
import { type Scope, withIncluded } from '../accounts/scopes.js'
import { newTokenSecret } from '../accounts/secrets.js'
import { type ClientDeps, findClient, isChallenge } from './clients.js'

export interface AuthorizeDeps extends ClientDeps, AuditDeps {
  readonly applications: ApplicationStore
}

export interface AuthorizationInput {
  readonly clientId: string | undefined
  readonly redirectUri: string | undefined
  readonly responseType: string | undefined
  readonly challenge: string | undefined
  readonly challengeMethod: string | undefined
  /** Scopes, separated by spaces; undefined or empty: all that the application has. */
  readonly scope: string | undefined
}

export type AuthorizationRequest =
  | {
      readonly outcome: 'acceptable'
      readonly client: Client
      readonly redirectUri: string
      readonly challenge?: string
      readonly scopes: readonly Scope[]
    }
  /** Do not redirect: the redirect URI is not registered for the application. */
  | { readonly outcome: 'untrusted'; readonly why: 'client' | 'redirect-uri' }
  /** Redirect with an error of RFC 6749, section 4.1.2.1. */
  | { readonly outcome: 'refused'; readonly redirectUri: string; readonly error: string; readonly description: string }

/** Validates client and redirect URI first: only then is it safe to redirect with an error. */
export async function checkAuthorization(deps: ClientDeps, input: AuthorizationInput): Promise<AuthorizationRequest> {
  const client = input.clientId === undefined ? undefined : await findClient(deps, input.clientId)
  if (!client) return { outcome: 'untrusted', why: 'client' }
  const { redirectUri, challenge } = input
  // Compare exactly: prefix or pattern matching has led to open redirects elsewhere.
  if (redirectUri === undefined || !client.redirectUris.includes(redirectUri)) {
    return { outcome: 'untrusted', why: 'redirect-uri' }
  }

  const problem = problemOf(input, client)
  if (problem) return { outcome: 'refused', redirectUri, ...problem }
  const scopes = scopesFor(client, input.scope)
  if (!scopes) return { outcome: 'refused', redirectUri, ...invalidScope(client) }
  return { outcome: 'acceptable', client, redirectUri, scopes, ...(challenge !== undefined && { challenge }) }
}

// Applications exchange the code at once; a code in the browser history is useless after a minute.
const codeLifetime = 60_000

export interface Consent {
  readonly clientId: string
  readonly redirectUri: string
  readonly challenge?: string | undefined
  readonly scopes: readonly Scope[]
}

/** Returns the code; undefined when the user or the application was removed in the meantime. */
export async function giveCode(deps: AuthorizeDeps, login: string, allowed: Consent): Promise<string | undefined> {
  const code = newTokenSecret()
  const at = deps.clock.now()
  const given = {
    ...allowed,
    codeHash: hashToken(code),
    login,
    challenge: allowed.challenge,
    expiresAt: at + codeLifetime,
    at,
  }
  const details = { scopes: allowed.scopes.join(' ') }
  const outcome = await audited(
    deps,
    ({ applications }) => applications.addCode(given),
    (answer) => answer === 'added' && { action: 'application_authorized', login, subject: allowed.clientId, details },
  )
  return outcome === 'added' ? code : undefined
}

/** The requested ones; undefined when the application does not have one of them. */
function scopesFor(client: Client, requested = ''): readonly Scope[] | undefined {
  const names = requested.split(' ').filter((name) => name !== '')
  if (names.length === 0) return client.scopes
  const allowed: readonly string[] = client.scopes.includes('all') ? registrableScopes : withIncluded(client.scopes)
  return names.every((name) => allowed.includes(name)) ? requireApplicationScopes(names) : undefined
}

function invalidScope({ scopes }: Client): { error: string; description: string } {
  return { error: 'invalid_scope', description: `The scopes of this application are: ${scopes.join(' ')}.` }
}

function problemOf(input: AuthorizationInput, client: Client): { error: string; description: string } | undefined {
  const { responseType, challenge, challengeMethod } = input
  if (responseType !== undefined && responseType !== 'code') {
    return { error: 'unsupported_response_type', description: 'The only response_type is code.' }
  }
  const wrong = (description: string) => ({ error: 'invalid_request', description })
  if (challenge === undefined) {
    if (challengeMethod !== undefined) return wrong('code_challenge is missing.')
    return client.requirePkce ? wrong('This application must send code_challenge.') : undefined
  }
  if (challengeMethod !== 'S256') return wrong('The only code_challenge_method is S256.')
  return isChallenge(challenge) ? undefined : wrong('code_challenge is not a SHA-256 digest in base64url.')
}
