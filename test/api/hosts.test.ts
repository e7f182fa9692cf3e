import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp, useApp } from '../support/start-app.js'

/** Which host and path a request means, in any spelling. */
describe('the host of a request', () => {
  let shortlink: StartedApp
  let path: string
  beforeAll(async () => {
    shortlink = await startApp({
      baseUrl: 'http://go.example.com',
      domains: ['go.example.com', 's.example.org:8080'],
      anyHost: false,
    })
    const { body } = await shortlink.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/host' } })
    path = `/${body.id.split('/')[1]}`
  })
  afterAll(() => shortlink.close())

  it.each([
    ['go.example.com', 'as it is kept'],
    ['GO.Example.com', 'in other case'],
    ['go.example.com.', 'with the dot of the root'],
    ['go.example.com:80', "with the scheme's own port"],
    ['go.example.com.:80', 'with both'],
    ['go.example.com:', 'with an empty port'],
  ])('can be %s, %s', async (host) => {
    const at = async (where: string) =>
      (await shortlink.request('GET', where, { token: null, headers: { host } })).status
    expect(await at(path)).toBe(301)
    expect(await at('/nothing-here')).toBe(404)
    expect(await at('/healthz')).toBe(200)
    expect(await at('/v4/user')).toBe(403)
  })

  it('differs by port', async () => {
    const answer = await shortlink.request('GET', path, { token: null, headers: { host: 'go.example.com:8443' } })
    expect([answer.status, answer.headers.location]).toEqual([404, undefined])
  })

  it('comes from an absolute URL in the request line, not from the Host header', async () => {
    const at = async (url: string, host: string) =>
      (await shortlink.request('GET', url, { token: null, headers: { host } })).status
    expect(await at(`http://go.example.com${path}`, 'elsewhere.example')).toBe(301)
    expect(await at(`HTTP://GO.example.com${path}?r=qr`, 'elsewhere.example')).toBe(301)
    expect(await at('http://go.example.com/healthz', 'elsewhere.example')).toBe(200)
    expect(await at('http://go.example.com', 'elsewhere.example')).toBe(200)
    expect(await at('http://go.example.com?a=b', 'elsewhere.example')).toBe(200)
    expect(await at(`http://s.example.org:8080${path}`, 'go.example.com')).toBe(404)
  })

  it.each([
    ['of a link', () => path],
    ['of the API', () => '/healthz'],
  ])('is rejected if there are two, in a request %s', async (_what, where) => {
    const line = `GET ${where()} HTTP/1.1\r\n`
    expect(await raw(`${line}Host: go.example.com\r\nhost: elsewhere.example\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /)
    expect(await raw(`${line}\r\n`)).toMatch(/^HTTP\/1\.1 400 /)
  })

  async function raw(bytes: string): Promise<string> {
    const socket = connect(shortlink.app.config.port, '127.0.0.1')
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.write(bytes)
    await once(socket, 'close')
    return answer
  }
})

describe('the path of a short link', () => {
  const shortlink = useApp()
  let path: string
  beforeAll(async () => {
    const { body } = await shortlink.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/path' } })
    path = `/${body.id.split('/')[1]}`
  })

  const visit = (where: string) => shortlink.request('GET', where, { token: null })

  it('may be percent-encoded', async () => {
    const encoded = `/${[...path.slice(1)].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')}`
    expect((await visit(encoded)).headers.location).toBe('https://example.com/path')
    expect((await visit(`${encoded}%2B`)).text).toContain('This link leads to')
  })

  it.each(['%20', '%0A', '%C2%A0', '%E2%80%8B', '%E2%80%9D', '%22', '%29.', '%3E'])(
    'ignores a %s after it',
    async (tail) => {
      expect((await visit(path + tail)).headers.location).toBe('https://example.com/path')
    },
  )

  it.each(['%', '%zz', '%E2%80', '%2Fmore', '%00', '%C3%A9'])('is another one with a %s behind it', async (tail) => {
    expect((await visit(path + tail)).status).toBe(404)
  })

  // Removing it takes longer for longer paths, so above a certain length nothing is removed.
  it('has limits on what is ignored', async () => {
    expect((await visit(`${path}${'.'.repeat(50)}`)).headers.location).toBe('https://example.com/path')
    for (const dots of [300, 15_000]) expect((await visit(path + '.'.repeat(dots))).status).toBe(404)
  })
})
