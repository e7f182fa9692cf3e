/** Signing in with a company, as a person does it: in Chromium, with a provider by others, until the sign-out. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { createGroup } from '../../src/core/administration/groups.js'
import { findingsInBoth, signedInPage, useBrowser } from '../dashboard/dashboard-page.js'
import { browserTitle, chromium } from '../support/browser.js'
import { type RealProvider, startRealProvider } from '../support/real-provider.js'
import { type StartedApp, startApp } from '../support/start-app.js'

// SCREENSHOTS=<folder> saves a picture of every page, light and dark, wide and narrow.
const pictures = process.env.SCREENSHOTS

describe.skipIf(chromium === undefined)(`signing in with a company ${browserTitle}`, { timeout: 120_000 }, () => {
  const browser = useBrowser()
  let dataDir: string
  let provider: RealProvider
  let app: StartedApp
  let now: number
  let staff: string
  let press: { readonly guid: string; readonly path: string }
  let context: BrowserContext
  let page: Page

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'shortlink-company-'))
    provider = await startRealProvider()
    // Twice, since the settings of the provider name groups, which must be there before.
    const config = { ...provider.config, dataDir, databaseUrl: undefined, oidcName: 'Example Inc.' }
    app = await startApp(config)
    staff = app.groupGuid
    const [group] = await app.app.groups.groups([staff])
    const organizationGuid = group?.organizationGuid ?? ''
    const { guid } = await createGroup(app.app, operator, { organizationGuid, name: 'Press' })
    press = { guid, path: `/app/${guid}` }
    await app.close()
    const oidcGroupRoles = [`staff=reader@${staff}`, `press=group-admin@${guid}`]
    const clock = { now: () => now }
    app = await startApp({ ...config, oidcAllowedGroups: ['staff', 'nowhere'], oidcGroupRoles }, { clock })
  })
  afterAll(async () => {
    await app?.close()
    await provider.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  beforeEach(async () => {
    // A notice of the provider ends the sessions that were begun before its second.
    now = Date.now() - 60_000
    await context?.close()
    context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US' })
    context.setDefaultTimeout(60_000)
    page = await context.newPage()
    return () => context.close()
  })

  const open = (path: string) => page.goto(provider.config.baseUrl + path)
  const button = () => page.getByRole('link', { name: 'Sign in with Example Inc.' })

  /** From the sign-in page through the forms of the provider. */
  async function signIn(login: string): Promise<void> {
    await open('/account/sign-in')
    await button().click()
    await page.locator('input[name=login]').fill(login)
    await page.locator('input[name=password]').fill('any')
    await page.getByRole('button', { name: 'Sign-in' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
  }

  const rolesOf = async (login: string) =>
    (await app.app.groups.members())
      .filter((member) => member.login === login && member.in === 'group')
      .map(({ guid, role }) => [guid, role])

  async function look(name: string): Promise<void> {
    expect(await findingsInBoth(page), name).toEqual([])
    if (pictures === undefined) return
    mkdirSync(pictures, { recursive: true })
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.screenshot({ path: join(pictures, `${name}-${width}-${colorScheme}.png`) })
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.emulateMedia({ colorScheme: 'light' })
  }

  it('creates the user, who sees the organization and the groups, until one is taken away', async () => {
    provider.groups.set('ada', ['staff', 'press'])
    await open('/account/sign-in')
    await button().waitFor()
    await look('sign-in')
    await signIn('ada')
    await page.waitForURL(/\/app\/B/)
    await page.getByRole('button', { name: 'Ada Lovelace' }).waitFor()
    await page.getByTitle('Switch group').click()
    await page.getByRole('menuitem', { name: 'Press' }).click()
    await page.waitForURL((url) => url.pathname.startsWith(press.path))
    await open(`${press.path}/settings`)
    // Administrators of the group alone.
    await page.getByRole('region', { name: 'Groups' }).getByRole('button', { name: 'Time zone' }).first().waitFor()
    await look('signed-in')
    expect(await rolesOf('ada')).toHaveLength(2)

    provider.groups.set('ada', ['staff'])
    await page.reload()
    await page.getByTitle('Switch group').waitFor()
    expect(await rolesOf('ada')).toHaveLength(2)
    now += 16 * 60_000
    await open(press.path)
    await page.getByText('There is no such group').waitFor()
    await look('group-taken-away')
    expect(await rolesOf('ada')).toEqual([[staff, 'reader']])
    await open('/app')
    await page.getByTitle('Switch group').click()
    await page.getByRole('menuitem').first().waitFor()
    expect(await page.getByRole('menuitem', { name: 'Press' }).count()).toBe(0)
  })

  it('shows operators the settings of the provider, and who came from it', async () => {
    provider.groups.set('fay', ['staff'])
    await signIn('fay')
    await page.waitForURL(/\/app\/B/)
    const operators = await signedInPage(browser, app)
    page = operators.page
    await operators.open(`/app/${staff}/settings?tab=service`)
    const card = page.getByRole('region', { name: 'Sign-in with a company' })
    await card.getByText(`${provider.config.baseUrl}/account/sign-in/with/oidc/callback`, { exact: true }).waitFor()
    await card.getByText(`press: Group administrator (${press.guid})`).waitFor()
    await look('provider')
    await operators.open(`/app/${staff}/settings?tab=members`)
    const member = page.getByRole('listitem').filter({ hasText: 'fay' })
    await member.getByTitle('Comes from Example Inc.').waitFor()
    const admin = page.getByRole('listitem').filter({ hasText: 'admin (you)' })
    expect(await admin.getByTitle(/Comes from/).count()).toBe(0)
    await look('members')
    expect(operators.problems).toEqual([])
    await operators.context.close()
  })

  it('ends the session when somebody signs out at the provider', async () => {
    provider.groups.set('bea', ['staff'])
    await signIn('bea')
    await page.waitForURL(/\/app\/B/)
    const there = await context.newPage()
    await there.goto(`${provider.issuer}/session/end`)
    await there.getByRole('button', { name: /yes/i }).click()
    await there.waitForURL(/success/)
    expect(provider.problems).toEqual([])
    await page.reload()
    await page.waitForURL(/\/account\/sign-in/)
    await button().waitFor()
  })

  it('signs out here, and then at the provider, which asks for the password the next time', async () => {
    provider.groups.set('cleo', ['staff'])
    await signIn('cleo')
    await page.getByRole('button', { name: 'Cleo Lovelace' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    const also = page.getByRole('link', { name: 'Sign out of Example Inc. too' })
    await also.waitFor()
    await look('signed-out')
    await open('/account/sign-in')
    // Still signed in there.
    await button().click()
    await page.waitForURL(/\/app\/B/)
    await page.getByRole('button', { name: 'Cleo Lovelace' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await also.click()
    await page.getByRole('button', { name: /yes/i }).click()
    await page.waitForURL(`${provider.config.baseUrl}/account/signed-out**`)
    await page.getByRole('link', { name: 'Sign in again' }).click()
    await button().click()
    await page.locator('input[name=password]').waitFor()
  })

  it.each([
    ['You have no access', 'no-access', []],
    ['You are in no group', 'no-group', ['nowhere']],
  ] as const)('says "%s" to those who may not in, and leads back', async (title, name, groups) => {
    provider.groups.set(name, groups)
    await signIn(name)
    await page.getByRole('heading', { name: title }).waitFor()
    await look(name)
    expect((await context.request.get(`${provider.config.baseUrl}/account/session`)).status()).toBe(401)
    await page.getByRole('link', { name: 'Back to the sign-in page' }).click()
    await button().waitFor()
  })

  it('says what happened when somebody cancels, comes back twice, or the provider is away', async () => {
    await open('/account/sign-in')
    await button().click()
    await page.getByText('Cancel').click()
    await page.getByRole('heading', { name: 'Example Inc. did not sign you in' }).waitFor()
    await look('cancelled')
    await page.reload()
    await page.getByRole('heading', { name: 'This sign-in has expired' }).waitFor()
    await look('expired')
    await open('/account/sign-in/with/another')
    await page.getByRole('heading', { name: 'There is no such sign-in' }).waitFor()
    provider.groups.set('dora', ['staff'])
    provider.isAway = true
    await signIn('dora')
    await page.getByRole('heading', { name: 'Example Inc. cannot be reached' }).waitFor()
    await look('away')
    provider.isAway = false
    await page.getByRole('link', { name: 'Back to the sign-in page' }).click()
    await button().click()
    await page.waitForURL(/\/app\/B/)
  })
})
