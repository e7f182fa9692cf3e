import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { AuthorizationCode } from 'simple-oauth2'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { revokeApplication } from '../../src/core/accounts/applications.js'
import { removeUser } from '../../src/core/accounts/users.js'
import { listOwnTokens } from '../../src/core/sign-in/own-tokens.js'
import { makeAuthority, makeServerCertificate } from '../../src/lib/certificate.js'
import { guardedClientDocuments } from '../../src/storage/outgoing/fetch-client-document.js'
import { type StartedApp, startApp, useApp, useStarted } from '../support/start-app.js'
import { FormBrowser, signedIn } from './form-browser.js'
import { aClock, anApplication, aPerson, password } from './people.js'

const clock = aClock()
const redirectUri = 'https://desk.example/back'
const minute = 60_000

/** A host on this machine with documents, which the service trusts by its certificate authority. */
const validity = { from: new Date(Date.now() - 86_400_000), days: 3 }
const authority = makeAuthority('test', validity)
let documents: Server
let fetched: string[] = []
const published = new Map<string, { status?: number; headers?: Record<string, string>; body: string }>()
beforeAll(async () => {
  const { certificate: cert, key } = makeServerCertificate(authority, ['localhost'], validity)
  documents = createServer({ cert, key }, (request, response) => {
    fetched.push(request.url ?? '')
    const { status = 200, headers, body } = published.get(request.url ?? '') ?? { status: 404, body: '{}' }
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  })
  await new Promise<void>((resolve) => documents.listen(0, '127.0.0.1', resolve))
  return () => documents.closeAllConnections()
})
afterAll(() => new Promise((resolve) => documents.close(resolve)))

const lookup = (name: string) => (name === 'localhost' ? ['127.0.0.1'] : [])
const documentSource = guardedClientDocuments({
  allow: ['127.0.0.1'],
  ca: authority.certificate,
  lookup: (name, _options, callback) =>
    callback(
      null,
      lookup(name).map((address) => ({ address, family: 4 })),
    ),
})

const config = { oauthRegistration: 'on', oauthClientDocuments: 'on', trustProxy: 1 } as const
const started = useApp(config, { clock, documentSource })
let base: string
let login: string
let browser: FormBrowser
beforeAll(() => {
  base = started.app.config.baseUrl
})
beforeEach(async () => {
  login = await aPerson(started)
  browser = await signedIn(started, login, password)
  fetched = []
})

// Each registration comes from another IP, unless a test is about that.
let addresses = 0
function anAddress(): string {
  addresses += 1
  return `198.51.${addresses >> 8}.${addresses & 255}`
}

function register(metadata: unknown, from = anAddress(), at = started) {
  const headers = { 'x-forwarded-for': from }
  return at.request('POST', '/oauth/register', { token: null, body: metadata, headers })
}

async function aPublicClient(changes: object = {}): Promise<string> {
  const metadata = { client_name: 'Desk', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none', ...changes }
  const { status, body } = await register(metadata)
  expect(status).toBe(201)
  return body.client_id
}

const encoded = (fields: Record<string, string>) => new URLSearchParams(fields).toString()
function post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  return started.request('POST', path, { token: null, body: encoded(fields), headers: { ...type, ...headers } })
}
const exchange = (fields: Record<string, string>) => post('/oauth/access_token', fields)

const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const pkce = { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' }
const authorizePath = (clientId: string, changes: Record<string, string> = {}) =>
  `/oauth/authorize?${encoded({ client_id: clientId, redirect_uri: redirectUri, response_type: 'code', ...pkce, ...changes })}`

/** What a user does in a browser; returns the final location. */
async function allow(address: string | URL): Promise<URL> {
  const { pathname, search } = new URL(address, base)
  const { status, text } = await browser.open(pathname + search)
  if (status !== 200) throw new Error(`${status} instead of a question: ${text}`)
  const { headers } = await browser.submit('/oauth/authorize', { decision: 'allow' })
  return new URL(headers.location ?? '')
}

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

async function tokensOf(clientId: string, changes: Record<string, string> = {}): Promise<Tokens> {
  const code = (await allow(authorizePath(clientId, changes))).searchParams.get('code') ?? ''
  const fields = { client_id: clientId, code, redirect_uri: redirectUri, code_verifier: verifier, ...changes }
  const { status, body } = await exchange({ grant_type: 'authorization_code', ...fields })
  expect(status).toBe(200)
  return body
}

const refresh = (clientId: string, refreshToken: string, more: Record<string, string> = {}) =>
  exchange({ grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken, ...more })

const userOf = async (token: unknown) => (await started.request('GET', '/v4/user', { token: String(token) })).body.login
const works = async (token: unknown) => (await userOf(token)) === login
const lastEntries = async (size: number) =>
  (await started.app.audit.list({ organizationGuid: undefined, login, after: undefined, size })).map(
    ({ action, details }) => [action, details.reason].filter(Boolean).join(': '),
  )

describe('openid-client, unmodified', () => {
  const options: openid.DiscoveryRequestOptions = { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] }

  async function codeFlow(client: openid.Configuration, resource: string) {
    const pkceCodeVerifier = openid.randomPKCECodeVerifier()
    const expectedState = openid.randomState()
    const address = openid.buildAuthorizationUrl(client, {
      redirect_uri: redirectUri,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      scope: 'links:read qr',
      state: expectedState,
      resource,
    })
    const checks = { pkceCodeVerifier, expectedState }
    return openid.authorizationCodeGrant(client, await allow(address), checks, { resource })
  }

  it.each(['none', 'client_secret_basic', 'client_secret_post'] as const)(
    'registers itself (%s), signs in with PKCE and resource, refreshes, and revokes',
    async (method) => {
      const metadata = { client_name: 'Desk', redirect_uris: [redirectUri], token_endpoint_auth_method: method }
      const secret = { client_secret_basic: openid.ClientSecretBasic, client_secret_post: openid.ClientSecretPost }
      const client = await openid.dynamicClientRegistration(
        new URL(base),
        metadata,
        method === 'none' ? openid.None() : secret[method](),
        options,
      )
      expect(client.clientMetadata()).toMatchObject({
        ...metadata,
        grant_types: ['authorization_code', 'refresh_token'],
      })
      const tokens = await codeFlow(client, base)
      expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'links:read qr' })
      expect(await works(tokens.access_token)).toBe(true)

      clock.offset += 60 * minute
      expect(await works(tokens.access_token)).toBe(false)
      const renewed = await openid.refreshTokenGrant(client, tokens.refresh_token ?? '', { resource: base })
      expect(renewed).toMatchObject({ expires_in: 3600, scope: 'links:read qr' })
      expect(renewed.refresh_token).not.toBe(tokens.refresh_token)
      expect(await works(renewed.access_token)).toBe(true)

      await openid.tokenRevocation(client, renewed.refresh_token ?? '')
      expect(await works(renewed.access_token)).toBe(false)
      const again = openid.refreshTokenGrant(client, renewed.refresh_token ?? '')
      await expect(again).rejects.toMatchObject({ error: 'invalid_grant' })
      expect(await lastEntries(2)).toEqual(['token_revoked: by its application', 'token_made'])
    },
  )

  it('uses the URL of its document as its id', async () => {
    const clientId = publish('/desk.json', {})
    const client = await openid.discovery(new URL(base), clientId, undefined, openid.None(), options)
    expect(client.serverMetadata()).toMatchObject({ client_id_metadata_document_supported: true })
    const tokens = await codeFlow(client, `${base}/`)
    expect(await works(tokens.access_token)).toBe(true)
    const renewed = await openid.refreshTokenGrant(client, tokens.refresh_token ?? '')
    expect(await works(renewed.access_token)).toBe(true)
    // For the page, and not for the answers.
    expect(fetched).toEqual(['/desk.json'])
  })

  it('revokes the token of an application that a user registered', async () => {
    const { clientId, clientSecret } = await anApplication(started, { redirectUris: [redirectUri] })
    const client = await openid.discovery(new URL(base), clientId, clientSecret, undefined, options)
    const to = await allow(authorizePath(clientId))
    expect([...to.searchParams.keys()]).toEqual(['code'])
    const tokens = await openid.authorizationCodeGrant(client, to, { pkceCodeVerifier: verifier })
    expect([tokens.expires_in, tokens.refresh_token]).toEqual([undefined, undefined])
    expect(await works(tokens.access_token)).toBe(true)
    await openid.tokenRevocation(client, tokens.access_token)
    expect(await works(tokens.access_token)).toBe(false)
  })
})

describe('simple-oauth2, unmodified', () => {
  it('completes the code flow of a registered client, refreshes and revokes', async () => {
    const { body } = await register({ redirect_uris: [redirectUri] })
    const client = new AuthorizationCode({
      client: { id: body.client_id, secret: body.client_secret },
      auth: { tokenHost: base, tokenPath: '/oauth/access_token', revokePath: '/oauth/revoke' },
    })
    const to = await allow(authorizePath(body.client_id))
    const code = to.searchParams.get('code') ?? ''
    const given = await client.getToken({ code, redirect_uri: redirectUri, code_verifier: verifier })
    const renewed = await given.refresh()
    expect(await works(renewed.token.access_token)).toBe(true)
    await renewed.revokeAll()
    expect(await works(renewed.token.access_token)).toBe(false)
  })
})

describe('oauth4webapi, unmodified', () => {
  const insecure = { [oauth.allowInsecureRequests]: true }

  it('finds out from a refusal of the API how to get a token, and which scope is missing', async () => {
    const ask = (token: string, path: string) =>
      oauth.protectedResourceRequest(token, 'GET', new URL(path, base), undefined, undefined, insecure)
    const challengesOf = (asked: Promise<Response>) =>
      asked.then(
        () => [],
        (error: oauth.WWWAuthenticateChallengeError) => error.cause.map(({ parameters }) => parameters),
      )
    const [challenge] = await challengesOf(ask('f'.repeat(40), '/v4/user'))
    expect(challenge?.error).toBe('invalid_token')
    const metadata = await fetch(challenge?.resource_metadata ?? '')
    const resource = await oauth.processResourceDiscoveryResponse(new URL(base), metadata)
    expect(resource).toMatchObject({ authorization_servers: [base], bearer_methods_supported: ['header'] })
    const issuer = new URL(resource.authorization_servers?.[0] ?? '')
    const discovery = { algorithm: 'oauth2', ...insecure } as const
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, discovery))

    const asked = { client_name: 'Desk', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' }
    const client = await oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(as, asked, insecure),
    )
    const to = await allow(authorizePath(client.client_id, { scope: 'qr', state: 's' }))
    expect(to.searchParams.get('iss')).toBe(base)
    const parameters = oauth.validateAuthResponse(as, client, to, 's')
    const answer = await oauth.authorizationCodeGrantRequest(
      ...([as, client, oauth.None(), parameters, redirectUri, verifier, insecure] as const),
    )
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, answer)
    const refused = ask(tokens.access_token, `/v4/groups/${started.groupGuid}/clicks`)
    expect(await challengesOf(refused)).toMatchObject([{ error: 'insufficient_scope', scope: 'analytics:read' }])
  })

  it('finds one resource for the whole service, and none for a part of it', async () => {
    const answer = await oauth.resourceDiscoveryRequest(new URL(base), insecure)
    expect(await oauth.processResourceDiscoveryResponse(new URL(base), answer)).toMatchObject({ resource: base })
    const part = await oauth.resourceDiscoveryRequest(new URL(`${base}/v4`), insecure)
    expect(part.status).toBe(404)
  })
})

describe('WWW-Authenticate of version 4', () => {
  it('has no error for a request without a token, and is not there for other refusals', async () => {
    const metadata = `resource_metadata="${base}/.well-known/oauth-protected-resource"`
    const without = await started.request('GET', '/v4/user', { token: null })
    expect([without.status, without.headers['www-authenticate']]).toEqual([403, `Bearer ${metadata}`])
    const ended = await started.request('GET', '/v4/user', { token: null, headers: { 'x-csrf-token': 'x' } })
    expect([ended.status, ended.headers['www-authenticate']]).toEqual([401, `Bearer ${metadata}`])
    for (const path of ['/v4/groups/Bforeign', '/v4/nothing', '/v4/apps/unknown']) {
      const answer = await started.request('GET', path)
      expect([answer.status >= 400, answer.headers['www-authenticate']]).toEqual([true, undefined])
    }
  })
})

describe('the page on which users allow it', () => {
  it('says that nobody has verified the application, with its name and the host it leads to', async () => {
    const clientId = await aPublicClient({ client_name: 'Your <b>Bank</b>', scope: 'qr sites' })
    const { text } = await browser.open(authorizePath(clientId))
    expect(text).toContain('Allow Your &#60;b&#62;Bank&#60;/b&#62;?')
    expect(text).toContain('<strong>desk.example</strong>')
    expect(text).toContain('has not verified this application')
    expect(text).toContain('of your account, or until it has not used it for 90 days.')
    expect(text).toContain('<li>Create, read, change and delete QR codes</li>')
  })

  it('does not say so of an application that a user registered', async () => {
    const { clientId } = await anApplication(started, { redirectUris: [redirectUri] })
    expect((await browser.open(authorizePath(clientId))).text).not.toContain('verified')
  })

  it('shows the URL of a document, and names the scopes where none was asked for', async () => {
    const clientId = publish('/named.json', {})
    const { text } = await browser.open(authorizePath(clientId))
    expect(text).toContain(`<p class="url">${clientId}</p>`)
    expect(text).toContain('<li>Read links, QR codes')
    expect(text).not.toContain('everything')
  })

  it('sends back a denial with the issuer', async () => {
    await browser.open(authorizePath(await aPublicClient(), { state: 'a%2Fb' }))
    const { headers } = await browser.submit('/oauth/authorize', { decision: 'deny' })
    expect(headers.location).toBe(`${redirectUri}?error=access_denied&iss=${encodeURIComponent(base)}&state=a%252Fb`)
  })

  it('lets a program on the machine of the user choose a port', async () => {
    const clientId = await aPublicClient({ redirect_uris: ['http://127.0.0.1/back', 'https://desk.example/x'] })
    const open = async (uri: string) => (await browser.open(authorizePath(clientId, { redirect_uri: uri }))).status
    expect(await open('http://127.0.0.1:49152/back')).toBe(200)
    for (const uri of [
      'http://127.0.0.1:49152/other',
      'http://127.0.0.1:99999/back',
      'http://localhost:49152/back',
      'http://127.0.0.1:1@evil.example/back',
      'http://127.0.0.1.evil.example/back',
      'https://127.0.0.1:49152/back',
      'https://desk.example:444/x',
    ]) {
      expect([uri, await open(uri)]).toEqual([uri, 400])
    }
  })
})

describe('refresh tokens', () => {
  let clientId: string
  let first: Tokens
  beforeEach(async () => {
    clientId = await aPublicClient()
    first = await tokensOf(clientId)
  })

  it('keep one entry in the list of tokens, which ends everything', async () => {
    const second = (await refresh(clientId, first.refresh_token)).body
    const own = (await started.app.accounts.listTokens(login)).filter((token) => token.clientId === clientId)
    expect(own).toHaveLength(1)
    expect(own[0]?.expiresAt).toBeGreaterThan(clock.now() + 89 * 86_400_000)
    await started.app.accounts.revokeToken(own[0]?.guid ?? '', clock.now())
    expect((await refresh(clientId, second.refresh_token)).body.error).toBe('invalid_grant')
  })

  it('repeat a lost answer for 30 seconds', async () => {
    const second = (await refresh(clientId, first.refresh_token)).body
    clock.offset += 20_000
    const again = await refresh(clientId, first.refresh_token)
    expect(again.body).toEqual({ ...second, expires_in: expect.any(Number) })
    expect(again.body.expires_in).toBeLessThanOrEqual(3580)
    expect(await works(second.access_token)).toBe(true)
  })

  it('give ten racing requests the same answer', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(clientId, first.refresh_token)))
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1)
    expect(await works(answers[0]?.body.access_token)).toBe(true)
  })

  it('that are used again later end everything, with an entry in the audit log', async () => {
    const second = (await refresh(clientId, first.refresh_token)).body
    clock.offset += 31_000
    const stolen = await refresh(clientId, first.refresh_token)
    expect([stolen.status, stolen.body.error]).toEqual([400, 'invalid_grant'])
    expect(await works(second.access_token)).toBe(false)
    expect((await refresh(clientId, second.refresh_token)).body.error).toBe('invalid_grant')
    expect(await lastEntries(1)).toEqual(['token_revoked: its refresh token was used a second time'])
  })

  it('that are older than the last one end everything at once, however old they are', async () => {
    let newest = first
    for (let each = 0; each < 3; each += 1) newest = (await refresh(clientId, newest.refresh_token)).body
    expect((await refresh(clientId, first.refresh_token)).body.error).toBe('invalid_grant')
    expect(await works(newest.access_token)).toBe(false)
  })

  it('of another application are refused, and go on working for their own', async () => {
    const thief = await aPublicClient({ client_name: 'Thief' })
    const { status, body } = await refresh(thief, first.refresh_token)
    expect([status, body.error]).toEqual([400, 'invalid_grant'])
    await post('/oauth/revoke', { client_id: thief, token: first.refresh_token })
    expect((await refresh(clientId, first.refresh_token)).status).toBe(200)
  })

  it('expire after 90 days without use', async () => {
    clock.offset += 89 * 86_400_000
    const { body } = await refresh(clientId, first.refresh_token)
    const actor = { login, defaultGroupGuid: '', clientId: undefined, groups: [], organizations: [] }
    expect(await listOwnTokens(started.app, actor)).toMatchObject([{ clientId }])
    clock.offset += 90 * 86_400_000
    expect((await refresh(clientId, body.refresh_token)).body.error).toBe('invalid_grant')
    expect(await listOwnTokens(started.app, actor)).toEqual([])
  })

  it('end with the application, and with the user', async () => {
    const other = await aPublicClient()
    const second = await tokensOf(other)
    await revokeApplication(started.app, operator, { clientId })
    expect((await refresh(clientId, first.refresh_token)).body.error).toBe('invalid_client')
    await removeUser(started.app, operator, { login })
    expect((await refresh(other, second.refresh_token)).body.error).toBe('invalid_grant')
  })

  it('are not known by one half, nor by a wrong second half without ending everything', async () => {
    expect((await refresh(clientId, first.refresh_token.slice(40))).body.error).toBe('invalid_grant')
    expect(await works(first.access_token)).toBe(true)
    const guessed = first.refresh_token.slice(0, 40) + 'f'.repeat(40)
    expect((await refresh(clientId, guessed)).body.error).toBe('invalid_grant')
    expect(await works(first.access_token)).toBe(false)
  })
})

describe('attacks on applications that registered themselves', () => {
  // RFC 9700, 4.11.2: anybody could register an address to phish with, and send people there through the service.
  it.each<[string, Record<string, string>, string]>([
    ['no challenge', { code_challenge: '', code_challenge_method: '' }, 'must send code_challenge'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'code_challenge_method is S256'],
    ['another resource', { resource: 'https://other.example/' }, 'The resource is not this service'],
    ['a resource that only begins like ours', { resource: 'BASE.evil.example' }, 'The resource is not this service'],
    ['a path of ours as resource', { resource: 'BASE/v4' }, 'The resource is not this service'],
    ['a scope that only people have', { scope: 'links:read admin' }, 'The scopes of this application are'],
    ['the implicit flow', { response_type: 'token' }, 'The only response_type is code'],
  ])('the authorization page refuses %s, and sends nobody to the application', async (_, fields, problem) => {
    const changes = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, value.replace('BASE', base)]),
    )
    for (const clientId of [await aPublicClient(), publish('/refused.json', {})]) {
      const path = authorizePath(clientId, changes)
      const form = await post(path, { decision: 'deny' }, { origin: 'https://evil.example' })
      expect(form.headers.location ?? '/').toMatch(/^\/(?!\/)/)
      const { status, headers, text } = await browser.open(path)
      expect([status, headers.location]).toEqual([400, undefined])
      expect(text).toContain(problem)
    }
  })

  it('the page is shown to those who are not signed in, whatever the application asks for', async () => {
    const path = authorizePath(await aPublicClient(), { prompt: 'none', scope: 'admin' })
    const { status, headers } = await new FormBrowser(started).open(path)
    expect([status, headers.location]).toEqual([400, undefined])
    const { headers: signedOut } = await new FormBrowser(started).open(path.replace('scope=admin', ''))
    expect(signedOut.location).toContain('/account/sign-in?next=')
    expect((await browser.open(path.replace('scope=admin', ''))).status).toBe(200)
  })

  it.each(['https://evil.example/back', `${redirectUri}/more`, `${redirectUri}?x=1`, 'https://desk.example:443/back'])(
    'the authorization page does not redirect to %s',
    async (uri) => {
      const { status, headers } = await browser.open(authorizePath(await aPublicClient(), { redirect_uri: uri }))
      expect([status, headers.location]).toEqual([400, undefined])
    },
  )

  it('a second resource must be ours too', async () => {
    const path = `${authorizePath(await aPublicClient(), { resource: base })}&resource=https://other.example`
    const { text } = await browser.open(path)
    expect(text).toContain('The resource is not this service')
  })

  it.each<[string, Record<string, string>, number, string]>([
    ['a wrong verifier', { code_verifier: verifier.replace('d', 'e') }, 400, 'invalid_grant'],
    ['no verifier', { code_verifier: '' }, 400, 'invalid_grant'],
    ['another redirect URI', { redirect_uri: 'https://evil.example/back' }, 400, 'invalid_grant'],
    ['an unknown code', { code: 'f'.repeat(40) }, 400, 'invalid_grant'],
    ['no code', { code: '' }, 400, 'invalid_request'],
    ['another resource', { resource: 'https://other.example' }, 400, 'invalid_target'],
    ['another grant', { grant_type: 'client_credentials' }, 400, 'unsupported_grant_type'],
    ['a password', { grant_type: 'password', username: 'x', password: 'y' }, 400, 'unauthorized_client'],
    ['a secret of a public client', { client_secret: 'f'.repeat(40) }, 401, 'invalid_client'],
    ['an unknown client', { client_id: `R${'0'.repeat(39)}` }, 401, 'invalid_client'],
    ['an unknown document', { client_id: 'https://unknown.example/client.json' }, 401, 'invalid_client'],
  ])('the token endpoint refuses %s as RFC 6749 says', async (_, changes, status, error) => {
    const clientId = await aPublicClient()
    const code = (await allow(authorizePath(clientId))).searchParams.get('code') ?? ''
    const right = { client_id: clientId, code, redirect_uri: redirectUri, code_verifier: verifier }
    const answer = await exchange({ grant_type: 'authorization_code', ...right, ...changes })
    expect([answer.status, answer.body]).toEqual([status, { error, error_description: expect.any(String) }])
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(answer.headers['www-authenticate'] !== undefined).toBe(status === 401)
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  it('a code that comes twice ends its refresh token too', async () => {
    const clientId = await aPublicClient()
    const code = (await allow(authorizePath(clientId))).searchParams.get('code') ?? ''
    const right = { client_id: clientId, code, redirect_uri: redirectUri, code_verifier: verifier }
    const { body } = await exchange(right)
    expect((await exchange(right)).body.error).toBe('invalid_grant')
    expect(await works(body.access_token)).toBe(false)
    expect((await refresh(clientId, body.refresh_token)).body.error).toBe('invalid_grant')
  })

  it('the basic flow with the password of a user is not for them', async () => {
    const authorization = `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`
    const { status, body } = await post('/oauth/access_token', { client_id: await aPublicClient() }, { authorization })
    expect([status, body.error]).toEqual([400, 'unauthorized_client'])
  })

  it('a confidential one needs its secret', async () => {
    const { body } = await register({ redirect_uris: [redirectUri] })
    expect(body).toMatchObject({ token_endpoint_auth_method: 'client_secret_basic', client_secret_expires_at: 0 })
    const code = (await allow(authorizePath(body.client_id))).searchParams.get('code') ?? ''
    const right = { client_id: body.client_id, code, redirect_uri: redirectUri, code_verifier: verifier }
    expect((await exchange(right)).body.error).toBe('invalid_client')
    expect((await exchange({ ...right, client_secret: 'f'.repeat(40) })).body.error).toBe('invalid_client')
    expect((await exchange({ ...right, client_secret: body.client_secret })).status).toBe(200)
    expect((await refresh(body.client_id, 'x')).body.error).toBe('invalid_client')
  })
})

describe('POST /oauth/revoke', () => {
  it.each<[string, Record<string, string>, number, string]>([
    ['no token', {}, 400, 'invalid_request'],
    ['no client', { token: 'x', client_id: '' }, 400, 'invalid_request'],
    ['an unknown client', { token: 'x', client_id: 'nobody' }, 401, 'invalid_client'],
    ['a wrong secret', { token: 'x', client_secret: 'f'.repeat(40) }, 401, 'invalid_client'],
  ])('refuses %s, for every application', async (_, fields, status, error) => {
    const { clientId } = await anApplication(started)
    const answer = await post('/oauth/revoke', { client_id: clientId, ...fields })
    expect([answer.status, answer.body.error]).toEqual([status, error])
  })

  it('says the same of unknown tokens, tokens of others and tokens without an application', async () => {
    const { clientId: client_id, clientSecret: client_secret } = await anApplication(started)
    for (const token of ['unknown', started.token]) {
      const { status, text } = await post('/oauth/revoke', { client_id, client_secret, token })
      expect([status, text]).toEqual([200, ''])
    }
    expect((await started.request('GET', '/v4/user')).status).toBe(200)
  })
})

describe('POST /oauth/register', () => {
  it('shows what it registered, and writes nothing that stays to the audit log', async () => {
    const metadata = { redirect_uris: [redirectUri, redirectUri], scope: 'qr openid links:read', logo_uri: 'ignored' }
    const { status, headers, body } = await register({ ...metadata, token_endpoint_auth_method: 'none' }, '203.0.113.9')
    expect([status, headers['cache-control']]).toEqual([201, 'no-store'])
    expect(body).toEqual({
      client_id: expect.stringMatching(/^R[0-9a-z]{39}$/),
      client_id_issued_at: expect.any(Number),
      client_name: 'desk.example',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: 'links:read qr',
    })
    const filter = { organizationGuid: undefined, login: undefined, after: undefined, size: 100 }
    const entries = await started.app.audit.list({ ...filter, actions: ['application_registered'] })
    expect(entries.map(({ subject }) => subject)).not.toContain(body.client_id)
    const application = await started.request('GET', `/v4/apps/${body.client_id}`)
    expect(application.body).toMatchObject({ name: 'desk.example', require_oauth_pkce: true })
  })

  it.each<[string, unknown, string]>([
    ['a list', [], 'invalid_redirect_uri'],
    ['no redirect URI', { redirect_uris: [] }, 'invalid_redirect_uri'],
    ['a redirect URI that is no text', { redirect_uris: [1] }, 'invalid_redirect_uri'],
    ['too many redirect URIs', { redirect_uris: Array(21).fill(redirectUri) }, 'invalid_redirect_uri'],
    ['a wildcard', { redirect_uris: ['https://*.example/'] }, 'invalid_redirect_uri'],
    ['http', { redirect_uris: ['http://desk.example/'] }, 'invalid_redirect_uri'],
    ['a script', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    ['a fragment', { redirect_uris: [`${redirectUri}#x`] }, 'invalid_redirect_uri'],
    ['what browsers read as a path', { redirect_uris: ['https:desk.example/back'] }, 'invalid_redirect_uri'],
    ['what browsers read as a back-half', { redirect_uris: ['https:/desk'] }, 'invalid_redirect_uri'],
    ['an empty name', { client_name: ' ' }, 'invalid_client_metadata'],
    ['a name that turns the text around it', { client_name: 'a\u202eb' }, 'invalid_client_metadata'],
    ['a long name', { client_name: 'a'.repeat(101) }, 'invalid_client_metadata'],
    ['a home page that is a script', { client_uri: 'javascript:alert(1)' }, 'invalid_client_metadata'],
    ['no possible scope', { scope: 'openid admin' }, 'invalid_client_metadata'],
    ['keys', { token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_client_metadata'],
  ])('refuses %s', async (_, metadata, error) => {
    const whole = Array.isArray(metadata) ? metadata : { redirect_uris: [redirectUri], ...Object(metadata) }
    const { status, body } = await register(whole)
    expect([status, body]).toEqual([400, { error, error_description: expect.any(String) }])
  })

  it('refuses what is no JSON or too large', async () => {
    expect((await register('{')).status).toBe(400)
    expect((await register({ client_name: 'x'.repeat(17_000) })).status).toBe(413)
    const answer = await post('/oauth/register', { client_name: 'x' })
    expect([answer.status, answer.body.error]).toEqual([415, 'invalid_request'])
  })

  it('stops a flood: ten an hour from one network', async () => {
    const metadata = { redirect_uris: [redirectUri] }
    const racing = await Promise.all(Array.from({ length: 14 }, () => register(metadata, '2001:db8::1')))
    expect(racing.filter(({ status }) => status === 201)).toHaveLength(10)
    const { status, headers, body } = await register(metadata, '2001:db8::2')
    expect([status, body.error]).toEqual([429, 'temporarily_unavailable'])
    expect(Number(headers['retry-after'])).toBeGreaterThan(3500)
    clock.offset += 60 * minute
    expect((await register(metadata, '2001:db8::1')).status).toBe(201)
  })

  it('stops a flood from many networks: 1000 a day', async () => {
    const flooded = await startApp(config, { clock, documentSource })
    try {
      const metadata = { redirect_uris: [redirectUri] }
      for (let ten = 0; ten < 100; ten += 1) {
        const some = await Promise.all(Array.from({ length: 10 }, () => register(metadata, anAddress(), flooded)))
        expect(some.map(({ status }) => status)).toEqual(Array(10).fill(201))
      }
      const { status, headers } = await register(metadata, anAddress(), flooded)
      expect(status).toBe(429)
      expect(Number(headers['retry-after'])).toBeGreaterThan(3600)
      clock.offset += 24 * 60 * minute
      expect((await register(metadata, anAddress(), flooded)).status).toBe(201)
    } finally {
      await flooded.close()
    }
  }, 180_000)

  it('deletes what nobody allowed for a day, and keeps what is in use', async () => {
    const unused = await aPublicClient()
    const used = await aPublicClient()
    const { refresh_token: token } = await tokensOf(used)
    clock.offset += 86_400_000 + 1
    browser = await signedIn(started, login, password)
    await aPublicClient()
    expect((await browser.open(authorizePath(unused))).status).toBe(400)
    expect((await refresh(used, token)).status).toBe(200)
  })
})

function publish(path: string, changes: object, answer: { status?: number; headers?: Record<string, string> } = {}) {
  const url = `https://localhost:${(documents.address() as AddressInfo).port}${path}`
  const document = { client_id: url, client_name: 'Desk', redirect_uris: [redirectUri], ...changes }
  published.set(path, { ...answer, body: JSON.stringify(document) })
  return url
}

describe('client id metadata documents', () => {
  it('are fetched for signed-in users only, and kept for some minutes', async () => {
    const clientId = publish('/kept.json', {})
    const stranger = new FormBrowser(started)
    const sent = await stranger.open(authorizePath(clientId))
    expect([sent.status, sent.headers.location?.startsWith('/account/sign-in?next=')]).toEqual([303, true])
    expect((await stranger.open(sent.headers.location ?? '')).status).toBe(200)
    expect(fetched).toEqual([])
    await browser.open(authorizePath(clientId))
    await browser.open(authorizePath(clientId))
    expect(fetched).toEqual(['/kept.json'])
    publish('/kept.json', { redirect_uris: ['https://moved.example/back'] })
    clock.offset += 5 * minute
    expect((await browser.open(authorizePath(clientId))).status).toBe(400)
  })

  it.each<[string, object, object, string]>([
    ['that names another client_id', { client_id: 'https://other.example/x.json' }, {}, 'is not the URL'],
    ['that names none', { client_id: undefined }, {}, 'is not the URL'],
    ['that is too large', { more: 'x'.repeat(5000) }, {}, 'larger than 5 kB'],
    ['that redirects', {}, { status: 302, headers: { location: '/desk.json' } }, 'status 200'],
    ['that is missing', {}, { status: 404 }, 'status 200'],
    ['that is no JSON', {}, { headers: { 'content-type': 'text/html' } }, 'status 200'],
    ['with a secret', { client_secret: 'x' }, {}, 'a field is not valid'],
    ['with keys', { token_endpoint_auth_method: 'private_key_jwt' }, {}, 'a field is not valid'],
    ['without redirect URIs', { redirect_uris: undefined }, {}, 'a field is not valid'],
    ['with an unencrypted redirect URI', { redirect_uris: ['http://desk.example/'] }, {}, 'a field is not valid'],
  ])('refuses one %s', async (what, changes, answer, expected) => {
    const clientId = publish(`/${encodeURIComponent(what)}.json`, changes, answer)
    const { status, text, headers } = await browser.open(authorizePath(clientId))
    expect([status, headers.location]).toEqual([400, undefined])
    expect(text).toContain(expected)
    expect(fetched).toHaveLength(1)
  })

  it.each([
    'https://127.0.0.2/client.json',
    'https://[::1]/client.json',
    'https://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/client.json',
    'https://[::ffff:a00:1]/client.json',
  ])('does not fetch from %s', async (clientId) => {
    const { status, text } = await browser.open(authorizePath(clientId))
    expect(status).toBe(400)
    expect(text).toContain('does not lead to a public address')
  })

  it.each([
    'http://localhost/client.json',
    'https://localhost/',
    'https://localhost',
    'https://user@localhost/client.json',
    'https://localhost/client.json#x',
    'https://localhost/a/../client.json',
    'HTTPS://localhost/client.json',
    `https://localhost/${'x'.repeat(1000)}`,
  ])('%s is no id', async (clientId) => {
    const { status, text } = await browser.open(authorizePath(clientId))
    expect([status, text.includes('is not registered')]).toEqual([400, true])
  })

  it('cannot be reached: says so', async () => {
    const { status, text } = await browser.open(authorizePath('https://nowhere.example/client.json'))
    expect([status, text.includes('cannot be reached')]).toEqual([400, true])
  })

  it('are no way to send requests through the service: 30 an hour for each user', async () => {
    for (let each = 0; each < 30; each += 1) {
      expect((await browser.open(authorizePath(publish(`/many-${each}.json`, {})))).status).toBe(200)
    }
    expect((await browser.open(authorizePath(publish('/many.json', {})))).status).toBe(429)
    expect(fetched).toHaveLength(30)
  })

  it('that the operator revoked stay out', async () => {
    const clientId = publish('/revoked.json', {})
    const { refresh_token: token } = await tokensOf(clientId)
    await revokeApplication(started.app, operator, { clientId })
    expect((await refresh(clientId, token)).body.error).toBe('invalid_client')
    expect((await browser.open(authorizePath(clientId))).status).toBe(400)
  })
})

describe('when the operator permits private addresses to other features', () => {
  const allowing = useStarted<StartedApp>(() => startApp({ ...config, outgoingAllow: ['127.0.0.0/8'] }, { clock }))

  it('documents are fetched from public addresses only', async () => {
    const { port } = documents.address() as AddressInfo
    const someone = await signedIn(allowing, await aPerson(allowing), password)
    const { status, text } = await someone.open(authorizePath(`https://127.0.0.1:${port}/desk.json`))
    expect(status).toBe(400)
    expect(text).toContain('does not lead to a public address')
  })
})

describe('when the operator has not turned them on', () => {
  const off = useStarted<StartedApp>(() => startApp({}, { clock, documentSource }))

  it('nobody registers, documents are not fetched, and the metadata does not offer it', async () => {
    const registered = await register({ redirect_uris: [redirectUri] }, '127.0.0.1', off)
    expect([registered.status, registered.body.error]).toEqual([403, 'access_denied'])
    const someone = await aPerson(off)
    const { status } = await (await signedIn(off, someone, password)).open(authorizePath(publish('/off.json', {})))
    expect([status, fetched]).toEqual([400, []])
    const { body } = await off.request('GET', '/.well-known/oauth-authorization-server', { token: null })
    expect(body.registration_endpoint).toBeUndefined()
    expect(body.client_id_metadata_document_supported).toBeUndefined()
    expect(body.grant_types_supported).toEqual(['authorization_code', 'password'])
  })
})
