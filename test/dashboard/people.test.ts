import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { organize } from '../api/organize.js'
import { aPerson, password } from '../oauth/people.js'
import { codeAt } from '../support/authenticator-app.js'
import { browserTitle, chromium } from '../support/browser.js'
import { startSmtpServer } from '../support/smtp-server.js'
import { startApp, useStarted } from '../support/start-app.js'
import { findingsInBoth, signedInPage, startBrowser } from './dashboard-page.js'

describe.skipIf(chromium === undefined)(`people in the dashboard ${browserTitle}`, { timeout: 120_000 }, () => {
  const smtp = useStarted(startSmtpServer)
  const started = useStarted(() => startApp({ smtpUrl: smtp.url }))
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
  })

  it('shows sessions, and signs out another browser', async () => {
    const login = await aPerson(started)
    const other = await signedInPage(browser, started, { login, password })
    const { page, open, problems } = await signedInPage(browser, started, { login, password })
    await open('/app/account')
    const card = page.getByRole('region', { name: 'Sessions' })
    await card.getByText('This browser').waitFor()
    await card.getByText('Chrome on Linux').first().waitFor()
    await card.getByRole('button', { name: 'Sign out', exact: true }).click()
    await expect.poll(() => card.getByRole('listitem').count()).toBe(1)
    await other.page.goto(`http://${started.domain}/`)
    await other.page.getByRole('link', { name: 'Sign in' }).waitFor()
    expect(problems).toEqual([])
  })

  it('sets up an authenticator app with a picture for its camera', async () => {
    const login = await aPerson(started)
    const { page, open, problems } = await signedInPage(browser, started, { login, password })
    await open('/app/account')
    const card = page.getByRole('region', { name: 'Authenticator app' })
    await card.getByLabel(/^Current password/).fill(password)
    await card.getByRole('button', { name: 'Turn on' }).click()
    const picture = card.getByRole('img', { name: 'QR code with the key' })
    await picture.waitFor()
    const width = 'document.querySelector("img[alt=\'QR code with the key\']").naturalWidth'
    await expect.poll(() => page.evaluate<number>(width)).toBeGreaterThan(0)
    const secret = (await card.getByText(/^[A-Z2-7]{16,}$/).textContent()) ?? ''
    await card.getByLabel(/^Code/).fill(codeAt(secret, Math.floor(Date.now() / 30_000)))
    await card.getByRole('button', { name: 'Confirm' }).click()
    await card.getByText('Keep these recovery codes').waitFor()
    await card.getByText('On', { exact: true }).waitFor()
    await card.getByText('Keep these recovery codes').waitFor()
    await card.getByRole('button', { name: 'I have kept them' }).click()
    await card.getByRole('button', { name: 'Turn off' }).waitFor()
    expect(problems).toEqual([])
  })

  it('sends a link to a new e-mail address, which is used once it is followed', async () => {
    const login = await aPerson(started)
    const { page, open, problems } = await signedInPage(browser, started, { login, password })
    await open('/app/account')
    const card = page.getByRole('region', { name: 'E-mail address' })
    await card.getByText(`Your address is ${login}@example.com. It is not confirmed yet`).waitFor()
    await card.getByLabel(/^New e-mail address/).fill(`new-${login}@example.com`)
    await card.getByLabel(/^Current password/).fill('not mine')
    await card.getByRole('button', { name: 'Send a link' }).click()
    await card.getByRole('alert').waitFor()
    await card.getByLabel(/^Current password/).fill(password)
    await card.getByRole('button', { name: 'Send a link' }).click()
    await card.getByText(`We sent a link to new-${login}@example.com`).waitFor()
    const [mail] = smtp.mails.filter(({ subject }) => subject === 'Confirm your e-mail address')
    await page.goto(mail?.text.match(/http:\S+\/account\/email\S+/)?.[0] ?? '')
    await page.getByRole('button', { name: 'Use this address' }).click()
    await page.getByRole('link', { name: 'Continue' }).click()
    await open('/app/account')
    await card.getByText(`Your address is new-${login}@example.com.`, { exact: true }).waitFor()
    // The browser reports the refused password.
    expect(problems.filter((problem) => !problem.includes('400'))).toEqual([])
  })

  it('asks for the session again when the service can be reached again', async () => {
    const login = await aPerson(started)
    const { page, context, open } = await signedInPage(browser, started, { login, password })
    await open('/app/account')
    const card = page.getByRole('region', { name: 'Password' })
    const change = async (from: string, to: string) => {
      await card.getByLabel(/^Current password/).fill(from)
      await card.getByLabel(/^New password/).fill(to)
      await card.getByRole('button', { name: 'Change password' }).click()
    }
    await change(password, 'battery staple')
    await page.getByText('Password changed').waitFor()
    // The session has ended with the old password.
    const tab = await context.newPage()
    await tab.goto(`http://${started.domain}/account/sign-in`)
    await tab.getByLabel('Login or e-mail address').fill(login)
    await tab.getByLabel('Password').fill('battery staple')
    await tab.getByRole('button', { name: 'Sign in', exact: true }).click()
    await tab.waitForURL(/\/app\/B/)
    await page.route('**/account/session', (route) => route.abort())
    await change('battery staple', 'another staple')
    await card.getByText('The service cannot be reached').waitFor()
    await page.unroute('**/account/session')
    await card.getByRole('button', { name: 'Change password' }).click()
    await expect.poll(() => card.getByLabel(/^Current password/).inputValue()).toBe('')
  })

  it('registers an application, and shows its secret once', async () => {
    const { page, open, problems } = await signedInPage(browser, started)
    await open('/app/account')
    const card = page.getByRole('region', { name: 'Own OAuth applications' })
    await card.getByRole('button', { name: 'Register an application' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Name/).fill('Newsletter desk')
    await dialog.getByLabel(/^Redirect URIs/).fill('https://desk.example.com/back')
    const may = dialog.getByLabel('What may it do for people?')
    await may.selectOption('Choose')
    expect(await dialog.getByLabel('manage members').count()).toBe(0)
    await dialog.getByLabel('create, change and delete links').check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await card.getByText('Copy the client secret now').waitFor()
    await card.getByText('Newsletter desk').waitFor()
    await card.getByRole('button', { name: 'Edit' }).click()
    expect(await may.inputValue()).toBe('choose')
    expect(await dialog.getByLabel('create, change and delete links').isChecked()).toBe(true)
    await may.selectOption('Read only')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    const { body } = await started.request('GET', '/v4/user/applications')
    expect(body.applications.map(({ scopes }: { scopes: string[] }) => scopes)).toEqual([
      ['links:read', 'analytics:read'],
    ])
    await page.reload()
    await card.getByText('Newsletter desk').waitFor()
    expect(await card.getByText('Copy the client secret now').count()).toBe(0)
    expect(problems).toEqual([])
  })

  it('changes the role of a member, and removes the member', async () => {
    const login = await aPerson(started)
    const { page, open, problems } = await signedInPage(browser, started)
    await open('settings?tab=members')
    const row = page.getByRole('listitem').filter({ hasText: `${login} ·` })
    await row.getByRole('combobox', { name: `Role of ${login}` }).click()
    await page.getByRole('option', { name: 'Administrator' }).click()
    await row.getByText('in all groups').waitFor()
    await row.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await row.waitFor({ state: 'detached' })
    expect(problems).toEqual([])
  })

  it('makes a member an auditor, who sees everything and can change nothing', async () => {
    const login = await aPerson(started)
    const { page, open, problems } = await signedInPage(browser, started)
    await open('settings?tab=members')
    const row = page.getByRole('listitem').filter({ hasText: `${login} ·` })
    await row.getByRole('combobox', { name: `Role of ${login}` }).click()
    await page.getByRole('option', { name: 'Auditor' }).click()
    await row.getByText('in all groups').waitFor()
    const auditor = await signedInPage(browser, started, { login, password })
    await auditor.open('settings?tab=members')
    const own = auditor.page.getByRole('combobox', { name: `Role of ${login}` })
    await own.waitFor()
    expect(await own.isDisabled()).toBe(true)
    const tabs = ['Organization', 'Tags', 'Members', 'Mobile apps', 'Webhooks', 'Audit log']
    expect(await auditor.page.getByRole('tab').allTextContents()).toEqual(tabs)
    for (const [path, seen] of [
      ['settings?tab=members', 'No open invitations.'],
      ['settings?tab=apps', 'No mobile apps yet'],
      ['settings?tab=webhooks', 'No webhooks yet'],
      ['settings?tab=audit', 'signed in'],
      ['settings', 'Auditor'],
      ['domains', 'Domains'],
      ['links', 'Links'],
    ] as const) {
      await auditor.open(path)
      await auditor.page.getByRole('main').getByText(seen).first().waitFor()
      const changing = /^(Create|Add|Remove|Invite|Withdraw|Register|Rename|Save|New)\b/
      expect(await auditor.page.getByRole('button', { name: changing }).allTextContents(), path).toEqual([])
    }
    expect([...problems, ...auditor.problems]).toEqual([])
  })

  it('puts a member into a group that was just made', async () => {
    const login = await aPerson(started)
    const { page, open } = await signedInPage(browser, started)
    await open('settings')
    await page.getByRole('textbox', { name: 'New group' }).fill(`Group of ${login}`)
    await page.getByRole('button', { name: 'Create group' }).click()
    await page.getByRole('region', { name: 'Groups' }).getByText(`Group of ${login}`).waitFor()
    await page.getByRole('tab', { name: 'Members' }).click()
    const row = page.getByRole('listitem').filter({ hasText: `${login} ·` })
    await row.getByRole('button', { name: 'in one group' }).click()
    await page
      .getByRole('dialog')
      .getByRole('combobox', { name: `Group of ${login}` })
      .click()
    await page.getByRole('option', { name: 'Reader' }).click()
    await page.keyboard.press('Escape')
    await row.getByRole('button', { name: 'in 2 groups' }).waitFor()
  })

  it('shows the audit log of one member, also after a reload', async () => {
    const login = await aPerson(started)
    await signedInPage(browser, started, { login, password })
    const { page, open } = await signedInPage(browser, started)
    await open(`settings?tab=audit&login=${login}`)
    const entries = page.getByRole('region', { name: 'Audit log' }).getByRole('listitem')
    await entries.getByText('signed in').first().waitFor()
    await expect.poll(() => entries.filter({ hasNot: page.getByTitle(login) }).count()).toBe(0)
  })

  it('shows all organizations to those who run the service, and to nobody else', async () => {
    await organize(started).organization('Tenant')
    const { page, open } = await signedInPage(browser, started)
    await open('settings?tab=service')
    await page.getByRole('listitem').filter({ hasText: 'Tenant' }).waitFor()
    const member = await signedInPage(browser, started, { login: await aPerson(started), password })
    await member.open('settings')
    await member.page.getByRole('tab', { name: 'Organization' }).waitFor()
    expect(await member.page.getByRole('tab').allTextContents()).toEqual(['Organization', 'Tags'])
  })

  it('sets the time zone of a group', async () => {
    const { page, open, problems } = await signedInPage(browser, started)
    await open('settings')
    const groups = page.getByRole('region', { name: 'Groups' })
    await groups.getByRole('button', { name: 'Time zone' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Time zone' }).fill('tokyo')
    await page.getByRole('option', { name: 'Asia/Tokyo' }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await groups.getByText('Asia/Tokyo').waitFor()
    const zones = (await started.request('GET', '/v4/groups')).body.groups.map(
      ({ time_zone }: { time_zone?: string }) => time_zone,
    )
    expect(zones).toContain('Asia/Tokyo')
    expect(problems).toEqual([])
  })

  it.each(['/', '/account/sign-in', '/nothing-here', '/people-preview+'])(
    'has no serious accessibility problem at %s, on phones',
    async (path) => {
      const body = { long_url: `https://example.com/${'long/'.repeat(80)}`, keyword: 'people-preview' }
      if (path.endsWith('+')) await started.request('POST', '/v4/shortlinks', { body })
      const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
      const page = await context.newPage()
      await page.goto(`http://${started.domain}${path}`)
      expect(await findingsInBoth(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
      // Title, content and button are in view.
      expect(await page.evaluate('document.documentElement.scrollHeight - innerHeight')).toBeLessThanOrEqual(0)
      await context.close()
    },
  )
})
