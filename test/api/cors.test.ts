import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Browser, type BrowserPage, browserTitle, chromium } from '../support/browser.js'
import { type StartedApp, startApp } from '../support/start-app.js'

const app = 'https://app.example.com'
const stranger = 'https://stranger.example.com'

const preflight = (started: StartedApp, path: string, headers: Readonly<Record<string, string>>) =>
  started.request('OPTIONS', path, {
    token: null,
    headers: { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization', ...headers },
  })

const list = (header: unknown) => String(header).toLowerCase().split(', ')

describe('CORS for some origins', () => {
  let started: StartedApp
  beforeAll(async () => {
    const endpointLimits = [{ endpoint: 'GET /v4/user', perHour: 10 }]
    started = await startApp({ corsOrigins: [app, 'http://localhost:5173'], endpointLimits })
  })
  afterAll(() => started.close())

  it('answers a preflight without a token, for a browser to keep', async () => {
    const { status, headers, text } = await preflight(started, '/v4/shorten', { origin: app })
    expect([status, text]).toEqual([204, ''])
    expect(headers['access-control-allow-origin']).toBe(app)
    expect(list(headers['access-control-allow-methods'])).toEqual(['post'])
    expect(headers['access-control-max-age']).toBe('7200')
    expect(headers.vary).toBe('Origin')
    const allowed = list(headers['access-control-allow-headers'])
    expect(allowed).toEqual(expect.arrayContaining(['authorization', 'content-type', 'idempotency-key', 'if-match']))
    expect(allowed).not.toContain('x-csrf-token')
    expect(headers['access-control-allow-credentials']).toBeUndefined()
  })

  it('allows the methods of the path', async () => {
    const { headers } = await preflight(started, `/v4/shortlinks/${started.domain}/abc?x=1`, { origin: app })
    expect(list(headers['access-control-allow-methods']).sort()).toEqual(['delete', 'get', 'head', 'patch'])
    expect((await preflight(started, '/v4/nothing', { origin: app })).status).toBe(404)
  })

  it('does not count preflights towards limits', async () => {
    const wanted = { origin: app, 'access-control-request-method': 'GET' }
    for (let n = 0; n < 20; n += 1) expect((await preflight(started, '/v4/user', wanted)).status).toBe(204)
    const first = await started.request('GET', '/v4/user', { headers: { origin: app } })
    expect([first.status, first.headers['x-ratelimit-remaining']]).toEqual([200, '0'])
    expect(first.headers['access-control-allow-origin']).toBe(app)

    const refused = await started.request('GET', '/v4/user', { headers: { origin: app } })
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([429, app])
    const exposed = list(refused.headers['access-control-expose-headers'])
    const sent = Object.keys(refused.headers).filter((name) => /^(x-ratelimit-.*|retry-after)$/.test(name))
    expect(sent).toContain('retry-after')
    expect(exposed).toEqual(expect.arrayContaining([...sent, 'idempotent-replayed', 'x-bsd-error', 'etag']))
  })

  it.each([
    ['no token', 403, 'GET', '/v4/groups', { token: null }],
    ['no such link', 404, 'GET', '/v4/shortlinks/localhost/nothing', {}],
    ['no such path', 404, 'GET', '/v4/nothing', {}],
    ['another method', 405, 'PUT', '/v4/shorten', {}],
    ['no JSON', 422, 'POST', '/v4/shorten', { body: '{' }],
    ['a wrong field', 400, 'POST', '/v4/shorten', { body: {} }],
    ['a broken path', 400, 'GET', '/v4/groups/%zz', {}],
  ])('lets scripts read errors: %s', async (_, status, method, path, options) => {
    const answer = await started.request(method, path, { ...options, headers: { origin: app } })
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([status, app])
    expect(answer.headers.vary).toBe('Origin')
  })

  it.each([stranger, 'https://app.example.com.evil.example', 'http://app.example.com', `${app}:8443`, 'null'])(
    'does not allow %s',
    async (origin) => {
      const asked = await preflight(started, '/v4/shorten', { origin })
      expect([asked.status, asked.headers['access-control-allow-origin']]).toEqual([405, undefined])
      const answer = await started.request('GET', '/v4/groups', { headers: { origin } })
      expect([answer.status, answer.headers['access-control-allow-origin'], answer.headers.vary]).toEqual([
        200,
        undefined,
        'Origin',
      ])
    },
  )

  it('names every header that a picture depends on', async () => {
    const body = { group_guid: started.groupGuid, content: 'hello' }
    const { headers } = await started.request('POST', '/v4/qr-codes/static', { body, headers: { origin: app } })
    expect(list(headers.vary).sort()).toEqual(['accept', 'accept-encoding', 'origin'])
  })

  it('is for v4 only, and a plain OPTIONS is still no operation', async () => {
    for (const path of ['/v3/shorten', '/oauth/access_token', '/account/session', '/nothing']) {
      const { headers } = await started.request('GET', path, { headers: { origin: app } })
      expect([path, headers['access-control-allow-origin']]).toEqual([path, undefined])
    }
    const { status } = await started.request('OPTIONS', '/v4/shorten', { headers: { origin: app } })
    expect(status).toBe(405)
  })

  describe.skipIf(chromium === undefined)(`${browserTitle}`, { timeout: 120_000 }, () => {
    let browser: Browser
    let page: BrowserPage
    const sites: Server[] = []
    beforeAll(async () => {
      browser = await Browser.start()
      page = await browser.newPage()
    })
    afterAll(async () => {
      await browser.close()
      for (const site of sites) site.close().closeAllConnections()
    })

    async function site(): Promise<string> {
      const server = createServer((_request, response) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end('<title>A page</title>'),
      )
      sites.push(server)
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    }

    it('a script of an allowed page creates a link and reads errors; that of another page cannot', async () => {
      const [ours, other] = [await site(), await site()]
      const service = await startApp({ corsOrigins: [ours] })
      const call = (token: string) => `fetch('${service.url}/v4/shorten', {
        method: 'POST',
        headers: { authorization: 'Bearer ${token}', 'content-type': 'application/json', 'idempotency-key': 'one' },
        body: JSON.stringify({ long_url: 'https://example.com/' }),
      }).then(
        async (answer) => [answer.status, answer.headers.get('x-ratelimit-limit') !== null, (await answer.json()).message].join(),
        (error) => error.name,
      )`
      try {
        await page.open(ours)
        expect(await page.evaluate(call(service.token))).toBe('201,true,')
        expect(await page.evaluate(call('wrong'))).toBe('403,false,FORBIDDEN')
        await page.open(other)
        expect(await page.evaluate(call(service.token))).toBe('TypeError')
      } finally {
        await service.close()
      }
    })
  })
})

describe('CORS for all origins', () => {
  it('allows any page, without credentials', async () => {
    const started = await startApp({ corsOrigins: ['*'] })
    const asked = await preflight(started, '/v4/shorten', { origin: stranger })
    const answer = await started.request('GET', '/v4/groups', { headers: { origin: stranger } })
    await started.close()
    for (const { headers } of [asked, answer]) {
      expect(headers['access-control-allow-origin']).toBe('*')
      expect(headers['access-control-allow-credentials']).toBeUndefined()
    }
    expect([asked.status, answer.status]).toEqual([204, 200])
  })
})

describe('without the option', () => {
  it('sends none of the headers', async () => {
    const started = await startApp()
    const asked = await preflight(started, '/v4/shorten', { origin: app })
    const answer = await started.request('GET', '/v4/groups', { headers: { origin: app } })
    await started.close()
    expect([asked.status, answer.status]).toEqual([405, 200])
    for (const { headers } of [asked, answer]) {
      expect(Object.keys(headers).filter((name) => /^access-control|^vary/.test(name))).toEqual([])
    }
  })
})
