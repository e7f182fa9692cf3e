import * as openid from 'openid-client'
import { AuthorizationCode, ResourceOwnerPassword } from 'simple-oauth2'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'
import { signedIn } from './form-browser.js'
import { aClock, anApplication, aPerson, password, withAuthenticator } from './people.js'

const clock = aClock()
const redirectUri = 'https://reader.example/back'
const started = useApp({}, { clock })
let base: string
let login: string
beforeAll(async () => {
  base = started.app.config.baseUrl
})
beforeEach(async () => {
  login = await aPerson(started)
})

/** What a user does in a browser with the URL of a library; returns the final location. */
async function allow(address: string): Promise<URL> {
  const { pathname, search, origin } = new URL(address)
  expect(origin).toBe(base)
  const browser = await signedIn(started, login, password)
  await browser.open(pathname + search)
  const { headers } = await browser.submit('/oauth/authorize', { decision: 'allow' })
  return new URL(headers.location ?? '')
}

const userOf = async (token: unknown) => (await started.request('GET', '/v4/user', { token: String(token) })).body.login

describe('openid-client, unmodified', () => {
  const insecure: openid.DiscoveryRequestOptions = { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] }

  async function codeFlow(config: openid.Configuration) {
    const pkceCodeVerifier = openid.randomPKCECodeVerifier()
    const expectedState = openid.randomState()
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
    })
    return openid.authorizationCodeGrant(config, await allow(address.href), { pkceCodeVerifier, expectedState })
  }

  it.each([
    ['in the header', openid.ClientSecretBasic],
    ['in the form', openid.ClientSecretPost],
  ])('discovers the service and completes the code flow with PKCE, its secret %s', async (_, method) => {
    const { clientId, clientSecret } = await anApplication(started, { redirectUris: [redirectUri] })
    const config = await openid.discovery(new URL(base), clientId, clientSecret, method(clientSecret), insecure)
    const answer = await codeFlow(config)
    expect(answer.login).toBe(login)
    expect(await userOf(answer.access_token)).toBe(login)
  })

  it('completes the code flow without a secret, if the application must use PKCE', async () => {
    const { clientId } = await anApplication(started, { redirectUris: [redirectUri], requirePkce: true })
    const config = await openid.discovery(new URL(base), clientId, undefined, openid.None(), insecure)
    expect(await userOf((await codeFlow(config)).access_token)).toBe(login)
  })

  it('reports a denial', async () => {
    const { clientId, clientSecret } = await anApplication(started, { redirectUris: [redirectUri] })
    const config = await openid.discovery(new URL(base), clientId, clientSecret, undefined, insecure)
    const denied = new URL(`${redirectUri}?error=access_denied&state=s`)
    const outcome = openid.authorizationCodeGrant(config, denied, { expectedState: 's' })
    await expect(outcome).rejects.toMatchObject({ error: 'access_denied' })
  })
})

describe('simple-oauth2, unmodified', () => {
  // `/oauth/authorize` is the library's own default.
  const auth = () => ({ tokenHost: base, tokenPath: '/oauth/access_token' })

  it.each(['header', 'body'] as const)('completes the code flow, its secret in the %s', async (authorizationMethod) => {
    const { clientId: id, clientSecret: secret } = await anApplication(started, { redirectUris: [redirectUri] })
    const client = new AuthorizationCode({ client: { id, secret }, auth: auth(), options: { authorizationMethod } })
    const state = 'a b/c&d="e"'
    const to = await allow(client.authorizeURL({ redirect_uri: redirectUri, state }))
    expect(to.searchParams.get('state')).toBe(state)
    const code = to.searchParams.get('code') ?? ''
    const { token } = await client.getToken({ code, redirect_uri: redirectUri })
    expect(token.login).toBe(login)
    expect(await userOf(token.access_token)).toBe(login)
  })

  it('completes the password grant, also with a second factor', async () => {
    const { clientId: id, clientSecret: secret } = await anApplication(started)
    const client = new ResourceOwnerPassword({ client: { id, secret }, auth: auth() })
    const { token } = await client.getToken({ username: login, password })
    expect(await userOf(token.access_token)).toBe(login)

    const { nextCode } = await withAuthenticator(started, login, clock)
    await expect(client.getToken({ username: login, password })).rejects.toMatchObject({
      data: { payload: { status_txt: '2FA_CODE_REQUESTED' } },
    })
    const second = await client.getToken({ username: login, password, code: nextCode() })
    expect(await userOf(second.token.access_token)).toBe(login)
  })
})
