import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Browser, type BrowserPage, browserTitle, chromium } from '../support/browser.js'
import { startSmtpServer } from '../support/smtp-server.js'
import { startApp, useStarted } from '../support/start-app.js'
import { organizationOf, takeInvitation } from './letters.js'
import { aClock, anApplication, aPerson, password, withAuthenticator } from './people.js'
import { startThirdParty, type ThirdParty } from './third-party.js'

// SCREENSHOTS=<folder> saves a screenshot of every page, light and dark, wide and narrow.
const pictures = process.env.SCREENSHOTS

describe.skipIf(chromium === undefined)(`the web flow ${browserTitle}`, { timeout: 120_000 }, () => {
  const clock = aClock()
  const post = useStarted(startSmtpServer)
  const started = useStarted(() => startApp({ smtpUrl: post.url }, { clock }))
  let service: string
  let party: ThirdParty
  let browser: Browser
  let page: BrowserPage
  let login: string
  beforeAll(async () => {
    service = started.app.config.baseUrl
    party = await startThirdParty(service)
    const description = 'Shortens the links of your newsletters and tells you which of them were read.'
    const link = 'https://reader.example/'
    const redirectUris = [party.redirectUri]
    party.use(await anApplication(started, { name: 'Newsletter desk', description, link, redirectUris }))
    browser = await Browser.start()
  })
  afterAll(async () => {
    await browser.close()
    party.close()
  })
  beforeEach(async () => {
    login = await aPerson(started)
    page = await browser.newPage()
  })

  async function picture(name: string): Promise<void> {
    if (pictures === undefined) return
    mkdirSync(pictures, { recursive: true })
    for (const width of [1280, 390]) {
      for (const dark of [false, true]) {
        const file = join(pictures, `${name}-${width}-${dark ? 'dark' : 'light'}.png`)
        writeFileSync(file, await page.screenshot({ width, dark }))
      }
    }
  }

  async function signIn(): Promise<void> {
    await page.fill('Login or e-mail address', login)
    await page.fill('Password', password)
    await page.press('Sign in')
  }

  it('goes from the application through sign-in and consent back to it', async () => {
    await page.open(party.url)
    expect(await page.text()).toContain('To continue to Newsletter desk.')
    await picture('sign-in')
    await signIn()
    expect(await page.text()).toContain('Allow Newsletter desk?')
    await picture('authorize')
    await page.press('Allow')
    expect(await page.text()).toBe(`Hello ${login}, known as ${login}`)
  })

  it('returns a denial to the application', async () => {
    await page.open(party.url)
    await signIn()
    await page.press('Deny')
    expect(await page.text()).toBe('No access: access_denied')
  })

  it('requires the second factor, allows and denies', async () => {
    const { nextCode } = await withAuthenticator(started, login, clock)
    await page.open(party.url)
    await signIn()
    expect(await page.text()).toContain('One more step')
    await picture('two-factor')
    const code = nextCode()
    await page.fill('Code', code === '000000' ? '000001' : '000000')
    await page.press('Continue')
    expect(await page.text()).toContain('This code is incorrect')
    await picture('two-factor-wrong')
    await page.fill('Code', code)
    await page.press('Continue')
    expect(await page.text()).toContain('Allow Newsletter desk?')
    await page.press('Allow')
    expect(await page.text()).toBe(`Hello ${login}, known as ${login}`)

    // The browser is signed in now, so the consent page comes at once.
    await page.open(party.url)
    await page.press('Deny')
    expect(await page.text()).toBe('No access: access_denied')
  })

  it('lets another user sign in instead', async () => {
    await page.open(party.url)
    await signIn()
    login = await aPerson(started)
    await page.press('Not you?')
    await signIn()
    expect(await page.text()).toContain(`Signed in as ${login}`)
    await page.press('Allow')
    expect(await page.text()).toBe(`Hello ${login}, known as ${login}`)
  })

  it('works with the keyboard alone', async ({ expect }) => {
    await page.open(party.url)
    // The browser focuses the field some time after the page has loaded.
    await expect.poll(() => page.evaluate('document.activeElement.name'), { timeout: 60_000 }).toBe('login')
    await page.type(login)
    await page.key('Tab')
    await page.type(password)
    await page.key('Enter', true)
    await page.key('Tab')
    await page.key('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Allow')
    await page.key('Enter', true)
    expect(await page.text()).toBe(`Hello ${login}, known as ${login}`)
  })

  it('gives every control an accessible name', async () => {
    await page.open(party.url)
    expect(await page.controls()).toEqual([
      'textbox Login or e-mail address',
      'textbox Password',
      'button Sign in',
      'button Sign in with a passkey',
      'link Forgot your password?',
    ])
    await page.fill('Login or e-mail address', login)
    await page.fill('Password', 'wrong')
    await page.press('Sign in')
    await page.find('alert', '')
    await picture('sign-in-wrong')
    await page.fill('Password', password)
    await page.press('Sign in')
    expect(await page.controls()).toEqual([
      'link About this application',
      'button Allow',
      'button Deny',
      'button Not you?',
    ])
  })

  it('shows an error page for an unregistered redirect URI, without a redirect', async () => {
    const query = new URLSearchParams({ client_id: 'unknown', redirect_uri: 'https://evil.example/' })
    await page.open(`${service}/oauth/authorize?${query}`)
    expect(await page.text()).toContain('Unknown application')
    expect(new URL(await page.url()).host).toBe(new URL(service).host)
    await picture('error')
  })

  /** The signed-in user according to the service. */
  const whoIsSignedIn = async () => {
    await page.open(`${service}/account/session`)
    return JSON.parse(await page.text()).login
  }

  it('signs in without an application', async () => {
    await page.open(`${service}/account/sign-in`)
    await signIn()
    expect(await whoIsSignedIn()).toBe(login)
    await page.open(`${service}/account/signed-out`)
    await picture('signed-out')
  })

  it('creates an account from an invitation', async () => {
    const secret = await takeInvitation(started, await organizationOf(started), 'new@example.com')
    await page.open(`${service}/account/invitation?secret=${secret}`)
    await picture('invitation')
    await page.fill('Your name', 'Somebody New')
    await page.fill('Login', `new-${login}`)
    await page.fill('Password', 'short')
    await page.press('Create account and join')
    expect(await page.text()).toContain('8 to 256 characters')
    await page.fill('Password', password)
    await page.press('Create account and join')
    expect(await whoIsSignedIn()).toBe(`new-${login}`)
  })

  it('lets a signed-in user accept an invitation', async () => {
    const secret = await takeInvitation(started, await organizationOf(started), `${login}@example.com`)
    await page.open(`${service}/account/sign-in`)
    await signIn()
    await page.open(`${service}/account/invitation?secret=${secret}`)
    await picture('invitation-signed-in')
    await page.press(`Join as ${login}`)
    expect(await whoIsSignedIn()).toBe(login)
    await page.open(`${service}/account/invitation?secret=${secret}`)
    expect(await page.text()).toContain('This invitation is no longer valid')
  })

  it('sets a new password through the link in a mail', async () => {
    await page.open(`${service}/account/forgot-password`)
    await picture('forgot-password')
    await page.fill('Login or e-mail address', login)
    await page.press('Send me a link')
    expect(await page.text()).toContain('Check your mail')
    await picture('forgot-password-sent')
    // Other mails notify of a second factor that was turned on.
    let mail = await post.next()
    while (mail.subject !== 'A new password for your account') mail = await post.next()
    const [link = ''] = /http\S+/.exec(mail.text) ?? []
    await page.open(link)
    await picture('reset')
    await page.fill('New password', 'another horse battery')
    await page.press('Change password')
    expect(await page.text()).toContain('Your password was changed')
    await picture('reset-done')
    await page.open(`${service}/account/sign-in`)
    await page.fill('Login or e-mail address', login)
    await page.fill('Password', 'another horse battery')
    await page.press('Sign in')
    expect(await whoIsSignedIn()).toBe(login)
  })
})
