import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { svg } from '../support/pictures.js'
import { useApp } from '../support/start-app.js'
import { alterRecords, aMember, aStranger } from './alter-records.js'
import { unreadableBodies } from './organize.js'

/** A site: what it answers by path, what it was asked, and its address. */
interface Site {
  readonly host: string
  readonly asked: string[]
}

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

async function aSite(files: Readonly<Record<string, string | Buffer>>, address = '127.0.0.1'): Promise<Site> {
  const asked: string[] = []
  const server = createServer(({ url = '' }, response) => {
    asked.push(url)
    const file = files[url]
    if (file === undefined) response.writeHead(404).end()
    else if (typeof file === 'string' && file.startsWith('http')) response.writeHead(302, { location: file }).end()
    else response.writeHead(200, { 'content-type': url === '/' ? 'text/html' : 'image/png' }).end(file)
  }).listen(0, address)
  servers.push(server)
  await once(server, 'listening')
  return { host: `${address}:${(server.address() as AddressInfo).port}`, asked }
}

const picture = (background: string, width = 90, height = width) =>
  sharp({ create: { width, height, channels: 4, background } })
    .png()
    .toBuffer()
const naming = (...icons: readonly string[]) =>
  `<!doctype html><head>${icons.map((href) => `<link rel="icon" sizes="64x64" href="${href}">`).join('')}</head><body>`

describe('POST /v4/groups/{group_guid}/links/icons', () => {
  const started = useApp({ titles: 'on', outgoingAllow: ['127.0.0.1'] })
  let path: string
  let green: Buffer
  beforeAll(async () => {
    path = `/v4/groups/${started.groupGuid}/links/icons`
    green = await picture('#00ff00')
  })

  let made = 0
  const linkTo = async (host: string, more: object = {}): Promise<string> => {
    const body = { long_url: `http://${host}/page/${made++}`, ...more }
    return (await started.request('POST', '/v4/shortlinks', { body })).body.id
  }
  const ask = async (shortlinks: readonly string[], token?: string) =>
    started.request('POST', path, { body: { shortlinks }, ...(token && { token }) })
  /** The icon of a link's site, once it is there. */
  const iconOf = (id: string): Promise<{ host: string; image: string }> =>
    vi.waitFor(
      async () => {
        const { icons } = (await ask([id])).body
        expect(icons).toHaveLength(1)
        return icons[0]
      },
      { timeout: 60_000, interval: 50 },
    )
  async function drawn(image: string) {
    const [, type, data = ''] = /^data:(image\/\w+);base64,(.*)$/.exec(image) ?? []
    const { data: pixels, info } = await sharp(Buffer.from(data, 'base64')).removeAlpha().raw().toBuffer({
      resolveWithObject: true,
    })
    return { type, width: info.width, height: info.height, color: `#${pixels.subarray(0, 3).toString('hex')}` }
  }

  it('answers 200 with the icon that the front page names, drawn small, once for all links to a site', async () => {
    const site = await aSite({ '/': naming('/icon.png'), '/icon.png': green, '/favicon.ico': await picture('#ff0000') })
    const ids = [await linkTo(site.host), await linkTo(site.host, { title: 'Given' })]
    const icon = await iconOf(ids[1] ?? '')
    expect(icon.host).toBe(site.host)
    expect(await drawn(icon.image)).toEqual({ type: 'image/png', width: 48, height: 48, color: '#00ff00' })
    const { status, body } = await ask(ids)
    expect([status, body]).toEqual([200, { icons: [icon] }])
    expect(site.asked.filter((url) => url === '/icon.png')).toHaveLength(1)
    expect(site.asked.filter((url) => url === '/')).toHaveLength(1)
  })

  it('draws SVG as pixels, and JPEG', async () => {
    const vector = await aSite({
      '/': naming('/a.svg'),
      '/a.svg': svg('<rect width="20" height="20" fill="#0000ff"/>'),
    })
    expect(await drawn((await iconOf(await linkTo(vector.host))).image)).toMatchObject({
      type: 'image/png',
      color: '#0000ff',
    })
    const photo = await aSite({ '/favicon.ico': await sharp(green).flatten().jpeg().toBuffer() })
    expect(await drawn((await iconOf(await linkTo(photo.host))).image)).toMatchObject({ type: 'image/jpeg', width: 48 })
  })

  it('goes on to /favicon.ico where the named pictures are hostile, too large or at inner addresses', async () => {
    const inner = await aSite({ '/a.png': await picture('#ff0000') }, '127.0.0.2')
    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
    const heavy = await sharp({ create: { width: 300, height: 300, channels: 3, background: 'red', noise } })
      .png()
      .toBuffer()
    expect(heavy.length).toBeGreaterThan(64 * 1024)
    const bad: readonly (string | Buffer)[] = [
      svg('<image href="/etc/passwd" width="9" height="9"/>'),
      '<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg"/>',
      heavy,
      await picture('#ff0000', 4200, 4200),
      'no picture',
      green.subarray(0, 60),
    ]
    const sites = await Promise.all([
      ...bad.map((file) => aSite({ '/': naming('/bad'), '/bad': file, '/favicon.ico': green })),
      aSite({ '/': naming(`http://${inner.host}/a.png`), '/favicon.ico': green }),
      aSite({ '/': naming('/away'), '/away': `http://${inner.host}/a.png`, '/favicon.ico': green }),
    ])
    for (const site of sites) {
      expect((await drawn((await iconOf(await linkTo(site.host))).image)).color).toBe('#00ff00')
    }
    expect(inner.asked).toEqual([])
  })

  it('takes the icon of a site from its own pages alone', async () => {
    const other = await aSite({ '/': naming('/icon.png'), '/icon.png': await picture('#ff0000') })
    const site = await aSite({ '/': `http://${other.host}/`, '/page/x': naming('/mine.png'), '/favicon.ico': green })
    const { body } = await started.request('POST', '/v4/shortlinks', {
      body: { long_url: `http://${site.host}/page/x` },
    })
    expect((await drawn((await iconOf(body.id)).image)).color).toBe('#00ff00')
    expect(other.asked).not.toContain('/icon.png')
    expect(site.asked).not.toContain('/mine.png')
  })

  it('answers without icons of inner addresses, unknown links and those that have none, and fetches nothing', async () => {
    const inner = await aSite({ '/favicon.ico': green }, '127.0.0.2')
    const hidden = await linkTo(inner.host)
    const site = await aSite({ '/favicon.ico': green })
    const id = await linkTo(site.host)
    await iconOf(id)
    expect((await ask([hidden, `${started.domain}/unknown`])).body).toEqual({ icons: [] })
    expect(inner.asked).toEqual([])
    await alterRecords(started, 'delete from site_icons where host = ?', site.host)
    const before = site.asked.length
    expect((await ask([id])).body).toEqual({ icons: [] })
    expect(site.asked).toHaveLength(before)
  })

  it('tells others nothing: readers of the group are answered, strangers not, nor for links of other groups', async () => {
    const site = await aSite({ '/favicon.ico': green })
    const id = await linkTo(site.host)
    await iconOf(id)
    expect((await ask([id], await aMember(started, started.groupGuid, 'reader'))).body.icons).toHaveLength(1)
    const stranger = await aStranger(started)
    expect((await ask([id], stranger.token)).status).toBe(403)
    const own = { body: { shortlinks: [id] }, token: stranger.token }
    expect((await started.request('POST', `/v4/groups/${stranger.groupGuid}/links/icons`, own)).body).toEqual({
      icons: [],
    })
    expect((await started.request('POST', path, { body: { shortlinks: [id] }, token: null })).status).toBe(403)
  })

  it.each([{}, { shortlinks: [] }, { shortlinks: ['no address'] }, { shortlinks: Array(101).fill('sho.rt/a') }])(
    'answers 400 for %j',
    async (body) => {
      const answer = await started.request('POST', path, { body })
      expect([answer.status, answer.body.message]).toEqual([400, 'INVALID_ARG_SHORTLINKS'])
    },
  )

  it.each(unreadableBodies)('answers the documented status for %s', async (_, body, status) => {
    const headers = { 'content-type': 'application/json' }
    expect((await started.request('POST', path, { body, headers })).status).toBe(status)
  })
})
