import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { visit } from '../api/visits.js'
import { browserTitle, chromium } from '../support/browser.js'
import { useApp } from '../support/start-app.js'
import { leave, readsOf, signedInPage, useBrowser } from './dashboard-page.js'

const most = 15
/** The page of a link does not wait long for its first report, which on a slow machine is then read apart from others. */
const mostOfLink = most + 1

function isSameReport(one: string, other: string): boolean {
  const plain = (path: string) => path.replace(/&unit_reference=[^&]*/, '')
  return one.includes('/metrics') && plain(one) === plain(other)
}

/** As `npm run bench -- dashboard` measures it, but without the time that it takes. */
describe.skipIf(chromium === undefined)(`the first load ${browserTitle}`, { timeout: 120_000 }, () => {
  const started = useApp()
  const browser = useBrowser()
  let clicked: string
  let unclicked: string
  beforeAll(async () => {
    const create = async (title: string): Promise<string> => {
      const body = { long_url: `https://example.com/${title}`, title, tags: ['spring'] }
      return (await started.request('POST', '/v4/shortlinks', { body })).body.id
    }
    clicked = await create('Clicked')
    unclicked = await create('Unclicked')
    await visit(started, clicked)
    await started.clicksCounted()
  })

  async function firstLoad(path: string, shown: (page: Page) => Promise<void>) {
    const { page, context, problems, open } = await signedInPage(browser, started, {
      viewport: { width: 1440, height: 900 },
    })
    await leave(page)
    const urls: string[] = []
    const reads: string[] = []
    page.on('request', (request) => {
      if (request.url().startsWith('data:')) return
      const read = readsOf(request)
      // The live feed has reports asked again, which is no part of the first load.
      const isAgain = read.length > 0 && read.every((each) => reads.some((known) => isSameReport(known, each)))
      reads.push(...read)
      // Said when there are too many.
      if (!isAgain) urls.push([request.url(), ...(read.length > 1 ? read : [])].join(' '))
    })
    await open(path)
    await shown(page)
    // The live events are a request that never ends, so the page is never idle: nothing is asked for any more.
    await page.waitForTimeout(1000)
    const scripts = urls.filter((url) => url.endsWith('.js')).map((url) => url.replace(/.*\/(.*)-.{8}\.js$/, '$1'))
    expect(problems).toEqual([])
    await context.close()
    return { urls, reads, scripts: scripts.sort() }
  }
  const ofFirstVisit = ['app', 'common', 'rolldown-runtime']

  it.each([
    ['Home', '', ['Start'], (page: Page) => page.getByRole('list', { name: 'First steps' }).waitFor()],
    [
      'Links',
      'links',
      [],
      (page: Page) => page.getByRole('listitem').filter({ hasText: 'Unclicked' }).first().waitFor(),
    ],
    [
      'Analytics',
      'analytics',
      [],
      (page: Page) => page.getByRole('button', { name: 'Desktop', exact: true }).waitFor(),
    ],
  ])('of %s takes few requests', async (_name, path, others, shown) => {
    const { urls, scripts } = await firstLoad(path, shown)
    expect(urls.length, urls.join('\n')).toBeLessThanOrEqual(most)
    expect(scripts).toEqual([...others, ...ofFirstVisit])
  })

  it('of a link with clicks takes one file of script, and reads no history that is out of sight', async () => {
    const { urls, reads, scripts } = await firstLoad(`links/${clicked}`, async (page) => {
      await page.getByRole('button', { name: /^Clicks\s*1(\s|$)/ }).waitFor()
      await page.getByRole('listitem').getByRole('button', { name: 'Desktop', exact: true }).waitFor()
    })
    expect(urls.length, urls.join('\n')).toBeLessThanOrEqual(mostOfLink)
    expect(scripts).toEqual(ofFirstVisit)
    expect(reads.filter((path) => path.includes('/history'))).toEqual([])
  })

  it('of a link without clicks shows how to share it and its history, and reads no numbers that nobody sees', async () => {
    const { urls, reads, scripts } = await firstLoad(`links/${unclicked}`, async (page) => {
      await page.getByRole('img', { name: /QR code/ }).waitFor()
      await page.getByText('You created the link').waitFor()
    })
    expect(urls.length, urls.join('\n')).toBeLessThanOrEqual(mostOfLink)
    expect(scripts).toEqual(ofFirstVisit)
    // Whether it was ever clicked, and the clicks of the last half hour.
    expect(reads.filter((path) => path.includes('/metrics'))).toHaveLength(2)
  })
})
