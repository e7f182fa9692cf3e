import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { startSmtpServer } from '../support/smtp-server.js'
import { startApp, useStarted } from '../support/start-app.js'
import { FormBrowser, signedIn } from './form-browser.js'
import { organizationOf, takeInvitation, takeReset } from './letters.js'
import { aClock, aPerson, password, withAuthenticator } from './people.js'

const clock = aClock()
const smtp = useStarted(startSmtpServer)
const started = useStarted(() => startApp({ smtpUrl: smtp.url }, { clock }))
let login: string
let browser: FormBrowser
beforeEach(async () => {
  login = await aPerson(started)
  browser = new FormBrowser(started)
})

const isSignedIn = async (as = login) => (await browser.open('/account/session')).body.login === as

describe('every page', () => {
  it.each(['/account/forgot-password', '/account/signed-out', '/oauth/authorize'])(
    '%s is protected: no scripts, no frames, no caching, no referrer',
    async (path) => {
      const { headers, text } = await browser.open(path)
      const style = /<style>(.*?)<\/style>/s.exec(text)?.[1] ?? ''
      const hash = createHash('sha256').update(style).digest('base64')
      expect(headers['content-security-policy']).toBe(
        `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
      )
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'strict-origin',
        'x-content-type-options': 'nosniff',
        'content-type': 'text/html; charset=utf-8',
      })
      expect(text).not.toMatch(/<script|style="|\son\w+=|https?:\/\//)
    },
  )

  it('allows the script of passkeys on the sign-in page, from the service alone', async () => {
    const { headers, text } = await browser.open('/account/sign-in')
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-\S+'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
    )
    expect(text.match(/<script[^>]*>/g)).toEqual(['<script src="/account/passkey.js" defer>'])
    expect(text).not.toMatch(/style="|\son\w+=|https?:\/\//)
  })

  it('is a 404 or 405 for other paths and methods', async () => {
    expect((await browser.open('/account/nothing')).status).toBe(404)
    expect((await browser.post('/account/signed-out', '')).status).toBe(405)
  })
})

describe('signing in', () => {
  it('sets a cookie that scripts and other sites cannot use', async () => {
    await browser.open('/account/sign-in')
    const { status, headers } = await browser.submit('/account/sign-in', { login, password })
    expect([status, headers.location]).toEqual([303, '/app'])
    const [cookie] = headers['set-cookie'] ?? []
    expect(cookie).toMatch(/^shortlink_session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=1209600$/)
    expect(await isSignedIn()).toBe(true)
  })

  it('binds its cookies to https and to the host if the service uses https', async () => {
    const secure = await startApp({ baseUrl: 'https://sho.rt', domains: ['sho.rt'] })
    try {
      const { headers } = await new FormBrowser(secure).open('/account/sign-in')
      expect(headers['set-cookie']?.[0]).toMatch(/^__Host-shortlink_form=[^;]+; Path=\/; .*; Secure$/)
    } finally {
      await secure.close()
    }
  })

  it('continues to the requested page', async () => {
    await browser.open('/account/sign-in?next=%2Fapp%2Flinks%3Fa%3D1')
    const { headers } = await browser.submit('/account/sign-in', { login, password })
    expect(headers.location).toBe('/app/links?a=1')
    expect((await browser.open('/account/sign-in?next=%2Fapp')).headers.location).toBe('/app')
  })

  it.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    'evil',
    '/a\\b',
    'javascript:1',
    // Short links share the host, and lead anywhere.
    '/',
    '/someones-link',
    '/someones-link?a=/account',
    '/account/../someones-link',
    '/account/%2e%2e/someones-link',
    '/account/.%2E/someones-link',
    '/./someones-link',
    '/accounts',
    '/ACCOUNT',
  ])('never continues to %j', async (next) => {
    await browser.open(`/account/sign-in?next=${encodeURIComponent(next)}`)
    const { headers } = await browser.submit('/account/sign-in', { login, password })
    expect(headers.location).toBe('/app')
  })

  it('ends the previous session of the browser', async () => {
    await browser.open('/account/sign-in')
    const form = new URLSearchParams({ ...browser.form('/account/sign-in').fields, login, password }).toString()
    await browser.post('/account/sign-in', form)
    const before = browser.cookies.get('shortlink_session') ?? ''
    await browser.post('/account/sign-in', form)
    expect(await isSignedIn()).toBe(true)
    browser.cookies.set('shortlink_session', before)
    expect(await isSignedIn()).toBe(false)
  })

  it('shows the same message for a wrong password and an unknown login', async () => {
    await browser.open('/account/sign-in')
    const wrong = await browser.submit('/account/sign-in', { login, password: 'wrong' })
    const unknown = await browser.submit('/account/sign-in', { login: 'nobody', password })
    const missing = await browser.submit('/account/sign-in', {})
    for (const { status, text } of [wrong, unknown, missing]) {
      expect(status).toBe(403)
      expect(text).toContain('<p class="bad" role="alert">The login or password is incorrect.</p>')
      expect(text).not.toContain(password)
    }
    expect(wrong.text).toContain(`value="${login}"`)
  })

  it('escapes input', async () => {
    await browser.open('/account/sign-in')
    const { text } = await browser.submit('/account/sign-in', { login: '"><script>alert(1)</script>', password })
    expect(text).toContain('value="&#34;&#62;&#60;script&#62;')
  })

  it('throttles guesses', async () => {
    await browser.open('/account/sign-in')
    let answer = await browser.submit('/account/sign-in', { login, password: 'wrong' })
    for (let each = 0; each < 12 && answer.status === 403; each += 1) {
      answer = await browser.submit('/account/sign-in', { login, password: 'wrong' })
    }
    expect(answer.status).toBe(429)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    expect(answer.text).toMatch(/Too many attempts. Please wait \d+ minutes and try again./)
    clock.offset += 3_600_000
  })

  it.each([
    ['without its value', { csrf: undefined }],
    ['with a wrong value', { csrf: 'x'.repeat(43) }],
  ])('refuses a form %s', async (_, fields) => {
    await browser.open('/account/sign-in')
    const { status, text } = await browser.submit('/account/sign-in', { login, password, ...fields })
    expect([status, text.includes('This form has expired')]).toEqual([403, true])
    expect(await isSignedIn()).toBe(false)
  })

  it('rejects a form of another browser', async () => {
    const attacker = new FormBrowser(started)
    await attacker.open('/account/sign-in')
    const { csrf = '' } = attacker.form('/account/sign-in').fields
    await browser.open('/account/sign-in')
    expect((await browser.submit('/account/sign-in', { login, password, csrf })).status).toBe(403)
    await browser.open('/account/sign-in')
    browser.cookies.clear()
    expect((await browser.submit('/account/sign-in', { login, password })).status).toBe(403)
  })

  it('rejects a body that is too large or not a form', async () => {
    await browser.open('/account/sign-in')
    expect((await browser.submit('/account/sign-in', { login: 'x'.repeat(20_000), password })).status).toBe(413)
    expect((await browser.post('/account/sign-in', '{}', 'application/json')).status).toBe(415)
    expect((await browser.post('/account/sign-in', 'x', 'multipart/form-data; boundary=x')).status).toBe(415)
  })
})

describe('the second factor', () => {
  it('is requested after the password, and is wrong, used or right', async () => {
    const { nextCode, recoveryCodes } = await withAuthenticator(started, login, clock)
    await browser.open('/account/sign-in?next=%2Fapp')
    const asked = await browser.submit('/account/sign-in', { login, password })
    expect([asked.status, asked.text.includes('One more step')]).toEqual([200, true])
    expect(asked.text).not.toContain(password)
    // Only the form's CSRF token is sent: the service remembers who knew the password.
    expect(Object.keys(browser.form('/account/two-factor').fields)).toEqual(['csrf'])
    expect(browser.cookies.has('shortlink_session')).toBe(false)

    const code = nextCode()
    const other = code === '000000' ? '000001' : '000000'
    expect((await browser.submit('/account/two-factor', { code: other })).status).toBe(403)
    expect((await browser.submit('/account/two-factor', { code: '' })).status).toBe(403)
    const right = await browser.submit('/account/two-factor', { code })
    expect([right.status, right.headers.location]).toEqual([303, '/app'])

    browser = new FormBrowser(started)
    await browser.open('/account/sign-in')
    await browser.submit('/account/sign-in', { login, password })
    expect((await browser.submit('/account/two-factor', { code })).status).toBe(403)
    expect((await browser.submit('/account/two-factor', { code: recoveryCodes[0] ?? '' })).status).toBe(303)
  })

  it('is accepted for five minutes, and only from the browser that sent the password', async () => {
    const { nextCode } = await withAuthenticator(started, login, clock)
    await browser.open('/account/sign-in')
    await browser.submit('/account/sign-in', { login, password })
    const other = new FormBrowser(started)
    await other.open('/account/sign-in')
    const { csrf = '' } = other.form('/account/sign-in').fields
    const stolen = new URLSearchParams({ csrf, code: nextCode() }).toString()
    const answer = await other.post('/account/two-factor', stolen)
    expect([answer.status, answer.text.includes('Your code has expired')]).toEqual([403, true])

    clock.offset += 5 * 60_000
    const late = await browser.submit('/account/two-factor', { code: nextCode() })
    expect([late.status, late.text.includes('Your code has expired')]).toEqual([403, true])
    expect((await browser.open('/account/two-factor')).headers.location).toBe('/account/sign-in')
  })

  it('is no longer accepted after the password was changed', async () => {
    const { nextCode } = await withAuthenticator(started, login, clock)
    await browser.open('/account/sign-in')
    await browser.submit('/account/sign-in', { login, password })
    const { passwordHash = '' } = (await started.app.accounts.account(login)) ?? {}
    await started.app.accounts.setPassword(login, passwordHash, clock.now())
    const answer = await browser.submit('/account/two-factor', { code: nextCode() })
    expect([answer.status, answer.text.includes('Your code has expired')]).toEqual([403, true])
  })
})

describe('signing out', () => {
  it('ends the session, not only the cookie', async () => {
    browser = await signedIn(started, login, password)
    const kept = new Map(browser.cookies)
    const { csrf } = (await browser.open('/account/session')).body
    expect((await browser.post('/account/sign-out', '')).status).toBe(403)
    expect(await isSignedIn()).toBe(true)
    const { status, headers } = await browser.post('/account/sign-out', `csrf=${csrf}`)
    expect([status, headers.location]).toEqual([303, '/account/signed-out'])
    for (const [name, value] of kept) browser.cookies.set(name, value)
    expect(await isSignedIn()).toBe(false)
  })

  it('works for somebody who is not signed in', async () => {
    expect((await browser.post('/account/sign-out', '')).headers.location).toBe('/account/signed-out')
  })
})

describe('an invitation', () => {
  const path = async () => {
    const secret = await takeInvitation(started, await organizationOf(started), `new-${login}@example.com`)
    return `/account/invitation?secret=${secret}`
  }

  it('creates an account, signs in, and works once', async () => {
    const invitation = await path()
    const { status, text } = await browser.open(invitation)
    expect([status, text.includes('<h1>Join My organization</h1>')]).toEqual([200, true])
    const fields = { name: 'New', login: `New-${login}`, password }
    const joined = await browser.submit('/account/invitation', fields)
    expect([joined.status, joined.headers.location]).toEqual([303, '/app'])
    expect(await isSignedIn(`new-${login}`)).toBe(true)
    expect((await browser.open(invitation)).status).toBe(410)
    expect((await new FormBrowser(started).open(invitation)).status).toBe(410)
  })

  it.each([
    ['a short password', { password: 'short' }, 400, '8 to 256 characters'],
    ['a login that cannot be one', { login: 'a b' }, 400, 'is not a valid login'],
    ['no name', { name: '' }, 400, 'Send a name'],
  ])('shows the form again after %s, and keeps valid input', async (_, fields, status, said) => {
    await browser.open(await path())
    const given = { name: 'New', login: `new-${login}`, password }
    const answer = await browser.submit('/account/invitation', { ...given, ...fields })
    expect([answer.status, answer.text.includes(said)]).toEqual([status, true])
    expect(answer.text).not.toContain(password)
    expect((await browser.submit('/account/invitation', given)).status).toBe(303)
  })

  it('shows the form again if the login is taken', async () => {
    await browser.open(await path())
    const answer = await browser.submit('/account/invitation', { name: 'New', login, password })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.text).toContain('role="alert"')
    expect((await browser.submit('/account/invitation', { name: 'N', login: `n-${login}`, password })).status).toBe(303)
  })

  it('lets an existing user join', async () => {
    const invitation = await path()
    browser = await signedIn(started, login, password)
    await browser.open(invitation)
    expect((await browser.submit('/account/invitation', { csrf: 'x' })).status).toBe(403)
    await browser.open(invitation)
    expect((await browser.submit('/account/invitation')).headers.location).toBe('/app')
  })

  it.each(['', '?secret=', '?secret=unknown'])('answers %j with 410', async (query) => {
    expect((await browser.open(`/account/invitation${query}`)).status).toBe(410)
    expect((await browser.post(`/account/invitation${query}`, '')).status).toBe(410)
  })

  it('rejects a form of another site', async () => {
    await browser.open(await path())
    const given = { name: 'New', login: `new-${login}`, password, csrf: undefined }
    expect((await browser.submit('/account/invitation', given)).status).toBe(403)
  })
})

describe('a forgotten password', () => {
  it('gets the same response for everybody', async () => {
    await browser.open('/account/forgot-password')
    const form = browser.form('/account/forgot-password')
    const answers = []
    for (const name of [login, `${login}@example.com`, 'nobody', '']) {
      const body = new URLSearchParams({ ...form.fields, login: name }).toString()
      answers.push(await browser.post(form.action, body))
    }
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })

  it('is replaced through the link, once, and other browsers are signed out', async () => {
    const elsewhere = await signedIn(started, login, password)
    const path = `/account/reset?secret=${await takeReset(started, login)}`
    expect((await browser.open(path)).text).toContain(`<strong>${login}</strong>`)
    const short = await browser.submit('/account/reset', { password: 'short' })
    expect([short.status, short.text.includes('role="alert"')]).toEqual([400, true])
    expect((await browser.submit('/account/reset', { password: 'another horse' })).status).toBe(200)
    expect((await browser.open(path)).status).toBe(410)
    expect((await elsewhere.open('/account/session')).status).toBe(401)
    browser = await signedIn(started, login, 'another horse')
    expect(await isSignedIn()).toBe(true)
  })

  it('cannot be replaced late, with an invalid link, or by the form of another site', async () => {
    const path = `/account/reset?secret=${await takeReset(started, login, 1000)}`
    await browser.open(path)
    expect((await browser.submit('/account/reset', { password: 'another horse', csrf: undefined })).status).toBe(403)
    await browser.open(path)
    const form = browser.form('/account/reset')
    clock.offset += 1001
    const body = new URLSearchParams({ ...form.fields, password: 'another horse' }).toString()
    expect((await browser.post(path, body)).status).toBe(410)
    expect((await browser.open('/account/reset?secret=unknown')).status).toBe(410)
    browser = await signedIn(started, login, password)
    expect(await isSignedIn()).toBe(true)
  })
})
