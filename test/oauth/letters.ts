import { hash, randomBytes } from 'node:crypto'
import { operator } from '../../src/core/accounts/actor.js'
import { makeInvitation } from '../../src/core/sign-in/invitations.js'
import type { StartedApp } from '../support/start-app.js'

export async function organizationOf(started: StartedApp): Promise<string> {
  return (await started.request('GET', `/v4/groups/${started.groupGuid}`)).body.organization_guid
}

/** The secret of an invitation, as an operator passes it on without mail. */
export async function takeInvitation(started: StartedApp, organizationGuid: string, email: string): Promise<string> {
  const input = { email, organizationGuid, groupGuid: started.groupGuid, role: 'member' as const }
  return (await makeInvitation(started.app, operator, input)).secret
}

/** A secret like the one in the mail of `requestReset`. */
export async function takeReset(started: StartedApp, login: string, lifetime = 3_600_000): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  const at = started.app.clock.now()
  await started.app.accounts.addReset({ secretHash: hash('sha256', secret), login, at, expiresAt: at + lifetime })
  return secret
}
