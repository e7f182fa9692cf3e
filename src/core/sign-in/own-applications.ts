/** A user's own OAuth applications: register, change, rotate the secret, revoke. */
import { isLonger } from '../../lib/is-longer.js'
import { type Actor, requireOwnToken } from '../accounts/actor.js'
import type { Application, ApplicationChange, ApplicationStore } from '../accounts/application-store.js'
import {
  type ApplicationInput,
  registerApplication,
  replaceSecretAudited,
  requireApplication,
  requireApplicationScopes,
  revokeApplication,
} from '../accounts/applications.js'
import { type AuditDeps, audited } from '../accounts/audit.js'
import { newTokenSecret } from '../accounts/secrets.js'
import { isGuid } from '../values/guid.js'
import { invalid, Refusal } from '../values/refusal.js'

export interface OwnApplicationDeps extends AuditDeps {
  readonly applications: ApplicationStore
  /** The token cache: revoking an application revokes its tokens. */
  readonly tokens: { clear(): void }
}

/** The secret is returned only once; the store has only its hash. */
export interface ApplicationWithSecret {
  readonly application: Application
  readonly clientSecret: string
}

export async function registerOwnApplication(
  deps: OwnApplicationDeps,
  actor: Actor,
  input: Omit<ApplicationInput, 'login'>,
): Promise<ApplicationWithSecret> {
  requireOwnToken(actor)
  requireRedirectUriLimits(input.redirectUris)
  const { clientId, clientSecret } = await registerApplication(deps, actor, { ...input, login: actor.login })
  return { application: existing(await deps.applications.get(clientId)), clientSecret }
}

export async function listOwnApplications(deps: OwnApplicationDeps, actor: Actor): Promise<readonly Application[]> {
  requireOwnToken(actor)
  const all = await deps.applications.list(actor.login)
  return all.filter((application) => application.revokedAt === undefined)
}

export async function changeOwnApplication(
  deps: OwnApplicationDeps,
  actor: Actor,
  application: Application,
  input: Omit<ApplicationChange, 'scopes'> & { readonly scopes?: readonly string[] | undefined },
): Promise<Application> {
  requireOwner(actor, application)
  requireRedirectUriLimits(input.redirectUris)
  // Earlier rules allowed more: what is registered may be repeated.
  const added = input.redirectUris?.filter((uri) => !application.redirectUris.includes(uri))
  requireApplication({ ...input, scopes: undefined, redirectUris: added })
  const scopes = input.scopes && requireApplicationScopes(input.scopes)
  const { clientId } = application
  const change = { ...input, scopes, redirectUris: input.redirectUris && [...new Set(input.redirectUris)] }
  const { login } = actor
  const changed = await audited(
    deps,
    ({ applications }) => applications.change(clientId, login, change),
    (answer) => answer && { action: 'application_changed', login, subject: clientId },
  )
  // Its tokens may do more or less now.
  if (scopes) deps.tokens.clear()
  return existing(changed)
}

/** The old secret is invalid at once. Tokens that users granted stay valid. */
export async function rotateOwnSecret(
  deps: OwnApplicationDeps,
  actor: Actor,
  application: Application,
): Promise<ApplicationWithSecret> {
  requireOwner(actor, application)
  const { clientId } = application
  const { login } = actor
  const clientSecret = newTokenSecret()
  if (!(await replaceSecretAudited(deps, actor, { clientId, login, clientSecret }))) throw notFound()
  return { application, clientSecret }
}

export async function revokeOwnApplication(
  deps: OwnApplicationDeps,
  actor: Actor,
  application: Application,
): Promise<void> {
  requireOwner(actor, application)
  const { clientId } = application
  await revokeApplication({ ...deps, onAccessChanged: () => deps.tokens.clear() }, actor, { clientId })
}

/** Another user's application looks like one that does not exist. */
export async function requireOwnApplication(
  deps: Pick<OwnApplicationDeps, 'applications'>,
  actor: Actor,
  clientId: string,
): Promise<Application> {
  requireOwnToken(actor)
  const application = isGuid(clientId) ? await deps.applications.get(clientId) : undefined
  if (application?.revokedAt !== undefined) throw notFound()
  return requireOwner(actor, application)
}

function requireOwner(actor: Actor, application: Application | undefined): Application {
  requireOwnToken(actor)
  if (application?.login !== actor.login) throw notFound()
  return application
}

export const maxRedirectUris = 20
export const maxRedirectUriLength = 2048

export function requireRedirectUriLimits(redirectUris: readonly string[] = []): void {
  if (redirectUris.length > maxRedirectUris || redirectUris.some((uri) => isLonger(uri, maxRedirectUriLength))) {
    throw invalid(
      'redirectUris',
      `Send at most ${maxRedirectUris} redirect URIs of at most ${maxRedirectUriLength} characters.`,
      'apps',
    )
  }
}

function existing(application: Application | undefined): Application {
  if (!application) throw notFound()
  return application
}

function notFound(): Refusal {
  return new Refusal('NOT_FOUND', 'You have no such application, or it was revoked before.', { resource: 'apps' })
}
