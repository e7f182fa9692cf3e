/** Authenticates OAuth applications: by client id and secret, and by PKCE. */
import { hash, timingSafeEqual } from 'node:crypto'
import type { ApplicationStore, Client } from '../accounts/application-store.js'
import { hashToken } from '../accounts/authenticate.js'
import { isGuid } from '../values/guid.js'
import { isDocumentUrl, isSelfRegistered } from './self-registered.js'

export interface ClientDeps {
  readonly applications: ApplicationStore
}

export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string | undefined
}

type Refused<Why> = { readonly refused: Why }
export type ClientResult = { readonly client: Client } | Refused<'client' | 'client-secret'>

export async function findClient(deps: ClientDeps, clientId: string): Promise<Client | undefined> {
  return isGuid(clientId) || isDocumentUrl(clientId) ? deps.applications.client(clientId) : undefined
}

/**
 * Returns the application if it is registered and the secret is right. An application that must use PKCE may be unable to
 * keep a secret (on a phone, in a browser), and may leave it out; one that registered itself has said whether it can.
 */
export async function authenticateClient(deps: ClientDeps, credentials: ClientCredentials): Promise<ClientResult> {
  const client = await findClient(deps, credentials.clientId)
  if (!client) return { refused: 'client' }
  const { clientSecret } = credentials
  const mayLeaveOut = isSelfRegistered(client.clientId) ? client.isPublic : client.requirePkce
  const isRight = clientSecret === undefined ? mayLeaveOut : !client.isPublic && isSecretOf(client, clientSecret)
  return isRight ? { client } : { refused: 'client-secret' }
}

/** For grants in which the application sends a password: always with its secret, and never if it registered itself. */
export async function authenticateTrustedClient(
  deps: ClientDeps,
  credentials: ClientCredentials,
): Promise<ClientResult | Refused<'unauthorized-client'>> {
  const found = await authenticateClient(deps, credentials)
  if (isSelfRegistered(credentials.clientId) && 'client' in found) return { refused: 'unauthorized-client' }
  return 'client' in found && credentials.clientSecret === undefined ? { refused: 'client-secret' } : found
}

/** Compares hashes in constant time. */
function isSecretOf(client: Client, secret: string): boolean {
  return timingSafeEqual(Buffer.from(hashToken(secret)), Buffer.from(client.secretHash))
}

// Proof Key for Code Exchange (RFC 7636), S256 only: `plain` does not protect against someone who saw the request.

/** A SHA-256 digest in base64url, without padding. */
export function isChallenge(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text)
}

export function isVerifier(text: string): boolean {
  return /^[A-Za-z0-9._~-]{43,128}$/.test(text)
}

export function matchesChallenge(verifier: string, challenge: string): boolean {
  const actual = Buffer.from(hash('sha256', verifier, 'base64url'))
  const expected = Buffer.from(challenge)
  return isVerifier(verifier) && actual.length === expected.length && timingSafeEqual(actual, expected)
}
