import { isGuid } from '../values/guid.js'
import { Refusal } from '../values/refusal.js'
import type { Application, ApplicationStore } from './application-store.js'

export interface ApplicationDeps {
  readonly applications: ApplicationStore
}

/** Those of these applications that are registered, by their client id. */
export async function findApplications(
  deps: ApplicationDeps,
  clientIds: Iterable<string>,
): Promise<ReadonlyMap<string, Application>> {
  const found = await Promise.all([...new Set(clientIds)].map((clientId) => deps.applications.get(clientId)))
  const active = found.filter((application) => application?.revokedAt === undefined)
  return new Map(active.flatMap((application) => (application ? [[application.clientId, application]] : [])))
}

// Our choice: everyone with a token may read about an application, as they would when it asks them for access.
export async function readApplication(deps: ApplicationDeps, clientId: string): Promise<Application> {
  const application = isGuid(clientId) ? await deps.applications.get(clientId) : undefined
  if (!application || application.revokedAt !== undefined) {
    throw new Refusal('NOT_FOUND', 'There is no such application.', { resource: 'apps' })
  }
  return application
}
