import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { firstOrganization, organize } from '../api/organize.js'
import { browserTitle, chromium } from '../support/browser.js'
import { readQrCode } from '../support/read-qr-code.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { clipboard, findingsIn, findingsInBoth, signedInPage, startBrowser } from './dashboard-page.js'

const branded = 'go.example.com'

describe.skipIf(chromium === undefined)(`making a link ${browserTitle}`, { timeout: 120_000 }, () => {
  let started: StartedApp
  let browser: Browser
  beforeAll(async () => {
    started = await startApp()
    await organize(started).domain(branded, await firstOrganization(started), [started.groupGuid])
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await started?.close()
  })

  const openCreate = async (options: Parameters<typeof signedInPage>[2] = {}) => {
    const opened = await signedInPage(browser, started, options)
    // The button appears when the person's role is known; shortcuts work from then on.
    await opened.page
      .locator('[aria-keyshortcuts=c], [aria-label="Create a link"]')
      .first()
      .waitFor({ state: 'attached' })
    await opened.page.keyboard.press('c')
    await opened.page.getByRole('dialog').waitFor()
    return opened
  }
  const made = (page: Page) => page.getByRole('dialog', { name: 'Your link is ready' })
  const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent')
  const backHalf = (page: Page) => page.getByLabel(/^Back-half/)
  const newest = async () => (await started.request('GET', `/v4/groups/${started.groupGuid}/shortlinks`)).body.links[0]

  it('says while one types whether a back-half is free', async () => {
    await started.request('POST', '/v4/shortlinks', { body: { long_url: 'https://example.com/1', keyword: 'spring' } })
    const { page, context, problems } = await openCreate()
    await backHalf(page).fill('spring')
    await page.getByText(`A link of this group already has ${started.domain}/spring`).waitFor()
    await backHalf(page).fill('not valid')
    await page.getByText('Only letters, digits').waitFor()
    await backHalf(page).fill('summer')
    await page.getByText(`${started.domain}/summer is free`).waitFor()
    await page.getByRole('combobox', { name: 'Domain' }).click()
    await page.getByRole('option', { name: branded }).click()
    await backHalf(page).fill('spring')
    await page.getByText(`${branded}/spring is free`).waitFor()
    expect(problems).toEqual([])
    await context.close()
  })

  it('begins with a page that another app shares, and can be installed so that apps do', async () => {
    const { page, context, problems } = await signedInPage(browser, started)
    const shared = encodeURIComponent('Spring sale https://example.com/shared?a=1')
    await page.goto(`http://${started.domain}/app/share?title=Sale&text=${shared}`)
    await page.getByRole('dialog', { name: 'Create a link' }).waitFor()
    expect(await page.getByLabel(/^Destination/).inputValue()).toBe('https://example.com/shared?a=1')
    await page.keyboard.press('Escape')
    const devtools = await context.newCDPSession(page)
    const manifest = await devtools.send('Page.getAppManifest')
    expect([manifest.errors, JSON.parse(manifest.data ?? '').share_target.action]).toEqual([[], '/app/share'])
    await page.evaluate(
      "dispatchEvent(Object.assign(new Event('beforeinstallprompt'), { prompt: () => (globalThis.isAsked = true) }))",
    )
    await page.getByRole('button', { name: 'admin' }).click()
    await page.getByRole('menuitem', { name: 'Install as an app' }).click()
    expect(await page.evaluate('isAsked')).toBe(true)
    expect(problems).toEqual([])
    await context.close()
  })

  it('leaves the final word to the store: a back-half that was taken meanwhile is refused, and the text stays', async () => {
    const { page, context } = await openCreate()
    await page.getByLabel(/^Destination/).fill('https://example.com/late')
    await backHalf(page).fill('contested')
    await page.getByText(`${started.domain}/contested is free`).waitFor()
    await started.request('POST', '/v4/shortlinks', {
      body: { long_url: 'https://example.com/2', keyword: 'contested' },
    })
    await page.keyboard.press('Enter')
    await page.getByText('This back-half is taken').waitFor()
    await page.getByText(`A link of this group already has ${started.domain}/contested`).waitFor()
    expect(await page.getByLabel(/^Destination/).inputValue()).toBe('https://example.com/late')
    await context.close()
  })

  it('builds UTM parameters, keeps them as a template of the group, and uses it again', async () => {
    const { page, context, problems } = await openCreate()
    const destination = page.getByLabel(/^Destination/)
    await destination.fill('https://example.com/sale?a=%20b#top')
    await page.getByRole('button', { name: 'UTM' }).click()
    await page.getByLabel('Source').fill('news letter')
    await page.getByLabel('Medium').fill('email')
    expect(await destination.inputValue()).toBe(
      'https://example.com/sale?a=%20b&utm_source=news%20letter&utm_medium=email#top',
    )
    await page.getByRole('button', { name: 'Save as template' }).click()
    await page.getByLabel('Name of the template').fill('Newsletter')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('is saved for this group').waitFor()
    await destination.fill('https://example.com/other')
    expect(await page.getByLabel('Source').inputValue()).toBe('')
    await page.getByRole('combobox', { name: 'Template' }).click()
    await page.getByRole('option', { name: 'Newsletter' }).click()
    await page.keyboard.press('Control+Enter')
    await page.getByText('on your clipboard').waitFor()
    expect((await newest()).long_url).toBe('https://example.com/other?utm_source=news%20letter&utm_medium=email')
    expect(problems).toEqual([])
    await context.close()
  })

  it('routes visitors by country and device, and says so in plain words', async () => {
    const { page, context, problems } = await openCreate()
    await page.getByLabel(/^Destination/).fill('https://example.com/world')
    await page.getByRole('button', { name: 'Routing' }).click()
    await page.getByRole('button', { name: 'Add a rule' }).click()
    await page.getByRole('combobox', { name: 'Country' }).last().click()
    await page.keyboard.type('Germ')
    await page.getByRole('option', { name: 'Germany' }).click()
    await page.keyboard.press('Escape')
    await page.getByLabel('Go to').fill('https://example.de/welt')
    await page.getByText('Visitors in Germany go to example.de/welt').waitFor()
    await page.getByText('Everybody else goes to example.com/world').waitFor()
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByText('on your clipboard').waitFor()
    expect((await newest()).dynamic_routing).toEqual([{ long_url: 'https://example.de/welt', country_match: ['DE'] }])
    expect(problems).toEqual([])
    await context.close()
  })

  it('opens a mobile app of the organization', async () => {
    const organization = await firstOrganization(started)
    const app = { name: 'Shoe shop', os: 'ios', uri_scheme: 'shoeshop' }
    await started.request('POST', `/v4/organizations/${organization}/mobile_apps`, { body: app })
    const { page, context, problems } = await openCreate()
    await page.getByLabel(/^Destination/).fill('https://example.com/shoes')
    await page.getByRole('button', { name: 'Mobile apps' }).click()
    await page.getByRole('button', { name: 'Open a mobile app' }).click()
    await page.getByRole('combobox', { name: /^App/ }).click()
    await page.getByRole('option', { name: 'Shoe shop (iOS)' }).click()
    await page.getByLabel('Page in the app').fill('shoes/42')
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByText('on your clipboard').waitFor()
    expect((await newest()).deeplinks).toMatchObject([
      { app_uri_path: 'shoes/42', os: 'ios', install_type: 'no_install' },
    ])
    expect(problems).toEqual([])
    await context.close()
  })

  it('puts the link in a channel of a campaign', async () => {
    const group_guid = started.groupGuid
    const channel = (await started.request('POST', '/v4/channels', { body: { group_guid, name: 'Posters' } })).body.guid
    const body = { group_guid, name: 'Spring launch', channel_guids: [channel] }
    const campaign = (await started.request('POST', '/v4/campaigns', { body })).body.guid
    const { page, context, problems } = await openCreate()
    await page.getByLabel(/^Destination/).fill('https://example.com/launch')
    await page.getByRole('button', { name: 'Campaign', exact: true }).click()
    await page.getByRole('combobox', { name: 'Add to campaign' }).click()
    await page.getByRole('option', { name: 'Spring launch' }).click()
    await page.getByRole('combobox', { name: 'Channel' }).click()
    await page.getByRole('option', { name: 'Posters' }).click()
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByText('on your clipboard').waitFor()
    expect((await newest()).campaign_ids).toEqual([campaign])
    const listed = await started.request('GET', `/v4/groups/${group_guid}/shortlinks?channel_guid=${channel}`)
    expect(listed.body.links.map((link: { long_url: string }) => link.long_url)).toEqual(['https://example.com/launch'])
    expect(problems).toEqual([])
    await context.close()
  })

  it('makes a new link, also if the group has one with this destination', async () => {
    const long_url = 'https://example.com/twice'
    const first = (await started.request('POST', '/v4/shortlinks', { body: { long_url, title: 'First' } })).body
    const { page, context, problems } = await openCreate()
    await page.getByLabel(/^Destination/).fill(long_url)
    await page.getByLabel(/^Title/).fill('Second')
    await page.keyboard.press('Enter')
    await page.getByText('on your clipboard').waitFor()
    expect(await newest()).toMatchObject({ long_url, title: 'Second' })
    expect((await newest()).id).not.toBe(first.id)
    expect((await newest()).id).toMatch(`${started.domain}/`)
    expect((await started.request('GET', `/v4/shortlinks/${first.id}`)).body.title).toBe('First')
    expect(problems).toEqual([])
    await context.close()
  })

  it('asks before it discards what was typed, and only then', async () => {
    const { page, context, problems } = await openCreate()
    const dialogs = page.getByRole('dialog')
    const question = page.getByRole('dialog', { name: 'Discard your changes?' })
    await page.keyboard.press('Escape')
    await dialogs.waitFor({ state: 'detached' })
    await page.keyboard.press('c')
    await page.getByLabel(/^Destination/).fill('https://example.com/typed')
    await page.keyboard.press('Escape')
    await question.waitFor()
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    expect(await page.getByLabel(/^Destination/).inputValue()).toBe('https://example.com/typed')
    await page.mouse.click(5, 5)
    await question.getByRole('button', { name: 'Discard' }).click()
    await expect.poll(() => dialogs.count()).toBe(0)
    expect(problems).toEqual([])
    await context.close()
  })

  it('stays on the page, and counts the link of the month', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started)
    await open('links?q=nothing-has-this-word')
    await page.getByText('No links match').waitFor()
    const usage = page.getByText(/new links? this month/)
    const count = Number.parseInt((await usage.textContent()) ?? '', 10)
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByLabel(/^Destination/).fill('https://example.com/stay')
    await page.keyboard.press('Enter')
    await page.getByText('on your clipboard').waitFor()
    await expect.poll(() => usage.textContent()).toMatch(new RegExp(`^${count + 1} new links?`))
    expect(page.url()).toContain('/links?q=nothing-has-this-word')
    expect(problems).toEqual([])
    await context.close()
  })

  it('takes an error away when its field is changed, and checks tags while one types', async () => {
    const { page, context } = await openCreate()
    const destination = page.getByLabel(/^Destination/)
    await destination.fill('mailto:somebody@example.com')
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.locator('input[data-destination][aria-invalid=true]').waitFor()
    await destination.fill('https://example.com/right')
    await page.locator('input[data-destination]:not([aria-invalid=true])').waitFor()
    const tags = page.getByRole('combobox', { name: 'Tags' })
    await tags.pressSequentially('früh!')
    await page.getByText('“früh!” cannot be a tag').waitFor()
    await tags.fill('spring')
    await page.getByText('cannot be a tag').waitFor({ state: 'detached' })
    await context.close()
  })

  it('marks every wrong field when the API refused one, until each is right', async () => {
    const { page, context } = await openCreate()
    const form = page.getByRole('dialog')
    const destination = form.getByLabel(/^Destination/)
    const rule = form.getByLabel(/^Go to/)
    const marked = (wanted: readonly boolean[]) =>
      expect
        .poll(() =>
          Promise.all([destination, rule].map(async (each) => (await each.getAttribute('aria-invalid')) === 'true')),
        )
        .toEqual(wanted)
    await destination.fill('mailto:somebody@example.com')
    await form.getByRole('button', { name: 'Routing' }).click()
    await form.getByRole('button', { name: 'Add a rule' }).click()
    await rule.fill('ftp://example.com')
    await marked([false, false])
    await form.getByRole('button', { name: 'Create link' }).click()
    await marked([true, true])
    await destination.fill('https://example.com/right')
    await marked([false, true])
    await rule.fill('https://example.com/other')
    await marked([false, false])
    await form.getByRole('button', { name: 'Create link' }).click()
    await page.getByText('on your clipboard').waitFor()
    await context.close()
  })

  it('keeps an unfinished form over a reload, until it is sent or discarded', async () => {
    const { page, context } = await openCreate()
    await page.getByLabel(/^Destination/).fill('https://example.com/unfinished')
    await page.getByLabel('Title').fill('Half a ti')
    await backHalf(page).fill('half-way')
    await page.reload()
    await page.getByRole('dialog').waitFor()
    expect(await page.getByLabel(/^Destination/).inputValue()).toBe('https://example.com/unfinished')
    expect(await page.getByLabel('Title').inputValue()).toBe('Half a ti')
    expect(await backHalf(page).inputValue()).toBe('half-way')
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByText('on your clipboard').waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Create', exact: true }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    await context.close()
  })

  it('shortens many pasted URLs, after a preview', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started)
    await open('qr-codes')
    await page.getByRole('button', { name: 'Create', exact: true }).waitFor()
    await clipboard(page).write(
      'https://example.com/many/1\nhttps://example.com/many/2\nhttps://bad url\nhttps://a..b/',
    )
    await page.keyboard.press('Control+V')
    const preview = page.getByRole('list', { name: 'URLs to shorten' })
    await expect.poll(() => preview.getByRole('listitem').count()).toBe(4)
    await preview.getByRole('listitem').filter({ hasText: 'https://a..b/' }).getByText('Not a valid URL').waitFor()
    expect(await preview.getByText('Not a valid URL').count()).toBe(1)
    expect(await findingsIn(page)).toEqual([])
    await page.getByRole('button', { name: 'Leave out https://bad' }).click()
    await preview.getByRole('button', { name: 'Leave out https://a..b/' }).and(page.locator(':focus')).waitFor()
    await page.getByRole('button', { name: 'Shorten 3 URLs' }).click()
    await page.getByRole('heading', { name: '2 short links' }).waitFor()
    await preview.getByText('is not a valid').waitFor()
    await page.getByRole('button', { name: 'Copy all' }).click()
    await page.getByText('Copied').first().waitFor()
    const copied = (await clipboard(page).read()).split('\n')
    expect(copied).toHaveLength(2)
    expect(copied).toContain((await newest()).link)
    expect(await findingsIn(page)).toEqual([])

    // In the field of the destination, where one line would be made of them.
    await page.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByLabel(/^Destination/).focus()
    await page.keyboard.press('Control+V')
    await expect.poll(() => preview.getByRole('listitem').count()).toBe(2)
    expect(problems).toEqual([])
    await context.close()
  })

  it('makes 50 links of 50 pasted URLs, a table and a QR code for each', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started)
    await open('links')
    await page.getByRole('button', { name: 'Create', exact: true }).waitFor()
    const urls = Array.from({ length: 50 }, (_, at) => `https://example.com/fifty/${at}`)
    await clipboard(page).write(urls.join('\n'))
    await page.keyboard.press('Control+V')
    await page.getByRole('button', { name: 'Shorten 50 URLs' }).click()
    await page.getByRole('heading', { name: '50 short links' }).waitFor()
    await page.getByRole('button', { name: 'Copy all' }).click()
    await page.getByText('Copied').first().waitFor()
    const links = (await clipboard(page).read()).split('\n')
    expect(new Set(links).size).toBe(50)
    const saved = async (button: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: button }).click(),
      ])
      return Buffer.concat(await (await download.createReadStream()).toArray()).toString('latin1')
    }
    const lines = urls.map((url, at) => `${url},${links[at]},\r\n`)
    expect(await saved('CSV')).toBe(`Destination,Short link,Problem\r\n${lines.join('')}`)
    const pictures = (await saved('QR codes (ZIP)')).match(/<svg[\s\S]*?<\/svg>/g) ?? []
    expect(pictures).toHaveLength(50)
    expect(
      await readQrCode(
        await sharp(Buffer.from(pictures[49] ?? ''))
          .png()
          .toBuffer(),
      ),
    ).toBe(`${links[49]}?r=qr`)
    expect(problems).toEqual([])
    await context.close()
  })

  it('shows the QR code of the link to come', async () => {
    const { page, context, problems } = await openCreate()
    await backHalf(page).fill('poster')
    await page.getByRole('img', { name: 'Preview of the QR code' }).waitFor()
    await page.getByLabel('Preview', { exact: true }).getByText(`${started.domain}/poster`).waitFor()
    expect(problems).toEqual([])
    await context.close()
  })

  it('makes a link with the keyboard alone', async () => {
    const { page, context, problems } = await openCreate()
    const { keyboard } = page
    // The tab key skips the domain until there are several to choose from.
    await expect.poll(() => page.getByRole('combobox', { name: 'Domain' }).isEnabled()).toBe(true)
    await keyboard.type('example.com/by-keyboard')
    await keyboard.press('Tab')
    await keyboard.press('Tab')
    await keyboard.type('by-keyboard')
    await keyboard.press('Tab')
    await keyboard.type('Made without a mouse')
    await keyboard.press('Tab')
    await keyboard.type('spring')
    await keyboard.press('Enter')
    await keyboard.press('Control+Enter')
    await page.getByText('on your clipboard').waitFor()
    expect(await clipboard(page).read()).toBe(`http://${started.domain}/by-keyboard`)
    expect(await newest()).toMatchObject({
      long_url: 'https://example.com/by-keyboard',
      title: 'Made without a mouse',
      tags: ['spring'],
    })
    expect(problems).toEqual([])
    await context.close()
  })

  it('has no serious finding of axe', async () => {
    const keyword = 'axe'
    await started.request('POST', '/v4/shortlinks', { body: { long_url: 'https://example.com/axe', keyword } })
    const { page, context, problems } = await openCreate()
    expect(await findingsInBoth(page)).toEqual([])
    await backHalf(page).fill(keyword)
    await page.getByText('A link of this group already has').waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    for (const part of ['Expiry', 'UTM', 'Routing', 'Mobile apps', 'Campaign']) {
      await page.getByRole('button', { name: part, exact: true }).click()
      if (part === 'Routing') await page.getByRole('button', { name: 'Add a rule' }).click()
      await page.waitForLoadState('networkidle')
      expect([part, await findingsInBoth(page)]).toEqual([part, []])
    }
    expect(problems).toEqual([])
    await context.close()
  })

  it.each([320, 390])('fits %i pixels', async (width) => {
    const { page, context } = await openCreate({ viewport: { width, height: 800 } })
    const overflow = () =>
      page.evaluate(
        '(() => { const body = document.querySelector(".mantine-Modal-body"); return body.scrollWidth - body.clientWidth })()',
      )
    expect(await overflow()).toBe(0)
    await page.getByLabel(/^Destination/).fill(`https://example.com/${'long'.repeat(40)}`)
    await backHalf(page).fill(`a-very-long-back-half-that-fills-more-than-one-${width}`)
    await page.keyboard.press('Enter')
    await made(page).waitFor()
    expect(await overflow()).toBe(0)
    await context.close()
  })

  it('shows the new link with its QR code, to copy, share and download, and the clicks as they happen', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started)
    // The browser of the tests has no way to share.
    await page.addInitScript('navigator.share = async (shared) => { window.shared = shared }')
    await open('links')
    const create = page.getByRole('button', { name: 'Create', exact: true })
    await create.click()
    await page.getByLabel(/^Destination/).fill('https://example.com/success')
    await backHalf(page).fill('success')
    await page.keyboard.press('Enter')
    const url = `http://${started.domain}/success`
    const card = made(page)
    await card.getByRole('link', { name: `${started.domain}/success` }).waitFor()
    expect(await focused(page)).toBe('Copied')
    expect(await clipboard(page).read()).toBe(url)
    const picture = await card.getByRole('img', { name: `QR code of ${started.domain}/success` }).getAttribute('src')
    expect(picture).toMatch(/^data:image\/svg\+xml;base64,/)

    await clipboard(page).write('something else')
    await page.keyboard.press('Enter')
    await expect.poll(() => clipboard(page).read()).toBe(url)
    await card.getByRole('button', { name: 'Share' }).click()
    expect(await page.evaluate('window.shared.url')).toBe(url)
    for (const format of ['PNG', 'SVG'] as const) {
      const downloading = page.waitForEvent('download')
      await card.getByRole('button', { name: `Download the QR code as ${format}` }).click()
      const file = await downloading
      expect(file.suggestedFilename()).toBe(`${started.domain.replace(':', '-')}-success.${format.toLowerCase()}`)
      const bytes = await readFile(await file.path())
      if (format === 'PNG') expect(await readQrCode(bytes)).toBe(url)
      else expect(bytes.subarray(0, 4).toString()).toBe('<svg')
    }
    expect(await findingsInBoth(page)).toEqual([])

    await card.getByText('Waiting for the first click').waitFor()
    const headers = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/142.0.0.0 Safari/537.36' }
    await started.request('GET', '/success', { token: null, headers })
    await card.getByText('1 click so far').waitFor()
    await started.request('GET', '/success', { token: null, headers })
    await card.getByText('2 clicks so far').waitFor()
    expect(await findingsIn(page)).toEqual([])

    await page.keyboard.press('Escape')
    await card.waitFor({ state: 'detached' })
    expect(await focused(page)).toBe('Create')
    expect(problems).toEqual([])
    await context.close()
  })

  it('goes on from the new link to another one, and to its page', async () => {
    const { page, context, problems } = await openCreate()
    await page.getByLabel(/^Destination/).fill('https://example.com/one')
    await page.keyboard.press('Enter')
    await made(page).getByRole('button', { name: 'Create another' }).click()
    expect(await page.getByLabel(/^Destination/).inputValue()).toBe('')
    await page.keyboard.type('https://example.com/another')
    await page.keyboard.press('Enter')
    await page.getByText('on your clipboard').waitFor()
    // A URL that is pasted over the card begins the next link.
    await clipboard(page).write('https://example.com/third')
    await page.keyboard.press('Control+v')
    await expect.poll(() => page.getByLabel(/^Destination/).inputValue()).toBe('https://example.com/third')
    await page.keyboard.press('Enter')
    await made(page).getByRole('link', { name: 'Open its page' }).click()
    await page.waitForURL(/\/links\/localhost/)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(problems).toEqual([])
    await context.close()
  })
})
