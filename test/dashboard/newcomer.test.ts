import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { organize } from '../api/organize.js'
import { aPerson, password } from '../oauth/people.js'
import { browserTitle, chromium } from '../support/browser.js'
import { useApp } from '../support/start-app.js'
import { clipboard, fakeReads, findingsInBoth, signedInPage, useBrowser } from './dashboard-page.js'

/** It appears when the person's role is known; shortcuts work from then on. */
const createButton = (page: Page) => page.getByRole('button', { name: 'Create', exact: true })

describe.skipIf(chromium === undefined)(`the dashboard ${browserTitle}`, { timeout: 120_000 }, () => {
  const started = useApp()
  const browser = useBrowser()

  it('takes a newcomer from signing in to the first counted click', async () => {
    const { page, problems } = await signedInPage(browser, started)
    await page.getByRole('link', { name: 'Links' }).first().click()
    await page.getByText('No links yet').waitFor()
    await createButton(page).waitFor()
    await page.keyboard.press('c')
    await page.getByLabel(/^Destination/).fill('https://example.com/a/long/page')
    await page.getByLabel(/^Back-half/).fill('first-link')
    await page.keyboard.press('Enter')
    const row = page.getByRole('listitem').filter({ hasText: `${started.domain}/first-link` })
    await row.waitFor()
    const made = page.getByRole('dialog', { name: 'Your link is ready' })
    await made.getByText('Waiting for the first click').waitFor()
    expect(await clipboard(page).read()).toBe(`http://${started.domain}/first-link`)

    const visit = await started.request('GET', '/first-link', {
      token: null,
      headers: { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/142.0.0.0 Safari/537.36' },
    })
    expect(visit.status).toBe(301)
    await started.clicksCounted()
    await made.getByText('1 click so far').waitFor()
    await made.getByRole('link', { name: 'Open its page' }).click()
    await page.getByRole('heading', { name: 'Countries' }).waitFor()
    expect(problems).toEqual([])
  })

  it('shows errors of the API at the field, and keeps what was typed', async () => {
    const { page } = await signedInPage(browser, started)
    await createButton(page).waitFor()
    await page.keyboard.press('c')
    await page.getByLabel(/^Destination/).fill('https://example.com/other')
    await page.getByLabel(/^Back-half/).fill('not valid!')
    await page.keyboard.press('Enter')
    await page.locator('.mantine-InputWrapper-error').waitFor()
    expect(await page.getByLabel(/^Destination/).inputValue()).toBe('https://example.com/other')
  })

  it('begins a link with a URL that is pasted anywhere', async () => {
    const { page, open } = await signedInPage(browser, started)
    await open('links')
    await createButton(page).waitFor()
    await clipboard(page).write('https://example.com/pasted')
    await page.keyboard.press('Control+v')
    await expect.poll(() => page.getByLabel(/^Destination/).inputValue()).toBe('https://example.com/pasted')
  })

  it('lets readers look, and offers them nothing to change', async () => {
    const login = await aPerson(started)
    await organize(started).role(login, 'reader', { groupGuid: started.groupGuid })
    const { page, open } = await signedInPage(browser, started, { login, password })
    await open('links')
    await page.getByRole('heading', { name: 'Links' }).waitFor()
    await page.getByText(`${started.domain}/`).first().waitFor()
    expect(await createButton(page).count()).toBe(0)
  })

  it('keeps the text when the session ends in the middle of work', async () => {
    const { page, context } = await signedInPage(browser, started)
    await createButton(page).waitFor()
    await page.keyboard.press('c')
    await page.getByLabel(/^Destination/).fill('https://example.com/kept')
    await context.clearCookies()
    await page.keyboard.press('Enter')
    await page.getByText('You were signed out').waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    expect(await page.getByLabel(/^Destination/).inputValue()).toBe('https://example.com/kept')
    await page.route('**/account/session', (route) => route.abort())
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('alert').getByText('The service cannot be reached').waitFor()
    await page.unroute('**/account/session')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('alert').getByText('You are not signed in yet').waitFor()
  })

  it('says that the service cannot be reached, and tries again', async () => {
    const { page, context, open } = await signedInPage(browser, started)
    // From the start: other pages ask for campaigns, too.
    const reachAgain = await fakeReads(page, /^\/v4\/campaigns/, 'unreachable')
    await open('campaigns')
    await page.getByText('The service cannot be reached').waitFor({ timeout: 60_000 })
    await reachAgain()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('No campaigns yet').waitFor()
    await context.close()
  })

  it('takes what does not fit in the URL as not set', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started)
    await open('?range=forever&traffic=angels&from=yesterday')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByText('Last 28 days').first().waitFor()
    await open('links?archived=perhaps&from=soon')
    await page
      .getByRole('link', { name: /first-link/ })
      .first()
      .waitFor()
    expect(problems).toEqual([])
    await context.close()
  })
})
