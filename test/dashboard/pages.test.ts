import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { firstOrganization, organize } from '../api/organize.js'
import { aPerson, password } from '../oauth/people.js'
import { browserTitle, chromium } from '../support/browser.js'
import { useApp } from '../support/start-app.js'
import { clipboard, fakeReads, findingsInBoth, signedInPage, useBrowser } from './dashboard-page.js'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true }

/** The main task of pages that have no file of their own, and what all pages have in common. */
describe.skipIf(chromium === undefined)(`the pages ${browserTitle}`, { timeout: 120_000 }, () => {
  const started = useApp({ dnsTargets: [] })
  const browser = useBrowser()

  const dialog = (page: Page) => page.getByRole('dialog')
  const row = (page: Page, text: string) => page.getByRole('main').getByRole('listitem').filter({ hasText: text })

  it('make the first link of a group, with one field and without a chart of zeros', async () => {
    const { page, context, problems } = await signedInPage(browser, started)
    await page.getByRole('heading', { name: 'Shorten your first link' }).waitFor()
    const steps = page.getByRole('list', { name: 'First steps' })
    await steps.getByText('Create an API token (done)').waitFor()
    await page.getByText('1 of 5').waitFor()
    expect(await page.getByText('Nothing in this time').count()).toBe(0)
    expect(await findingsInBoth(page)).toEqual([])
    expect(await clipboard(page).copiedBy(page.getByRole('button', { name: 'Copy the command' }))).toBe(
      [
        `curl -X POST 'http://${started.domain}/v4/shorten'`,
        '-H "Authorization: Bearer $TOKEN"',
        "-H 'Content-Type: application/json'",
        `-d '{"long_url":"https://example.com"}'`,
      ].join(' \\\n  '),
    )

    const field = page.getByRole('textbox', { name: 'Destination' })
    await field.fill('mailto:somebody@example.com')
    await page.keyboard.press('Enter')
    await page.locator('[data-destination][aria-invalid=true]').waitFor()
    await field.fill('example.com/first')
    await page.keyboard.press('Enter')
    await dialog(page).getByText('It is on your clipboard').waitFor()
    const [{ link, long_url }] = (await started.request('GET', `/v4/groups/${started.groupGuid}/shortlinks`)).body.links
    expect(long_url).toBe('https://example.com/first')
    expect(await clipboard(page).read()).toBe(link)
    await page.keyboard.press('Escape')
    await page.getByRole('region', { name: 'Latest links' }).getByRole('listitem').waitFor()
    await page.getByText('2 of 5').waitFor()
    // Of the destination that was refused.
    expect(problems).toEqual(['Failed to load resource: the server responded with a status of 400 (Bad Request)'])
    await context.close()
  })

  it('tick the first steps as they are done, and hide them when all are or when asked to', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started)
    const steps = page.getByRole('list', { name: 'First steps' })
    await steps.getByText('Design a QR code').click()
    await page.getByRole('heading', { name: 'QR codes', level: 1 }).waitFor()
    await open('')
    await page.getByRole('button', { name: 'Hide the first steps' }).click()
    await steps.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('region', { name: 'Latest links' }).getByRole('listitem').waitFor()
    await page.waitForLoadState('networkidle')
    expect(await steps.count()).toBe(0)

    // Remembered by this browser; in another one they are there until all are done.
    const group_guid = started.groupGuid
    const other = await signedInPage(browser, started)
    await other.page.getByText('2 of 5').waitFor()
    const destination = { long_url: 'https://example.com/menu' }
    const code = (await started.request('POST', '/v4/qr-codes', { body: { group_guid, destination } })).body
    const organization = await firstOrganization(started)
    await organize(started).domain('go.example.com', organization, [group_guid])
    await other.open('')
    await other.page.getByText('4 of 5').waitFor()
    const colleague = await aPerson(started)
    await organize(started).role(colleague, 'reader', { groupGuid: group_guid })
    await other.open('')
    await other.page.getByRole('region', { name: 'Latest links' }).getByRole('listitem').first().waitFor()
    await other.page.waitForLoadState('networkidle')
    expect(await other.page.getByRole('list', { name: 'First steps' }).count()).toBe(0)
    await started.request('DELETE', `/v4/qr-codes/${code.qrcode_id}`)
    expect([...problems, ...other.problems]).toEqual([])
    await context.close()
    await other.context.close()
  })

  it('make a campaign with a new channel, and show its numbers', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    await open('campaigns')
    await page.getByRole('button', { name: 'Create a campaign' }).click()
    await dialog(page).getByLabel('Name').fill('Autumn sale')
    await dialog(page).getByRole('textbox', { name: 'New channel' }).fill('Posters')
    await dialog(page).getByRole('button', { name: 'Add channel' }).click()
    await dialog(page).locator('.mantine-Pill-label').filter({ hasText: 'Posters' }).waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await page.getByRole('link', { name: 'Autumn sale' }).click()
    await page.getByRole('heading', { name: 'Autumn sale', level: 1 }).waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    expect(problems).toEqual([])
    await context.close()
  })

  it('delete a channel and a campaign, after asking', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    const group_guid = started.groupGuid
    const channel = (await started.request('POST', '/v4/channels', { body: { group_guid, name: 'Flyers' } })).body.guid
    const body = { group_guid, name: 'Winter sale', channel_guids: [channel] }
    const campaign = (await started.request('POST', '/v4/campaigns', { body })).body.guid
    await open('campaigns')
    await page.getByRole('row', { name: /Winter sale.*1 channel · 0 links/ }).waitFor()
    await page.getByRole('button', { name: 'Edit Winter sale' }).click()
    await dialog(page).getByRole('combobox', { name: 'Channel to delete' }).click()
    await page.getByRole('option', { name: 'Flyers' }).last().click()
    await dialog(page).getByRole('button', { name: 'Delete channel' }).click()
    await page.getByText('Delete Flyers?').waitFor()
    await dialog(page).getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog(page).getByRole('button', { name: 'Delete campaign' }).click()
    await page.getByText('Delete Winter sale?').waitFor()
    expect((await started.request('GET', `/v4/channels/${channel}`)).status).toBe(404)
    expect((await started.request('GET', `/v4/campaigns/${campaign}`)).status).toBe(200)
    await dialog(page).getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('link', { name: 'Winter sale' }).waitFor({ state: 'detached' })
    expect((await started.request('GET', `/v4/campaigns/${campaign}`)).status).toBe(404)
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

  it('make a token that may do little and expires, and rotate it', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started)
    await open('/app/account')
    const card = page.getByRole('region', { name: 'Access tokens' })
    await card.getByLabel('What is the token for?').fill('Sign')
    await card.getByLabel('What may it do?').selectOption('Choose')
    await card.getByRole('checkbox', { name: 'manage QR codes' }).check()
    await card.getByLabel('Expires').selectOption('After 30 days')
    await card.getByRole('button', { name: 'Create token' }).click()
    await card.getByText('It is not shown again').waitFor()
    const token = await clipboard(page).copiedBy(card.getByRole('button', { name: 'Copy', exact: true }))
    const ask = async (path: string) => (await started.request('GET', path, { token })).status
    expect(await ask(`/v4/groups/${started.groupGuid}/qr-codes`)).toBe(200)
    expect(await ask(`/v4/groups/${started.groupGuid}/shortlinks`)).toBe(403)
    const made = card.getByRole('listitem').filter({ hasText: 'Sign' })
    await made.getByText(/expires .* · manage QR codes/).waitFor()
    await made.getByRole('button', { name: 'Rotate' }).click()
    await dialog(page).getByRole('button', { name: 'Rotate' }).click()
    await made.getByText('replaced by a new one').waitFor()
    expect(await ask(`/v4/groups/${started.groupGuid}/qr-codes`)).toBe(200)
    expect(
      (await started.request('GET', '/v4/user/tokens')).body.tokens.filter(
        ({ label }: { label: string }) => label === 'Sign',
      ),
    ).toHaveLength(2)
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
    expect(await findingsInBoth(page)).toEqual([])
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    // Browsers use this one themselves: the API says so, at the field.
    await dialog(page).locator('.mantine-InputWrapper-error').waitFor()
    await dialog(page).getByLabel('URI scheme').fill('shop')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await row(page, 'Shop').getByText('iOS · shop:// · ABCDE12345.com.example.shop').waitFor()
    expect(await findingsInBoth(page)).toEqual([])
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
    await fakeReads(page, /\/qr-codes\?/, 'never')
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
    const { page, context, problems, open } = await signedInPage(browser, started, { login, password })
    const tabs = ['tags', 'members', 'apps', 'webhooks', 'audit'].map((tab) => `settings?tab=${tab}`)
    for (const path of ['', 'links', 'qr-codes', 'campaigns', 'settings', ...tabs]) {
      await open(path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.waitForLoadState('networkidle')
      const changing = page.getByRole('button', {
        name: /\b(create|edit|add|remove|delete|archive|save|rename|invite|register)\b/i,
      })
      expect([path, await changing.allTextContents()]).toEqual([path, []])
    }
    expect(await page.getByRole('main').getByRole('textbox').count()).toBe(0)
    expect(await page.getByRole('link', { name: 'Domains' }).count()).toBe(0)
    expect(problems).toEqual([])
    await open('domains')
    await page.getByText('You do not have access to this').waitFor()
    await open('links')
    await row(page, 'Read me').getByRole('link').click()
    await page.getByRole('heading', { name: 'Read me' }).waitFor()
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0)
    await context.close()
  })

  it('are opened by g and a letter, but not while one types', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started)
    await open('links')
    const search = page.getByRole('searchbox').first()
    await search.focus()
    await page.keyboard.type('ga')
    expect(await search.inputValue()).toBe('ga')
    await search.fill('')
    await search.blur()
    for (const [letter, path] of [
      ['a', 'analytics'],
      ['q', 'qr-codes'],
      ['p', 'sites'],
      ['k', 'campaigns'],
      ['d', 'domains'],
      ['s', 'settings'],
      ['l', 'links'],
      ['h', ''],
    ] as const) {
      await page.keyboard.press('g')
      await page.keyboard.press(letter)
      await page.waitForURL(
        (url) => url.pathname.replace(/\/$/, '') === `/app/${started.groupGuid}/${path}`.replace(/\/$/, ''),
      )
      await page.getByRole('heading', { level: 1 }).first().waitFor()
    }
    expect(problems).toEqual([])
    await context.close()
  })

  it('show titles and notes that are written from right to left in their direction, and long ones whole', async () => {
    const title = 'عنوان الصفحة: تخفيضات الخريف (50%)'
    const note = `ملاحظة للفريق\n${'long '.repeat(60)}end`
    const body = { long_url: 'https://example.com/rtl', title, note }
    const { id } = (await started.request('POST', '/v4/shortlinks', { body })).body
    const { page, context, problems, open } = await signedInPage(browser, started, {
      viewport: { width: 390, height: 844 },
    })
    const isRightToLeft = (text: Locator) =>
      text.evaluate((element) => (element as { matches(selector: string): boolean }).matches(':dir(rtl)'))
    const isWide = () => page.evaluate('document.documentElement.scrollWidth > innerWidth')
    await open(`links/${id}`)
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    expect(await isRightToLeft(page.getByRole('heading', { name: title, level: 1 }))).toBe(true)
    await page.getByText('ملاحظة للفريق').waitFor()
    expect(await isRightToLeft(page.getByText('ملاحظة للفريق'))).toBe(true)
    expect(await page.getByText(/long end$/).isVisible()).toBe(true)
    expect(await isWide()).toBe(false)
    await open('links')
    await row(page, title).waitFor()
    expect(await isRightToLeft(row(page, title).getByText(title).first())).toBe(true)
    expect(await isWide()).toBe(false)
    expect(problems).toEqual([])
    await context.close()
  })

  it('lead back to the list that they are one of', async () => {
    const { groupGuid: group_guid } = started
    const post = async (path: string, body: object) => (await started.request('POST', path, { body })).body
    const { id } = await post('/v4/shortlinks', { long_url: 'https://example.com/back' })
    const { guid } = await post('/v4/campaigns', { group_guid, name: 'Back' })
    const { qrcode_id } = await post('/v4/qr-codes', { group_guid, destination: { shortlink_id: id } })
    const { page, context, problems, open } = await signedInPage(browser, started)
    for (const [path, name, list] of [
      [`links/${id}`, 'Links', 'links'],
      ['links/imports', 'Links', 'links'],
      [`campaigns/${guid}`, 'Campaigns', 'campaigns'],
      [`qr-codes/${qrcode_id}/analytics`, 'QR codes', 'qr-codes'],
      ['analytics/compare', 'Analytics', 'analytics'],
    ] as const) {
      await open(path)
      await page.getByRole('main').getByRole('link', { name, exact: true }).click()
      await page.waitForURL((url) => url.pathname === `/app/${group_guid}/${list}`)
      await page.getByRole('heading', { name, level: 1 }).waitFor()
    }
    await started.request('DELETE', `/v4/qr-codes/${qrcode_id}`)
    expect(problems).toEqual([])
    await context.close()
  })

  it('are found without a group in the address: the one that was used last', async () => {
    const { page, context, open } = await signedInPage(browser, started)
    const at = (path: string) =>
      page.waitForURL((url) => url.pathname + url.search === `/app/${started.groupGuid}${path}`)
    for (const [typed, path] of [
      ['links?q=a', '/links?q=a'],
      ['numbers', '/analytics'],
      ['links/imports', '/links/imports'],
      ['settings?tab=audit', '/settings?tab=audit'],
    ]) {
      await open(`/app/${typed}`)
      await at(path ?? '')
      await page.getByRole('heading', { level: 1 }).first().waitFor()
    }
    await context.close()
  })

  it('offer the groups where the address names another one', async () => {
    const { page, context, open } = await signedInPage(browser, started)
    await open('/app/Bnope/links')
    await page.getByText('There is no such group').waitFor()
    expect(await page.getByRole('main').getByRole('link').count()).toBeGreaterThan(0)
    await page.getByRole('button', { name: 'Choose a group' }).click()
    await page.getByRole('menuitem').first().click()
    await page.waitForURL(new RegExp(`/app/${started.groupGuid}`))
    await context.close()
  })

  it('say that the server failed, and try again', async () => {
    const { page, context, open } = await signedInPage(browser, started)
    const work = await fakeReads(page, /\/shortlinks\?/, { status: 500 })
    await open('links')
    await page.getByText('Something went wrong on the server').waitFor({ timeout: 60_000 })
    await work()
    await page.getByRole('button', { name: 'Try again' }).click()
    await row(page, 'Read me').waitFor()
    await context.close()
  })

  it('lead on a phone to all places, to the account and out', async () => {
    const { page, context, problems } = await signedInPage(browser, started, { ...phone, isMobile: true })
    const menu = page.getByRole('dialog', { name: 'Menu' })
    await page.getByRole('button', { name: 'Menu', exact: true }).tap()
    expect(await findingsInBoth(page)).toEqual([])
    await menu.getByRole('link', { name: 'Campaigns' }).tap()
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor()
    await menu.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Menu', exact: true }).tap()
    await menu.getByRole('button', { name: 'admin' }).tap()
    expect(await page.getByRole('menuitem', { name: 'Account' }).getAttribute('href')).toBe('/app/account')
    await page.getByRole('menuitem', { name: 'Sign out' }).tap()
    await page.waitForURL((url) => !url.pathname.startsWith('/app'))
    expect(problems).toEqual([])
    await context.close()
  })

  it('make and find a link on a phone', async () => {
    const { page, context, problems } = await signedInPage(browser, started, phone)
    await page.getByRole('link', { name: 'Links' }).last().tap()
    await page.getByRole('button', { name: 'Create a link' }).last().tap()
    await dialog(page)
      .getByLabel(/^Destination/)
      .fill('https://example.com/from-a-phone')
    await dialog(page)
      .getByLabel(/^Title/)
      .fill('From a phone')
    await dialog(page).getByRole('button', { name: 'Create link' }).tap()
    await page.getByRole('dialog', { name: 'Your link is ready' }).getByRole('button', { name: 'Close' }).tap()
    await dialog(page).waitFor({ state: 'detached' })
    await page.getByRole('searchbox').fill('phone')
    await expect.poll(() => page.getByRole('main').getByRole('listitem').count()).toBe(1)
    // The back-half tells links apart.
    const backHalf = page
      .getByRole('main')
      .getByRole('listitem')
      .getByText(/^\/\w+$/)
    expect(await backHalf.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
    await page.getByRole('main').getByRole('listitem').getByRole('link').tap()
    await page.getByRole('heading', { name: 'From a phone' }).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    expect(problems).toEqual([])
    await context.close()
  })
})
