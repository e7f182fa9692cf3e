import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { registerApplication } from '../../src/core/accounts/applications.js'
import { newTokenSecret, tokenFrom } from '../../src/core/accounts/secrets.js'
import { findByApiKey } from '../../src/core/sign-in/api-keys.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { alterRecords, aMember, aStranger } from './alter-records.js'
import { unreadableBodies } from './organize.js'

let started: StartedApp
/** A token of an application of the first user. */
let foreign: string
let clientId: string
let now = Date.UTC(2026, 5, 1)
beforeAll(async () => {
  started = await startApp({}, { clock: { now: () => now } })
  clientId = (await registerApplication(started.app, operator, { name: 'Reader', login: 'admin' })).clientId
  foreign = newTokenSecret()
  await started.app.accounts.addToken({ ...tokenFrom(foreign), login: 'admin', label: '', clientId, at: now })
})
afterAll(() => started.close())

const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/)
const kinds = [
  ['/v4/user/tokens', 'tokens', 'access_token', /^[0-9a-f]{40}$/],
  ['/v4/user/api_keys', 'api_keys', 'api_key', /^R_[0-9a-f]{32}$/],
] as const

describe('PATCH /v4/user/tokens/{guid}', () => {
  it('answers 200 with the new label, and 404 for a token that is not yours or was revoked', async () => {
    const { guid } = (await started.request('POST', '/v4/user/tokens', { body: { label: 'old' } })).body
    const patch = (token: string, body: object) => started.request('PATCH', `/v4/user/tokens/${token}`, { body })
    const { status, body } = await patch(guid, { label: 'new' })
    expect([status, body.guid, body.label, body.access_token]).toEqual([200, guid, 'new', undefined])
    expect((await patch(guid, {})).body.label).toBe('new')
    expect((await patch(guid, { label: '' })).body.label).toBe('')
    await patch(guid, { label: 'new' })
    expect((await patch(guid, { label: 'a\u0000' })).status).toBe(400)
    const { tokens } = (await started.request('GET', '/v4/user/tokens')).body
    expect(tokens.find((token: { guid: string }) => token.guid === guid).label).toBe('new')
    await started.request('DELETE', `/v4/user/tokens/${guid}`)
    for (const unknown of [guid, 'Tnone']) {
      const refused = await patch(unknown, { label: 'x' })
      expect([refused.status, refused.body.message, refused.body.resource]).toEqual([404, 'NOT_FOUND', 'tokens'])
    }
  })
})

describe.each(kinds)('%s', (path, name, secretField, shape) => {
  const make = async (body: object = { label: 'test' }, token?: string) =>
    (await started.request('POST', path, { body, ...(token && { token }) })).body
  const list = async (token?: string): Promise<{ guid: string }[]> =>
    (await started.request('GET', path, token === undefined ? {} : { token })).body[name]

  it('POST answers 201 with the secret, which GET never shows', async () => {
    const { status, body } = await started.request('POST', path, { body: { label: 'my script' } })
    expect(status).toBe(201)
    expect(body).toMatchObject({ label: 'my script', created: moment, [secretField]: expect.stringMatching(shape) })
    expect(body.hint).toBe(body[secretField].slice(-4))
    const { status: listed, text, body: all } = await started.request('GET', path)
    expect(listed).toBe(200)
    const { [secretField]: secret, ...shown } = body
    expect(all[name]).toContainEqual(shown)
    expect(text).not.toContain(secret)
  })

  it('DELETE answers 204 once, and 404 after that', async () => {
    const { guid } = await make()
    expect((await list()).map((each) => each.guid)).toContain(guid)
    const first = await started.request('DELETE', `${path}/${guid}`)
    expect([first.status, first.text]).toEqual([204, ''])
    expect((await list()).map((each) => each.guid)).not.toContain(guid)
    const { status, body } = await started.request('DELETE', `${path}/${guid}`)
    expect([status, body.message, body.resource]).toEqual([404, 'NOT_FOUND', name])
  })

  it.each(['none', '%00', '%F0%9F%98%80'])('DELETE answers 404 for %s', async (guid) => {
    expect((await started.request('DELETE', `${path}/${guid}`)).status).toBe(404)
  })

  it('shows and revokes only own tokens', async () => {
    const { token } = await aStranger(started)
    const { guid } = await make()
    expect((await list(token)).map((each) => each.guid)).not.toContain(guid)
    expect((await started.request('DELETE', `${path}/${guid}`, { token })).status).toBe(404)
    expect((await list()).map((each) => each.guid)).toContain(guid)
  })

  it('is open to readers, for themselves', async () => {
    const token = await aMember(started, started.groupGuid, 'reader')
    const { guid } = await make({ label: 'test' }, token)
    expect((await list(token)).map((each) => each.guid)).toContain(guid)
  })

  it('answers 403 without a token, and to tokens of applications', async () => {
    for (const token of [null, foreign]) {
      for (const [method, to] of [
        ['GET', path],
        ['POST', path],
        ['DELETE', `${path}/x`],
      ] as const) {
        const { status, body } = await started.request(method, to, {
          token,
          ...(method === 'POST' && { body: { label: 7 } }),
        })
        expect([status, body.message]).toEqual([403, 'FORBIDDEN'])
      }
    }
  })

  it.each([7, 'x'.repeat(256), 'a\0b', '\ud800'])('POST answers 400 for the label %j', async (label) => {
    const before = await list()
    const { status, body } = await started.request('POST', path, { body: { label } })
    expect([status, body.message, body.resource]).toEqual([400, 'INVALID_ARG_LABEL', name])
    expect(body.errors).toEqual([{ field: 'label', error_code: 'invalid' }])
    expect(await list()).toEqual(before)
  })

  it.each(unreadableBodies)('POST answers for a body that is %s', async (_what, body, status) => {
    const answer = await started.request('POST', path, { body })
    expect([answer.status, answer.body.resource]).toEqual([status, name])
  })

  it('POST answers 406 for a body that is not JSON, and 413 for one that is too large', async () => {
    const xml = await started.request('POST', path, { body: '<a/>', headers: { 'content-type': 'text/xml' } })
    expect([xml.status, xml.body.resource]).toEqual([406, name])
    const large = await started.request('POST', path, { body: { label: 'x'.repeat(1024 * 1024) } })
    expect(large.status).toBe(413)
  })
})

describe('access tokens', () => {
  it('give access until they are revoked', async () => {
    const { body } = await started.request('POST', '/v4/user/tokens', { body: { label: 'test' } })
    const use = async () => (await started.request('GET', '/v4/user', { token: body.access_token })).status
    expect(await use()).toBe(200)
    await started.request('DELETE', `/v4/user/tokens/${body.guid}`)
    expect(await use()).toBe(403)
  })

  it('show when they were last used, and their application', async () => {
    const { body } = await started.request('POST', '/v4/user/tokens', { body: { label: 'test' } })
    const find = async () => {
      const { tokens } = (await started.request('GET', '/v4/user/tokens')).body
      return tokens.find((token: { guid: string }) => token.guid === body.guid)
    }
    expect(await find()).not.toHaveProperty('last_used_at')
    now += 3_600_000
    await started.request('GET', '/v4/user', { token: body.access_token })
    expect((await find()).last_used_at).toBe('2026-06-01T01:00:00+0000')
    const { tokens } = (await started.request('GET', '/v4/user/tokens')).body
    const given = tokens.filter((token: { client_id?: string }) => token.client_id !== undefined)
    expect(given).toEqual([expect.objectContaining({ client_id: clientId })])
  })
})

describe('an access token that expires', () => {
  const post = (path: string, body: object, token?: string) =>
    started.request('POST', `/v4/user/tokens${path}`, { body, ...(token && { token }) })
  const use = async (token: string) => (await started.request('GET', '/v4/user', { token })).status
  const inAnHour = () => new Date(now + 3_600_000).toISOString()

  it('works until then, says why it is refused, and is still listed', async () => {
    const { body } = await post('', { label: 'short', expiration_at: inAnHour() })
    expect(await use(body.access_token)).toBe(200)
    now += 3_600_000
    const refused = await started.request('GET', '/v4/user', { token: body.access_token })
    expect([refused.status, refused.body.description]).toEqual([
      403,
      'The access token has expired. Create another one, or rotate tokens in time.',
    ])
    expect((await started.request('GET', `/v4/user/tokens/${body.guid}`)).body.expiration_at).toBe(body.expiration_at)
    const late = await post(`/${body.guid}/rotate`, {})
    expect([late.status, late.body.description]).toEqual([409, 'This token has expired.'])
  })

  it('makes no token that outlives it, and no key', async () => {
    const { access_token: token } = (await post('', { label: 'short', expiration_at: inAnHour() })).body
    const later = new Date(now + 7_200_000).toISOString()
    for (const expiry of [{}, { expiration_at: later }]) {
      expect((await post('', { label: 'x', ...expiry }, token)).body.message).toBe('INVALID_ARG_EXPIRATION_AT')
    }
    expect((await post('', { label: 'x', expiration_at: inAnHour() }, token)).status).toBe(201)
    expect((await started.request('POST', '/v4/user/api_keys', { token, body: {} })).status).toBe(403)
    const past = await post('', { label: 'x', expiration_at: '2020-01-01T00:00:00+0000' })
    expect(past.body.message).toBe('INVALID_ARG_EXPIRATION_AT')
    const { guid } = (await post('', { label: 'for ever' })).body
    expect((await post(`/${guid}/rotate`, {}, token)).body.message).toBe('INVALID_ARG_EXPIRATION_AT')
  })

  it('is rotated to another secret, with an overlap', async () => {
    const old = (await post('', { label: 'rotated', scopes: ['qr'] })).body
    const next = await post(`/${old.guid}/rotate`, { overlap: 60 })
    expect(next.status).toBe(201)
    expect(next.body).toMatchObject({
      label: 'rotated',
      scopes: ['qr'],
      access_token: expect.stringMatching(/^[0-9a-f]{40}$/),
    })
    expect([await use(old.access_token), await use(next.body.access_token)]).toEqual([200, 200])
    expect((await post(`/${old.guid}/rotate`, {})).status).toBe(409)
    now += 60_000
    expect([await use(old.access_token), await use(next.body.access_token)]).toEqual([403, 200])
    expect((await started.request('GET', `/v4/user/tokens/${old.guid}`)).status).toBe(404)
    const last = await post(`/${next.body.guid}/rotate`, {})
    expect([await use(next.body.access_token), await use(last.body.access_token)]).toEqual([403, 200])
    expect((await post(`/${last.body.guid}/rotate`, { overlap: 31 * 86_400 })).body.message).toBe('INVALID_ARG_OVERLAP')
  })

  it('is not rotated for an application', async () => {
    const { tokens } = (await started.request('GET', '/v4/user/tokens')).body
    const { guid } = tokens.find((token: { client_id?: string }) => token.client_id === clientId)
    expect((await post(`/${guid}/rotate`, {})).status).toBe(409)
  })
})

describe('links created through an application', () => {
  it('have its client_id and the user, and are in the history of the user', async () => {
    const long_url = 'https://example.com/through-an-application'
    const made = await started.request('POST', '/v4/shortlinks', { token: foreign, body: { long_url } })
    expect(made.body).toMatchObject({ created_by: 'admin', client_id: clientId })
    const own = await started.request('POST', '/v4/shortlinks', { body: { long_url: 'https://example.com/by-hand' } })
    expect(own.body.created_by).toBe('admin')
    expect(own.body).not.toHaveProperty('client_id')
    const { body } = await started.request('GET', `/v4/groups/${started.groupGuid}/shortlinks`)
    const listed = body.links.find((link: { id: string }) => link.id === made.body.id)
    expect(listed).toMatchObject({ created_by: 'admin', client_id: clientId })
  })
})

describe('legacy keys', () => {
  const find = (login: string, key: string) => findByApiKey(started.app, login, key)

  it('authenticate their user with the right login, until they are revoked', async () => {
    const { body } = await started.request('POST', '/v4/user/api_keys', { body: {} })
    expect(body.login).toBe('admin')
    expect(await find('admin', body.api_key)).toBe('admin')
    expect(await find('ADMIN', body.api_key)).toBe('admin')
    expect(await find('somebody', body.api_key)).toBeUndefined()
    expect(await find('admin', 'R_none')).toBeUndefined()
    expect(await find('a\0', body.api_key)).toBeUndefined()
    await started.request('DELETE', `/v4/user/api_keys/${body.guid}`)
    expect(await find('admin', body.api_key)).toBeUndefined()
  })

  it('show when they were last used, to a minute', async () => {
    const { body } = await started.request('POST', '/v4/user/api_keys', { body: {} })
    const lastUse = async () => {
      const { api_keys } = (await started.request('GET', '/v4/user/api_keys')).body
      return api_keys.find((key: { guid: string }) => key.guid === body.guid).last_used_at
    }
    expect(await lastUse()).toBeUndefined()
    now = Date.UTC(2026, 5, 3)
    await find('admin', body.api_key)
    now += 59_000
    await find('admin', body.api_key)
    expect(await lastUse()).toBe('2026-06-03T00:00:00+0000')
    now += 1_000
    await find('admin', body.api_key)
    expect(await lastUse()).toBe('2026-06-03T00:01:00+0000')
  })

  it('work neither for an inactive user nor in v4', async () => {
    const { body } = await started.request('POST', '/v4/user/api_keys', { body: {} })
    expect((await started.request('GET', '/v4/user', { token: body.api_key })).status).toBe(403)
    await alterRecords(started, "update users set is_active = 0 where login = 'admin'")
    expect(await find('admin', body.api_key)).toBeUndefined()
    await alterRecords(started, "update users set is_active = 1 where login = 'admin'")
  })
})
