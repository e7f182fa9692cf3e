/** The pages of a service that was not configured: without a mail server, and on localhost. They say so, and what to do instead. */
import { describe, expect, it } from 'vitest'
import { browserTitle, chromium } from '../support/browser.js'
import { useApp } from '../support/start-app.js'
import { clipboard, findingsIn, signedInPage, useBrowser } from './dashboard-page.js'

describe.skipIf(chromium === undefined)(`a service without configuration ${browserTitle}`, { timeout: 120_000 }, () => {
  const started = useApp()
  const browser = useBrowser()

  it('without a mail server, an invitation shows its link with a copy button', async () => {
    const { page, open, problems } = await signedInPage(browser, started)
    await open('settings?tab=members')
    const card = page.getByRole('region', { name: 'Invitations' })
    await card.getByLabel(/^E-mail address/).fill('ada@example.com')
    await card.getByRole('button', { name: 'Invite' }).click()
    const told = card.getByRole('status').filter({ hasText: 'No mail was sent: this service has no mail server.' })
    const copied = await clipboard(page).copiedBy(told.getByRole('button', { name: 'Copy' }))
    expect(copied).toMatch(/\/account\/invitation\?secret=[\w-]+$/)
    await card.getByText('not sent by mail').waitFor()
    expect(await page.getByText('Invitation sent').count()).toBe(0)
    expect(await findingsIn(page)).toEqual([])
    expect(problems).toEqual([])
  })

  it('without a mail server, a new e-mail address cannot be confirmed; the page has the command of the operator', async () => {
    const { page, open, problems } = await signedInPage(browser, started)
    await open('/app/account')
    const card = page.getByRole('region', { name: 'E-mail address' })
    await card.getByLabel(/^New e-mail address/).fill('new@example.com')
    await card.getByLabel(/^Current password/).fill('correct horse')
    await card.getByRole('button', { name: 'Send a link' }).click()
    await card.getByText('Nothing was sent').waitFor()
    await card.getByText('bin/shortlink user email admin new@example.com').waitFor()
    expect(await page.content()).not.toContain('/account/email?secret=')
    expect(problems).toEqual([])
  })

  it('without a public base URL, a domain says who must configure what', async () => {
    const { page, open, problems } = await signedInPage(browser, started)
    await open('domains')
    await page.getByText('this page tells you what to set in DNS').waitFor()
    await page.getByRole('button', { name: 'Add a domain' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Domain/).fill('go.example.com')
    await dialog.getByRole('button', { name: 'Add a domain' }).click()
    await page.getByText('Next: the operator of this service makes it public.').waitFor()
    await page.getByRole('button', { name: 'Copy --base-url https://links.example.com' }).waitFor()
    await page.getByText('127.0.0.1 go.example.com', { exact: true }).waitFor()
    // The domain can be tried on this machine already.
    await page.getByRole('button', { name: /^Test link/ }).click()
    await page.getByRole('button', { name: 'Make a test link' }).click()
    const link = page.getByRole('link', { name: 'Open it' })
    expect(await link.getAttribute('href')).toMatch(/^http:\/\/go\.example\.com:\d+\/\w+$/)
    expect(await findingsIn(page)).toEqual([])
    expect(problems).toEqual([])
  })
})
