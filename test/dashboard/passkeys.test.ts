import type { CDPSession, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { turnTwoFactorOff } from '../../src/core/administration/identity.js'
import { aPerson, password } from '../oauth/people.js'
import { browserTitle, chromium } from '../support/browser.js'
import { startApp, useStarted } from '../support/start-app.js'
import { findingsInBoth, signedInPage, useBrowser } from './dashboard-page.js'

describe.skipIf(chromium === undefined)(`passkeys ${browserTitle}`, { timeout: 120_000 }, () => {
  const started = useStarted(() => startApp())
  const browser = useBrowser()

  /** A signed-in person whose computer has a fingerprint reader, made by Chromium. */
  async function somebody() {
    const login = await aPerson(started)
    const dashboard = await signedInPage(browser, started, { login, password })
    const { page, context } = dashboard
    const authenticator = await context.newCDPSession(page)
    await authenticator.send('WebAuthn.enable', { enableUI: false })
    const { authenticatorId } = await authenticator.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    return { ...dashboard, login, authenticator, authenticatorId }
  }

  const cardOf = (page: Page) => page.getByRole('region', { name: 'Passkeys' })

  async function add(page: Page, name: string): Promise<void> {
    await cardOf(page).getByRole('button', { name: 'Add a passkey' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Current password/).fill(password)
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await dialog.getByLabel(/^Name/).fill(name)
    await dialog.getByRole('button', { name: 'Create passkey' }).click()
    await cardOf(page).getByText(name, { exact: true }).waitFor()
  }

  async function signOut(page: Page): Promise<void> {
    await page.context().clearCookies()
    await page.goto(`http://${started.domain}/account/sign-in`)
  }

  /** Fingers on and off the reader. */
  const touch = (session: CDPSession, authenticatorId: string, enabled: boolean) =>
    session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })

  const signInAlone = (page: Page) => page.getByRole('button', { name: 'Sign in with a passkey' })

  it('are added on the account page, and then sign in alone', async () => {
    const { page, open, problems, login, authenticator, authenticatorId } = await somebody()
    await open('/app/account')
    await cardOf(page).getByText('No passkeys yet.').waitFor()
    await add(page, 'Laptop')
    await cardOf(page).getByText('Keep these recovery codes').waitFor()
    await expect
      .poll(() =>
        cardOf(page)
          .locator('code, li')
          .filter({ hasText: /^[0-9a-z]{5}-[0-9a-z]{5}$/ })
          .count(),
      )
      .toBe(10)
    expect(await findingsInBoth(page)).toEqual([])
    await cardOf(page).getByRole('button', { name: 'I have kept them' }).click()
    await cardOf(page).getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('dialog').getByLabel(/^Name/).fill('Old laptop')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await cardOf(page).getByText('Old laptop').waitFor()

    // Otherwise the field of the login would be filled in at once.
    await touch(authenticator, authenticatorId, false)
    await signOut(page)
    await signInAlone(page).waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    await touch(authenticator, authenticatorId, true)
    await signInAlone(page).click()
    await page.waitForURL(/\/app\/B/)
    expect(await page.evaluate('fetch("/account/session").then((answer) => answer.json())')).toMatchObject({ login })
    await open('/app/account')
    await cardOf(page).getByText(/used/).waitFor()
    expect(problems).toEqual([])
  })

  it('are the second step after the password', async () => {
    const { page, open, problems, login, authenticator, authenticatorId } = await somebody()
    await open('/app/account')
    await add(page, 'Laptop')
    await touch(authenticator, authenticatorId, false)
    await signOut(page)
    await page.getByLabel('Login or e-mail address').fill(login)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Use your passkey.').waitFor()
    await page.getByLabel('Recovery code').waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    await touch(authenticator, authenticatorId, true)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.waitForURL(/\/app\/B/)
    expect(problems).toEqual([])
  })

  it('confirm that another one is added, and that one is removed', async () => {
    const { page, open, problems } = await somebody()
    await open('/app/account')
    await add(page, 'Laptop')
    await cardOf(page).getByRole('button', { name: 'Add a passkey' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Current password/).fill(password)
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await dialog.getByLabel(/^Name/).fill('Again')
    await dialog.getByRole('button', { name: 'Create passkey' }).click()
    await dialog.getByText('This device already has a passkey of your account.').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()

    await cardOf(page).getByRole('button', { name: 'Remove' }).click()
    await dialog.getByText('signing in then needs the password alone').waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    await dialog.getByLabel(/^Current password/).fill(password)
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await cardOf(page).getByText('No passkeys yet.').waitFor()
    expect(problems).toEqual([])
  })

  it('confirm new recovery codes', async () => {
    const { page, open, problems } = await somebody()
    await open('/app/account')
    await add(page, 'Laptop')
    const card = page.getByRole('region', { name: 'Authenticator app' })
    await card.getByText('10 recovery codes are left.').waitFor()
    await card.getByRole('button', { name: 'New recovery codes' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Current password/).fill(password)
    expect(await findingsInBoth(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await card.getByText('Keep these recovery codes').waitFor()
    await card.getByRole('button', { name: 'I have kept them' }).click()
    await card.getByText('10 recovery codes are left.').waitFor()
    expect(problems).toEqual([])
  })

  it('are refused with a clear sentence when they were removed', async () => {
    const { page, open, problems, login, authenticator, authenticatorId } = await somebody()
    await open('/app/account')
    await add(page, 'Laptop')
    await turnTwoFactorOff(started.app, operator, { login })
    await touch(authenticator, authenticatorId, false)
    await signOut(page)
    await touch(authenticator, authenticatorId, true)
    await signInAlone(page).click()
    await page.getByRole('alert').getByText('This passkey is not known here.').waitFor()
    // The virtual authenticator offers it again by itself, which loads the page again, until nobody touches it.
    await touch(authenticator, authenticatorId, false)
    await expect.poll(() => findingsInBoth(page).catch(() => undefined), { timeout: 60_000 }).toEqual([])
    // The status of the answer.
    expect(problems.filter((problem) => !problem.includes('403'))).toEqual([])
  })

  it('are offered in the field of the login', async () => {
    const { page, open, login } = await somebody()
    await open('/app/account')
    await add(page, 'Laptop')
    // The virtual authenticator chooses at once.
    await page.context().clearCookies()
    await page.goto(`http://${started.domain}/account/sign-in`)
    await page.waitForURL(/\/app\/B/)
    expect(await page.evaluate('fetch("/account/session").then((answer) => answer.json())')).toMatchObject({ login })
  })

  it('say so when nothing was chosen, and are not there without scripts', async () => {
    const { page, authenticator, authenticatorId } = await somebody()
    await authenticator.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await signOut(page)
    await signInAlone(page).click()
    await page.getByRole('alert').getByText('No passkey was used.').waitFor()
    expect(await findingsInBoth(page)).toEqual([])

    const plain = await browser.newContext({ javaScriptEnabled: false })
    const other = await plain.newPage()
    await other.goto(`http://${started.domain}/account/sign-in`)
    await other.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    expect(await signInAlone(other).count()).toBe(0)
    await plain.close()
  })
})
