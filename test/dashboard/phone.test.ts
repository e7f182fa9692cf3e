import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { browserTitle, chromium } from '../support/browser.js'
import { useApp } from '../support/start-app.js'
import { clipboard, findingsInBoth, signedInPage, useBrowser } from './dashboard-page.js'
import { makeEverything, pathOf, places } from './places.js'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

/** Run in the page. */
const scripts = {
  /** What fingers press, and what of it is smaller than 44 px. Links within a sentence are exempt. */
  small: `(() => {
    const found = []
    const pressed = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button], [role=tab], [role=switch]'
    const isSeen = (element) =>
      element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
      element.getClientRects().length > 0 &&
      element.getBoundingClientRect().width > 1
    const isInSentence = (element) =>
      element.matches('a') &&
      [...element.parentElement.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '')
    const within = document.querySelector('[role=dialog], [role=menu]') ?? document
    for (const element of within.querySelectorAll(pressed)) {
      if (element.disabled || element.closest('[inert], [aria-hidden=true]') || isInSentence(element)) continue
      // Left to the keyboard and to screen readers.
      if (getComputedStyle(element).pointerEvents === 'none') continue
      // A box that is drawn by its label, or cannot be seen, is pressed there.
      const label = element.labels?.[0]
      const shown = isSeen(element) ? element : label
      if (!shown || !isSeen(shown)) continue
      shown.scrollIntoView({ block: 'center', inline: 'center' })
      // A field with what is chosen in it takes fingers for the whole of its box.
      const box = element.closest('.mantine-Input-input')
      const rects = [element, label, box].filter(Boolean).map((each) => each.getBoundingClientRect())
      if (rects.some(({ width, height }) => width >= 43.5 && height >= 43.5)) continue
      const { left, right, top, bottom, width, height } = shown.getBoundingClientRect()
      const x = (left + right) / 2
      const y = (top + bottom) / 2
      const isHit = ([dx, dy]) => {
        const hit = document.elementFromPoint(x + dx, y + dy)
        return hit !== null && (element.contains(hit) || label?.contains(hit) || hit.closest('label')?.control === element)
      }
      const reach = (dx, dy) => {
        let steps = 0
        while (steps < 44 && isHit([dx * (steps + 1), dy * (steps + 1)])) steps += 1
        return steps
      }
      if (isHit([0, 0]) && reach(-1, 0) + reach(1, 0) >= 42 && reach(0, -1) + reach(0, 1) >= 42) continue
      found.push(Math.round(width) + ' x ' + Math.round(height) + ': ' + element.outerHTML.replace(/ (d|style|id)="[^"]*"/g, '').slice(0, 150))
    }
    return found
  })()`,
  end: 'scrollTo(0, document.documentElement.scrollHeight)',
}

/** What people do on a phone, with a finger. */
describe.skipIf(chromium === undefined)(`the dashboard on a phone ${browserTitle}`, { timeout: 600_000 }, () => {
  const started = useApp({ trustProxy: 1, dnsTargets: [], outgoingAllow: ['127.0.0.0/8'] })
  const browser = useBrowser()
  let made: Readonly<Record<string, string>>
  beforeAll(async () => {
    made = await makeEverything(started)
  })

  const openPage = () => signedInPage(browser, started, { ...phone, reducedMotion: 'reduce' })

  /** Left, top, right and bottom, in whole pixels. */
  const edges = (page: Page, selector: string) =>
    page
      .locator(selector)
      .filter({ visible: true })
      .last()
      .evaluate((element) => {
        const { left, top, right, bottom } = element.getBoundingClientRect()
        return { left: Math.round(left), top: Math.round(top), right: Math.round(right), bottom: Math.round(bottom) }
      })

  it.each(Object.values(places).flat())('has controls for fingers at $path, and none is covered', async ({ path }) => {
    const { page, context, open } = await openPage()
    await open(pathOf(path, made))
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await page.waitForLoadState('networkidle')
    expect(await page.evaluate<string[]>(scripts.small)).toEqual([])
    // What is loaded late makes the page longer.
    const rest = async () => {
      await page.evaluate(scripts.end)
      return (await edges(page, '#content > :last-child')).bottom - (await edges(page, 'nav')).top
    }
    await expect.poll(rest).toBeLessThanOrEqual(0)
    await context.close()
  })

  it.each([
    ['links', 'Tags', 'dialog'],
    ['links', 'Views', 'dialog'],
    ['analytics', 'Time range', 'dialog'],
    ['analytics', 'Filter', 'dialog'],
    ['qr-codes', 'More actions for Poster', 'menu'],
    ['qr-codes', 'Create a QR code', 'dialog'],
    ['sites', 'More actions for Anna', 'menu'],
    ['', 'Theme', 'menu'],
    ['', 'Menu', 'dialog'],
    ['', 'Create a link', 'dialog'],
  ] as const)('opens what is over "%s" by "%s" at the bottom', async (path, button, role) => {
    const { page, context, problems, open } = await openPage()
    await open(path)
    await page
      .getByRole('button', { name: new RegExp(`^${button}`) })
      .filter({ visible: true })
      .first()
      .tap()
    const sheet = page.getByRole(role).filter({ visible: true })
    await sheet.waitFor()
    await page.waitForLoadState('networkidle')
    const { width, height } = phone.viewport
    const { top, ...others } = await edges(page, `[role=${role}]`)
    expect(others).toEqual({ left: 0, right: width, bottom: height })
    expect(top).toBeGreaterThan(24)
    expect(await page.evaluate<string[]>(scripts.small)).toEqual([])
    expect(await findingsInBoth(page, `[role=${role}]`)).toEqual([])
    // What is above it closes it, and does nothing else.
    const at = page.url()
    await page.touchscreen.tap(width / 2, 20)
    await sheet.waitFor({ state: 'detached' })
    expect(page.url()).toBe(at)
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(problems).toEqual([])
    await context.close()
  })

  it('has a menu for each row of the list of links', async () => {
    const { page, context, problems, open } = await openPage()
    await open('links')
    const row = page.getByRole('main').getByRole('listitem').filter({ hasText: 'Second' })
    const more = row.getByRole('button', { name: 'More actions' })
    const sheet = page.getByRole('dialog')
    await more.tap()
    await sheet.getByText('https://example.com/two').waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    await clipboard(page).write('')
    await sheet.getByRole('button', { name: 'Copy' }).tap()
    await page.getByText('Copied').waitFor()
    await sheet.waitFor({ state: 'detached' })
    expect(await clipboard(page).read()).toMatch(/^http/)
    await more.tap()
    await sheet.getByRole('button', { name: 'QR code' }).tap()
    await page.getByRole('dialog', { name: 'Create a QR code' }).waitFor()
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    await more.tap()
    await sheet.getByRole('button', { name: 'Edit' }).tap()
    await sheet.getByLabel(/^Title/).fill('The second')
    await sheet.getByRole('button', { name: 'Save' }).tap()
    await sheet.waitFor({ state: 'detached' })
    const changed = page.getByRole('main').getByRole('listitem').filter({ hasText: 'The second' })
    await changed.getByRole('button', { name: 'More actions' }).tap()
    await sheet.getByRole('button', { name: 'Archive' }).tap()
    await changed.waitFor({ state: 'detached' })
    // Above the navigation, and the finger reaches it.
    const { bottom } = await edges(page, '[role=alert]')
    expect(bottom).toBeLessThanOrEqual((await edges(page, 'nav')).top)
    await page.getByRole('button', { name: 'Undo' }).last().tap()
    await changed.waitFor()
    expect(problems).toEqual([])
    await context.close()
  })

  it('opens a link by its whole row', async () => {
    const { page, context, open } = await openPage()
    await open('links')
    const row = page.getByRole('main').getByRole('listitem').filter({ hasText: 'A title' })
    const { x = 0, y = 0, width = 0, height = 0 } = (await row.getByText('spring').boundingBox()) ?? {}
    await page.touchscreen.tap(x + width / 2, y + height / 2)
    await page.waitForURL(/\/links\/.+/)
    await context.close()
  })

  it('keeps clear of notches and of the line of the system', async () => {
    const { page, context, open } = await openPage()
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setSafeAreaInsetsOverride', { insets: { top: 47, bottom: 34, left: 20, right: 20 } })
    await open('links')
    const { height, width } = phone.viewport
    const inner = 'nav > :last-child'
    expect((await edges(page, inner)).bottom).toBeLessThanOrEqual(height - 34)
    expect((await edges(page, inner)).right).toBeLessThanOrEqual(width - 20)
    expect((await edges(page, 'header button')).top).toBeGreaterThanOrEqual(47)
    expect((await edges(page, 'main h1')).left).toBeGreaterThanOrEqual(20)
    await page.getByRole('button', { name: 'Menu', exact: true }).tap()
    const menu = await edges(page, '[role=dialog] button')
    expect(menu.bottom).toBeLessThanOrEqual(height - 34)
    await context.close()
  })
})
