/** Authenticates OAuth applications: by client id and secret, and by PKCE. */
import { hash, timingSafeEqual } from 'node:crypto'
import type { ApplicationStore, Client } from '../accounts/application-store.js'
import { hashToken } from '../accounts/authenticate.js'
import { isGuid } from '../values/guid.js'

export interface ClientDeps {
  readonly applications: ApplicationStore
}

export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string | undefined
}

export type ClientResult = { readonly client: Client } | { readonly refused: 'client' | 'client-secret' }

export async function findClient(deps: ClientDeps, clientId: string): Promise<Client | undefined> {
  return isGuid(clientId) ? deps.applications.client(clientId) : undefined
}

/** Returns the application if it is registered and the secret is right. */
export async function authenticateClient(deps: ClientDeps, credentials: ClientCredentials): Promise<ClientResult> {
  const client = await findClient(deps, credentials.clientId)
  if (!client) return { refused: 'client' }
  const { clientSecret } = credentials
  return clientSecret !== undefined && isSecretOf(client, clientSecret) ? { client } : { refused: 'client-secret' }
}

/** Compares hashes in constant time. */
export function isSecretOf(client: Client, secret: string): boolean {
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
