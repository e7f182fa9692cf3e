/**
 * The first half of the web flow: may this application ask, and what does it get when the user says yes. It must not
 * know what the question looks like, nor how the user proved who they are.
 */

import type { ApplicationStore, Client } from '../accounts/application-store.js'
import { type AuditDeps, audited } from '../accounts/audit.js'
import { hashToken } from '../accounts/authenticate.js'
import { newTokenSecret } from '../accounts/secrets.js'
import { type ClientDeps, findClient } from './clients.js'
import { isChallenge } from './pkce.js'

export interface AuthorizeDeps extends ClientDeps, AuditDeps {
  readonly applications: ApplicationStore
}

export interface AuthorizationInput {
  readonly clientId: string | undefined
  readonly redirectUri: string | undefined
  readonly responseType: string | undefined
  readonly challenge: string | undefined
  readonly challengeMethod: string | undefined
}

export type AuthorizationRequest =
  | {
      readonly outcome: 'acceptable'
      readonly client: Client
      readonly redirectUri: string
      readonly challenge?: string
    }
  /** Nobody may be sent anywhere: the address is not one that the application has registered. */
  | { readonly outcome: 'untrusted'; readonly why: 'client' | 'redirect-uri' }
  /** The application is told at its own address, in the words of RFC 6749, 4.1.2.1. */
  | { readonly outcome: 'refused'; readonly redirectUri: string; readonly error: string; readonly description: string }

/** Looks at the client and its address first: only after that is there somebody who can be told what is wrong. */
export async function checkAuthorization(deps: ClientDeps, input: AuthorizationInput): Promise<AuthorizationRequest> {
  const client = input.clientId === undefined ? undefined : await findClient(deps, input.clientId)
  if (!client) return { outcome: 'untrusted', why: 'client' }
  const { redirectUri, challenge } = input
  // Character by character: whatever is cleverer than that has been tricked before.
  if (redirectUri === undefined || !client.redirectUris.includes(redirectUri)) {
    return { outcome: 'untrusted', why: 'redirect-uri' }
  }

  const problem = problemOf(input, client)
  if (problem) return { outcome: 'refused', redirectUri, ...problem }
  return { outcome: 'acceptable', client, redirectUri, ...(challenge !== undefined && { challenge }) }
}

// Our choice: a program fetches its token at once. What is left in a browser's history is useless a minute later.
const codeLifetime = 60_000

export interface Allowance {
  readonly clientId: string
  readonly redirectUri: string
  readonly challenge?: string | undefined
}

/** The code for the application, or nothing when user or application went away meanwhile. */
export async function giveCode(deps: AuthorizeDeps, login: string, allowed: Allowance): Promise<string | undefined> {
  const code = newTokenSecret()
  const at = deps.clock.now()
  const { clientId, redirectUri, challenge } = allowed
  const given = { codeHash: hashToken(code), clientId, login, redirectUri, challenge, expiresAt: at + codeLifetime, at }
  const outcome = await audited(
    deps,
    ({ applications }) => applications.addCode(given),
    (answer) => answer === 'added' && { action: 'application_authorized', login, subject: clientId },
  )
  return outcome === 'added' ? code : undefined
}

function problemOf(input: AuthorizationInput, client: Client): { error: string; description: string } | undefined {
  const { responseType, challenge, challengeMethod } = input
  // Only `code` is offered.
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
