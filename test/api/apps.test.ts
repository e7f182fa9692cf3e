import { beforeAll, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { registerApplication, revokeApplication } from '../../src/core/accounts/applications.js'
import { useApp } from '../support/start-app.js'
import { aMember, aStranger } from './alter-records.js'

describe('GET /v4/apps/{client_id}', () => {
  const started = useApp()
  let clientId: string
  beforeAll(async () => {
    const input = { name: 'Reader', login: 'admin', description: 'Reads links', link: 'https://reader.example/' }
    clientId = (await registerApplication(started.app, operator, { ...input, requirePkce: true })).clientId
  })

  const read = (id: string, options: { token?: string | null } = {}) =>
    started.request('GET', `/v4/apps/${id}`, options)

  it('answers 200 with the application, and never with its secret', async () => {
    const { status, body } = await read(clientId)
    expect(status).toBe(200)
    expect(body).toEqual({
      name: 'Reader',
      client_id: expect.stringMatching(/^[0-9a-z]{40}$/),
      description: 'Reads links',
      link: 'https://reader.example/',
      require_oauth_pkce: true,
      internal_app: false,
    })
  })

  it('answers 200 to anyone with a token', async () => {
    const { token } = await aStranger(started)
    const reader = await aMember(started, started.groupGuid, 'reader')
    expect([(await read(clientId, { token })).status, (await read(clientId, { token: reader })).status]).toEqual([
      200, 200,
    ])
  })

  it('answers 403 without a token', async () => {
    const { status, body } = await read(clientId, { token: null })
    expect([status, body.message, body.resource]).toEqual([403, 'FORBIDDEN', 'apps'])
  })

  it.each(['x'.repeat(40), 'none', '%00', '%F0%9F%98%80', "'--"])('answers 404 for %s', async (id) => {
    const { status, body } = await read(id)
    expect([status, body.message, body.resource]).toEqual([404, 'NOT_FOUND', 'apps'])
  })

  it('answers 404 for an application that was revoked', async () => {
    const { clientId: revoked } = await registerApplication(started.app, operator, { name: 'Gone', login: 'admin' })
    expect((await read(revoked)).status).toBe(200)
    await revokeApplication(started.app, operator, { clientId: revoked })
    expect((await read(revoked)).status).toBe(404)
  })
})
