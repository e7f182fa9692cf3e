/** Applications as their owner sees them: registered, changed, given a new secret, revoked. */
import { isLonger } from '../../lib/is-longer.js'
import type { Actor } from '../accounts/actor.js'
import type { Application, ApplicationChange, ApplicationStore } from '../accounts/application-store.js'
import {
  type ApplicationInput,
  registerApplication,
  replaceSecretAndNote,
  requireApplication,
  revokeApplication,
} from '../accounts/applications.js'
import { type AuditDeps, audited } from '../accounts/audit.js'
import { newTokenSecret } from '../accounts/secrets.js'
import { isGuid } from '../values/guid.js'
import { invalid, Refusal } from '../values/refusal.js'
import { requireOwnToken } from './own-account.js'

export interface OwnApplicationDeps extends AuditDeps {
  readonly applications: ApplicationStore
  /** Revoking an application revokes the tokens it was given. */
  readonly tokens: { clear(): void }
}

/** Shown with its secret now, and never again: only its hash is kept. */
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
  requireFew(input.redirectUris)
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
  input: ApplicationChange,
): Promise<Application> {
  requireOwner(actor, application)
  requireFew(input.redirectUris)
  requireApplication(input)
  const { clientId } = application
  const change = { ...input, redirectUris: input.redirectUris && [...new Set(input.redirectUris)] }
  const { login } = actor
  const changed = await audited(
    deps,
    ({ applications }) => applications.change(clientId, login, change),
    (answer) => answer && { action: 'application_changed', login, subject: clientId },
  )
  return existing(changed)
}

/** The old secret is no good at once. Tokens that users gave the application stay. */
export async function rotateOwnSecret(
  deps: OwnApplicationDeps,
  actor: Actor,
  application: Application,
): Promise<ApplicationWithSecret> {
  requireOwner(actor, application)
  const { clientId, login } = application
  const clientSecret = newTokenSecret()
  if (!(await replaceSecretAndNote(deps, actor, { clientId, login, clientSecret }))) throw notFound()
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

/** Somebody else's looks like none at all. */
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

export const mostRedirectUris = 20
export const longestRedirectUri = 2048

function requireFew(redirectUris: readonly string[] = []): void {
  if (redirectUris.length > mostRedirectUris || redirectUris.some((uri) => isLonger(uri, longestRedirectUri))) {
    throw invalid(
      'redirectUris',
      `Send at most ${mostRedirectUris} redirect URIs of at most ${longestRedirectUri} characters.`,
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
