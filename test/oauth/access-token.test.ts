import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { codeIn, type SmsReceiver, startSmsReceiver } from '../support/sms-receiver.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { aClock, anApplication, aPerson, password, withAuthenticator, withPhone } from './people.js'

const clock = aClock()
let started: StartedApp
let phone: SmsReceiver
let login: string
let app: Awaited<ReturnType<typeof anApplication>>
beforeAll(async () => {
  phone = await startSmsReceiver()
  started = await startApp({ trustProxy: 1, smsGatewayUrl: phone.url }, { clock })
})
afterAll(async () => {
  await started.close()
  await phone.close()
})
beforeEach(async () => {
  login = await aPerson(started)
  app = await anApplication(started)
})

const form = 'application/x-www-form-urlencoded'
const basic = (name: string, secret: string) => `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`
const refused = (status: number, text: string) => ({ status_code: status, data: null, status_txt: text })
const worksFor = async (token: string) => (await started.request('GET', '/v4/user', { token })).body.login

// Each test uses its own IP, so that attempts are not counted together.
let addresses = 0
function send(body: string | undefined, headers: Record<string, string>) {
  addresses += 1
  const from = { 'x-forwarded-for': `192.0.${addresses >> 8}.${addresses & 255}` }
  const type = body === undefined ? {} : { 'content-type': form }
  const options = { token: null, ...(body !== undefined && { body }), headers: { ...from, ...type, ...headers } }
  return started.request('POST', '/oauth/access_token', options)
}

function encoded(fields: Record<string, string | undefined>): string {
  const pairs = Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return new URLSearchParams(pairs).toString()
}

describe('the password grant', () => {
  const grant = (fields: Record<string, string | undefined> = {}, headers: Record<string, string> = {}) =>
    send(encoded({ grant_type: 'password', username: login, password, ...fields }), {
      authorization: basic(app.clientId, app.clientSecret),
      ...headers,
    })

  it('returns the access token as JSON', async () => {
    const { status, headers, body } = await grant()
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    expect(headers['cache-control']).toBe('no-store')
    expect(body).toEqual({ access_token: expect.stringMatching(/^[0-9a-f]{40}$/) })
    expect(await worksFor(body.access_token)).toBe(login)
  })

  it('accepts an email address as the login', async () => {
    expect((await grant({ username: `${login}@example.com` })).status).toBe(200)
  })

  it('accepts client credentials in the form, with or without the header', async () => {
    const inForm = { client_id: app.clientId, client_secret: app.clientSecret }
    expect((await grant(inForm)).status).toBe(200)
    const body = encoded({ grant_type: 'password', username: login, password, ...inForm })
    expect((await send(body, {})).status).toBe(200)
  })

  it('rejects two secrets that differ, even if one is right', async () => {
    const wrong = await grant({ client_id: app.clientId, client_secret: 'f'.repeat(40) })
    expect([wrong.status, wrong.body]).toEqual([401, refused(401, 'INVALID_CLIENT_SECRET')])
    const inForm = { client_id: app.clientId, client_secret: app.clientSecret }
    const header = { authorization: basic(app.clientId, 'f'.repeat(40)) }
    expect((await grant(inForm, header)).body).toEqual(refused(401, 'INVALID_CLIENT_SECRET'))
  })

  it.each([
    ['a wrong password', { password: 'wrong' }, 401, 'INVALID_LOGIN'],
    ['an unknown login', { username: 'nobody' }, 401, 'INVALID_LOGIN'],
    ['a login that cannot be one', { username: '\u0000\ud800' }, 401, 'INVALID_LOGIN'],
    ['a missing username', { username: undefined }, 400, 'MISSING_ARG_USERNAME'],
    ['a missing password', { password: undefined }, 400, 'MISSING_ARG_PASSWORD'],
    ['another client in the form', { client_id: 'other' }, 401, 'INVALID_CLIENT_ID'],
  ])('refuses %s', async (_, fields, status, text) => {
    const answer = await grant(fields)
    expect([answer.status, answer.body]).toEqual([status, refused(status, text)])
  })

  it.each([
    ['an unknown client', () => basic('nobody', 'x'), 401, 'INVALID_CLIENT_ID'],
    ['a wrong secret', () => basic(app.clientId, 'wrong'), 401, 'INVALID_CLIENT_SECRET'],
    ['an empty secret', () => basic(app.clientId, ''), 401, 'INVALID_CLIENT_SECRET'],
    ['a header that cannot be read', () => 'Basic ?', 401, 'INVALID_CLIENT_ID'],
    ['a header without a colon', () => `Basic ${Buffer.from('abc').toString('base64')}`, 401, 'INVALID_CLIENT_ID'],
    ['no client at all', () => 'Bearer x', 400, 'MISSING_ARG_CLIENT_ID'],
  ])('refuses %s', async (_, authorization, status, text) => {
    const answer = await grant({}, { authorization: authorization() })
    expect([answer.status, answer.body]).toEqual([status, refused(status, text)])
    if (status === 401) expect(answer.headers['www-authenticate']).toMatch(/^Basic /)
  })

  it('requires the secret also from an application that must use PKCE', async () => {
    app = await anApplication(started, { requirePkce: true })
    const body = encoded({ grant_type: 'password', username: login, password, client_id: app.clientId })
    expect((await send(body, {})).body).toEqual(refused(401, 'INVALID_CLIENT_SECRET'))
  })

  it('answers 2FA_CODE_REQUESTED first, and the token when the request is repeated with the code', async () => {
    const { nextCode, recoveryCodes } = await withAuthenticator(started, login, clock)
    const first = await grant()
    expect([first.status, first.body]).toEqual([401, refused(401, '2FA_CODE_REQUESTED')])
    const code = nextCode()
    expect((await grant({ code: code === '000000' ? '000001' : '000000' })).body).toEqual(refused(401, 'INVALID_LOGIN'))
    const { status, body } = await grant({ code })
    expect(status).toBe(200)
    expect(await worksFor(body.access_token)).toBe(login)
    expect((await grant({ code })).body).toEqual(refused(401, 'INVALID_LOGIN'))
    expect((await grant({ code: recoveryCodes[0] })).status).toBe(200)
  })

  it('sends the code by SMS on the first request, if the user chose SMS', async () => {
    await withPhone(started, login, phone.messages)
    clock.offset += 60_000
    const before = phone.messages.length
    const first = await grant()
    expect([first.body, first.headers['retry-after']]).toEqual([refused(401, '2FA_CODE_REQUESTED'), undefined])
    const again = await grant()
    expect([again.body, again.headers['retry-after']]).toEqual([refused(401, '2FA_CODE_REQUESTED'), '30'])
    expect(phone.messages).toHaveLength(before + 1)
    const { status, body } = await grant({ code: codeIn(phone.messages.at(-1)?.text) })
    expect(status).toBe(200)
    expect(await worksFor(body.access_token)).toBe(login)
  })

  it('does not request a code if the password is wrong', async () => {
    await withAuthenticator(started, login, clock)
    expect((await grant({ password: 'wrong' })).body).toEqual(refused(401, 'INVALID_LOGIN'))
  })

  it('answers 429 to hundreds of wrong passwords, with the time to wait', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => grant({ password: 'wrong' }, { 'x-forwarded-for': '198.51.100.7' })),
    )
    const limited = answers.filter(({ status }) => status === 429)
    expect(limited.length).toBeGreaterThanOrEqual(30)
    expect(limited[0]?.body).toEqual(refused(429, 'RATE_LIMIT_EXCEEDED'))
    expect(Number(limited[0]?.headers['retry-after'])).toBeGreaterThan(0)
  })

  it('limits tokens per account and application', async () => {
    for (let each = 0; each < 20; each += 1) expect((await grant()).status).toBe(200)
    const limited = await grant()
    expect([limited.status, limited.body]).toEqual([429, refused(429, 'RATE_LIMIT_EXCEEDED')])
    expect(limited.headers['retry-after']).toBe('300')
    const first = app
    app = await anApplication(started)
    expect((await grant()).status).toBe(200)
    app = first
    clock.offset += 5 * 60_000
    expect((await grant()).status).toBe(200)
  })
})

describe('the HTTP basic flow', () => {
  const flow = (fields?: Record<string, string>, authorization = basic(login, password)) =>
    send(fields && encoded(fields), { authorization })

  it('returns the token as plain text', async () => {
    const { status, headers, text } = await flow()
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(text).toMatch(/^[0-9a-f]{40}$/)
    expect(await worksFor(text)).toBe(login)
  })

  it('accepts an application in the form, which its links name', async () => {
    const { text } = await flow({ client_id: app.clientId, client_secret: app.clientSecret })
    const long_url = `https://example.com/${login}`
    const { body } = await started.request('POST', '/v4/shortlinks', { token: text, body: { long_url } })
    expect(body).toMatchObject({ created_by: login, client_id: app.clientId })
  })

  it('accepts a password with a colon and non-ASCII letters', async () => {
    const { createUser } = await import('../../src/core/accounts/users.js')
    await createUser(started.app, operator, { login: 'colon', password: 'a:b:ü:✓-long' })
    expect((await flow(undefined, basic('colon', 'a:b:ü:✓-long'))).status).toBe(200)
  })

  it.each([
    ['a wrong password', undefined, () => basic(login, 'wrong'), 'INVALID_LOGIN'],
    ['an unknown login', undefined, () => basic('nobody', password), 'INVALID_LOGIN'],
    ['a header that cannot be read', undefined, () => 'Basic %%%', 'INVALID_LOGIN'],
    ['an empty header', undefined, () => 'Basic', 'INVALID_LOGIN'],
    ['an unknown client', { client_id: 'x' }, undefined, 'INVALID_CLIENT_ID'],
  ])('refuses %s as text', async (_, fields, authorization, expected) => {
    const { status, headers, text } = await flow(fields, authorization?.())
    expect([status, headers['content-type'], text]).toEqual([401, 'text/plain; charset=utf-8', expected])
  })

  it('refuses an application without its secret', async () => {
    expect((await flow({ client_id: app.clientId })).text).toBe('INVALID_CLIENT_SECRET')
  })

  it('cannot be used when two-factor authentication is on', async () => {
    const { nextCode } = await withAuthenticator(started, login, clock)
    const { status, text } = await flow()
    expect([status, text]).toEqual([401, '2FA_CODE_REQUESTED'])
    const withoutPhone = phone.messages.length
    login = await aPerson(started)
    await withPhone(started, login, phone.messages)
    clock.offset += 60_000
    expect((await flow()).text).toBe('2FA_CODE_REQUESTED')
    expect(phone.messages).toHaveLength(withoutPhone + 1)
    // With a code it is the web flow, which needs an application.
    expect((await flow({ code: nextCode() })).body).toEqual(refused(400, 'MISSING_ARG_REDIRECT_URI'))
  })
})

describe('POST /oauth/access_token', () => {
  it.each([
    ['an empty request', undefined, {}, 400, 'MISSING_ARG_CLIENT_ID'],
    ['an unknown grant type', 'grant_type=client_credentials', {}, 400, 'INVALID_GRANT_TYPE'],
    ['a parameter sent twice', 'code=1&code=2', {}, 400, 'INVALID_ARG_CODE'],
    ['a form that is too large', `code=${'x'.repeat(20_000)}`, {}, 413, 'PAYLOAD_TOO_LARGE'],
    ['JSON', '{}', { 'content-type': 'application/json' }, 415, 'INVALID_CONTENT_TYPE_HEADER'],
    ['a body of no type', 'code=1', { 'content-type': '' }, 415, 'INVALID_CONTENT_TYPE_HEADER'],
  ])('refuses %s', async (_, body, headers, status, text) => {
    const answer = await send(body, headers)
    expect([answer.status, answer.body]).toEqual([status, refused(status, text)])
  })

  it('does not accept credentials in the URL', async () => {
    const { status } = await started.request('POST', `/oauth/access_token?${encoded({ username: login, password })}`, {
      token: null,
    })
    expect(status).toBe(400)
  })

  it('answers other methods with 405', async () => {
    expect((await started.request('GET', '/oauth/access_token')).status).toBe(405)
  })
})

describe('GET /.well-known/oauth-authorization-server', () => {
  it('lists endpoints and capabilities', async () => {
    const { status, headers, body } = await started.request('GET', '/.well-known/oauth-authorization-server', {
      token: null,
    })
    const { baseUrl } = started.app.config
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    expect(body).toEqual({
      issuer: baseUrl,
      authorization_endpoint: `${baseUrl}/oauth/authorize`,
      token_endpoint: `${baseUrl}/oauth/access_token`,
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      revocation_endpoint: `${baseUrl}/oauth/revoke`,
      revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      service_documentation: `${baseUrl}/docs`,
      grant_types_supported: ['authorization_code', 'password'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      code_challenge_methods_supported: ['S256'],
      scopes_supported: [
        'links:read',
        'links:write',
        'links:create',
        'analytics:read',
        'qr',
        'sites',
        'exports',
        'all',
      ],
    })
  })
})

describe('GET /.well-known/oauth-protected-resource', () => {
  it('names the API and who gives tokens for it', async () => {
    const path = '/.well-known/oauth-protected-resource'
    const { status, headers, body } = await started.request('GET', path, { token: null })
    const { baseUrl } = started.app.config
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    expect(body).toEqual({
      resource: baseUrl,
      authorization_servers: [baseUrl],
      scopes_supported: ['links:read', 'links:write', 'links:create', 'analytics:read', 'qr', 'sites', 'exports'],
      bearer_methods_supported: ['header'],
      resource_documentation: `${baseUrl}/docs`,
    })
  })
})
