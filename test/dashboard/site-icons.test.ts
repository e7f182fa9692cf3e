import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { browserTitle, chromium } from '../support/browser.js'
import { useApp } from '../support/start-app.js'
import { findingsInBoth, leave, signedInPage, useBrowser } from './dashboard-page.js'

/** Runs in the page: how wide the icon is, once it is decoded. */
const decodedWidth = `(async () => {
  const image = document.querySelector('[data-hue] img')
  await image.decode()
  return image.naturalWidth
})()`

describe.skipIf(chromium === undefined)(`icons of sites ${browserTitle}`, { timeout: 120_000 }, () => {
  const started = useApp({ titles: 'on', outgoingAllow: ['127.0.0.1'] })
  const browser = useBrowser()
  const site = createServer(async (_, response) => {
    const picture = sharp({ create: { width: 64, height: 64, channels: 4, background: '#d12d2d' } })
    response.writeHead(200, { 'content-type': 'image/png' }).end(await picture.png().toBuffer())
  })
  beforeAll(async () => {
    await once(site.listen(0, '127.0.0.1'), 'listening')
    const { port } = site.address() as AddressInfo
    const create = async (long_url: string, title: string): Promise<string> =>
      (await started.request('POST', '/v4/shortlinks', { body: { long_url, title } })).body.id
    // Refused by the guard, so it has no icon.
    await create('http://127.0.0.2/page', 'Without icon')
    const shortlinks = [await create(`http://127.0.0.1:${port}/page`, 'With icon')]
    const path = `/v4/groups/${started.groupGuid}/links/icons`
    const isThere = async () =>
      expect((await started.request('POST', path, { body: { shortlinks } })).body.icons).toHaveLength(1)
    await vi.waitFor(isThere, { timeout: 60_000, interval: 50 })
  })
  afterAll(() => site.close())

  it('are shown in the list of links, letters where there is none, with one request for the page', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started)
    await leave(page)
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await open('links')
    const row = (title: string) => page.getByRole('main').getByRole('listitem').filter({ hasText: title })
    const picture = row('With icon').locator('[data-hue] img')
    await picture.waitFor()
    expect(await page.evaluate(decodedWidth)).toBe(48)
    expect(await row('Without icon').locator('[data-hue]').textContent()).toBe('1')
    expect(await row('Without icon').locator('img').count()).toBe(0)
    // The mark stays as large as it is with a letter.
    const sizes = await Promise.all(
      ['With icon', 'Without icon'].map(async (title) => {
        const box = await row(title).locator('[data-hue]').boundingBox()
        return [box?.x, box?.width, box?.height]
      }),
    )
    expect(sizes[0]).toEqual(sizes[1])
    expect(requests.filter((url) => url.endsWith('/links/icons'))).toHaveLength(1)
    expect(new Set(requests.filter((url) => !url.startsWith('data:'))).size).toBeLessThanOrEqual(15)
    expect(await findingsInBoth(page)).toEqual([])
    expect(problems).toEqual([])
    await context.close()
  })
})
