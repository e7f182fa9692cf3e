/**
 * The first half of the web flow: validates the authorization request and issues a code when the user consents. Must not
 * know what the consent page looks like, nor how the user signed in.
 */
import { parseUrl } from '../../lib/parse-url.js'
import type { ApplicationStore, Client } from '../accounts/application-store.js'
import { registrableScopes, requireApplicationScopes } from '../accounts/applications.js'
import { type AuditDeps, audited } from '../accounts/audit.js'
import { hashToken } from '../accounts/authenticate.js'
import { applicationScopes, type Scope, withIncluded } from '../accounts/scopes.js'
import { newTokenSecret } from '../accounts/secrets.js'
import type { ClientDocuments, DocumentProblem } from './client-documents.js'
import { type ClientDeps, findClient, isChallenge } from './clients.js'
import { isDocumentUrl, isSelfRegistered, ownerless } from './self-registered.js'

export interface CheckDeps extends ClientDeps {
  readonly config: { readonly baseUrl: string }
  /** Undefined when the operator has not turned them on. */
  readonly clientDocuments: Pick<ClientDocuments, 'client'> | undefined
}

export interface AuthorizeDeps extends CheckDeps, AuditDeps {
  readonly applications: ApplicationStore
}

export interface AuthorizationInput {
  readonly clientId: string | undefined
  readonly redirectUri: string | undefined
  readonly responseType: string | undefined
  readonly challenge: string | undefined
  readonly challengeMethod: string | undefined
  /** Scopes, separated by spaces; undefined or empty: all that the application has. Of those that registered themselves. */
  readonly scope: string | undefined
  /** What the token is for (RFC 8707). Likewise. */
  readonly resources: readonly string[]
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
  | { readonly outcome: 'untrusted'; readonly why: 'client' | 'redirect-uri' | DocumentProblem }
  /** Who the application is, is read for signed-in users only. */
  | { readonly outcome: 'sign-in-first' }
  /**
   * With an error of RFC 6749, section 4.1.2.1. `redirectTo` is undefined where nobody must be redirected: anybody can
   * register a redirect URI by program, and would make this service an open redirector (RFC 9700, 4.11.2).
   */
  | ({ readonly outcome: 'refused'; readonly redirectTo: string | undefined } & Problem)

interface Problem {
  readonly error: string
  readonly description: string
}

/** Validates client and redirect URI first: only then may it be safe to redirect with an error. `login`: who is signed in. */
export async function checkAuthorization(
  deps: CheckDeps,
  input: AuthorizationInput,
  login?: string,
): Promise<AuthorizationRequest> {
  const { clientId = '', redirectUri, challenge } = input
  if (isDocumentUrl(clientId) && deps.clientDocuments && login === undefined) return { outcome: 'sign-in-first' }
  const client = await clientFor(deps, clientId, login)
  if (typeof client !== 'object') return { outcome: 'untrusted', why: client ?? 'client' }
  if (redirectUri === undefined || !isRegistered(client, redirectUri)) {
    return { outcome: 'untrusted', why: 'redirect-uri' }
  }

  const isVerified = !isSelfRegistered(clientId)
  const refused = (problem: Problem) =>
    ({ outcome: 'refused', redirectTo: isVerified ? redirectUri : undefined, ...problem }) as const
  const problem = problemOf(input, client)
  if (problem) return refused(problem)
  // Those that users registered may send anything as `scope` and `resource` (docs/oauth.md#web-flow).
  const scopes = isVerified ? client.scopes : scopesFor(client, input, deps.config.baseUrl)
  if ('error' in scopes) return refused(scopes)
  return { outcome: 'acceptable', client, redirectUri, scopes, ...(challenge !== undefined && { challenge }) }
}

// Applications exchange the code at once; a code in the browser history is useless after a minute.
const codeLifetime = 60_000

export interface Consent {
  readonly client: Client
  readonly redirectUri: string
  readonly challenge?: string | undefined
  readonly scopes: readonly Scope[]
}

/** Returns the code; undefined when the user or the application was removed in the meantime. */
export async function giveCode(deps: AuthorizeDeps, login: string, allowed: Consent): Promise<string | undefined> {
  const code = newTokenSecret()
  const at = deps.clock.now()
  const { client, redirectUri, challenge, scopes } = allowed
  const { clientId } = client
  const given = {
    codeHash: hashToken(code),
    clientId,
    login,
    redirectUri,
    challenge,
    scopes,
    application: isDocumentUrl(clientId) ? { ...client, ...ownerless(clientId, client, at) } : undefined,
    expiresAt: at + codeLifetime,
    at,
  }
  const details = { scopes: scopes.join(' '), ...(isSelfRegistered(clientId) && { name: client.name, redirectUri }) }
  const outcome = await audited(
    deps,
    ({ applications }) => applications.addCode(given),
    (answer) => answer === 'added' && { action: 'application_authorized', login, subject: clientId, details },
  )
  return outcome === 'added' ? code : undefined
}

/** What an application says about itself in its document counts, unless it was revoked here. */
async function clientFor(
  deps: CheckDeps,
  clientId: string,
  login: string | undefined,
): Promise<Client | DocumentProblem | undefined> {
  if (!isDocumentUrl(clientId)) return findClient(deps, clientId)
  if (login === undefined || (await deps.applications.get(clientId))?.revokedAt !== undefined) return undefined
  return deps.clientDocuments?.client(clientId, login)
}

/** Compares exactly: prefix or pattern matching has led to open redirects elsewhere. */
function isRegistered({ clientId, redirectUris }: Client, uri: string): boolean {
  if (redirectUris.includes(uri)) return true
  // A program on the user's machine takes any free port (RFC 8252, 7.3).
  const withoutPort = isSelfRegistered(clientId) && parseUrl(uri) ? loopbackWithoutPort(uri) : undefined
  return withoutPort !== undefined && redirectUris.some((each) => loopbackWithoutPort(each) === withoutPort)
}

function loopbackWithoutPort(uri: string): string | undefined {
  const parts = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?((?:[/?].*)?)$/.exec(uri)
  return parts ? `${parts[1]}${parts[2]}` : undefined
}

/** Tokens are for the whole service: RFC 8707 must not name another one, nor a part. */
export function isOwnResource(baseUrl: string, resources: readonly string[]): boolean {
  return resources.every((each) => each.replace(/\/$/, '') === baseUrl)
}

/** The requested ones of an application that registered itself. */
function scopesFor(
  { scopes }: Client,
  { scope = '', resources }: AuthorizationInput,
  baseUrl: string,
): readonly Scope[] | Problem {
  if (!isOwnResource(baseUrl, resources)) {
    return { error: 'invalid_target', description: 'The resource is not this service.' }
  }
  const names = scope.split(' ').filter((name) => name !== '')
  // In words that say what it is, since nobody has verified who asks.
  if (names.length === 0) return scopes.includes('all') ? applicationScopes : scopes
  const allowed: readonly string[] = scopes.includes('all') ? registrableScopes : withIncluded(scopes)
  if (names.every((name) => allowed.includes(name))) return requireApplicationScopes(names)
  return { error: 'invalid_scope', description: `The scopes of this application are: ${scopes.join(' ')}.` }
}

function problemOf(input: AuthorizationInput, client: Client): Problem | undefined {
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
