import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../support/start-app.js'

const agents = {
  iphone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  ipad: 'Mozilla/5.0 (iPad; CPU OS 12_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/12.1.2 Mobile/15E148 Safari/604.1',
  pixel:
    'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36',
  firefoxOnAndroid: 'Mozilla/5.0 (Android 14; Mobile; rv:127.0) Gecko/127.0 Firefox/127.0',
  webview:
    'Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.0.0 Mobile Safari/537.36',
  mac: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
  googlebot:
    'Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
}

const store = 'https://store.example/shop'

describe('a link with deep links', () => {
  let started: StartedApp
  let apps: { ios: string; android: string }
  let web: Awaited<ReturnType<typeof aWebPage>>
  let made = 0
  beforeAll(async () => {
    started = await startApp()
    web = await aWebPage()
    const organization = await started.app.domainStore.organizationOf(started.groupGuid)
    const path = `/v4/organizations/${organization}/mobile_apps`
    const register = async (body: object) => (await started.request('POST', path, { body })).body.guid
    const common = { name: 'Shop & "Co"', uri_scheme: 'shop', store_url: store }
    apps = {
      ios: await register({ ...common, os: 'ios' }),
      android: await register({ ...common, os: 'android', package_name: 'com.shop' }),
    }
  })
  afterAll(async () => {
    await started.close()
    web.close()
  })

  type Install = 'no_install' | 'auto_install' | 'promote_install'

  async function aLink(
    install_type: Install,
    more: object = {},
    page = web.url,
  ): Promise<{ id: string; longUrl: string }> {
    const longUrl = `${page}?${made++}`
    const deeplinks = (['ios', 'android'] as const).map((os) => ({
      app_guid: apps[os],
      os,
      app_uri_path: 'shoes/1?a=1&b=2',
      install_type,
      ...more,
    }))
    const { status, body } = await started.request('POST', '/v4/shortlinks', { body: { long_url: longUrl, deeplinks } })
    expect([status, body.message]).toEqual([201, undefined])
    return { id: body.id, longUrl }
  }

  const visit = (id: string, agent: string, method = 'GET') =>
    started.request(method, `/${id.split('/')[1]}`, { token: null, headers: { 'user-agent': agent } })

  /** The links of a page by label. */
  function linksOf(html: string): Record<string, string> {
    const links = [...html.matchAll(/<a [^>]*href="([^"]*)"[^>]*>([^<]*)<\/a>/g)]
    const plain = (text = '') => text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    return Object.fromEntries(links.map(([, href, label]) => [label ?? '', plain(href)]))
  }

  const intent = (fallback: string) =>
    `intent://shoes/1?a=1&b=2#Intent;scheme=shop;package=com.shop;S.browser_fallback_url=${encodeURIComponent(fallback)};end`

  it.each([agents.pixel, agents.firefoxOnAndroid])(
    'no_install on Android: 302 into the app, which falls back to the web page (%s)',
    async (agent) => {
      const { id, longUrl } = await aLink('no_install')
      const { status, headers } = await visit(id, agent)
      expect([status, headers.location]).toEqual([302, intent(longUrl)])
      expect(headers['cache-control']).toBe('private, no-store')
    },
  )

  it('auto_install on Android: 302 into the app, which falls back to the store', async () => {
    const { id } = await aLink('auto_install')
    expect((await visit(id, agents.pixel)).headers.location).toBe(intent(store))
    const own = await aLink('auto_install', { install_url: 'https://own.example/get' })
    expect((await visit(own.id, agents.pixel)).headers.location).toBe(intent('https://own.example/get'))
  })

  it('promote_install on Android: a page with app, store and web page to choose from', async () => {
    const { id, longUrl } = await aLink('promote_install')
    const { status, text } = await visit(id, agents.pixel)
    expect(status).toBe(200)
    expect(linksOf(text)).toEqual({
      'Open the app': intent(store),
      'Get the app': store,
      'Continue on the web': longUrl,
    })
    expect(text).not.toContain('<script')
  })

  it.each(['no_install', 'auto_install', 'promote_install'] as const)(
    '%s in the in-app browser of another Android app: the visitor chooses',
    async (install) => {
      const { id, longUrl } = await aLink(install)
      const { status, text } = await visit(id, agents.webview)
      expect([status, linksOf(text)['Continue on the web']]).toEqual([200, longUrl])
      expect(text).not.toContain('<script')
    },
  )

  it.each([agents.iphone, agents.ipad])(
    'no_install on iOS: a page that tries the app and goes on to the web page (%s)',
    async (agent) => {
      const { id, longUrl } = await aLink('no_install')
      const { status, text, headers } = await visit(id, agent)
      expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
      expect(headers['cache-control']).toBe('no-store')
      expect(linksOf(text)).toEqual({ 'Open the app': 'shop://shoes/1?a=1&b=2', 'Continue on the web': longUrl })
      expect(text).toContain('<script>')
    },
  )

  it('auto_install on iOS: a page that tries the app and goes on to the store', async () => {
    const { id } = await aLink('auto_install')
    expect(linksOf((await visit(id, agents.iphone)).text)).toEqual({
      'Open the app': 'shop://shoes/1?a=1&b=2',
      'Get the app': store,
    })
  })

  it('promote_install on iOS: a page with app, store and web page to choose from', async () => {
    const { id, longUrl } = await aLink('promote_install')
    const { text } = await visit(id, agents.iphone)
    expect(linksOf(text)).toEqual({
      'Open the app': 'shop://shoes/1?a=1&b=2',
      'Get the app': store,
      'Continue on the web': longUrl,
    })
    expect(text).not.toContain('<script')
  })

  it('loads no external resources and runs only its own script', async () => {
    const { id } = await aLink('no_install')
    const { text, headers } = await visit(id, agents.iphone)
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-\S+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; script-src 'sha256-\S+'$/,
    )
    expect(text).not.toMatch(/\ssrc=|<link|@import|url\(/)
    expect(text).toContain('Shop &#38; &#34;Co&#34;')
  })

  it('sends all other visitors to the web page', async () => {
    const { id, longUrl } = await aLink('auto_install')
    for (const agent of [agents.mac, agents.googlebot, 'facebookexternalhit/1.1', 'curl/8.5.0', '']) {
      const { status, headers } = await visit(id, agent)
      expect([agent, status, headers.location]).toEqual([agent, 302, longUrl])
    }
  })

  it('applies routing rules to the web page too', async () => {
    const { id } = await aLink('no_install')
    const dynamic_routing = [{ long_url: 'https://example.com/phones', os_match: ['android'] }]
    await started.request('PATCH', `/v4/shortlinks/${id}`, { body: { dynamic_routing } })
    expect((await visit(id, agents.pixel)).headers.location).toBe(intent('https://example.com/phones'))
  })

  it('sends visitors to the web page once the app is deleted', async () => {
    const organization = await started.app.domainStore.organizationOf(started.groupGuid)
    const path = `/v4/organizations/${organization}/mobile_apps`
    const sent = { name: 'Short-lived', os: 'ios', uri_scheme: 'brief' }
    const { guid } = (await started.request('POST', path, { body: sent })).body
    const longUrl = `${web.url}?${made++}`
    const deeplinks = [{ app_guid: guid, app_uri_path: 'x', install_type: 'auto_install' }]
    const { body } = await started.request('POST', '/v4/shortlinks', { body: { long_url: longUrl, deeplinks } })
    expect((await visit(body.id, agents.iphone)).status).toBe(200)
    await started.request('DELETE', `${path}/${guid}`)
    const { status, headers } = await visit(body.id, agents.iphone)
    expect([status, headers.location]).toEqual([302, longUrl])
  })

  it('counts visits that saw a page or went into the app, and answers HEAD without a body', async () => {
    const { id } = await aLink('no_install')
    await visit(id, agents.iphone)
    await visit(id, agents.pixel)
    const head = await visit(id, agents.iphone, 'HEAD')
    expect([head.status, head.text]).toEqual([200, ''])
    await started.clicksCounted()
    const { body } = await started.request('GET', `/v4/shortlinks/${id}/clicks/summary?unit=day&units=1`)
    expect(body.total_clicks).toBe(2)
  })

  const chromium = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((file) => existsSync(file))
  describe.skipIf(chromium === undefined)(`in a browser${chromium ? '' : ' (skipped: there is no chromium)'}`, () => {
    /** What a real browser with an iPhone user agent shows after some seconds. */
    async function shownFor(id: string, patience: string): Promise<string> {
      const { stdout } = await promisify(execFile)(
        chromium ?? '',
        [
          '--headless',
          '--no-sandbox',
          '--disable-gpu',
          `--user-agent=${agents.iphone}`,
          patience,
          '--dump-dom',
          `${started.url}/${id.split('/')[1]}`,
        ],
        { timeout: 60_000 },
      )
      return stdout
    }

    it('the page shows while the app is tried', { timeout: 120_000 }, async () => {
      // A web page that never answers, so the browser stays on ours.
      const { id } = await aLink('no_install', {}, `${web.url}silent`)
      expect(await shownFor(id, '--timeout=4000')).toContain('<h1>Opening Shop &amp; "Co"</h1>')
      expect(web.asked()).toContain('/silent')
    })

    it('without the app it goes on to the web page', { timeout: 120_000 }, async () => {
      const { id } = await aLink('no_install')
      expect(await shownFor(id, '--virtual-time-budget=10000')).toContain('<h1>The web page</h1>')
    })

    it('the page with choices stays', { timeout: 120_000 }, async () => {
      const { id } = await aLink('promote_install')
      expect(await shownFor(id, '--virtual-time-budget=10000')).toContain('<h1>Open in Shop &amp; "Co"</h1>')
    })
  })
})

async function aWebPage(): Promise<{ url: string; asked(): readonly string[]; close(): void }> {
  const asked: string[] = []
  const server = createServer(({ url = '' }, response) => {
    asked.push(url.replace(/\?.*$/, ''))
    if (url.startsWith('/silent')) return
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>The web page</h1>')
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    asked: () => asked,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
