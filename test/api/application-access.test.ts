import { beforeAll, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { revokeApplication } from '../../src/core/accounts/applications.js'
import { newTokenSecret, tokenFrom } from '../../src/core/accounts/secrets.js'
import { deactivateUser } from '../../src/core/administration/identity.js'
import { forgetUser } from '../../src/core/privacy/forget.js'
import { anApplication, aPerson } from '../oauth/people.js'
import { useApp } from '../support/start-app.js'
import { firstOrganization } from './organize.js'
import { operationsIn } from './requests-by-schema.js'

/** Everything whose effect would stay with the application after its revocation, and the administration of others. */
const refused = [
  // Credentials.
  ...['getUserToken', 'listUserTokens', 'createUserToken', 'updateUserToken', 'deleteUserToken'],
  'rotateUserToken',
  ...['listUserApiKeys', 'createUserApiKey', 'deleteUserApiKey'],
  ...['listUserSessions', 'deleteOtherUserSessions', 'deleteUserSession'],
  ...['updateUser', 'updateUserEmail', 'updateUserPassword'],
  ...['getUserTwoFactor', 'disableUserTwoFactor', 'startUserTwoFactorApp', 'confirmUserTwoFactorApp'],
  ...['startUserTwoFactorSms', 'confirmUserTwoFactorSms', 'sendUserTwoFactorCode', 'renewUserRecoveryCodes'],
  ...['listUserPasskeys', 'confirmWithUserPasskey', 'startUserPasskey', 'createUserPasskey', 'updateUserPasskey'],
  'deleteUserPasskey',
  ...['listUserApplications', 'createUserApplication', 'updateUserApplication', 'deleteUserApplication'],
  'rotateUserApplicationSecret',
  // Webhooks send events to an address of their own, and their URLs contain credentials.
  ...['listWebhooks', 'createWebhook', 'getWebhook', 'updateWebhook', 'deleteWebhook', 'verifyWebhook'],
  ...['rotateWebhookSecret', 'listWebhookDeliveries', 'getWebhookDelivery', 'redeliverWebhookDelivery'],
  ...['listWebhookDeadLetters', 'redeliverWebhookEvents'],
  // Administration.
  ...['createDomain', 'updateDomain', 'deleteDomain', 'verifyDomain', 'createCustomDomain', 'updateCustomDomain'],
  ...['createMobileApp', 'updateMobileApp', 'deleteMobileApp'],
  ...['createGroup', 'updateGroup', 'deleteGroup', 'updateGroupPreferences', 'updateGroupMember', 'deleteGroupMember'],
  ...['updateOrganization', 'listMembers', 'updateMember', 'deleteMember'],
  ...['getInvitation', 'listInvitations', 'createInvitation', 'deleteInvitation', 'listAuditLog'],
  ...['listServiceOrganizations', 'listIdentityProviders', 'updatePlan', 'allowStreamAccess', 'denyStreamAccess'],
]

describe('the token of an application', () => {
  const started = useApp()
  let token: string
  let organization: string
  beforeAll(async () => {
    organization = await firstOrganization(started)
    const { clientId } = await anApplication(started)
    token = newTokenSecret()
    await started.app.accounts.addToken({ ...tokenFrom(token), login: 'admin', label: '', clientId, at: 1 })
  })

  /** Asks with nothing but the path. */
  const isRefused = async (method: string, path: string) => {
    const known: Readonly<Record<string, string>> = {
      organization_guid: organization,
      group_guid: started.groupGuid,
      login: 'admin',
    }
    const url = path.replace(/\{(\w+)\}/g, (_, name: string) => known[name] ?? 'none')
    // An event stream would stay open.
    const asked = path.endsWith('/events') ? 'HEAD' : method
    const { status, body } = await started.request(asked, url, { token, ...(method !== 'GET' && { body: {} }) })
    return (
      status === 403 && body?.description === 'An application cannot do this for you. Use an access token of your own.'
    )
  }

  it('is refused every operation that would survive its revocation, and no other', async () => {
    const { body: document } = await started.request('GET', '/openapi.json')
    const answered: string[] = []
    for (const { method, path, operation } of operationsIn(document)) {
      if (path.startsWith('/v4/') && (await isRefused(method, path))) answered.push(operation.operationId)
    }
    expect(answered.sort()).toEqual([...refused].sort())
  })

  it('makes no webhook, which would outlive it', async () => {
    const body = { organization_guid: organization, name: 'Keep', event: 'engagement', url: 'https://keep.example/' }
    expect((await started.request('POST', '/v4/webhooks', { token, body })).status).toBe(403)
    const { body: listed } = await started.request('GET', `/v4/organizations/${organization}/webhooks`)
    expect(listed.webhooks).toEqual([])
  })

  /** As the commands of the operator have them. */
  const deps = () => ({ ...started.app, onAccessChanged: () => started.app.tokens.clear() })

  it.each([
    ['the user is deactivated', (login: string) => deactivateUser(deps(), operator, { login })],
    ['the user is forgotten', (login: string) => forgetUser(deps(), operator, { login, dryRun: false })],
    [
      'the operator removes the application',
      (_login: string, clientId: string) => revokeApplication(deps(), operator, { clientId }),
    ],
  ])('ends at once when %s', async (_when, end) => {
    const login = await aPerson(started)
    const { clientId } = await anApplication(started)
    const secrets = [newTokenSecret(), newTokenSecret()]
    for (const secret of secrets) {
      await started.app.accounts.addToken({ ...tokenFrom(secret), login, label: '', clientId, at: 1 })
    }
    const statuses = () =>
      Promise.all(secrets.map(async (each) => (await started.request('GET', '/v4/user', { token: each })).status))
    expect(await statuses()).toEqual([200, 200])
    await end(login, clientId)
    expect(await statuses()).toEqual([403, 403])
  })

  it('loses the organization that its user was removed from', async () => {
    const login = await aPerson(started)
    const { clientId } = await anApplication(started)
    const secret = newTokenSecret()
    await started.app.accounts.addToken({ ...tokenFrom(secret), login, label: '', clientId, at: 1 })
    const group = `/v4/groups/${started.groupGuid}`
    expect((await started.request('GET', group, { token: secret })).status).toBe(200)
    const removed = await started.request('DELETE', `/v4/organizations/${organization}/members/${login}`)
    expect(removed.status).toBe(204)
    expect((await started.request('GET', group, { token: secret })).status).toBe(403)
  })
})
