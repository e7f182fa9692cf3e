import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { organize } from '../api/organize.js'
import { visit } from '../api/visits.js'
import { aPerson, password } from '../oauth/people.js'
import { browserTitle, chromium } from '../support/browser.js'
import { png } from '../support/pictures.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { clipboard, seriousFindings, signedInPage, startBrowser } from './dashboard-page.js'

/** In light and in dark colours. */
async function findings(page: Page): Promise<readonly string[]> {
  const found = [...(await seriousFindings(page))]
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor({ state: 'attached' })
  found.push(...(await seriousFindings(page)))
  await page.emulateMedia({ colorScheme: 'light' })
  return found
}

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true }

/** The main task of pages that have no file of their own, and what all pages have in common. */
describe.skipIf(chromium === undefined)(`the pages ${browserTitle}`, { timeout: 120_000 }, () => {
  let started: StartedApp
  let browser: Browser
  beforeAll(async () => {
    started = await startApp({ dnsTargets: [] })
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await started?.close()
  })

  const dialog = (page: Page) => page.getByRole('dialog')
  const row = (page: Page, text: string) => page.getByRole('main').getByRole('listitem').filter({ hasText: text })

  it('make a QR code, show when it was made and how often it was scanned, and save its picture', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    await open('qr-codes')
    await page.getByText('No QR codes yet').waitFor()
    await page.getByRole('button', { name: 'Create a QR code' }).click()
    await dialog(page).getByAltText('Preview of the QR code').waitFor()
    expect(await findings(page)).toEqual([])
    await dialog(page)
      .getByLabel(/^Destination/)
      .fill('example.com/menu')
    await dialog(page).getByLabel('Title').fill('Menu')
    await dialog(page).getByRole('button', { name: 'Create a QR code' }).click()
    await row(page, 'Menu').getByText('0 scans').waitFor()
    const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' }).format(new Date())
    await row(page, 'Menu').getByText(`created ${day}`).waitFor()

    const { body } = await started.request('GET', `/v4/groups/${started.groupGuid}/qr-codes`)
    for (let times = 0; times < 2; times++) {
      await visit(started, body.qr_codes[0].shortlink_id, { agent: 'phone', scan: true })
    }
    await started.clicksCounted()
    await open('qr-codes')
    await row(page, 'Menu').getByText('2 scans').waitFor()
    expect(await findings(page)).toEqual([])
    await row(page, 'Menu').getByRole('button', { name: 'Download' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'SVG' }).click()
    expect((await download).suggestedFilename()).toBe('Menu.svg')
    expect(problems).toEqual([])
    await context.close()
  })

  it('put a logo on a QR code, warn of a style that cannot be scanned, and save a PDF', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    await open('qr-codes')
    await page.getByRole('button', { name: 'Create a QR code' }).click()
    const preview = dialog(page).getByAltText('Preview of the QR code')
    await preview.waitFor()
    const upload = (name: string, buffer: Buffer) =>
      dialog(page).locator('input[type=file]').setInputFiles({ name, mimeType: 'image/png', buffer })

    await upload('broken.png', Buffer.from('no picture'))
    await dialog(page)
      .getByRole('alert')
      .getByText(/PNG, JPEG/)
      .waitFor()
    // The browser notes the refusal as an error.
    expect(problems.splice(0)).toHaveLength(1)
    const drawn = async () => Buffer.from((await preview.getAttribute('src'))?.split(',')[1] ?? '', 'base64').toString()
    expect(await drawn()).not.toContain('<image')
    await upload('tree.png', Buffer.from(await png(64, 64)))
    await dialog(page).getByRole('button', { name: 'tree.png', pressed: true }).waitFor()
    await expect.poll(drawn).toContain('<image')
    expect(await dialog(page).getByRole('alert').count()).toBe(0)
    expect(await findings(page)).toEqual([])
    await dialog(page).getByRole('button', { name: 'No logo' }).click()
    await expect.poll(drawn).not.toContain('<image')
    await dialog(page).getByRole('button', { name: 'tree.png' }).click()
    await expect.poll(drawn).toContain('<image')

    await dialog(page).getByLabel('Dots').fill('#eeeeee')
    await dialog(page)
      .getByRole('alert')
      .filter({ hasText: /contrast/ })
      .waitFor()
    expect(problems.splice(0)).not.toEqual([])
    await dialog(page).getByLabel('Dots').fill('#112233')
    await preview.waitFor()

    await dialog(page)
      .getByLabel(/^Destination/)
      .fill('example.com/tree')
    await dialog(page).getByLabel('Title').fill('Tree')
    await dialog(page).getByRole('button', { name: 'Create a QR code' }).click()
    await row(page, 'Tree').getByRole('button', { name: 'Download' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'PDF' }).click()
    expect((await download).suggestedFilename()).toBe('Tree.pdf')
    expect((await readFile(await (await download).path())).subarray(0, 4).toString()).toBe('%PDF')
    const images = (await started.request('GET', `/v4/groups/${started.groupGuid}/images`)).body.images
    const codes = (await started.request('GET', `/v4/groups/${started.groupGuid}/qr-codes`)).body.qr_codes
    const { body: code } = await started.request('GET', `/v4/qr-codes/${codes[0].qrcode_id}`)
    expect(code.render_customizations.logo).toEqual({ image_guid: images[0].guid })
    expect(problems).toEqual([])
    await context.close()
  })

  it('change a QR code: its title, design and destination, and ask before changes are lost', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    const gradient = {
      style: 'linear',
      angle: 90,
      colors: ['#112233', '#331122'].map((color, at) => ({ color, offset: at * 100 })),
    }
    const destination = { long_url: 'https://example.com/before' }
    const { body: code } = await started.request('POST', '/v4/qr-codes', {
      body: { group_guid: started.groupGuid, title: 'Poster', destination, render_customizations: { gradient } },
    })
    const details = async () => (await started.request('GET', `/v4/qr-codes/${code.qrcode_id}`)).body
    await open('qr-codes')
    await row(page, 'Poster').getByRole('button', { name: 'Edit Poster' }).click()
    await page.waitForURL(/edit=Q/)
    const preview = dialog(page).getByAltText('Preview of the QR code')
    await preview.waitFor()
    await dialog(page).getByText('This code also has: a gradient.').waitFor()
    expect(await findings(page)).toEqual([])

    await dialog(page).getByLabel('Title').fill('Poster in the shop')
    await page.keyboard.press('Escape')
    const question = page.getByRole('dialog', { name: 'Discard your changes?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    expect(await dialog(page).getByLabel('Title').inputValue()).toBe('Poster in the shop')
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await question.getByRole('button', { name: 'Discard' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    expect((await details()).title).toBe('Poster')

    await page.getByRole('link', { name: 'Poster', exact: true }).click()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await dialog(page).getByLabel('Title').fill('Poster in the shop')
    await dialog(page).getByRole('combobox', { name: 'Pattern' }).click()
    await page.getByRole('option', { name: 'Hearts' }).click()
    await dialog(page)
      .getByLabel(/^Destination/)
      .fill('example.com/after')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Poster in the shop', level: 1 }).waitFor()
    expect(await details()).toMatchObject({
      title: 'Poster in the shop',
      long_urls: ['https://example.com/after'],
      render_customizations: { dot_pattern_type: 'heart', gradient: { style: 'linear' } },
    })

    await page.getByRole('button', { name: 'Embed' }).click()
    await dialog(page)
      .getByText(/\.png\?size=512$/)
      .waitFor()
    expect(await findings(page)).toEqual([])
    const address = await clipboard(page).copiedBy(dialog(page).getByRole('button', { name: 'Copy the address' }))
    expect(address).toBe(`${code.image_url.replace('.svg', '.png')}?size=512`)
    const { pathname, search } = new URL(address)
    const { status, headers } = await started.request('GET', pathname + search, { token: null })
    expect([status, headers['content-type']]).toEqual([200, 'image/png'])
    expect(problems).toEqual([])
    await context.close()
  })

  it('change a QR code of a short link without its destination, on a phone', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started, {
      ...phone,
      reducedMotion: 'reduce',
    })
    const { body: link } = await started.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/c' } })
    const body = { group_guid: started.groupGuid, title: 'Coupled', destination: { shortlink_id: link.id } }
    const { body: code } = await started.request('POST', '/v4/qr-codes', { body })
    await open(`qr-codes?edit=${code.qrcode_id}`)
    await dialog(page).getByRole('link', { name: link.id }).waitFor()
    expect(
      await dialog(page)
        .getByLabel(/^Destination/)
        .count(),
    ).toBe(0)
    await dialog(page).getByAltText('Preview of the QR code').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    expect(problems).toEqual([])
    await context.close()
  })

  it('delete an image, unless a QR code uses it, and show more than a page of them', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    const upload = async (name: string) =>
      started.request('POST', `/v4/images?name=${name}`, {
        body: await png(8, 8),
        headers: { 'content-type': 'image/png' },
      })
    for (let number = 0; number < 102; number++) await upload(`image-${number}`)
    await open('qr-codes')
    await page.getByRole('button', { name: 'Create a QR code' }).click()
    await dialog(page).getByRole('button', { name: 'image-101' }).waitFor()
    expect(await dialog(page).getByRole('button', { name: 'image-20', exact: true }).count()).toBe(0)
    for (const name of ['image-20', 'image-0']) {
      await dialog(page).getByRole('button', { name: 'More images' }).click()
      await dialog(page).getByRole('button', { name, exact: true }).waitFor()
    }
    await dialog(page).getByRole('button', { name: 'image-0', exact: true }).click()
    await dialog(page).getByRole('button', { name: 'Delete image' }).click()
    expect(await findings(page)).toEqual([])
    await dialog(page).getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog(page).getByRole('button', { name: 'image-0', exact: true }).waitFor({ state: 'detached' })
    await dialog(page).getByRole('button', { name: 'No logo', pressed: true }).waitFor()

    await dialog(page).getByRole('button', { name: 'tree.png' }).click()
    await dialog(page).getByRole('button', { name: 'Delete image' }).click()
    await dialog(page).getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog(page)
      .getByRole('alert')
      .getByText(/QR code/)
      .waitFor()
    expect(problems.splice(0)).toHaveLength(1)
    await context.close()
  })

  it('make a campaign with a new channel, and show its numbers', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    await open('campaigns')
    await page.getByRole('button', { name: 'Create a campaign' }).click()
    await dialog(page).getByLabel('Name').fill('Autumn sale')
    await dialog(page).getByRole('textbox', { name: 'New channel' }).fill('Posters')
    await dialog(page).getByRole('button', { name: 'Add channel' }).click()
    await dialog(page).locator('.mantine-Pill-label').filter({ hasText: 'Posters' }).waitFor()
    expect(await findings(page)).toEqual([])
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await row(page, 'Autumn sale').getByText('Posters').waitFor()
    await page.getByRole('link', { name: 'Autumn sale' }).click()
    await page.getByRole('heading', { name: 'Autumn sale', level: 1 }).waitFor()
    expect(await findings(page)).toEqual([])
    expect(problems).toEqual([])
    await context.close()
  })

  it('make an access token that is shown once and works, and revoke it', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started)
    await open('/app/account')
    const card = page.getByRole('region', { name: 'Access tokens' })
    await card.getByLabel('What is the token for?').fill('Reports')
    await card.getByRole('button', { name: 'Create token' }).click()
    await card.getByText('It is not shown again').waitFor()
    const token = await clipboard(page).copiedBy(card.getByRole('button', { name: 'Copy', exact: true }))
    expect((await started.request('GET', '/v4/user', { token })).status).toBe(200)
    await card.getByRole('listitem').filter({ hasText: 'Reports' }).getByRole('button', { name: 'Revoke' }).click()
    await dialog(page).getByRole('button', { name: 'Revoke' }).click()
    await expect.poll(async () => (await started.request('GET', '/v4/user', { token })).status).not.toBe(200)
    expect(problems).toEqual([])
    await context.close()
  })

  it('register a mobile app, change and delete it', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    await open('settings?tab=apps')
    await page.getByRole('button', { name: 'Register an app' }).click()
    await dialog(page).getByLabel('Name').fill('Shop')
    await dialog(page).getByLabel('URI scheme').fill('https')
    await dialog(page).getByLabel('App ID').fill('ABCDE12345.com.example.shop')
    expect(await findings(page)).toEqual([])
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    // Browsers use this one themselves: the API says so, at the field.
    await dialog(page).locator('.mantine-InputWrapper-error').waitFor()
    await dialog(page).getByLabel('URI scheme').fill('shop')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await row(page, 'Shop').getByText('iOS · shop:// · ABCDE12345.com.example.shop').waitFor()
    expect(await findings(page)).toEqual([])
    await row(page, 'Shop').getByRole('button', { name: 'Edit' }).click()
    await dialog(page).getByLabel('Page in the app store').fill('https://apps.example.com/shop')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    const organization = (await started.request('GET', '/v4/organizations')).body.organizations[0].guid
    const apps = async () =>
      (await started.request('GET', `/v4/organizations/${organization}/mobile_apps`)).body.mobile_apps
    expect(await apps()).toMatchObject([{ name: 'Shop', os: 'ios', store_url: 'https://apps.example.com/shop' }])
    await row(page, 'Shop').getByRole('button', { name: 'Delete' }).click()
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No mobile apps yet').waitFor()
    expect(await apps()).toEqual([])
    expect(problems.filter((problem) => !problem.includes('400'))).toEqual([])
    await context.close()
  })

  it('stand still for people who want no motion: new colours are there at once, and nothing blinks', async () => {
    const { page, context, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    // Never answered: what stands for the rows stays.
    await page.route('**/v4/groups/*/qr-codes?*', () => undefined)
    await open('qr-codes')
    await page.getByRole('status', { name: 'Loading' }).waitFor()
    await page.evaluate(`document.documentElement.dataset.mantineColorScheme = 'dark'`)
    expect(await page.evaluate('document.getAnimations().length')).toBe(0)
    await context.close()
  })

  it('offer readers nothing to change', async () => {
    const login = await aPerson(started)
    await organize(started).role(login, 'reader', { groupGuid: started.groupGuid })
    await started.request('POST', '/v4/shortlinks', {
      body: { long_url: 'https://example.com/read', title: 'Read me' },
    })
    const { page, context, open } = await signedInPage(browser, started, { login, password })
    for (const path of ['', 'links', 'qr-codes', 'campaigns', 'domains', 'settings']) {
      await open(path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.waitForLoadState('networkidle')
      const changing = page.getByRole('button', {
        name: /\b(create|edit|add|remove|delete|archive|save|rename|invite)\b/i,
      })
      expect([path, await changing.allTextContents()]).toEqual([path, []])
    }
    await open('links')
    await row(page, 'Read me').getByRole('link').click()
    await page.getByRole('heading', { name: 'Read me' }).waitFor()
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0)
    await context.close()
  })

  it('say that the server failed, and try again', async () => {
    const { page, context, open } = await signedInPage(browser, started)
    await page.route('**/v4/groups/*/shortlinks?*', (route) => route.fulfill({ status: 500, body: '{}' }))
    await open('links')
    await page.getByText('Something went wrong on the server').waitFor({ timeout: 60_000 })
    await page.unroute('**/v4/groups/*/shortlinks?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await row(page, 'Read me').waitFor()
    await context.close()
  })

  it('make and find a link on a phone', async () => {
    const { page, context, problems } = await signedInPage(browser, started, phone)
    await page.getByRole('link', { name: 'Links' }).last().tap()
    await page.getByRole('button', { name: 'Create a link' }).tap()
    await dialog(page)
      .getByLabel(/^Destination/)
      .fill('https://example.com/from-a-phone')
    await dialog(page)
      .getByLabel(/^Title/)
      .fill('From a phone')
    await dialog(page).getByRole('button', { name: 'Create link' }).tap()
    await dialog(page).waitFor({ state: 'detached' })
    await page.getByRole('searchbox').fill('phone')
    await expect.poll(() => page.getByRole('main').getByRole('listitem').count()).toBe(1)
    await page.getByRole('main').getByRole('listitem').getByRole('link').tap()
    await page.getByRole('heading', { name: 'From a phone' }).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    expect(problems).toEqual([])
    await context.close()
  })
})
