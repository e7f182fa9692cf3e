/** Signing in with oidc-provider, which is a certified implementation by others. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RealProvider, startRealProvider } from '../support/real-provider.js'
import { type StartedApp, startApp } from '../support/start-app.js'

let app: StartedApp
let provider: RealProvider

beforeAll(async () => {
  provider = await startRealProvider()
  provider.groups.set('ada', ['staff'])
  app = await startApp({ ...provider.config, oidcAllowedGroups: ['staff'] })
})
afterAll(async () => {
  await app.close()
  await provider.close()
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
