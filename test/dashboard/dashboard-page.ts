import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
  type Request,
  type Route,
} from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { chromium as installed } from '../support/browser.js'
import type { StartedApp } from '../support/start-app.js'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: installed ?? '',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  })
}

/** Where pages are opened. */
type Pages = Pick<Browser, 'newContext'>

/** A browser for all tests of a `describe`: started before them, closed after them. */
export function useBrowser(): Pages {
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser?.close())
  return {
    async newContext(options) {
      const context = await browser.newContext(options)
      // A busy machine takes its time.
      context.setDefaultTimeout(60_000)
      return context
    },
  }
}

/** A page of the dashboard that notes what went wrong behind it: script errors, and everything its policy forbids. */
export interface DashboardPage {
  readonly page: Page
  readonly context: BrowserContext
  readonly problems: string[]
  /** Below /app/<group>/; an absolute path is taken as it is. */
  open(path: string): Promise<void>
}

export async function signedInPage(
  browser: Pages,
  started: StartedApp,
  {
    login = 'admin',
    password = 'correct horse',
    ...options
  }: { login?: string; password?: string } & BrowserContextOptions = {},
): Promise<DashboardPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US', ...options })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: baseOf(started) })
  // A busy machine takes its time.
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  await signIn(context, started, { login, password })
  // Not until it has loaded: most tests go on to another page at once.
  await page.goto(`${baseOf(started)}/app/`, { waitUntil: 'commit' })
  const open = async (path: string) => {
    const url = path.startsWith('/') ? path : `/app/${started.groupGuid}/${path}`
    await page.goto(baseOf(started) + url)
  }
  return { page, context, problems, open }
}

/** Leaves the page that is still loading, for tests that count requests. */
export async function leave(page: Page): Promise<void> {
  await page.goto('about:blank')
}

/** Sends the form of the sign-in page with the cookies of the browser, but without showing it. */
async function signIn({ request }: BrowserContext, started: StartedApp, fields: Record<string, string>): Promise<void> {
  const url = `${baseOf(started)}/account/sign-in`
  const page = await (await request.get(url)).text()
  const hidden = [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  const form = { ...Object.fromEntries(hidden.map(([, name, value]) => [name, value])), ...fields }
  const answer = await request.post(url, { form, maxRedirects: 0 })
  if (answer.status() !== 303) throw new Error(`${fields.login} could not sign in: ${answer.status()}`)
}

/**
 * Runs in the page: until nothing moves any more. What an element begins is seen two frames later; what moves for ever,
 * as placeholders of what is loading do, is not waited for.
 */
const settled = `(async () => {
  const frame = () => new Promise(requestAnimationFrame)
  const isEnding = ({ effect }) => Number.isFinite(effect.getComputedTiming().endTime)
  for (;;) {
    await frame()
    await frame()
    const moving = document.getAnimations().filter(isEnding)
    if (moving.length === 0) return
    await Promise.allSettled(moving.map(({ finished }) => finished))
  }
})()`

/** What axe-core finds wrong by any of its rules, with the elements that it is about. */
export async function findingsIn(page: Page, rules: object = {}, within?: string): Promise<readonly string[]> {
  await page.evaluate(settled)
  // Evaluated by the debugger, which the policy of the page does not bind.
  if (await page.evaluate<boolean>('!window.axe')) await page.evaluate(axe)
  const options = JSON.stringify({ ...rules, resultTypes: ['violations'] })
  const { violations } = await page.evaluate<{ violations: readonly Violation[] }>(
    `axe.run(${JSON.stringify(within ?? { exclude: [] })}, ${options})`,
  )
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
}

/** In light and in dark colours; ends in light ones. */
export async function findingsInBoth(page: Page, within?: string): Promise<readonly string[]> {
  const found = [...(await findingsIn(page, {}, within))]
  const isDashboard = (await page.locator('html[data-mantine-color-scheme]').count()) > 0
  await page.emulateMedia({ colorScheme: 'dark' })
  if (isDashboard) await page.locator('html[data-mantine-color-scheme=dark]').waitFor({ state: 'attached' })
  // Everything else about the page is the same.
  found.push(...(await findingsIn(page, { runOnly: ['color-contrast'] }, within)))
  await page.emulateMedia({ colorScheme: 'light' })
  return found
}

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string }[]
}

export function clipboard(page: Page) {
  return {
    /** What a button copies; browsers take their time for it. */
    copiedBy: async (button: Locator) => {
      await button.click()
      await page.getByRole('status').getByText('Copied').waitFor()
      return page.evaluate<string>('navigator.clipboard.readText()')
    },
    read: () => page.evaluate<string>('navigator.clipboard.readText()'),
    write: (text: string) => page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`),
  }
}

function baseOf(started: StartedApp): string {
  return `http://${started.domain}`
}

/** What a request reads from the API, with queries: one path, or those of a batch. */
export function readsOf(request: Request): readonly string[] {
  const { pathname, search } = new URL(request.url())
  if (pathname === '/v4/batch') return request.postDataJSON().paths
  return request.method() === 'GET' && pathname.startsWith('/v4/') ? [pathname + search] : []
}

type Fake = 'unreachable' | 'never' | { readonly status: number; readonly body?: object; readonly retry_after?: number }

/** Answers reads of these paths instead of the service, alone and in batches. Returns how to end that. */
export async function fakeReads(page: Page, pattern: RegExp, fake: Fake): Promise<() => Promise<void>> {
  const handler = async (route: Route) => {
    const paths = readsOf(route.request())
    if (!paths.some((path) => pattern.test(path))) return route.fallback()
    if (fake === 'never') return
    if (fake === 'unreachable') return route.abort()
    const { status, body = {}, retry_after } = fake
    const headers = retry_after === undefined ? undefined : { 'retry-after': String(retry_after) }
    if (route.request().method() === 'GET') return route.fulfill({ status, json: body, ...(headers && { headers }) })
    const { answers } = await (await route.fetch()).json()
    const json = { answers: paths.map((path, at) => (pattern.test(path) ? { ...fake, body } : answers[at])) }
    // Meanwhile the page may be closed, or the fake over.
    return route.fulfill({ json }).catch(() => undefined)
  }
  await page.route('**/v4/**', handler)
  return () => page.unroute('**/v4/**', handler)
}
