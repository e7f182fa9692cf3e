import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { operate } from '../../src/core/administration/operations.js'
import { type StartedApp, startApp } from '../support/start-app.js'

let started: StartedApp
let running: string
let other: string
const tokens = { otherAdmin: '', member: '' }

beforeAll(async () => {
  started = await startApp()
  const { body } = await started.request('GET', '/v4/organizations')
  running = body.organizations[0].guid
  tokens.otherAdmin = await newUser('olga')
  const made = (await operate(started.app, operator, 'createOrganization', { name: 'Other', admin: 'olga' })) as {
    guid: string
  }
  other = made.guid
  tokens.member = await newUser('max')
})
afterAll(() => started.close())

async function newUser(login: string): Promise<string> {
  await operate(started.app, operator, 'createUser', { login, password: 'correct horse battery' })
  const { secret } = (await operate(started.app, operator, 'createToken', { login, label: 'test' })) as {
    secret: string
  }
  return secret
}

const path = (guid: string) => `/v4/organizations/${guid}/stream_access`
const topicsOf = (guid: string) => [`clicks.${guid}`, `links.${guid}`]

describe('GET /v4/organizations/{organization_guid}/stream_access', () => {
  it('reports no access by default', async () => {
    const { status, body } = await started.request('GET', path(other))
    expect(status).toBe(200)
    expect(body).toEqual({
      references: { organization: `http://${started.domain}/v4/organizations/${other}` },
      organization_guid: other,
      allowed: false,
      topics: [],
    })
  })

  it('answers administrators of the organization too', async () => {
    expect((await started.request('GET', path(other), { token: tokens.otherAdmin })).status).toBe(200)
  })

  it('answers 403 to members, and to administrators of other organizations', async () => {
    for (const [guid, token] of [
      [running, tokens.member],
      [running, tokens.otherAdmin],
      [other, tokens.member],
    ] as const) {
      const { status, body } = await started.request('GET', path(guid), { token })
      expect(status).toBe(403)
      expect(body).toMatchObject({ message: 'FORBIDDEN', resource: 'organizations' })
    }
  })

  it('answers 404 for an organization that does not exist, to operators', async () => {
    const { status, body } = await started.request('GET', path('Onothing'))
    expect(status).toBe(404)
    expect(body).toMatchObject({ message: 'NOT_FOUND', resource: 'organizations' })
    expect((await started.request('GET', path('Onothing'), { token: tokens.member })).status).toBe(403)
  })

  it('answers 403 without a token', async () => {
    expect((await started.request('GET', path(other), { token: null })).status).toBe(403)
  })
})

describe('PUT and DELETE /v4/organizations/{organization_guid}/stream_access', () => {
  it('allow and deny, any number of times', async () => {
    const first = await started.request('PUT', path(other))
    expect(first.status).toBe(200)
    expect(first.body).toMatchObject({ allowed: true, allowed_by: 'admin', topics: topicsOf(other) })
    expect(first.body.allowed_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/)
    expect((await started.request('PUT', path(other))).body).toEqual(first.body)
    for (const _again of [1, 2]) {
      const { status, body } = await started.request('DELETE', path(other))
      expect(status).toBe(200)
      expect(body).toMatchObject({ allowed: false, topics: [] })
      expect(body).not.toHaveProperty('allowed_at')
    }
  })

  it.each(['PUT', 'DELETE'])('%s answers 403 to everybody but operators', async (method) => {
    for (const token of [tokens.otherAdmin, tokens.member]) {
      const { status, body } = await started.request(method, path(other), { token })
      expect(status).toBe(403)
      expect(body).toMatchObject({ message: 'FORBIDDEN', resource: 'organizations' })
    }
    expect((await started.request('GET', path(other))).body.allowed).toBe(false)
    expect((await started.request(method, path(other), { token: null })).status).toBe(403)
  })

  it.each(['PUT', 'DELETE'])('%s answers 404 for an organization that does not exist', async (method) => {
    const { status, body } = await started.request(method, path('Onothing'))
    expect(status).toBe(404)
    expect(body).toMatchObject({ message: 'NOT_FOUND', resource: 'organizations' })
  })
})

describe('read access to topics', () => {
  const lookup = (topic: string, token: string) =>
    started.request('GET', `/v3/nsq/lookup?topic=${topic}&access_token=${token}`, { token: null })

  it('is denied by default', async () => {
    expect((await lookup(`clicks.${other}`, tokens.otherAdmin)).status).toBe(403)
    expect((await lookup('clicks', started.token)).status).toBe(403)
  })

  it('is given to administrators of an allowed organization, not to its members', async () => {
    await started.request('PUT', path(running))
    expect((await lookup(`clicks.${running}`, started.token)).status).toBe(200)
    expect((await lookup('clicks', started.token)).status).toBe(200)
    expect((await lookup(`links.${running}`, started.token)).status).toBe(200)
    expect((await lookup('links', started.token)).status).toBe(200)
    expect((await lookup(`clicks.${running}`, tokens.member)).status).toBe(403)
    expect((await lookup(`links.${running}`, tokens.member)).status).toBe(403)
    await started.request('DELETE', path(running))
    expect((await lookup(`clicks.${running}`, started.token)).status).toBe(403)
  })

  it("does not include the service's topics for administrators of other organizations", async () => {
    await started.request('PUT', path(other))
    expect((await lookup(`clicks.${other}`, tokens.otherAdmin)).status).toBe(200)
    expect((await lookup(`links.${other}`, tokens.otherAdmin)).status).toBe(200)
    for (const topic of ['clicks', 'links', `clicks.${running}`, `links.${running}`]) {
      expect((await lookup(topic, tokens.otherAdmin)).status).toBe(403)
    }
    await started.request('DELETE', path(other))
  })

  it("is given to an account that is allowed by name, for its organizations, and for the service's topics only to operators", async () => {
    await operate(started.app, operator, 'allowStream', { login: 'max' })
    expect((await lookup(`clicks.${running}`, tokens.member)).status).toBe(200)
    expect((await lookup(`links.${running}`, tokens.member)).status).toBe(200)
    expect((await lookup('clicks', tokens.member)).status).toBe(403)
    expect((await lookup('links', tokens.member)).status).toBe(403)
    await operate(started.app, operator, 'denyStream', { login: 'max' })
    expect((await lookup(`clicks.${running}`, tokens.member)).status).toBe(403)
  })
})
