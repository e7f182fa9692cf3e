import { beforeAll, describe, expect, it } from 'vitest'
import { type FormBrowser, signedIn } from '../oauth/form-browser.js'
import { aPerson, password } from '../oauth/people.js'
import { startApp, useApp } from '../support/start-app.js'

describe('requests of a signed-in browser', () => {
  // It stands still: no minute of a limit ends between two requests.
  const at = Date.now()
  const started = useApp({ apiRequestsPerHour: 60 }, { clock: { now: () => at } })
  let login: string
  let browser: FormBrowser
  let csrf: string
  beforeAll(async () => {
    login = await aPerson(started)
    browser = await signedIn(started, login, password)
    csrf = (await browser.open('/account/session')).body.csrf
  })

  const cookie = () => [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const ask = (headers: Record<string, string>, path = '/v4/user') =>
    started.request('GET', path, { token: null, headers })

  it('act for the person with the session and its CSRF value', async () => {
    const { status, body } = await ask({ cookie: cookie(), 'x-csrf-token': csrf })
    expect([status, body.login]).toEqual([200, login])
    const made = await started.request('POST', '/v4/shorten', {
      token: null,
      headers: { cookie: cookie(), 'x-csrf-token': csrf },
      body: { long_url: 'https://example.com/by-browser' },
    })
    expect(made.status).toBe(201)
  })

  it('are refused with the cookie alone, which another site can make a browser send', async () => {
    expect(await ask({ cookie: cookie() })).toMatchObject({ status: 403, body: { message: 'FORBIDDEN' } })
  })

  it.each([
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ 'sec-fetch-site': 'same-origin' }, 200],
  ])('with %o, and the right CSRF value, get %s', async (said, status) => {
    expect((await ask({ cookie: cookie(), 'x-csrf-token': csrf, ...said })).status).toBe(status)
  })

  it.each([{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }, { origin: 'null' }])(
    'that submit a form with %o are refused, also with its CSRF value',
    async (said) => {
      const post = (headers: object) =>
        started.request('POST', '/account/sign-out', {
          token: null,
          headers: { cookie: cookie(), 'content-type': 'application/x-www-form-urlencoded', ...headers },
          body: `csrf=${csrf}`,
        })
      const { status, text } = await post(said)
      expect([status, text]).toEqual([403, expect.stringContaining('This form is from another site')])
      expect((await ask({ cookie: cookie(), 'x-csrf-token': csrf })).status).toBe(200)
    },
  )

  it.each([
    [
      'the CSRF value of another session',
      async () => {
        const other = await signedIn(started, await aPerson(started), password)
        return { cookie: cookie(), 'x-csrf-token': (await other.open('/account/session')).body.csrf }
      },
    ],
    ['a made-up CSRF value', async () => ({ cookie: cookie(), 'x-csrf-token': 'x' })],
    ['the CSRF value without a session', async () => ({ 'x-csrf-token': csrf })],
  ])('are told to sign in again with %s', async (_, headers) => {
    expect(await ask(await headers())).toMatchObject({ status: 401, body: { message: 'SESSION_EXPIRED' } })
  })

  it('use the token where one is sent too', async () => {
    const headers = { cookie: cookie(), 'x-csrf-token': csrf, authorization: `Bearer ${started.token}` }
    expect((await ask(headers)).body.login).toBe('admin')
  })

  it('have a budget of their own', async () => {
    const asProgram = () => started.request('GET', '/v4/groups')
    const asBrowser = async () => {
      const admin = await signedIn(started, 'admin', 'correct horse')
      const own = (await admin.open('/account/session')).body.csrf
      const sent = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      return ask({ cookie: sent, 'x-csrf-token': own }, '/v4/groups')
    }
    const left = (await asProgram()).headers['x-ratelimit-remaining']
    expect((await asBrowser()).status).toBe(200)
    expect(Number((await asProgram()).headers['x-ratelimit-remaining'])).toBe(Number(left) - 1)
  })

  it('end with the session', async () => {
    await browser.post('/account/sign-out', `csrf=${csrf}`)
    expect((await ask({ cookie: cookie(), 'x-csrf-token': csrf })).status).toBe(401)
  })
})

describe('the session', () => {
  it('is told to nobody else', async () => {
    const started = await startApp()
    const { status, headers } = await started.request('GET', '/account/session', { token: null })
    expect(status).toBe(401)
    expect(headers).toMatchObject({ 'cache-control': 'no-store' })
    expect(headers['access-control-allow-origin']).toBeUndefined()
    await started.close()
  })
})
