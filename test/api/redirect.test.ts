import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp, useApp } from '../support/start-app.js'

const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }

describe('following a short link', () => {
  const shortlink = useApp()

  async function aLink(longUrl: string): Promise<{ path: string; id: string }> {
    const { body } = await shortlink.request('POST', '/v4/shorten', { body: { long_url: longUrl } })
    return { path: `/${body.id.split('/')[1]}`, id: body.id }
  }
  const visit = (method: string, path: string, headers: Record<string, string> = browser) =>
    shortlink.request(method, path, { token: null, headers })
  async function clicksOf(id: string): Promise<number> {
    await shortlink.clicksCounted()
    const { body } = await shortlink.request('GET', `/v4/shortlinks/${id}/clicks/summary?unit=day&units=1`)
    return body.total_clicks
  }

  it('answers 301 with the long URL, privately cacheable for 90 seconds, and counts one click', async () => {
    const { path, id } = await aLink('https://example.com/landing?page=1&x=<y>')
    const answer = await visit('GET', path)
    expect(answer.status).toBe(301)
    expect(answer.headers.location).toBe('https://example.com/landing?page=1&x=<y>')
    expect(answer.headers['cache-control']).toBe('private, max-age=90')
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(answer.headers['referrer-policy']).toBe('unsafe-url')
    expect(await clicksOf(id)).toBe(1)
  })

  it('answers HEAD like GET without a body and does not count it as a click', async () => {
    const { path, id } = await aLink('https://example.com/head')
    const answer = await visit('HEAD', path)
    expect([answer.status, answer.headers.location, answer.text]).toEqual([301, 'https://example.com/head', ''])
    expect(await clicksOf(id)).toBe(0)
  })

  it('percent-encodes non-ASCII characters', async () => {
    const { path } = await aLink('https://example.com/straße?q=ü')
    expect((await visit('GET', path)).headers.location).toBe('https://example.com/stra%C3%9Fe?q=%C3%BC')
  })

  it('distinguishes people, tools, crawlers, previews and prefetches', async () => {
    const { path, id } = await aLink('https://example.com/natures')
    await visit('GET', path)
    await visit('GET', path, { 'user-agent': 'curl/8.5.0' })
    await visit('GET', path, {})
    await visit('GET', path, {
      'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    })
    await visit('GET', path, { 'user-agent': 'facebookexternalhit/1.1' })
    await visit('GET', path, { ...browser, 'sec-purpose': 'prefetch' })
    expect(await clicksOf(id)).toBe(3)
  })

  it('is case sensitive in the back-half', async () => {
    const { path } = await aLink('https://example.com/case')
    const swapped = path.replace(/[a-z]/gi, (c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase()))
    if (swapped !== path) expect((await visit('GET', swapped)).status).toBe(404)
  })

  it('shows an information page at <back-half>+ without counting', async () => {
    const { path, id } = await aLink('https://example.com/info?a=1&b="2"')
    const page = await visit('GET', `${path}+`)
    expect(page.status).toBe(200)
    expect(page.text).toContain('https://example.com/info?a=1&#38;b=')
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'/)
    expect(await clicksOf(id)).toBe(0)
  })

  it('ignores punctuation that was pasted with a link', async () => {
    const { path } = await aLink('https://example.com/pasted')
    for (const tail of ['.', ',', ')', '/', '!', ').']) expect((await visit('GET', path + tail)).status).toBe(301)
  })

  it('answers an unknown link with a friendly 404 page without external resources', async () => {
    for (const path of ['/nothere', '/a/b/c', '/%00', '/..%2f..', '/x'.repeat(60), `/${'y'.repeat(51)}`]) {
      const answer = await visit('GET', path)
      expect([path, answer.status]).toEqual([path, 404])
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
      expect(answer.text).toContain('does not exist')
      expect(answer.text).not.toMatch(/(src|href)="http/)
    }
  })

  it('answers GET and HEAD only', async () => {
    const { path } = await aLink('https://example.com/method')
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const answer = await visit(method, path)
      expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, 'GET, HEAD'])
    }
  })

  it('answers robots.txt and the front page', async () => {
    expect((await visit('GET', '/robots.txt')).text).toContain('Disallow: /v4/')
    expect((await visit('GET', '/')).status).toBe(200)
  })

  it('never uses a reserved word for a link', async () => {
    for (const path of ['/healthz', '/v4/shorten', '/openapi.json', '/metrics', '/docs', '/oauth/x']) {
      expect((await visit('GET', path)).headers.location).toBeUndefined()
    }
  })

  it('answers pipelined requests in order', async () => {
    const one = await aLink('https://example.com/pipelined/one')
    const two = await aLink('https://example.com/pipelined/two')
    const text = await rawExchange(
      [one.path, '/missing', two.path].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''),
      3,
    )
    expect(text.match(/HTTP\/1\.1 (\d+)|Location: \S+/g)).toEqual([
      'HTTP/1.1 301',
      'Location: https://example.com/pipelined/one',
      'HTTP/1.1 404',
      'HTTP/1.1 301',
      'Location: https://example.com/pipelined/two',
    ])
  })

  function rawExchange(request: string, answers: number): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(shortlink.url).port), '127.0.0.1', () => socket.write(request))
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1')
        if ((text.match(/HTTP\/1\.1 /g) ?? []).length === answers && text.endsWith('\r\n\r\n')) {
          socket.destroy()
          resolve(text)
        }
      })
      socket.on('error', reject)
    })
  }
})

describe('with short domains configured', () => {
  let shortlink: StartedApp
  beforeAll(async () => {
    shortlink = await startApp({
      baseUrl: 'https://api.example.com',
      domains: ['sho.rt', 'b.example'],
      anyHost: false,
    })
  })
  afterAll(() => shortlink.close())

  it('the Host header decides: short domains redirect, other hosts are the API', async () => {
    const { body } = await shortlink.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/host' } })
    expect(body.id).toMatch(/^sho\.rt\//)
    expect(body.link).toBe(`https://${body.id}`)
    const path = `/${body.id.split('/')[1]}`
    const at = async (host: string, where = path) =>
      (await shortlink.request('GET', where, { token: null, headers: { host } })).status
    expect(await at('sho.rt')).toBe(301)
    expect(await at('SHO.RT')).toBe(301)
    expect(await at('b.example')).toBe(404)
    expect(await at('api.example.com')).toBe(404)
    expect(await at('sho.rt', '/healthz')).toBe(404)
    expect(await at('api.example.com', '/healthz')).toBe(200)
  })
})
