/** Signing in with oidc-provider, which is a certified implementation by others. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../support/free-port.js'
import { type StartedApp, startApp } from '../support/start-app.js'

let app: StartedApp
let server: Server
const groups = new Map([['ada', ['staff']]])

beforeAll(async () => {
  server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const redirect = `${baseUrl}/account/sign-in/with/oidc/callback`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'shortlink',
        client_secret: 'a-secret',
        redirect_uris: [redirect],
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    claims: { openid: ['sub'], profile: ['name', 'preferred_username', 'groups'], email: ['email', 'email_verified'] },
    pkce: { required: () => true },
    issueRefreshToken: () => true,
    features: { devInteractions: { enabled: true } },
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, name: 'Ada Lovelace', preferred_username: sub, groups: groups.get(sub) ?? [] }),
    }),
    cookies: { keys: ['a key'] },
  })
  server.on('request', provider.callback())
  app = await startApp({
    port,
    baseUrl,
    oidcIssuer: issuer,
    oidcClientId: 'shortlink',
    oidcClientSecret: 'a-secret',
    oidcAllowedGroups: ['staff'],
  })
})
afterAll(async () => {
  await app.close()
  server.closeAllConnections()
  server.close()
})

/** Follows redirects with cookies for each host, and fills in the forms of the provider. */
async function signIn(
  login: string,
): Promise<{ readonly status: number; readonly text: string; readonly url: string }> {
  const jars = new Map<string, Map<string, string>>()
  let url = new URL(`${app.app.config.baseUrl}/account/sign-in/with/oidc`)
  let form: URLSearchParams | undefined
  for (let step = 0; step < 20; step++) {
    const jar = jars.get(url.host) ?? new Map<string, string>()
    jars.set(url.host, jar)
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
    const answer: Response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(form && { method: 'POST', body: form }),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      jar.set(name, value)
    }
    const text = await answer.text()
    const location = answer.headers.get('location')
    form = undefined
    if (location !== null) {
      url = new URL(location, url)
      if (url.pathname === '/app') return { status: answer.status, text, url: url.href }
      continue
    }
    const [, action] = /<form[^>]* action="([^"]+)"/.exec(text) ?? []
    const [, prompt] = /name="prompt" value="([^"]+)"/.exec(text) ?? []
    if (prompt === undefined || action === undefined) return { status: answer.status, text, url: url.href }
    url = new URL(action, url)
    form = new URLSearchParams({ prompt, login, password: 'any' })
  }
  throw new Error('the sign-in does not end')
}

it('creates the user, whose groups are at the userinfo endpoint alone', async () => {
  const end = await signIn('ada')
  expect(end.url, end.text).toBe(`${app.app.config.baseUrl}/app`)
  expect(await app.app.accounts.user('ada')).toMatchObject({ name: 'Ada Lovelace' })
})

it('keeps out who is not in the group', async () => {
  const end = await signIn('eve')
  expect([end.status, end.text]).toEqual([403, expect.stringContaining('You have no access')])
  expect(await app.app.accounts.user('eve')).toBeUndefined()
})
