/** Recognising applications: who asks for a token must be the one that was registered. */
import { timingSafeEqual } from 'node:crypto'
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

export type Recognised = { readonly client: Client } | { readonly refused: 'client' | 'client-secret' }

export async function findClient(deps: ClientDeps, clientId: string): Promise<Client | undefined> {
  return isGuid(clientId) ? deps.applications.client(clientId) : undefined
}

/** The application, when it is registered and proves it with its secret. */
export async function recogniseClient(deps: ClientDeps, credentials: ClientCredentials): Promise<Recognised> {
  const client = await findClient(deps, credentials.clientId)
  if (!client) return { refused: 'client' }
  const { clientSecret } = credentials
  return clientSecret !== undefined && isSecretOf(client, clientSecret) ? { client } : { refused: 'client-secret' }
}

/** Hashes have one length, and comparing them takes one time. */
export function isSecretOf(client: Client, secret: string): boolean {
  return timingSafeEqual(Buffer.from(hashToken(secret)), Buffer.from(client.secretHash))
}
