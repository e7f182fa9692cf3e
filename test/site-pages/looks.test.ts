import { beforeAll, describe, expect, it } from 'vitest'
import { templates } from '../../src/core/sites/templates.js'
import { findingsIn, useBrowser } from '../dashboard/dashboard-page.js'
import { browserTitle, chromium } from '../support/browser.js'
import { useApp } from '../support/start-app.js'
import { type PublishedSite, publishSite } from './publish.js'
import { makeThings, samples } from './samples.js'

/** Of the page with its style sheet, compressed. */
const mostBytes = 15_000

const names = [...Object.keys(samples), ...templates.map(({ guid }) => guid)]

describe('pages in many looks', () => {
  const started = useApp()
  const sites: Record<string, PublishedSite> = {}
  beforeAll(async () => {
    const things = await makeThings(started)
    for (const [name, sample] of Object.entries(samples)) sites[name] = await publishSite(started, sample(things))
    for (const { guid, ...document } of templates) sites[guid] = await publishSite(started, document)
  })
  const urlOf = (name: string) => started.url.replace('127.0.0.1', 'localhost') + (sites[name]?.path ?? '')

  it.each(['br', 'gzip'])('weigh less than 15 kB with their style sheet (%s)', async (encoding) => {
    const weights = await Promise.all(
      Object.entries(sites).map(async ([name, { path }]) => {
        const headers = { 'accept-encoding': encoding }
        const { bytes, headers: answered } = await started.request('GET', path, { token: null, headers })
        expect(answered['content-encoding']).toBe(encoding)
        return { name, bytes: bytes.length }
      }),
    )
    console.log(`${encoding}: ${weights.map(({ name, bytes }) => `${name} ${bytes}`).join(', ')}`)
    expect(weights.filter(({ bytes }) => bytes >= mostBytes)).toEqual([])
  })

  describe.skipIf(!chromium)(browserTitle, () => {
    const browser = useBrowser()
    const screens = {
      desktop: { width: 1280, height: 900 },
      phone: { width: 390, height: 844 },
      narrow: { width: 320, height: 640 },
    }

    it.each(names)('%s is accessible and fits, light and dark', { timeout: 120_000 }, async (name) => {
      for (const viewport of Object.values(screens)) {
        const context = await browser.newContext({ viewport, reducedMotion: 'reduce' })
        const page = await context.newPage()
        const problems: string[] = []
        page.on('console', (message) => problems.push(message.text()))
        await page.goto(urlOf(name))
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          expect([colorScheme, ...(await findingsIn(page))]).toEqual([colorScheme])
        }
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
        expect(await page.evaluate<string[]>(smallTargets)).toEqual([])
        expect(problems).toEqual([])
        await context.close()
      }
    })

    it.each(['museum', 'Tworkbench', 'Tmidnight'])(
      '%s is printed black on white',
      { timeout: 120_000 },
      async (name) => {
        const context = await browser.newContext({ viewport: screens.desktop })
        const page = await context.newPage()
        await page.goto(urlOf(name))
        await page.emulateMedia({ media: 'print' })
        expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true)
        expect(await page.evaluate<string[]>(printed)).toEqual(['rgb(0, 0, 0)', 'light', 'true'])
        await context.close()
      },
    )

    it('can be used by keyboard and without scripts', { timeout: 120_000 }, async () => {
      const context = await browser.newContext({ javaScriptEnabled: false, viewport: screens.phone })
      const page = await context.newPage()
      await page.goto(urlOf('photographer'))
      const links = await page.locator('main a').count()
      const urls = new Set(
        await page.evaluate<string[]>("[...document.querySelectorAll('main a')].map(({ href }) => href)"),
      )
      const reached = new Set<string>()
      for (let at = 0; at < links + 2; at++) {
        await page.keyboard.press('Tab')
        const [href, outline] = await page.evaluate<[string, string]>(focused)
        reached.add(href)
        if (href !== '') expect(outline).toBe('solid')
      }
      expect(reached.size).toBeGreaterThanOrEqual(urls.size)
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByText('Save contact').click()])
      expect(download.suggestedFilename()).toBe('Mara Lindqvist.vcf')
      await context.close()
    })
  })
})

/** Runs in the page: the colour of its name, its ground, and whether a button has its URL. */
const printed = `[
  getComputedStyle(document.querySelector('h1')).color,
  getComputedStyle(document.documentElement).colorScheme,
  String(getComputedStyle(document.querySelector('.b[data-url]'), '::after').content.length > 'none'.length),
]`

/** Runs in the page: where the focus is, and how that is shown. What scrolls has it too, and leads nowhere. */
const focused = `[document.activeElement.href ?? '', getComputedStyle(document.activeElement).outlineStyle]`

/** Runs in the page: what can be pressed and is smaller than 44 pixels. */
const smallTargets = `[...document.querySelectorAll('a')]
  .filter((link) => { const { width, height } = link.getBoundingClientRect(); return width < 43.9 || height < 43.9 })
  .map((link) => link.outerHTML)`
