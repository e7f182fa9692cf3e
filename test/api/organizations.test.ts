import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../support/start-app.js'
import { aMember, aStranger } from './alter-records.js'
import { firstOrganization, organize } from './organize.js'

let started: StartedApp
let guid: string
beforeAll(async () => {
  started = await startApp()
  guid = await firstOrganization(started)
})
afterAll(() => started.close())

const get = (path: string, options: { token?: string } = {}) => started.request('GET', path, options)
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/)

describe('GET /v4/organizations', () => {
  it('answers 200 with every organization of the user, also one without a group', async () => {
    const second = await organize(started).organization('Second')
    await organize(started).domain('owned.example', guid)
    const { status, body } = await get('/v4/organizations')
    expect(status).toBe(200)
    expect(body.organizations.map((each: { guid: string }) => each.guid)).toEqual([guid, second])
    expect(body.organizations[0]).toEqual({
      references: { groups: `http://${started.domain}/v4/groups?organization_guid=${guid}` },
      name: 'My organization',
      guid,
      is_active: true,
      tier: 'unlimited',
      tier_family: 'unlimited',
      tier_display_name: 'Unlimited',
      role: 'admin',
      created: moment,
      modified: moment,
      bsds: ['owned.example'],
      require_sso: 'none',
      require_2fa: 'none',
    })
  })

  it.each(['true', 'false'])('answers the same with include_all=%s', async (value) => {
    const plain = await get('/v4/organizations')
    expect((await get(`/v4/organizations?include_all=${value}`)).body).toEqual(plain.body)
  })

  it('answers the references as URLs that work', async () => {
    const { body } = await get('/v4/organizations')
    const { pathname, search } = new URL(body.organizations[0].references.groups)
    expect((await get(pathname + search)).body.groups[0].guid).toBe(started.groupGuid)
  })

  it('answers members their role and only their own', async () => {
    const token = await aMember(started, started.groupGuid, 'reader')
    const { body } = await get('/v4/organizations', { token })
    expect(body.organizations.map((each: { guid: string; role: string }) => [each.guid, each.role])).toEqual([
      [guid, 'member'],
    ])
  })

  it('answers 400 for an include_all that is neither true nor false', async () => {
    const { status, body } = await get('/v4/organizations?include_all=perhaps')
    expect([status, body.message, body.resource]).toEqual([400, 'INVALID_ARG_INCLUDE_ALL', 'organizations'])
  })

  it('answers 403 without a token', async () => {
    const { status, body } = await started.request('GET', '/v4/organizations', { token: null })
    expect([status, body.message, body.resource]).toEqual([403, 'FORBIDDEN', 'organizations'])
  })
})

describe('GET /v4/organizations/{organization_guid}', () => {
  it('answers 200 with the organization', async () => {
    const { status, body } = await get(`/v4/organizations/${guid}`)
    expect([status, body.guid, body.role]).toEqual([200, guid, 'admin'])
  })

  it('answers 403 for an organization that is not yours or does not exist', async () => {
    const { token } = await aStranger(started)
    const answers = [await get(`/v4/organizations/${guid}`, { token }), await get('/v4/organizations/Onosuch')]
    expect(answers.map(({ status, body }) => [status, body.resource])).toEqual([
      [403, 'organizations'],
      [403, 'organizations'],
    ])
  })
})
