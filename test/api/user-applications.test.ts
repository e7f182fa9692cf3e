import { describe, expect, it } from 'vitest'
import { examineApplications } from '../../src/commands/doctor/applications.js'
import { newTokenSecret, tokenFrom } from '../../src/core/accounts/secrets.js'
import { authenticateClient } from '../../src/core/oauth/clients.js'
import { useApp } from '../support/start-app.js'
import { aMember, aStranger } from './alter-records.js'
import { unreadableBodies } from './organize.js'

const started = useApp()

const path = '/v4/user/applications'
const register = async (changes: object = {}) =>
  (await started.request('POST', path, { body: { name: 'Reader', ...changes } })).body
const list = async (): Promise<{ client_id: string }[]> => (await started.request('GET', path)).body.applications
const isRecognised = async (clientId: string, clientSecret: string) =>
  'client' in (await authenticateClient(started.app, { clientId, clientSecret }))

async function tokenFor(clientId: string): Promise<string> {
  const secret = newTokenSecret()
  await started.app.accounts.addToken({ ...tokenFrom(secret), login: 'admin', label: '', clientId, at: 1 })
  return secret
}

describe('redirect URIs that are no longer accepted', () => {
  it('stay with an application that has them, and may be repeated in a change', async () => {
    const { client_id } = await register({
      redirect_uris: ['http://127.0.0.1:7000/', 'http://localhost/', 'http://[::1]/'],
    })
    const old = ['http://a.example/back']
    await started.app.applications.change(client_id, 'admin', { redirectUris: old })
    const change = (body: object) => started.request('PATCH', `${path}/${client_id}`, { body })
    expect(await change({ name: 'New', redirect_uris: [...old, 'https://a.example/'] })).toMatchObject({ status: 200 })
    expect(await change({ redirect_uris: [...old, 'http://b.example/'] })).toMatchObject({ status: 400 })
    const { text } = await started.request('GET', path)
    expect(text).toContain('http://a.example/back')
    expect(await examineApplications(started.app)).toEqual([
      expect.objectContaining({
        area: 'applications',
        state: 'warning',
        message: expect.stringContaining(old[0] ?? ''),
      }),
    ])
    await started.request('DELETE', `${path}/${client_id}`)
    expect(await examineApplications(started.app)).toEqual([])
  })
})

describe('POST /v4/user/applications', () => {
  it('answers 201 with the secret, which is shown only once', async () => {
    const input = {
      name: 'Reader',
      description: 'Reads links',
      link: 'https://reader.example/',
      redirect_uris: ['https://reader.example/back', 'app.reader:/back', 'https://reader.example/back'],
      require_oauth_pkce: true,
    }
    const { status, body } = await started.request('POST', path, { body: input })
    expect(status).toBe(201)
    const { client_secret, ...shown } = body
    expect(client_secret).toMatch(/^[0-9a-f]{40}$/)
    expect(shown).toEqual({
      ...input,
      redirect_uris: ['https://reader.example/back', 'app.reader:/back'],
      client_id: expect.stringMatching(/^[0-9a-z]{40}$/),
      scopes: ['all'],
      created: expect.stringMatching(/\+0000$/),
    })
    const listed = await started.request('GET', path)
    expect([listed.status, listed.body.applications]).toEqual([200, [shown]])
    expect(listed.text).not.toContain(client_secret)
    expect(await isRecognised(shown.client_id, client_secret)).toBe(true)
  })

  it.each([
    ['name', [undefined, 7, ' ', 'x'.repeat(256), 'a\0']],
    ['description', [7, 'x'.repeat(2001)]],
    [
      'link',
      [
        7,
        'reader',
        'ftp://reader.example/',
        'javascript:alert(1)',
        'http:reader.example',
        `https://reader.example/${'x'.repeat(2048)}`,
      ],
    ],
    [
      'redirect_uris',
      [
        'https://a.example/',
        [7],
        ['back'],
        ['https://a.example/#x'],
        ['javascript:x'],
        ['https://*.a.example/'],
        ['http://a.example/'],
        Array(21).fill('https://a.example/'),
        [`https://a.example/${'x'.repeat(2048)}`],
      ],
    ],
    ['require_oauth_pkce', ['yes', 1]],
  ])('answers 400 for a wrong %s, and PATCH too', async (field, values) => {
    const { client_id } = await register()
    const before = await list()
    for (const value of values) {
      const answers = [await started.request('POST', path, { body: { name: 'Reader', [field]: value } })]
      if (value !== undefined)
        answers.push(await started.request('PATCH', `${path}/${client_id}`, { body: { [field]: value } }))
      for (const { status, body } of answers) {
        expect([status, body.message, body.resource]).toEqual([400, `INVALID_ARG_${field.toUpperCase()}`, 'apps'])
        expect(body.errors).toEqual([{ field, error_code: 'invalid' }])
      }
    }
    expect(await list()).toEqual(before)
  })

  it.each(unreadableBodies)('answers for a body that is %s, and PATCH too', async (_what, body, status) => {
    const { client_id } = await register()
    expect((await started.request('POST', path, { body })).status).toBe(status)
    expect((await started.request('PATCH', `${path}/${client_id}`, { body })).status).toBe(status)
  })

  it('answers 406 for a body that is not JSON and 413 for one that is too large, and PATCH too', async () => {
    const { client_id } = await register()
    for (const [method, to] of [
      ['POST', path],
      ['PATCH', `${path}/${client_id}`],
    ] as const) {
      const plain = await started.request(method, to, { body: 'a=b', headers: { 'content-type': 'text/plain' } })
      expect(plain.status).toBe(406)
      expect((await started.request(method, to, { body: { name: 'x', more: 'x'.repeat(1024 * 1024) } })).status).toBe(
        413,
      )
    }
  })
})

describe('PATCH /v4/user/applications/{client_id}', () => {
  it('answers 200 and changes only the fields that were sent', async () => {
    const { client_secret, ...made } = await register({ description: 'Reads', redirect_uris: ['https://a.example/'] })
    const change = { redirect_uris: ['https://b.example/'], require_oauth_pkce: true }
    const { status, body } = await started.request('PATCH', `${path}/${made.client_id}`, { body: change })
    expect([status, body]).toEqual([200, { ...made, ...change }])
    const same = await started.request('PATCH', `${path}/${made.client_id}`, { body: {} })
    expect(same.body).toEqual(body)
    expect(await isRecognised(made.client_id, client_secret)).toBe(true)
  })
})

describe('POST /v4/user/applications/{client_id}/secret', () => {
  it('answers 200 with a new secret; the old one stops working at once, and tokens stay valid', async () => {
    const { client_secret: old, ...made } = await register()
    const token = await tokenFor(made.client_id)
    const { status, body } = await started.request('POST', `${path}/${made.client_id}/secret`)
    const { client_secret: fresh, ...shown } = body
    expect([status, shown]).toEqual([200, made])
    expect(await isRecognised(made.client_id, old)).toBe(false)
    expect(await isRecognised(made.client_id, fresh)).toBe(true)
    expect((await started.request('GET', '/v4/user', { token })).status).toBe(200)
  })
})

describe('DELETE /v4/user/applications/{client_id}', () => {
  it('answers 204, and the application and its tokens stop working at once', async () => {
    const { client_id, client_secret } = await register()
    const token = await tokenFor(client_id)
    expect((await started.request('GET', '/v4/user', { token })).status).toBe(200)
    const { status, text } = await started.request('DELETE', `${path}/${client_id}`)
    expect([status, text]).toEqual([204, ''])
    expect((await started.request('GET', '/v4/user', { token })).status).toBe(403)
    expect(await isRecognised(client_id, client_secret)).toBe(false)
    expect((await list()).map((each) => each.client_id)).not.toContain(client_id)
    expect((await started.request('GET', `/v4/apps/${client_id}`)).status).toBe(404)
  })
})

describe('every operation on an application', () => {
  const operations = [
    ['PATCH', '', { name: 7 }],
    ['POST', '/secret', undefined],
    ['DELETE', '', undefined],
  ] as const

  it('answers 404 for one that is not yours, does not exist or was revoked, before it checks the body', async () => {
    const { client_id } = await register()
    const revoked = await register()
    await started.request('DELETE', `${path}/${revoked.client_id}`)
    const { token } = await aStranger(started)
    for (const [method, end, body] of operations) {
      for (const [id, options] of [
        [client_id, { token }],
        ['x'.repeat(40), {}],
        [revoked.client_id, {}],
        ['%00', {}],
      ] as const) {
        const answer = await started.request(method, `${path}/${id}${end}`, { ...options, ...(body && { body }) })
        expect([answer.status, answer.body.message, answer.body.resource]).toEqual([404, 'NOT_FOUND', 'apps'])
      }
    }
    expect((await list()).map((each) => each.client_id)).toContain(client_id)
  })

  it('answers 403 without a token, and to tokens of applications', async () => {
    const { client_id } = await register()
    for (const token of [null, await tokenFor(client_id)]) {
      const answers = [
        await started.request('GET', path, { token }),
        await started.request('POST', path, { token, body: {} }),
      ]
      for (const [method, end, body] of operations) {
        answers.push(await started.request(method, `${path}/${client_id}${end}`, { token, ...(body && { body }) }))
      }
      for (const { status, body } of answers) expect([status, body.message]).toEqual([403, 'FORBIDDEN'])
    }
  })

  it('is open to readers, for their own', async () => {
    const token = await aMember(started, started.groupGuid, 'reader')
    const { status } = await started.request('POST', path, { token, body: { name: 'Mine' } })
    expect(status).toBe(201)
    expect((await started.request('GET', path, { token })).body.applications).toHaveLength(1)
  })
})
