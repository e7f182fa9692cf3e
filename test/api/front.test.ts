import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { beginSession } from '../../src/core/sign-in/sessions.js'
import { type StartedApp, startApp, useApp } from '../support/start-app.js'

describe('the front of the service', () => {
  let started: StartedApp
  beforeAll(async () => {
    const domains = ['s.example.com'] as const
    started = await startApp({ baseUrl: 'https://links.example.com', domains: [...domains], anyHost: false })
  })
  afterAll(() => started.close())

  const visit = (host: string, path: string, accept = 'text/html,*/*') =>
    started.request('GET', path, { token: null, headers: { host, accept } })
  const atApi = (path: string) => visit('links.example.com', path)

  it('links to sign-in and docs on the host of the API', async () => {
    const front = await atApi('/')
    expect(front.status).toBe(200)
    expect(front.text).toContain('href="/login"')
    expect(front.text).toContain('href="/docs"')
    expect((await atApi('/login')).headers.location).toBe('/account/sign-in')
    const docs = await atApi('/docs')
    expect(docs.status).toBe(200)
    expect(docs.text).toContain('href="/openapi.json"')
  })

  it('links to both on a short domain', async () => {
    const { status, text } = await visit('s.example.com', '/')
    expect(status).toBe(200)
    expect(text).toContain('href="https://links.example.com/login"')
    expect(text).toContain('href="https://links.example.com/docs"')
  })

  it.each(['links.example.com', 's.example.com'])('has an icon on %s', async (host) => {
    const { status, headers, text } = await visit(host, '/favicon.ico')
    expect([status, headers['content-type']]).toEqual([200, 'image/svg+xml'])
    expect(text).toMatch(/^<svg /)
  })

  it.each([
    ['5 seconds to visitors', 0, 'timeout=5'],
    ['longer than proxies do to a proxy', 1, 'timeout=130'],
  ])('keeps an idle connection open: %s', async (_, trustProxy, keepAlive) => {
    const service = await startApp({ trustProxy })
    const { body } = await service.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/idle' } })
    for (const path of ['/v4/user', `/${body.id.split('/')[1]}`]) {
      // fetch() does not show this header.
      const answer = await new Promise<string>((resolve, reject) => {
        const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
        socket.once('data', (bytes) => resolve(bytes.toString())).once('error', reject)
        socket.write(`GET ${path} HTTP/1.1\r\nHost: ${service.domain}\r\n\r\n`)
      })
      expect(answer).toContain(`Keep-Alive: ${keepAlive}\r\n`)
    }
    await service.close()
  })

  describe('for a host that it does not know', () => {
    it.each(['/', '/3xYz12A', '/v4/nothing'])('says what to set: %s', async (path) => {
      const page = await visit('other.example:8080', path)
      expect(page.status).toBe(404)
      expect(page.headers['content-type']).toContain('text/html')
      for (const word of [
        'other.example:8080',
        'https://links.example.com',
        '--base-url',
        '--domains',
        'Host header',
      ]) {
        expect(page.text).toContain(word)
      }
      const json = await visit('other.example:8080', path, '*/*')
      expect(json).toMatchObject({ status: 404, body: { message: 'NOT_FOUND' } })
      expect(json.body.description).toMatch(/^other\.example:8080 is neither .*--domains/)
    })

    it('escapes everything from the request', async () => {
      const { text } = await visit('"><script>', '/')
      expect(text).not.toContain('<script>')
    })

    it('serves the API as usual, because health checks use the IP', async () => {
      expect((await visit('127.0.0.1', '/healthz')).status).toBe(200)
      const { status } = await started.request('GET', '/v4/user', { headers: { host: '127.0.0.1' } })
      expect(status).toBe(200)
    })
  })

  it('recognises the host of the API with a final dot and with its port', async () => {
    for (const host of ['links.example.com.', 'LINKS.example.com:443']) {
      expect((await visit(host, '/nothing-here')).text).toBe('404 page not found\n')
    }
  })
})

describe('the front of a service whose API and links share a host', () => {
  const started = useApp()

  const front = (cookie = '') => started.request('GET', '/', { token: null, headers: { host: started.domain, cookie } })

  it('leads strangers to sign-in, and signed-in people to the dashboard', async () => {
    const stranger = await front()
    expect(stranger.status).toBe(200)
    expect(stranger.text).toContain('href="/login"')
    const secret = await beginSession(started.app, 'admin')
    const known = await front(`shortlink_session=${secret}`)
    expect([known.status, known.headers.location]).toEqual([303, '/app'])
  })

  it('has the same logo on the pages of the service and of its links', async () => {
    const { body } = await started.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/a/b?c=d' } })
    const hash = body.id.split('/')[1]
    for (const path of ['/', '/account/sign-in', '/nothing', `/${hash}+`]) {
      const { text, headers } = await started.request('GET', path, { token: null, headers: { host: started.domain } })
      expect(text).toContain('<header class="brand"><svg ')
      expect(headers['content-security-policy']).toContain("default-src 'none'; style-src 'sha256-")
    }
    const { text } = await started.request('GET', `/${hash}+`, { token: null, headers: { host: started.domain } })
    expect(text).toContain('This link leads to example.com')
  })
})
