import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'
import { aMember, aStranger } from './alter-records.js'
import { firstOrganization, organize } from './organize.js'

const started = useApp()
let guid: string
beforeAll(async () => {
  guid = await firstOrganization(started)
})

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

  it("returns the caller's role, and only their organizations", async () => {
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

describe('PATCH /v4/organizations/{organization_guid}', () => {
  const patch = (body: object, options: { token?: string } = {}) =>
    started.request('PATCH', `/v4/organizations/${guid}`, { body, ...options })

  it('answers 200 with the new name, and stores it', async () => {
    const { status, body } = await patch({ name: 'Acme' })
    expect([status, body.name, body.guid]).toEqual([200, 'Acme', guid])
    expect((await get(`/v4/organizations/${guid}`)).body.name).toBe('Acme')
    const [entry] = (await get(`/v4/organizations/${guid}/audit_log?size=1`)).body.audit_log
    expect(entry).toMatchObject({ action: 'organization_renamed', login: 'admin', details: { name: 'Acme' } })
    expect((await patch({})).body.name).toBe('Acme')
  })

  it.each([5, ' ', 'a\u0000', 'x'.repeat(256)])('answers 400 for the name %j, and changes nothing', async (name) => {
    const { status, body } = await patch({ name })
    expect([status, body.message, body.resource]).toEqual([400, 'INVALID_ARG_NAME', 'organizations'])
    expect((await get(`/v4/organizations/${guid}`)).body.name).toBe('Acme')
  })

  it('answers 403 to all but its administrators', async () => {
    const tokens = [await aMember(started, started.groupGuid, 'admin'), (await aStranger(started)).token]
    for (const token of tokens) {
      const { status, body } = await patch({ name: 5 }, { token })
      expect([status, body.message, body.resource]).toEqual([403, 'FORBIDDEN', 'organizations'])
    }
  })
})
