import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type StartedApp, startApp } from '../support/start-app.js'

describe('titles of pages', () => {
  let started: StartedApp
  let port: number
  const asked: string[] = []
  const held: ServerResponse[] = []
  const server = createServer(({ url = '' }, response) => {
    asked.push(url)
    if (url.startsWith('/held')) held.push(response)
    else if (url.startsWith('/private')) response.writeHead(302, { location: 'http://127.0.0.2:1/' }).end()
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page(url))
  })
  beforeAll(async () => {
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    port = (server.address() as AddressInfo).port
    started = await startApp({ titles: 'on', outgoingAllow: ['127.0.0.1'] })
  })
  afterAll(async () => {
    await started.close()
    server.closeAllConnections()
    server.close()
  })

  const page = (url: string) => `<!doctype html><title>Page&nbsp;${url}</title>`
  const at = (path: string) => `http://127.0.0.1:${port}${path}`
  const post = (path: string, body: object) => started.request('POST', path, { body })
  const titleOf = async (id: string) => (await started.request('GET', `/v4/shortlinks/${id}`)).body.title
  const soon = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 10 })

  it.each(['/v4/shorten', '/v4/shortlinks'])(
    '%s: a link without a title gets the title of its page later',
    async (path) => {
      const { status, body } = await post(path, { long_url: at(`/made${path}`) })
      expect([status, body.title]).toEqual([201, undefined])
      await soon(async () => expect(await titleOf(body.id)).toBe(`Page /made${path}`))
    },
  )

  it('a link with tags or a keyword gets one too', async () => {
    const { body } = await post('/v4/shortlinks', { long_url: at('/tagged'), tags: ['a'] })
    await soon(async () => expect(await titleOf(body.id)).toBe('Page /tagged'))
  })

  it('a page that does not answer causes no delay', async () => {
    const { status, body } = await post('/v4/shorten', { long_url: at('/held/slow') })
    expect(status).toBe(201)
    await soon(() => expect(asked).toContain('/held/slow'))
    expect(await titleOf(body.id)).toBeUndefined()
    const other = await post('/v4/shorten', { long_url: at('/meanwhile') })
    await soon(async () => expect(await titleOf(other.body.id)).toBe('Page /meanwhile'))
  })

  it('a title that was set meanwhile stays', async () => {
    const { body } = await post('/v4/shorten', { long_url: at('/held/overtaken') })
    await soon(() => expect(asked).toContain('/held/overtaken'))
    await started.request('PATCH', `/v4/shortlinks/${body.id}`, { body: { title: 'My own' } })
    const before = started.app.titles.counts.overtaken
    for (const response of held) response.writeHead(200, { 'content-type': 'text/html' }).end(page('/late'))
    await soon(() => expect(started.app.titles.counts.overtaken).toBe(before + 1))
    expect(await titleOf(body.id)).toBe('My own')
  })

  it('a link with a title is not changed, nor is an existing link', async () => {
    await post('/v4/shortlinks', { long_url: at('/titled'), title: 'Given' })
    await post('/v4/shorten', { long_url: at('/twice') })
    await soon(() => expect(asked).toContain('/twice'))
    await post('/v4/shorten', { long_url: at('/twice') })
    const last = await post('/v4/shorten', { long_url: at('/afterwards') })
    await soon(async () => expect(await titleOf(last.body.id)).toBe('Page /afterwards'))
    expect(asked).not.toContain('/titled')
    expect(asked.filter((url) => url === '/twice')).toHaveLength(1)
  })

  it('forbidden addresses are not fetched, and are counted', async () => {
    const { refused } = started.app.titles.counts
    const straight = await post('/v4/shorten', { long_url: 'http://127.0.0.2:1/secret' })
    const around = await post('/v4/shorten', { long_url: at('/private') })
    await soon(() => expect(started.app.titles.counts.refused).toBe(refused + 2))
    expect(await titleOf(straight.body.id)).toBeUndefined()
    expect(await titleOf(around.body.id)).toBeUndefined()
    const { text } = await started.request('GET', '/metrics', { token: null })
    expect(text).toContain(`shortlink_titles_total{outcome="refused"} ${refused + 2}`)
  })
})

it('nothing is fetched when titles are switched off', async () => {
  const wanted: string[] = []
  const pages = {
    async title(url: string) {
      wanted.push(url)
      return { title: 'x' }
    },
    async *icons(origin: string) {
      wanted.push(origin)
      yield* []
    },
  }
  const started = await startApp({ titles: 'off' }, { pages })
  try {
    const { body } = await started.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/off' } })
    expect((await started.request('GET', `/v4/shortlinks/${body.id}`)).body).not.toHaveProperty('title')
    expect(wanted).toEqual([])
  } finally {
    await started.close()
  }
})
