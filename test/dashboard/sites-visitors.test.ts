import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { browserTitle, chromium } from '../support/browser.js'
import { png } from '../support/pictures.js'
import { useApp } from '../support/start-app.js'
import { findingsInBoth, signedInPage, useBrowser } from './dashboard-page.js'

describe.skipIf(chromium === undefined)(`sites and their visitors ${browserTitle}`, { timeout: 600_000 }, () => {
  const started = useApp()
  const browser = useBrowser()

  const dialog = (page: Page) => page.getByRole('dialog')
  const row = (page: Page, name: string) => page.locator('[data-block]').filter({ hasText: name }).first()
  const path = (site: string) => `/v4/sites/${site}`

  async function post(url: string, body: object) {
    const answer = await started.request('POST', url, { body })
    expect(answer.text).not.toContain('"errors"')
    return answer.body
  }

  async function newSite(keyword: string, names: object): Promise<string> {
    const { site_guid } = await post('/v4/sites', { group_guid: started.groupGuid, domain: started.domain, keyword })
    await started.request('PATCH', path(site_guid), { body: names })
    return site_guid
  }

  const addLink = (site: string, link_title: string, url = 'https://example.com/shop') =>
    post(`${path(site)}/blocks`, { type: 'shortlink', content: { url, link_title } })
  const publish = (site: string) => post(`${path(site)}/publish`, {})

  /** What somebody without an account sees, whose browser runs no scripts. */
  async function visitor() {
    const userAgent =
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36'
    const context = await browser.newContext({ javaScriptEnabled: false, userAgent })
    await context.route('https://example.com/**', (route) => route.fulfill({ body: 'The shop' }))
    const page = await context.newPage()
    const visit = (keyword: string) => page.goto(`http://${started.domain}/m/${keyword}`)
    return { page, context, visit, buttons: () => page.locator('.bl b').allInnerTexts() }
  }

  it('do not show a block before its time', async () => {
    const site = await newSite('schedule', { display_name: 'Schedule' })
    await addLink(site, 'Always')
    const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    await open(`sites/${site}`)
    await page.getByRole('button', { name: 'Add a block' }).click()
    await page.getByRole('menuitem', { name: 'Link', exact: true }).click()
    await page.getByRole('textbox', { name: 'Leads to' }).fill('https://example.com/later')
    await page.getByRole('textbox', { name: 'Title' }).fill('Later')
    await page.getByText('When visitors see it').click()
    await page.getByLabel('From', { exact: true }).fill('2099-01-02T10:00')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await row(page, 'Later').getByText('From Jan 2, 2099').waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await dialog(page).getByRole('button', { name: 'Publish' }).click()
    await dialog(page).getByText('It is published').waitFor()
    expect(problems).toEqual([])
    await context.close()

    const seen = await visitor()
    await seen.visit('schedule')
    expect(await seen.buttons()).toEqual(['Always'])
    const { body } = await started.request('GET', `${path(site)}?include_blocks=true`)
    const later = body.blocks[1]
    expect(later.content.link_title).toBe('Later')
    const schedule = { schedule_start: '2001-01-02T10:00:00+0000' }
    await started.request('PATCH', `${path(site)}/blocks/${later.block_id}`, { body: schedule })
    await publish(site)
    await seen.visit('schedule')
    expect(await seen.buttons()).toEqual(['Always', 'Later'])
    await seen.context.close()
  })

  it('show the picture that was uploaded, and lose no name that was changed meanwhile', async () => {
    const site = await newSite('avatar', { display_name: 'Before' })
    const { page, context, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    await open(`sites/${site}`)
    await page.getByRole('button', { name: 'Picture: none yet' }).click()
    const file = { name: 'me.png', mimeType: 'image/png', buffer: await png(60, 60) }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByRole('button', { name: 'Picture: change it' }).waitFor()
    await page.getByRole('textbox', { name: 'Name' }).fill('Mine')
    // Somebody else is quicker than the second request.
    await page.route('**/appearance', async (route) => {
      const response = await route.fetch()
      await started.request('PATCH', path(site), { body: { display_name: 'Theirs' } })
      await route.fulfill({ response })
    })
    await page.getByRole('button', { name: 'Save in the draft' }).click()
    await page.getByRole('radio', { name: /Theirs/ }).waitFor()
    await page.getByRole('radio', { name: /Mine/ }).check()
    await page.getByRole('button', { name: 'Save in the draft' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    await context.close()

    await publish(site)
    const seen = await visitor()
    await seen.visit('avatar')
    expect(await seen.page.getByRole('heading', { level: 1 }).innerText()).toBe('Mine')
    const pictures = await seen.page
      .locator('img')
      .evaluateAll((all) => all.map((each) => Reflect.get(each, 'naturalWidth')))
    expect(pictures).toHaveLength(1)
    expect(pictures[0]).toBeGreaterThan(0)
    await seen.context.close()
  })

  it('count visitors without scripts, who press a button and save a business card', async () => {
    const site = await newSite('ada', { display_name: 'Ada' })
    await addLink(site, 'The shop')
    const contacts = [{ contact_method: 'email', value: 'ada@example.com', sort_order: 0 }]
    const content = { first_name: 'Ada', last_name: 'Lovelace', company: 'Engines', contacts }
    await post(`${path(site)}/blocks`, { type: 'digital_business_card', content })
    await publish(site)
    const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    await open(`sites/${site}?tab=statistics`)
    await page.getByText('No visitors in this period').waitFor()
    await page.getByRole('link', { name: 'Share the page' }).click()
    await page
      .getByRole('link', { name: `${started.domain}/m/ada` })
      .first()
      .waitFor()

    const seen = await visitor()
    await seen.visit('ada')
    const downloading = seen.page.waitForEvent('download')
    await seen.page.locator('a[href*="?card="]').click()
    const download = await downloading
    expect(download.suggestedFilename()).toMatch(/\.vcf$/)
    const card = readFileSync(await download.path(), 'utf8')
    expect(card).toContain('FN:Ada Lovelace\r\n')
    expect(card).toContain('ada@example.com')
    await seen.page.getByRole('link', { name: 'The shop' }).click()
    await seen.page.waitForURL('https://example.com/shop')
    expect(await seen.page.locator('body').innerText()).toBe('The shop')
    await seen.context.close()
    await started.clicksCounted()

    await open(`sites/${site}?tab=statistics`)
    const figure = (name: string) => page.locator('dl > div').filter({ hasText: name }).locator('dd')
    await figure('All views').getByText('1', { exact: true }).waitFor()
    await figure('Clicks on buttons').getByText('1', { exact: true }).waitFor()
    await figure('Clicks per view').getByText('100%', { exact: true }).waitFor()
    await figure('Cards saved').getByText('1', { exact: true }).waitFor()
    await page.getByRole('region', { name: 'Devices' }).getByText('Desktop').waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download as CSV: Buttons' }).click()
    const csv = readFileSync(await (await saving).path(), 'utf8')
    expect(csv).toContain('Link, Title, Long URL, Type, Active, Clicks')
    expect(csv).toMatch(/, https:\/\/example\.com\/shop, shortlink, true, 1\s*$/)

    // All sites of the group together, where Analytics is.
    await open('analytics')
    await page.getByRole('main').getByRole('link', { name: 'Sites' }).click()
    await figure('All views')
      .getByText(/^[1-9]$/)
      .waitFor()
    await page.getByRole('region', { name: 'Pages' }).getByText('Ada').first().waitFor()
    await page.getByRole('region', { name: 'Buttons' }).getByText('The shop').waitFor()
    await page.getByRole('region', { name: 'Countries' }).waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    expect(problems).toEqual([])
    await context.close()
  })

  it('check a video and the colours of a text before they are saved', async () => {
    const site = await newSite('checked', { display_name: 'Checked' })
    const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    await open(`sites/${site}`)
    const add = async (type: string) => {
      await page.getByRole('button', { name: 'Add a block' }).click()
      await page.getByRole('menuitem', { name: type, exact: true }).click()
    }
    await add('Video')
    const video = page.getByRole('textbox', { name: 'URL of the video' })
    await video.fill('https://example.com/watch?v=dQw4w9WgXcQ')
    await page.getByRole('textbox', { name: 'Title' }).focus()
    await page.getByText(/Send the URL of a video on YouTube/).waitFor()
    // The browser notes the refusal as an error.
    expect(problems.splice(0)).toHaveLength(1)
    await video.fill('youtu.be/dQw4w9WgXcQ')
    await page.getByText(/Send the URL of a video on YouTube/).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await row(page, 'youtube.com').waitFor()

    await add('Text')
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('New hours')
    await page.getByRole('textbox', { name: 'Colour of the text' }).fill('#eeeeee')
    await page.getByText('Hard to read: 1.1:1').waitFor()
    await page.getByRole('textbox', { name: 'Colour behind it' }).fill('#222222')
    await page.getByText(/Easy to read/).waitFor()
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await row(page, 'New hours').waitFor()
    const { body } = await started.request('GET', `${path(site)}?include_blocks=true`)
    expect(body.blocks[1].appearance).toMatchObject({ text_color: '#eeeeee', background_color: '#222222' })
    await context.close()
  })

  it('are sorted by a finger, and have one line in the list whatever their name', async () => {
    await newSite('long', { display_name: 'A long name '.repeat(22).slice(0, 255) })
    const site = await newSite('touch', { display_name: 'Touch' })
    for (const name of ['First', 'Second', 'Third']) await addLink(site, name)
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const
    const { page, context, problems, open } = await signedInPage(browser, started, {
      ...phone,
      reducedMotion: 'reduce',
    })
    await open('links')
    await page.getByRole('navigation').getByRole('link', { name: 'Sites', exact: true }).tap()
    const listed = page.getByRole('link', { name: 'Touch', exact: true })
    const named = page.getByRole('link', { name: /^A long name/ })
    await named.waitFor()
    expect((await named.boundingBox())?.height).toBe((await listed.boundingBox())?.height)
    await listed.tap()

    const names = () => page.locator('[data-block] [dir=auto]').allInnerTexts()
    await expect.poll(names).toEqual(['First', 'Second', 'Third'])
    const handle = page.locator('[data-handle]').first()
    await row(page, 'Third').scrollIntoViewIfNeeded()
    const from = await handle.boundingBox()
    const to = await row(page, 'Third').boundingBox()
    if (!from || !to) throw new Error('not on the page')
    const finger = await context.newCDPSession(page)
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', y?: number) =>
      finger.send('Input.dispatchTouchEvent', { type, touchPoints: y === undefined ? [] : [{ x: from.x + 9, y }] })
    await touch('touchStart', from.y + 9)
    await touch('touchMove', to.y + to.height * 0.6)
    await touch('touchMove', to.y + to.height * 0.9)
    await page.locator('[data-drop]').waitFor()
    await touch('touchEnd')
    await expect.poll(names).toEqual(['Second', 'Third', 'First'])
    await expect
      .poll(async () => {
        const { body } = await started.request('GET', `${path(site)}?include_blocks=true`)
        return body.blocks.map(({ content }: { content: { link_title: string } }) => content.link_title)
      })
      .toEqual(['Second', 'Third', 'First'])
    expect(problems).toEqual([])
    await context.close()
  })
})
