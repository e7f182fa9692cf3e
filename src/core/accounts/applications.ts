import { randomLowercase } from '../../lib/base36.js'
import { isLonger } from '../../lib/is-longer.js'
import { parseUrl } from '../../lib/parse-url.js'
import { isGuid } from '../values/guid.js'
import { browserSchemes } from '../values/long-url.js'
import { requireDescription, requireName } from '../values/names.js'
import { invalid, quoted, Refusal } from '../values/refusal.js'
import type { Actor } from './actor.js'
import type { Application, ApplicationChange, ApplicationStore } from './application-store.js'
import { type AuditDeps, audited, changedBy } from './audit.js'
import { hashToken } from './authenticate.js'
import { applicationScopes, requireScopes, type Scope } from './scopes.js'
import { newTokenSecret } from './secrets.js'
import { requireLinkWord } from './tokens.js'

export interface ApplicationDeps extends AuditDeps {
  readonly applications: ApplicationStore
  /** Clears caches of permissions. */
  readonly onAccessChanged?: () => void
}

export interface ApplicationInput {
  readonly name: string
  readonly login: string
  readonly description?: string | undefined
  readonly link?: string | undefined
  readonly redirectUris?: readonly string[] | undefined
  readonly requirePkce?: boolean | undefined
  readonly answersIn?: string | undefined
  /** What its tokens may do at most; all when left out. */
  readonly scopes?: readonly string[] | undefined
}

export interface RegisteredApplication {
  readonly clientId: string
  /** Returned once: only its hash is stored. */
  readonly clientSecret: string
  readonly name: string
  readonly login: string
}

export async function registerApplication(
  deps: ApplicationDeps,
  actor: Actor,
  input: ApplicationInput,
): Promise<RegisteredApplication> {
  const { login, description = '', link = '', redirectUris = [], requirePkce = false, answersIn } = input
  const name = requireName(input.name, 'apps')
  requireApplication({ description, link, redirectUris })
  requireLinkWord(answersIn, 'apps')
  const scopes = requireApplicationScopes(input.scopes ?? ['all'])

  // 40 lower-case letters and digits, as existing clients expect.
  const clientId = randomLowercase(40)
  const clientSecret = newTokenSecret()
  const application = {
    clientId,
    secretHash: hashToken(clientSecret),
    login,
    name,
    description,
    link,
    redirectUris: [...new Set(redirectUris)],
    requirePkce,
    answersIn,
    scopes,
    at: deps.clock.now(),
  }
  const outcome = await audited(
    deps,
    ({ applications }) => applications.add(application),
    (answer) =>
      answer === 'added' && {
        action: 'application_registered',
        ...changedBy(actor, login),
        subject: clientId,
        details: { name },
      },
  )
  if (outcome === 'no-user') throw new Refusal('NOT_FOUND', `There is no user "${login}".`, { resource: 'users' })
  return { clientId, clientSecret, name, login }
}

export const registrableScopes: readonly Scope[] = [...applicationScopes, 'all']

export function requireApplicationScopes(names: readonly string[]): readonly Scope[] {
  return requireScopes(names, registrableScopes, 'apps')
}

/** For the application's home page. */
export const maxLinkLength = 2048

/** Validates the given fields. */
export function requireApplication({ name, description, link, redirectUris }: ApplicationChange): void {
  if (name !== undefined) requireName(name, 'apps')
  if (description !== undefined) requireDescription(description, 'apps')
  if (link !== undefined && link !== '' && !isWebPage(link)) {
    throw invalid('link', `${quoted(link)} is not an http or https URL of at most ${maxLinkLength} characters.`, 'apps')
  }
  for (const uri of redirectUris ?? []) requireRedirectUri(uri)
}

export function listApplications(
  deps: ApplicationDeps,
  input: { login?: string | undefined },
): Promise<readonly Application[]> {
  return deps.applications.list(input.login)
}

/** Also revokes its tokens. */
export async function revokeApplication(
  deps: ApplicationDeps,
  actor: Actor,
  input: { clientId: string },
): Promise<{ clientId: string }> {
  const { clientId } = input
  const login = (await deps.applications.get(clientId))?.login
  const at = deps.clock.now()
  const revoked = await audited(
    deps,
    ({ applications }) => applications.revoke(clientId, at),
    (answer) => answer && { action: 'application_revoked', ...changedBy(actor, login), subject: clientId },
  )
  if (!revoked) {
    const message = `There is no application "${clientId}", or it was revoked before.`
    throw new Refusal('NOT_FOUND', message, { resource: 'apps' })
  }
  deps.onAccessChanged?.()
  return { clientId }
}

/** False when the application does not exist, is revoked, or has another owner. */
export function replaceSecretAudited(
  deps: AuditDeps,
  actor: Actor,
  secret: { readonly clientId: string; readonly login: string; readonly clientSecret: string },
): Promise<boolean> {
  const { clientId, login, clientSecret } = secret
  return audited(
    deps,
    ({ applications }) => applications.replaceSecret(clientId, login, hashToken(clientSecret)),
    (done) => done && { action: 'application_secret_rotated', ...changedBy(actor, login), subject: clientId },
  )
}

/**
 * Must be absolute and without a fragment (RFC 6749, 3.1.2). Allows http, https and the schemes of installed apps, but no
 * scheme that browsers handle themselves, and no credentials, which can disguise the host.
 */
function requireRedirectUri(uri: string): void {
  const url = parseUrl(uri)
  const web = url?.protocol === 'http:' || url?.protocol === 'https:'
  const plain = url?.username === '' && url.password === '' && !uri.includes('#') && !/[\s\p{Cc}\p{Cs}]/u.test(uri)
  if (!plain || browserSchemes.has(url.protocol.slice(0, -1)) || (web && url.hostname === '')) {
    const message = `"${uri}" is not a valid redirect URI. Send an absolute http, https or app URI without fragment and credentials.`
    throw invalid('redirectUris', message, 'apps')
  }
  const risk = riskOf(uri)
  if (risk !== undefined) throw invalid('redirectUris', `"${uri}" ${risk}`, 'apps')
}

/** Why codes could get to somebody else. Applications that were registered with such a URI earlier keep it. */
export function riskOf(uri: string): string | undefined {
  if (uri.includes('*')) return 'contains a wildcard. Redirect URIs are compared exactly: register each one.'
  // `https:host` and `https:/host`: the page of consent would show another place than the one where the code goes.
  if (/^https?:(?!\/\/[^/\\])/i.test(uri)) return 'is a path of this service to browsers. Write // before its host.'
  const { protocol, hostname } = new URL(uri)
  const isLoopback = /^(?:127\.[\d.]+|\[::1\]|(?:.+\.)?localhost)$/.test(hostname)
  return protocol === 'http:' && !isLoopback
    ? 'is not encrypted. Use https; http is for loopback addresses only.'
    : undefined
}

function isWebPage(text: string): boolean {
  const readable = /^https?:\/\/[^/]/i.test(text) && !/[\s\p{Cc}\p{Cs}]/u.test(text)
  return readable && !isLonger(text, maxLinkLength) && parseUrl(text) !== undefined
}

/** The registered applications among these, by client id. */
export async function findApplications(
  deps: Pick<ApplicationDeps, 'applications'>,
  clientIds: Iterable<string>,
): Promise<ReadonlyMap<string, Application>> {
  const found = await Promise.all([...new Set(clientIds)].map((clientId) => deps.applications.get(clientId)))
  const active = found.filter((application) => application?.revokedAt === undefined)
  return new Map(active.flatMap((application) => (application ? [[application.clientId, application]] : [])))
}

// Any authenticated user may read an application: its name and page are shown to everybody it asks for access.
export async function readApplication(
  deps: Pick<ApplicationDeps, 'applications'>,
  clientId: string,
): Promise<Application> {
  const application = isGuid(clientId) ? await deps.applications.get(clientId) : undefined
  if (!application || application.revokedAt !== undefined) {
    throw new Refusal('NOT_FOUND', 'This application does not exist.', { resource: 'apps' })
  }
  return application
}
