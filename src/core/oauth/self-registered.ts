/**
 * Applications that no user registered: they sent a description of themselves, or their client id is the URL of one
 * (docs/oauth.md#applications-that-register-themselves). Nobody has verified them, so they get what is safest: PKCE always,
 * and tokens that expire.
 */
import { randomLowercase } from '../../lib/base36.js'
import { parseUrl } from '../../lib/parse-url.js'
import type { AttemptStore } from '../accounts/account-store.js'
import type { ApplicationStore } from '../accounts/application-store.js'
import { hashToken } from '../accounts/authenticate.js'
import { newTokenSecret } from '../accounts/secrets.js'
import { budgetKey } from '../sign-in/sign-in.js'
import { networkOf } from '../values/network.js'
import { Refusal } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import { type ClientMetadata, readClientMetadata } from './client-metadata.js'

/** The id tells, also of an application that is not there: users' applications have 40 lower-case letters and digits. */
export function isSelfRegistered(clientId: string): boolean {
  return /^R[0-9a-z]{39}$/.test(clientId) || isDocumentUrl(clientId)
}

/** https with a path, and spelled in one way only, since ids are compared as texts. */
export function isDocumentUrl(clientId: string): boolean {
  if (!clientId.startsWith('https://') || clientId.length > maxDocumentUrl) return false
  const url = parseUrl(clientId)
  return url?.href === clientId && url.pathname !== '/' && !/[#@]/.test(clientId)
}

const maxDocumentUrl = 1000

export interface RegistrationDeps {
  readonly clock: Clock
  readonly applications: ApplicationStore
  readonly accounts: AttemptStore
}

export interface RegisteredClient extends ClientMetadata {
  readonly clientId: string
  /** Returned once; undefined for a public client. */
  readonly clientSecret: string | undefined
  readonly at: number
}

// What nobody allows is deleted after a day, so there are never more than two days of these.
const hour = 60 * 60_000
const most = { ofNetworkPerHour: 10, perDay: 1000 }

/** Dynamic registration (RFC 7591). */
export async function registerClient(
  deps: RegistrationDeps,
  metadata: unknown,
  address: string,
): Promise<RegisteredClient> {
  const { method, ...read } = readClientMetadata(metadata, ['client_secret_basic', 'client_secret_post', 'none'])
  const at = deps.clock.now()
  const network = { key: budgetKey('registration', networkOf(address)), limit: most.ofNetworkPerHour, window: hour }
  const everybody = { key: budgetKey('registrations'), limit: most.perDay, window: 24 * hour }
  const wait = await deps.accounts.countTry([network, everybody], at)
  if (wait !== undefined) {
    const retryAfter = Math.ceil(wait / 1000)
    throw new Refusal('RATE_LIMIT_EXCEEDED', 'Too many applications were registered. Try again later.', { retryAfter })
  }

  const clientId = `R${randomLowercase(39)}`
  const isPublic = method === 'none'
  const clientSecret = newTokenSecret()
  const application = { ...ownerless(clientId, read, at), secretHash: hashToken(clientSecret), isPublic }
  // Not in the audit log, which is kept for ever: anybody could write there. A user's consent is.
  await deps.applications.add(application)
  return { clientId, clientSecret: isPublic ? undefined : clientSecret, ...read, method, at }
}

/** The record of an application that belongs to no user. */
export function ownerless(
  clientId: string,
  { name, link, redirectUris, scopes }: Omit<ClientMetadata, 'method'>,
  at: number,
) {
  return { clientId, login: undefined, name, description: '', link, redirectUris, requirePkce: true, scopes, at }
}
