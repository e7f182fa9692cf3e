import type { ApplicationStore } from '../../core/accounts/application-store.js'
import { riskOf } from '../../core/accounts/applications.js'
import { type Finding, warning } from '../../core/administration/finding.js'

/** Redirect URIs that were registered before such were refused (docs/oauth.md#register). */
export async function examineApplications(deps: {
  readonly applications: Pick<ApplicationStore, 'list'>
}): Promise<Finding[]> {
  const active = (await deps.applications.list(undefined)).filter(({ revokedAt }) => revokedAt === undefined)
  return active.flatMap(({ name, clientId, redirectUris }) =>
    redirectUris.flatMap((uri) => {
      const risk = riskOf(uri)
      const message = `The redirect URI "${uri}" of the application "${name}" (${clientId}) ${risk}`
      return risk === undefined ? [] : [warning('applications', message, 'Ask its owner to register another one.')]
    }),
  )
}
