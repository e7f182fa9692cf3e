import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { revokeApplication } from '../../src/core/accounts/applications.js'
import { useApp } from '../support/start-app.js'
import { FormBrowser, signedIn } from './form-browser.js'
import { aClock, anApplication, aPerson, back, password } from './people.js'

const clock = aClock()
const started = useApp({}, { clock })
let login: string
let app: Awaited<ReturnType<typeof anApplication>>
let browser: FormBrowser
beforeEach(async () => {
  login = await aPerson(started)
  app = await anApplication(started)
  browser = await signedIn(started, login, password)
})

const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const challenge = createHash('sha256').update(verifier).digest('base64url')
const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }

const authorizePath = (changes: Record<string, string | undefined> = {}) =>
  `/oauth/authorize?${encoded({ client_id: app.clientId, redirect_uri: back, ...changes })}`

const foreign = (uri: string) => authorizePath({ redirect_uri: uri })

function encoded(fields: Record<string, string | undefined>): string {
  const pairs = Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return new URLSearchParams(pairs).toString()
}

async function allow(path = authorizePath()): Promise<URL> {
  await browser.open(path)
  const answer = await browser.submit('/oauth/authorize', { decision: 'allow' })
  expect(answer.status).toBe(303)
  return new URL(answer.headers.location ?? '')
}

async function aCode(changes: Record<string, string | undefined> = {}): Promise<string> {
  return (await allow(authorizePath(changes))).searchParams.get('code') ?? ''
}

function exchange(fields: Record<string, string | undefined>, headers: Record<string, string> = {}) {
  const body = encoded({
    client_id: app.clientId,
    client_secret: app.clientSecret,
    redirect_uri: back,
    ...fields,
  })
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  return started.request('POST', '/oauth/access_token', { token: null, body, headers: { ...type, ...headers } })
}

const tokenFor = async (code: string, changes: Record<string, string> = {}) =>
  new URLSearchParams((await exchange({ code, ...changes })).text).get('access_token') ?? ''
const refusalOf = async (token: string, path: string) => (await started.request('GET', path, { token })).body.message
const refused = (status: number, text: string) => ({ status_code: status, data: null, status_txt: text })
const worksFor = async (token: string) => (await started.request('GET', '/v4/user', { token })).status === 200

it('allows only what somebody has read: the page is shown again when the application has changed since', async () => {
  app = await anApplication(started, { scopes: ['links:read'] })
  await browser.open(authorizePath())
  const changes = { scopes: ['all'], name: 'Another name' }
  const path = `/v4/user/applications/${app.clientId}`
  expect((await started.request('PATCH', path, { body: changes })).status).toBe(200)
  const again = await browser.submit('/oauth/authorize', { decision: 'allow' })
  expect([again.status, again.headers.location]).toEqual([200, undefined])
  expect(again.text).toContain('Allow Another name?')
  expect(again.text).toContain('Create, change and delete links')
  expect((await browser.submit('/oauth/authorize', { decision: 'allow' })).status).toBe(303)
})

describe('scopes', () => {
  it('of an application are named in words, and kept by the token', async () => {
    app = await anApplication(started, { scopes: ['links:read', 'qr'] })
    const whole = await browser.open(authorizePath())
    expect(whole.text).toContain('<li>Read links, QR codes')
    expect(whole.text).not.toContain('everything')
    const token = await tokenFor(await aCode())
    expect(await refusalOf(token, `/v4/groups/${started.groupGuid}/shortlinks`)).toBeUndefined()
    expect(await refusalOf(token, `/v4/groups/${started.groupGuid}/clicks`)).toBe('INSUFFICIENT_SCOPE')
  })

  // docs/oauth.md#web-flow
  it.each<[string, string]>([
    ['a scope', 'scope=links:read'],
    ['scopes of another service', 'scope=openid%20profile'],
    ['a scope twice', 'scope=qr&scope=qr'],
    ['a resource of another service', 'resource=https%3A%2F%2Fother.example'],
  ])('are all of them when it sends %s: such parameters are ignored', async (_, parameters) => {
    app = await anApplication(started, { scopes: ['analytics:read', 'qr'] })
    const to = await allow(`${authorizePath({ state: 's' })}&${parameters}`)
    expect([...to.searchParams.keys()]).toEqual(['kept', 'code', 'state'])
    const code = to.searchParams.get('code') ?? ''
    const token = await tokenFor(code, { resource: 'https://other.example', scope: 'openid', refresh_token: 'x' })
    expect(await refusalOf(token, `/v4/groups/${started.groupGuid}/clicks`)).toBeUndefined()
  })

  it('that only people have cannot be registered', async () => {
    await expect(anApplication(started, { scopes: ['admin'] })).rejects.toThrow('"admin" is not possible')
  })
})

describe('GET /oauth/authorize', () => {
  it('asks the user, with name, description and redirect target', async () => {
    app = await anApplication(started, {
      name: 'R & <b>D</b>',
      description: 'Reads "everything"',
      link: 'https://r.example/',
    })
    const { status, text } = await browser.open(authorizePath())
    expect(status).toBe(200)
    expect(text).toContain('Allow R &#38; &#60;b&#62;D&#60;/b&#62;?</h1>')
    expect(text).toContain('Reads &#34;everything&#34;')
    expect(text).toContain('href="https://r.example/"')
    expect(text).toContain('<strong>reader.example</strong>')
    expect(text).toContain(`Signed in as <strong>${login}</strong>`)
  })

  it('sends a user who is not signed in to sign-in, and back', async () => {
    browser = new FormBrowser(started)
    const path = authorizePath({ state: 'a b&c=d/ü' })
    const { status, headers } = await browser.open(path)
    expect([status, headers.location]).toEqual([303, `/account/sign-in?next=${encodeURIComponent(path)}`])
    expect((await browser.open(headers.location ?? '')).text).toContain('To continue to <strong>Reader</strong>')
    const after = await browser.submit('/account/sign-in', { login, password })
    expect([after.status, after.headers.location]).toEqual([303, path])
  })

  it('allows form redirects only to the application and its schemes', async () => {
    const { headers } = await browser.open(authorizePath())
    expect(headers['content-security-policy']).toContain("; form-action 'self' https:; frame-ancestors 'none'")
    app = await anApplication(started, { redirectUris: ['reader://back'] })
    const phone = await browser.open(authorizePath({ redirect_uri: 'reader://back' }))
    expect(phone.headers['content-security-policy']).toContain("; form-action 'self' reader: https:;")
    expect(phone.text).toContain('will open <strong>reader:</strong> on this device')
  })

  it('tolerates response_type=code', async () => {
    expect((await browser.open(authorizePath({ response_type: 'code' }))).status).toBe(200)
  })

  it.each([
    ['an unknown client', () => authorizePath({ client_id: 'x'.repeat(40) })],
    ['a client that cannot be one', () => authorizePath({ client_id: "' or 1=1" })],
    ['no client', () => authorizePath({ client_id: undefined })],
    ['a foreign redirect URI', () => authorizePath({ redirect_uri: 'https://evil.example/back' })],
    [
      'a redirect URI that only begins like the registered one',
      () => authorizePath({ redirect_uri: `${back}&more=1` }),
    ],
    ['a redirect URI that only means the same', () => authorizePath({ redirect_uri: back.replace('https', 'HTTPS') })],
    [
      'a redirect URI with another host behind a name',
      () => foreign('https://reader.example@evil.example/back?kept=1'),
    ],
    ['a redirect URI with a fragment', () => foreign(`${back}#x`)],
    ['a redirect URI with a dot behind the host', () => foreign('https://reader.example./back?kept=1')],
    ['a redirect URI in other letters', () => foreign('https://READER.example/back?kept=1')],
    ['a redirect URI with an encoded letter', () => foreign('https://reader.example/%62ack?kept=1')],
    ['a redirect URI with an encoded slash', () => foreign('https://reader.example%2fback?kept=1')],
    ['a redirect URI with its port', () => foreign('https://reader.example:443/back?kept=1')],
    ['a redirect URI with a space', () => foreign(`${back} `)],
    ['a second redirect URI under an encoded name', () => `${authorizePath()}&%72edirect_uri=https://evil.example/`],
    ['a malformed redirect URI', () => authorizePath({ redirect_uri: 'not a URI' })],
    ['a script as redirect URI', () => authorizePath({ redirect_uri: 'javascript:alert(1)' })],
    ['no redirect URI', () => authorizePath({ redirect_uri: undefined })],
    ['two redirect URIs', () => `${authorizePath()}&redirect_uri=${encodeURIComponent('https://evil.example/')}`],
    ['two clients', () => `${authorizePath()}&client_id=other`],
    ['two states', () => `${authorizePath()}&state=1&state=2`],
  ])('answers %s with an error page, never with a redirect', async (_, path) => {
    for (const answer of [await browser.open(path()), await browser.post(path(), 'decision=allow')]) {
      expect(answer.status).toBe(400)
      expect(answer.headers.location).toBeUndefined()
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
      expect(answer.text).toContain('Nothing was shared with it.')
      expect(answer.text).not.toContain('evil')
    }
  })

  it('shows an error page for a revoked application', async () => {
    await revokeApplication(started.app, operator, { clientId: app.clientId })
    expect((await browser.open(authorizePath())).status).toBe(400)
  })

  it.each([
    ['another response_type', { response_type: 'token' }, 'unsupported_response_type'],
    ['a plain challenge', { code_challenge: challenge, code_challenge_method: 'plain' }, 'invalid_request'],
    ['a challenge without a method', { code_challenge: challenge }, 'invalid_request'],
    ['a method without a challenge', { code_challenge_method: 'S256' }, 'invalid_request'],
    ['a challenge that is no digest', { ...pkce, code_challenge: 'short' }, 'invalid_request'],
  ])('reports %s to the application, with its state', async (_, fields, error) => {
    const { status, headers } = await browser.open(authorizePath({ ...fields, state: 'mine' }))
    expect(status).toBe(302)
    const to = new URL(headers.location ?? '')
    expect(to.href.startsWith(`${back}&`)).toBe(true)
    expect([to.searchParams.get('error'), to.searchParams.get('state')]).toEqual([error, 'mine'])
    expect(to.searchParams.has('code')).toBe(false)
  })

  it('requires a challenge from an application that must use PKCE', async () => {
    app = await anApplication(started, { requirePkce: true })
    const { headers } = await browser.open(authorizePath())
    expect(new URL(headers.location ?? '').searchParams.get('error')).toBe('invalid_request')
    expect((await browser.open(authorizePath(pkce))).status).toBe(200)
  })
})

describe('POST /oauth/authorize', () => {
  it('redirects with a code when the user allows it', async () => {
    const to = await allow()
    expect(to.href).toMatch(/^https:\/\/reader\.example\/back\?kept=1&code=[0-9a-f]{40}$/)
  })

  it('redirects with access_denied and the state when the user denies it', async () => {
    await browser.open(authorizePath({ state: 'mine' }))
    const { status, headers } = await browser.submit('/oauth/authorize', { decision: 'deny' })
    expect([status, headers.location]).toEqual([303, `${back}&error=access_denied&state=mine`])
  })

  it.each([
    'plain',
    'a%20b+c',
    '%2f%2F%7e~',
    '%FF%00%0d%0a',
    '%26code%3Dforged',
    '%3Cscript%3E%22%27',
    'a=b==',
    '%E2%9C%93',
    '',
  ])('returns the state %j byte for byte', async (state) => {
    await browser.open(`${authorizePath()}&state=${state}`)
    const { headers } = await browser.submit('/oauth/authorize', { decision: 'allow' })
    expect(headers.location?.replace(/code=[0-9a-f]{40}/, 'code=x')).toBe(`${back}&code=x&state=${state}`)
    await browser.open(`${authorizePath()}&state=${state}`)
    const denied = await browser.submit('/oauth/authorize', { decision: 'deny' })
    expect(denied.headers.location).toBe(`${back}&error=access_denied&state=${state}`)
  })

  it('returns the state byte for byte through sign-in', async () => {
    browser = new FormBrowser(started)
    const state = '%2f+%20~%22'
    const first = await browser.open(`${authorizePath()}&state=${state}`)
    await browser.open(first.headers.location ?? '')
    const second = await browser.submit('/account/sign-in', { login, password })
    await browser.open(second.headers.location ?? '')
    const { headers } = await browser.submit('/oauth/authorize', { decision: 'allow' })
    expect(headers.location?.endsWith(`&state=${state}`)).toBe(true)
  })

  it.each([
    ['without the form’s own value', { csrf: undefined }, 403],
    ['with the value of another session', { csrf: 'a'.repeat(64) }, 403],
    ['without an answer', { decision: undefined }, 400],
    ['with another answer', { decision: 'maybe' }, 400],
  ])('gives no code %s', async (_, fields, status) => {
    await browser.open(authorizePath())
    const answer = await browser.submit('/oauth/authorize', { decision: 'allow', ...fields })
    expect([answer.status, answer.headers.location]).toEqual([status, undefined])
  })

  it('sends a user whose session has ended to sign-in', async () => {
    await browser.open(authorizePath())
    browser.cookies.clear()
    const { status, headers } = await browser.submit('/oauth/authorize', { decision: 'allow' })
    expect([status, headers.location]).toEqual([303, `/account/sign-in?next=${encodeURIComponent(authorizePath())}`])
  })

  it('rejects a body that is too large or not a form', async () => {
    await browser.open(authorizePath())
    expect((await browser.submit('/oauth/authorize', { decision: 'allow', more: 'x'.repeat(20_000) })).status).toBe(413)
    expect((await browser.post(authorizePath(), '{"decision":"allow"}', 'application/json')).status).toBe(415)
    expect(browser.text).toContain('This is not a form')
  })

  it('redirects to a mobile app', async () => {
    app = await anApplication(started, { redirectUris: ['reader://back'] })
    await browser.open(authorizePath({ redirect_uri: 'reader://back' }))
    const { headers } = await browser.submit('/oauth/authorize', { decision: 'allow' })
    expect(headers.location).toMatch(/^reader:\/\/back\?code=[0-9a-f]{40}$/)
  })
})

describe('POST /oauth/access_token with a code', () => {
  it('returns the token and the login, url-encoded', async () => {
    const { status, headers, text } = await exchange({ code: await aCode() })
    expect([status, headers['content-type']]).toEqual([200, 'application/x-www-form-urlencoded'])
    expect(headers['cache-control']).toBe('no-store')
    const answer = Object.fromEntries(new URLSearchParams(text))
    expect(answer).toEqual({ access_token: expect.stringMatching(/^[0-9a-f]{40}$/), login })
    expect(await worksFor(answer.access_token ?? '')).toBe(true)
  })

  it('returns JSON for Accept: application/json', async () => {
    const accept = 'text/html;q=0.5, application/json'
    const { status, headers, body } = await exchange({ code: await aCode() }, { accept })
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    expect(body).toEqual({ access_token: expect.stringMatching(/^[0-9a-f]{40}$/), token_type: 'bearer', login })
  })

  it.each(['*/*', 'application/json;q=0', 'application/jsonp'])('answers a form to Accept: %s', async (accept) => {
    const { headers } = await exchange({ code: await aCode() }, { accept })
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded')
  })

  it('lets the application act for the user: its links name both', async () => {
    const token = new URLSearchParams((await exchange({ code: await aCode() })).text).get('access_token') ?? ''
    const long_url = `https://example.com/${login}`
    const { body } = await started.request('POST', '/v4/shortlinks', { token, body: { long_url } })
    expect(body).toMatchObject({ created_by: login, client_id: app.clientId })
  })

  it('accepts grant_type=authorization_code, and client credentials in the header', async () => {
    const basic = Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64')
    const fields = { grant_type: 'authorization_code', client_id: undefined, client_secret: undefined }
    const { status } = await exchange({ code: await aCode(), ...fields }, { authorization: `Basic ${basic}` })
    expect(status).toBe(200)
  })

  it('accepts the verifier of the challenge', async () => {
    expect((await exchange({ code: await aCode(pkce), code_verifier: verifier })).status).toBe(200)
  })

  it('lets an application that must use PKCE leave its secret out, but not send a wrong one', async () => {
    app = await anApplication(started, { requirePkce: true })
    const code = await aCode(pkce)
    const wrong = await exchange({ code, code_verifier: verifier, client_secret: 'wrong' })
    expect(wrong.body).toEqual(refused(401, 'INVALID_CLIENT_SECRET'))
    expect((await exchange({ code, code_verifier: verifier, client_secret: undefined })).status).toBe(200)
  })

  it.each([
    ['an unknown code', { code: 'f'.repeat(40) }, 401, 'INVALID_CODE'],
    ['a missing code', {}, 400, 'MISSING_ARG_CODE'],
    ['an empty code', { code: '' }, 400, 'MISSING_ARG_CODE'],
    ['a missing client', { code: 'x', client_id: undefined }, 400, 'MISSING_ARG_CLIENT_ID'],
    ['an unknown client', { code: 'x', client_id: 'nobody' }, 401, 'INVALID_CLIENT_ID'],
    ['a wrong secret', { code: 'x', client_secret: 'f'.repeat(40) }, 401, 'INVALID_CLIENT_SECRET'],
    ['a missing secret', { code: 'x', client_secret: undefined }, 401, 'INVALID_CLIENT_SECRET'],
    ['a missing redirect URI', { code: 'x', redirect_uri: undefined }, 400, 'MISSING_ARG_REDIRECT_URI'],
    ['another grant type', { code: 'x', grant_type: 'refresh_token' }, 400, 'INVALID_GRANT_TYPE'],
  ])('refuses %s in the envelope, with a real status', async (_, fields, status, text) => {
    const answer = await exchange(fields)
    expect(answer.status).toBe(status)
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(answer.body).toEqual(refused(status, text))
  })

  it('refuses a redirect URI that differs from that of the code, and keeps the code', async () => {
    const other = 'https://reader.example/other'
    app = await anApplication(started, { redirectUris: [back, other] })
    const code = await aCode()
    expect((await exchange({ code, redirect_uri: other })).body).toEqual(refused(401, 'INVALID_REDIRECT_URI'))
    expect((await exchange({ code })).status).toBe(200)
  })

  it.each([
    ['no verifier', undefined],
    ['a wrong verifier', verifier.replace('d', 'e')],
    ['the challenge as verifier', challenge],
  ])('refuses %s for a code with a challenge', async (_, code_verifier) => {
    expect((await exchange({ code: await aCode(pkce), code_verifier })).body).toEqual(
      refused(401, 'INVALID_CODE_VERIFIER'),
    )
  })

  it('refuses a verifier for a code without a challenge', async () => {
    const answer = await exchange({ code: await aCode(), code_verifier: verifier })
    expect(answer.body).toEqual(refused(401, 'INVALID_CODE_VERIFIER'))
  })

  it('refuses a code of another application, which keeps it', async () => {
    const code = await aCode()
    const owner = app
    app = await anApplication(started, { name: 'Thief' })
    expect((await exchange({ code })).body).toEqual(refused(401, 'INVALID_CODE'))
    app = owner
    expect((await exchange({ code })).status).toBe(200)
  })

  it('refuses a code after a minute', async () => {
    const code = await aCode()
    clock.offset += 60_000
    expect((await exchange({ code })).body).toEqual(refused(401, 'INVALID_CODE'))
  })

  it('refuses a code the second time, and revokes its token', async () => {
    const code = await aCode()
    const token = new URLSearchParams((await exchange({ code })).text).get('access_token') ?? ''
    expect(await worksFor(token)).toBe(true)
    clock.offset += 3_600_000
    expect((await exchange({ code })).body).toEqual(refused(401, 'INVALID_CODE'))
    expect(await worksFor(token)).toBe(false)
    const log = await started.app.audit.list({ organizationGuid: undefined, login, after: undefined, size: 3 })
    expect(log.map(({ action }) => action)).toEqual(['token_revoked', 'token_made', 'application_authorized'])
  })

  it('gives one token to ten concurrent callers with one code', async () => {
    const code = await aCode()
    const answers = await Promise.all(Array.from({ length: 10 }, () => exchange({ code })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(9)
  })

  it('refuses the code of an application that was revoked', async () => {
    const code = await aCode()
    await revokeApplication(started.app, operator, { clientId: app.clientId })
    expect((await exchange({ code })).body).toEqual(refused(401, 'INVALID_CLIENT_ID'))
  })
})
