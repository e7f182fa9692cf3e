import { isGuid } from '../guid.js'
import { Refusal } from '../refusal.js'
import type { Application, ApplicationStore } from './application-store.js'

export interface ApplicationParts {
  readonly applications: Pick<ApplicationStore, 'get'>
}

// Our choice: everyone with a token may read about an application, as they would when it asks them for access.
export async function readApplication(parts: ApplicationParts, clientId: string): Promise<Application> {
  const application = isGuid(clientId) ? await parts.applications.get(clientId) : undefined
  if (!application || application.revokedAt !== undefined) {
    throw new Refusal('NOT_FOUND', 'There is no such application.', { resource: 'apps' })
  }
  return application
}
