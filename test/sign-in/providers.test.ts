/** Signing in with an identity provider, over HTTP: the way there, the way back, and what goes wrong on it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JWTPayload } from 'jose'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Config } from '../../src/config/config.js'
import { signInByCode } from '../../src/core/sign-in/sign-in.js'
import { csrfOf } from '../../src/edges/pages/form.js'
import { aMember } from '../api/alter-records.js'
import { firstOrganization } from '../api/organize.js'
import { startIdentityProvider, type TestProvider } from '../support/identity-provider.js'
import { type Answer, type StartedApp, startApp } from '../support/start-app.js'

let app: StartedApp
let provider: TestProvider
let now: number
beforeEach(async () => {
  now = Date.now()
  provider = await startIdentityProvider()
  provider.person = { sub: 's1', claims: { preferred_username: 'Ada', name: 'Ada Lovelace', email: 'ada@example.com' } }
})
afterEach(async () => {
  await app.close()
  await provider.close()
})

async function start(config: Partial<Config> = {}): Promise<void> {
  const usual = { oidcIssuer: provider.url, oidcClientId: 'shortlink', oidcClientSecret: 'secret', oidcName: 'Example' }
  app = await startApp({ ...usual, ...config }, { clock: { now: () => now } })
}

/** A browser that keeps cookies, and follows nothing by itself. */
class Browser {
  readonly cookies = new Map<string, string>()

  async get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#keep(await app.request('GET', path, { token: null, headers: { ...headers, ...this.#cookie() } }))
  }

  async post(path: string, form: Record<string, string>): Promise<Answer> {
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const body = new URLSearchParams(form).toString()
    const length = { 'content-length': String(body.length) }
    const headers = { ...type, ...length, ...this.#cookie() }
    return this.#keep(await app.request('POST', path, { token: null, body, headers }))
  }

  /** To the provider and back. Returns the path of the callback, which is still to be opened. */
  async toProvider(query = '', id = 'oidc'): Promise<string> {
    const there = await this.get(`/account/sign-in/with/${id}${query}`)
    expect(there.status, there.text).toBe(303)
    const back = await fetch(there.headers.location ?? '', { redirect: 'manual' })
    const url = new URL(back.headers.get('location') ?? '')
    return url.pathname + url.search
  }

  async signIn(query = ''): Promise<Answer> {
    return this.get(await this.toProvider(query))
  }

  async session(): Promise<{ login: string; csrf: string } | undefined> {
    const { status, text } = await this.get('/account/session')
    return status === 200 ? JSON.parse(text) : undefined
  }

  #cookie(): Record<string, string> {
    const cookie = [...this.cookies].map((pair) => pair.join('=')).join('; ')
    return cookie === '' ? {} : { cookie }
  }

  #keep(answer: Answer): Answer {
    for (const line of answer.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      this.cookies.set(name, value)
    }
    return answer
  }
}

const rolesOf = async (login: string) =>
  (await app.app.groups.members()).filter((member) => member.login === login).map(({ guid, role }) => `${guid} ${role}`)
const minutes = (count: number) => {
  now += count * 60_000
}

describe('signing in with a provider', () => {
  it('shows a button, creates the user, and goes on to the page that was asked for', async () => {
    await start()
    const browser = new Browser()
    const page = await browser.get('/account/sign-in?next=/app/links')
    expect(page.text).toContain('Sign in with Example')
    expect(page.text).toContain('/account/sign-in/with/oidc?next=%2Fapp%2Flinks')
    const back = await browser.signIn('?next=%2Fapp%2Flinks')
    expect([back.status, back.headers.location], back.text).toEqual([303, '/app/links'])
    expect((await browser.session())?.login).toBe('ada')
    expect(await app.app.accounts.user('ada')).toMatchObject({ name: 'Ada Lovelace', email: undefined })
    expect(provider.tokenRequests[0]?.get('code_verifier')).toHaveLength(43)
  })

  it.each([
    ['a slash at the end', (url: string) => `${url}/`],
    ['the URL of the discovery document', (url: string) => `${url}/.well-known/openid-configuration`],
  ])('works when the issuer is configured with %s', async (_, spelled) => {
    await start({ oidcIssuer: spelled(provider.url) })
    expect((await new Browser().signIn()).status).toBe(303)
  })

  it('works with an issuer that ends in a slash, configured without', async () => {
    await provider.close()
    provider = await startIdentityProvider('/application/o/shortlink/')
    provider.person = { sub: 's1', claims: { preferred_username: 'ada' } }
    await start({ oidcIssuer: `${provider.url}/application/o/shortlink` })
    expect((await new Browser().signIn()).status).toBe(303)
  })

  it('works with relative endpoints', async () => {
    provider.misbehaves = {
      discovery: { authorization_endpoint: '/authorize', token_endpoint: 'token', jwks_uri: '/jwks' },
    }
    await start()
    expect((await new Browser().signIn()).status).toBe(303)
  })

  it('is shown to operators with the URLs to register, and without its secret', async () => {
    await start({ oidcAdminGroup: 'it', oidcGroupRoles: ['press=member@B1'], oidcAllowedGroups: ['it', 'press'] })
    const path = '/v4/service/identity_providers'
    const { status, body, text } = await app.request('GET', path)
    expect(status, text).toBe(200)
    const own = `http://${app.domain}/account`
    expect(body).toMatchObject({
      password_login: true,
      identity_providers: [
        {
          ...{ id: 'oidc', name: 'Example', issuer: provider.url, client_id: 'shortlink', has_client_secret: true },
          callback_url: `${own}/sign-in/with/oidc/callback`,
          back_channel_logout_url: `${own}/sign-in/with/oidc/logout`,
          post_logout_redirect_url: `${own}/signed-out`,
          ...{ allowed_groups: ['it', 'press'], admin_group: 'it' },
          group_roles: [{ group: 'press', role: 'member', in: 'B1' }],
        },
      ],
    })
    expect(text).not.toContain('"secret"')
    const token = await aMember(app, app.groupGuid, 'admin')
    expect((await app.request('GET', path, { token })).status).toBe(403)
  })

  it('names the provider of members who came from it', async () => {
    await start()
    await new Browser().signIn()
    const organization = await firstOrganization(app)
    const { body } = await app.request('GET', `/v4/organizations/${organization}/members`)
    const members = body.members as { login: string; identity_providers: string[] }[]
    expect(members.map(({ login, identity_providers }) => [login, ...identity_providers])).toEqual([
      ['ada', 'Example'],
      ['admin'],
    ])
  })

  it('takes the callback from the base URL, whatever the Host header says', async () => {
    await start({ baseUrl: 'https://links.example.com' })
    const there = await app.request('GET', '/account/sign-in/with/oidc', {
      token: null,
      headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' },
    })
    const url = new URL(there.headers.location ?? '')
    expect(url.searchParams.get('redirect_uri')).toBe('https://links.example.com/account/sign-in/with/oidc/callback')
  })

  it.each(['https://evil.example/', '//evil.example', '/\\evil.example', '/abc'])(
    'does not go on to %s afterwards',
    async (next) => {
      await start()
      expect((await new Browser().signIn(`?next=${encodeURIComponent(next)}`)).headers.location).toBe('/app')
    },
  )

  it('knows a renamed person again', async () => {
    await start()
    await new Browser().signIn()
    provider.person = { sub: 's1', claims: { preferred_username: 'countess', name: 'Countess' } }
    const browser = new Browser()
    await browser.signIn()
    expect((await browser.session())?.login).toBe('ada')
    expect((await app.app.accounts.users()).map(({ login }) => login)).toEqual(['ada', 'admin'])
  })

  it('links by an address only if the provider has verified it and the user has confirmed it, on demand', async () => {
    await start({ oidcLink: 'verified-email', oidcCreateUsers: 'off' })
    const { accounts } = app.app
    await accounts.setEmail('admin', 'ada@example.com', now)
    const verified = { sub: 's1', claims: { email: 'Ada@Example.com', email_verified: true } }
    const unverified = provider.person
    provider.person = verified
    const refused = await new Browser().signIn()
    expect(refused.text).toContain('You have no account here')
    expect(refused.text).toContain('confirm your e-mail address')
    const change = { secretHash: 'h', login: 'admin', email: 'ada@example.com', at: now, expiresAt: now + 1 }
    await accounts.addEmailChange(change)
    await accounts.useEmailChange('h', now)
    provider.person = unverified
    expect((await new Browser().signIn()).text).toContain('You have no account here')
    provider.person = verified
    const browser = new Browser()
    await browser.signIn()
    expect((await browser.session())?.login).toBe('admin')
  })

  it('tolerates a clock that is wrong by less than a minute, and no more', async () => {
    await start()
    const seconds = Math.floor(Date.now() / 1000)
    provider.misbehaves = { idToken: { iat: seconds - 300, exp: seconds } }
    expect((await new Browser().signIn()).status).toBe(303)
    provider.misbehaves = { idToken: { iat: seconds - 300, exp: seconds - 120 } }
    expect((await new Browser().signIn()).text).toContain('The answer of Example cannot be used')
  })
})

describe('an answer is refused', () => {
  it.each([
    ['for somebody else', { idToken: { aud: 'other' } }],
    ['for several, and not given to us', { idToken: { aud: ['shortlink', 'other'], azp: 'other' } }],
    ['of another issuer', { idToken: { iss: 'https://evil.example' } }],
    ['with the nonce of another sign-in', { idToken: { nonce: 'other' } }],
    ['signed with another key', { withForeignKey: true }],
    ['that another provider sent (mix-up)', { issuerInAnswer: 'https://evil.example' }],
  ])('%s', async (_, misbehaves) => {
    provider.misbehaves = misbehaves
    await start()
    const browser = new Browser()
    const back = await browser.signIn()
    expect(back.status).toBe(403)
    expect(back.text).toContain('The answer of Example cannot be used')
    expect(await browser.session()).toBeUndefined()
  })

  it('when it comes twice, in another browser, or too late', async () => {
    await start()
    const browser = new Browser()
    const callback = await browser.toProvider()
    expect((await new Browser().get(callback)).text).toContain('This sign-in has expired')
    const other = new Browser()
    await other.get('/account/sign-in')
    expect((await other.get(callback)).text).toContain('This sign-in has expired')
    expect((await browser.get(callback)).status).toBe(303)
    expect((await browser.get(callback)).text).toContain('This sign-in has expired')
    const late = await browser.toProvider()
    minutes(15)
    expect((await browser.get(late)).text).toContain('This sign-in has expired')
  })

  it('at the callback of another provider, which gets no code (mix-up)', async () => {
    const other = await startIdentityProvider()
    const folder = mkdtempSync(join(tmpdir(), 'shortlink-providers-'))
    const file = join(folder, 'providers.json')
    const client = { clientId: 'shortlink', clientSecret: 'secret' }
    const both = [
      { ...client, id: 'staff', name: 'Staff', issuer: provider.url },
      { ...client, id: 'partners', name: 'Partners', issuer: other.url },
    ]
    writeFileSync(file, JSON.stringify(both))
    await start({ oidcProviders: file, oidcIssuer: undefined, oidcClientId: undefined, oidcClientSecret: undefined })
    // What providers may leave out.
    provider.misbehaves = other.misbehaves = {
      discovery: { authorization_response_iss_parameter_supported: undefined },
      withoutIssuerInAnswer: true,
    }
    const browser = new Browser()
    const callback = await browser.toProvider('', 'staff')
    const mixedUp = await browser.get(callback.replace('/staff/', '/partners/'))
    expect([mixedUp.status, mixedUp.text]).toEqual([403, expect.stringContaining('The answer of Partners')])
    expect([...provider.tokenRequests, ...other.tokenRequests]).toEqual([])
    expect((await browser.get(callback)).text).toContain('This sign-in has expired')
    expect(await browser.session()).toBeUndefined()
    expect((await browser.get(await browser.toProvider('', 'staff'))).status).toBe(303)
    expect((await browser.session())?.login).toBe('ada')
    await other.close()
    rmSync(folder, { recursive: true })
  })

  it('that says the user cancelled', async () => {
    await start()
    provider.person = { sub: 's1', error: 'access_denied' }
    expect((await new Browser().signIn()).text).toContain('Example did not sign you in')
  })
})

describe('groups', () => {
  const groups = (...names: string[]) => {
    provider.person = { sub: 's1', claims: { preferred_username: 'ada', groups: names } }
  }

  it('decide who may sign in, and are read from userinfo too', async () => {
    await start({ oidcAllowedGroups: ['staff'] })
    groups('guests')
    expect((await new Browser().signIn()).text).toContain('You have no access')
    expect(await app.app.accounts.user('ada')).toBeUndefined()
    provider.person = { sub: 's1', claims: { preferred_username: 'ada' }, userInfo: { groups: ['staff'] } }
    expect((await new Browser().signIn()).status).toBe(303)
  })

  it('give and take roles while a session lasts', async () => {
    await start({ oidcAdminGroup: 'it' })
    groups('it')
    const browser = new Browser()
    await browser.signIn()
    expect(await rolesOf('ada')).toEqual([
      expect.stringMatching(/^O\w+ admin$/),
      expect.stringMatching(/^B\w+ member$/),
    ])
    groups('others')
    minutes(16)
    expect((await browser.session())?.login).toBe('ada')
    expect(await rolesOf('ada')).toEqual([
      expect.stringMatching(/^O\w+ member$/),
      expect.stringMatching(/^B\w+ member$/),
    ])
  })

  it('too many to be sent are explained', async () => {
    await start({ oidcAllowedGroups: ['staff'] })
    provider.person = { sub: 's1', claims: { _claim_names: { groups: 'src1' } } }
    expect((await new Browser().signIn()).text).toContain('You are in too many groups')
  })

  it('that become too many end the session', async () => {
    await start({ oidcAllowedGroups: ['staff'] })
    groups('staff')
    const browser = new Browser()
    await browser.signIn()
    provider.person = { sub: 's1', claims: { _claim_names: { groups: 'src1' } } }
    minutes(16)
    expect(await browser.session()).toBeUndefined()
    expect(await browser.session()).toBeUndefined()
  })
})

describe('a session', () => {
  it('ends when the provider no longer knows the user, and so do tokens on demand', async () => {
    await start({ oidcEndTokens: 'on' })
    const browser = new Browser()
    await browser.signIn()
    const token = { guid: 't1', secretHash: 'hash', hint: 'h', login: 'ada', label: 'l', at: now }
    await app.app.accounts.addToken(token)
    provider.person = { sub: 's1', isRemoved: true }
    minutes(14)
    expect(await browser.session()).toBeDefined()
    minutes(2)
    expect(await browser.session()).toBeUndefined()
    expect(await app.app.accounts.actorByToken('hash')).toBeUndefined()
  })

  it('ends when the user may no longer sign in', async () => {
    provider.person = { sub: 's1', claims: { preferred_username: 'ada', groups: ['staff'] } }
    await start({ oidcAllowedGroups: ['staff'] })
    const browser = new Browser()
    await browser.signIn()
    provider.person = { sub: 's1', claims: { preferred_username: 'ada', groups: [] } }
    minutes(16)
    expect(await browser.session()).toBeUndefined()
  })

  it('goes on for a day while the provider is away, or gave no refresh token', async () => {
    await start()
    const browser = new Browser()
    await browser.signIn()
    provider.misbehaves = { status: 503 }
    minutes(23 * 60)
    expect(await browser.session()).toBeDefined()
    minutes(60)
    expect(await browser.session()).toBeUndefined()
    provider.misbehaves = { withoutRefreshToken: true }
    await browser.signIn()
    minutes(23 * 60)
    expect(await browser.session()).toBeDefined()
    minutes(60)
    expect(await browser.session()).toBeUndefined()
  })

  it.each([
    ['in the body', {}],
    ['with a challenge', { 'www-authenticate': 'Basic realm="id"' }],
  ])('goes on for a day while the provider refuses the secret of the service, %s', async (_, headers) => {
    await start({ oidcEndTokens: 'on' })
    const browser = new Browser()
    await browser.signIn()
    provider.misbehaves = { tokenAnswer: { status: 401, headers, body: { error: 'invalid_client' } } }
    minutes(23 * 60)
    expect(await browser.session()).toBeDefined()
    minutes(60)
    expect(await browser.session()).toBeUndefined()
  })

  it('goes on with the new refresh token of a check whose userinfo did not answer', async () => {
    provider.person = { sub: 's1', claims: { preferred_username: 'ada' } }
    await start({ oidcEndTokens: 'on' })
    const browser = new Browser()
    await browser.signIn()
    provider.misbehaves = { userInfoStatus: 503 }
    minutes(16)
    expect(await browser.session()).toBeDefined()
    provider.misbehaves = {}
    minutes(16)
    expect(await browser.session()).toBeDefined()
  })

  it('goes on while the provider gets too many requests', async () => {
    await start()
    const browser = new Browser()
    await browser.signIn()
    provider.misbehaves = { status: 429 }
    minutes(16)
    expect(await browser.session()).toBeDefined()
  })

  it('ends when the provider sends a logout token for it, and only then', async () => {
    await start()
    const browser = new Browser()
    const logout = async (claims: JWTPayload) =>
      (
        await new Browser().post('/account/sign-in/with/oidc/logout', {
          logout_token: await provider.logoutToken(claims),
        })
      ).status
    await browser.signIn()
    expect(await logout({ sid: 'other' })).toBe(200)
    expect(await logout({ sub: 's1', aud: 'other' })).toBe(400)
    expect(await logout({ sub: 's1', nonce: 'n' })).toBe(400)
    expect(await logout({ sub: 's1', events: {} })).toBe(400)
    expect(await logout({})).toBe(400)
    expect(await browser.session()).toBeDefined()
    now = Date.now() - 1000
    expect(await logout({ sid: 'sid-1' })).toBe(200)
    expect(await browser.session()).toBeUndefined()
  })

  it('can be ended at the provider too', async () => {
    await start()
    const browser = new Browser()
    await browser.signIn()
    const page = await browser.post('/account/sign-out', { csrf: (await browser.session())?.csrf ?? '' })
    expect(page.text).toContain('Sign out of Example too')
    expect(page.text).toContain(`${provider.url}/logout?`)
    expect(await browser.session()).toBeUndefined()
  })
})

describe('while the provider is away', () => {
  it('the service starts, says so, and lets people in with passwords', async () => {
    provider.misbehaves = { status: 503 }
    await start()
    const browser = new Browser()
    const there = await browser.get('/account/sign-in/with/oidc')
    expect([there.status, there.text]).toEqual([503, expect.stringContaining('Example cannot be reached')])
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec((await browser.get('/account/sign-in')).text) ?? []
    const form = { csrf, login: 'admin', password: 'correct horse' }
    expect((await browser.post('/account/sign-in', form)).status).toBe(303)
  })
})

describe('passwordLogin off', () => {
  it('refuses passwords everywhere, and shows no form', async () => {
    await start({ passwordLogin: 'off' })
    const browser = new Browser()
    const page = await browser.get('/account/sign-in')
    expect(page.text).not.toContain('type="password"')
    const csrf = csrfOf(browser.cookies.get('shortlink_form') ?? '')
    const refused = await browser.post('/account/sign-in', { csrf, login: 'admin', password: 'correct horse' })
    expect(refused.text).toContain('Passwords are not used here')
    expect((await browser.signIn()).status).toBe(303)
  })

  it('refuses the second step of a sign-in that began before', async () => {
    await start()
    const attempt = { login: 'admin', code: '', address: '192.0.2.1', through: 'browser' } as const
    expect(await signInByCode(app.app, attempt)).toMatchObject({ outcome: 'signed-in' })
    const off = { ...app.app, config: { ...app.app.config, passwordLogin: 'off' as const } }
    expect(await signInByCode(off, attempt)).toEqual({ outcome: 'no-passwords' })
  })
})

describe('automatic redirect', () => {
  it('goes to the provider, unless somebody wants to choose', async () => {
    await start({ oidcAutoRedirect: 'on' })
    const browser = new Browser()
    const { headers } = await browser.get('/account/sign-in?next=/app/links')
    expect(headers.location).toBe('/account/sign-in/with/oidc?next=%2Fapp%2Flinks')
    expect((await browser.get('/account/sign-in?choose=1')).status).toBe(200)
  })
})
