import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { browserTitle, chromium } from '../support/browser.js'
import { useApp } from '../support/start-app.js'
import { type DashboardPage, findingsInBoth, signedInPage, useBrowser } from './dashboard-page.js'
import { leadsOn, makeEverything, pathOf, places } from './places.js'

/** Run in the page. */
const scripts = {
  routes: `Object.values(__TSR_ROUTER__.routesById)
    .filter(({ options, children, isRoot }) => options.component && !children && !isRoot)
    .map(({ fullPath }) => fullPath)`,

  /** What is wider than its place: the page, what is open over it, and words of buttons. */
  cut: `(() => {
    const found = []
    const wide = (element) => element.scrollWidth > element.clientWidth + 1
    const widest = (element) =>
      [...element.querySelectorAll('*')]
        .reduce((one, other) => (other.getBoundingClientRect().right > one.getBoundingClientRect().right ? other : one))
        .outerHTML.slice(0, 120)
    if (document.documentElement.scrollWidth > innerWidth) found.push('wider than the page: ' + widest(document.body))
    for (const open of document.querySelectorAll('[role=dialog], [role=menu]')) {
      const { left, right } = open.getBoundingClientRect()
      if (wide(open) || left < -1 || right > innerWidth + 1) found.push('wider than what is open: ' + widest(open))
    }
    for (const label of document.querySelectorAll('.mantine-Button-label')) {
      if (wide(label) && getComputedStyle(label).textOverflow !== 'ellipsis') found.push('cut: ' + label.textContent)
    }
    return found
  })()`,

  /** What would move although people asked that nothing does. */
  moving: `[...document.querySelectorAll('*')]
    .filter((element) => {
      const { transitionDuration, transitionProperty, animationName, animationDuration } = getComputedStyle(element)
      const isLong = (list) => list.split(',').some((time) => Number.parseFloat(time) > 0.001)
      return (
        (transitionProperty !== 'none' && isLong(transitionDuration)) ||
        (animationName !== 'none' && isLong(animationDuration))
      )
    })
    .map((element) => 'moves: ' + element.outerHTML.slice(0, 120))`,

  /** Called after each Tab: where the focus is, and what is wrong with its way there. */
  step: `(() => {
    const now = document.activeElement
    const named = (element) => element.outerHTML.replace(/ (class|style|id|d)="[^"]*"/g, '').slice(0, 90)
    const drawn = (element) => {
      const around = [element, element.parentElement, element.parentElement?.parentElement]
      around.push(...(element.parentElement?.children ?? []))
      return around.filter(Boolean).map((each) => {
        const { outline, boxShadow, borderColor, backgroundColor, color } = getComputedStyle(each)
        return [outline, boxShadow, borderColor, backgroundColor, color].join()
      }).join('|')
    }
    const isEnd = now === document.body || now === document.documentElement || globalThis.known.has(now)
    globalThis.known.add(now)
    const found = []
    const { before } = globalThis.walked ?? {}
    if (before && before.element !== now && before.element.isConnected) {
      if (drawn(before.element) === before.drawn) found.push('no visible focus: ' + named(before.element))
      const isFixed = (element) => {
        for (let each = element; each; each = each.parentElement) {
          if (/fixed|sticky/.test(getComputedStyle(each).position)) return each
        }
      }
      const [from, to] = [before.element, now].map((element) => element.getBoundingClientRect())
      const isBack = to.bottom > from.top && to.top < from.bottom && to.right <= from.left + 1
      const isUp = to.bottom <= from.top + 1 && to.left < from.right
      const isSeen = from.width > 1 && to.width > 1
      if (isSeen && !isEnd && isFixed(before.element) === isFixed(now) && (isBack || isUp)) {
        found.push('not in visual order: ' + named(before.element) + ' -> ' + named(now))
      }
    }
    globalThis.walked = { before: { element: now, drawn: drawn(now) } }
    return { found, isEnd, isInside: now.closest('[role=dialog], [role=menu]') !== null }
  })()`,
  startWalk: 'globalThis.walked = undefined, globalThis.known = new Set([document.activeElement])',
  isInside: `document.activeElement.closest('[role=dialog], [role=menu]') !== null`,
  focusedName: `document.activeElement === document.body ? 'nothing' : document.activeElement.outerHTML.slice(0, 120)`,
}

interface Step {
  readonly found: readonly string[]
  readonly isEnd: boolean
  readonly isInside: boolean
}

describe.skipIf(chromium === undefined)(`accessibility ${browserTitle}`, { timeout: 600_000 }, () => {
  const started = useApp({ trustProxy: 1, dnsTargets: [], outgoingAllow: ['127.0.0.0/8'] })
  const browser = useBrowser()
  let dashboard: DashboardPage
  let made: Readonly<Record<string, string>>
  beforeAll(async () => {
    made = await makeEverything(started)
    dashboard = await signedInPage(browser, started, { reducedMotion: 'reduce' })
  })

  it('is looked at on every page that has a route', async () => {
    await dashboard.open('')
    await dashboard.page.getByRole('heading', { level: 1 }).waitFor()
    const routes = await dashboard.page.evaluate<string[]>(scripts.routes)
    expect([...Object.keys(places), ...leadsOn].sort()).toEqual(routes.sort())
  })

  /** In light and dark, on a desktop and a phone; and whether all fits: narrow windows, 200 % of zoom, small phones. */
  async function lookAt(page: Page, within?: string): Promise<string[]> {
    const found: string[] = [...(await page.evaluate<string[]>(scripts.moving))]
    for (const width of [1280, 800, 640, 390, 320]) {
      await page.setViewportSize({ width, height: 800 })
      const cut = () => page.evaluate<string[]>(scripts.cut)
      // Charts follow a little later.
      await expect
        .poll(cut)
        .toEqual([])
        .catch(() => undefined)
      found.push(...(await cut()).map((fault) => `${width} px: ${fault}`))
      if (width === 1280 || width === 390) {
        found.push(...(await findingsInBoth(page, within)).map((finding) => `${width} px: ${finding}`))
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 })
    return found
  }

  /** With Tab through everything. */
  async function walk(page: Page): Promise<Step[]> {
    await page.evaluate(scripts.startWalk)
    const steps: Step[] = []
    while (steps.length < 200) {
      await page.keyboard.press('Tab')
      const step = await page.evaluate<Step>(scripts.step)
      steps.push(step)
      if (step.isEnd) return steps
    }
    return [...steps, { found: ['Tab comes to no end'], isEnd: true, isInside: true }]
  }

  const named = (name: string) => ({ name: new RegExp(`^${name.replaceAll('.', '\\.')}`) })
  const opened = '[role=dialog], [role=menu]'
  const over = (page: Page): Locator => page.locator(opened).filter({ visible: true })

  async function lookAtOpened(page: Page, [first = '', ...items]: readonly string[]): Promise<string[]> {
    const button = page.getByRole('button', named(first)).filter({ visible: true }).first()
    await button.focus()
    await page.keyboard.press('Enter')
    for (const item of items) {
      await page.getByRole('menuitem', named(item)).focus()
      await page.keyboard.press('Enter')
    }
    await over(page).first().waitFor()
    if (items.length > 0) await page.getByRole('menu').waitFor({ state: 'detached' })
    await expect.poll(() => over(page).locator('.mantine-Skeleton-root').count()).toBe(0)
    const isMenu = (await page.getByRole('menu').count()) > 0
    const found: string[] = []
    if (!isMenu) {
      const steps = await walk(page)
      found.push(...steps.flatMap((step) => step.found))
      if (steps.some(({ isInside }) => !isInside)) found.push('Tab leaves it')
    }
    found.push(...(await lookAt(page, opened)))
    // Where its button is not seen in a narrow window, it was hidden meanwhile, and the focus left it.
    if (!(await page.evaluate<boolean>(scripts.isInside))) await over(page).first().focus()
    await page.keyboard.press('Escape')
    // What the field with the focus has open closes first.
    if ((await over(page).count()) > 0) await page.keyboard.press('Escape')
    await over(page).first().waitFor({ state: 'detached' })
    const isBack = await button.evaluate((element) => element === element.ownerDocument.activeElement)
    if (!isBack) found.push(`the focus does not come back: ${await page.evaluate(scripts.focusedName)}`)
    return found.map((fault) => `${[first, ...items].join(', ')}: ${fault}`)
  }

  it.each(Object.values(places).flat())('is right at $path', async ({ path, opens = [] }) => {
    const { page, problems, open } = dashboard
    await open(pathOf(path, made))
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await page.waitForLoadState('networkidle')
    // The first of all: a field may have the focus already, and what is before it is walked through too.
    await page.locator('a[href="#content"]').focus()
    const found = (await walk(page)).flatMap((step) => step.found)
    found.push(...(await lookAt(page)))
    for (const presses of opens) found.push(...(await lookAtOpened(page, presses)))
    expect(found).toEqual([])
    expect(problems.splice(0)).toEqual([])
  })
})
