import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { aPerson } from '../oauth/people.js'
import { browserTitle, chromium } from '../support/browser.js'
import { useApp } from '../support/start-app.js'
import { clipboard, findingsIn, findingsInBoth, leave, signedInPage, useBrowser } from './dashboard-page.js'

/** Runs in the page: whether what has the focus can be seen. */
const isInView = `(() => {
  const { top, bottom } = document.activeElement.getBoundingClientRect()
  return top >= 0 && bottom <= innerHeight
})()`

describe.skipIf(chromium === undefined)(`the list of links ${browserTitle}`, { timeout: 120_000 }, () => {
  const started = useApp()
  const browser = useBrowser()
  beforeAll(async () => {
    for (let number = 1; number <= 60; number += 1) {
      const body = {
        long_url: `https://example.com/page/${number}`,
        title: `Page ${number}`,
        ...(number % 10 === 0 && { keyword: `page-${number}` }),
        ...(number === 7 && { tags: ['seventh'] }),
      }
      expect((await started.request('POST', '/v4/shortlinks', { body })).status).toBe(201)
    }
  })

  const rows = (page: Page) => page.getByRole('main').getByRole('listitem')
  const row = (page: Page, title: string) => rows(page).filter({ hasText: new RegExp(`${title}(?!\\d)`) })
  const archived = async () =>
    (await started.request('GET', `/v4/groups/${started.groupGuid}/shortlinks?archived=on`)).body.links.length

  it('shows the clicks of each row, with one request for each page of 50', async () => {
    const headers = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/142.0.0.0 Safari/537.36' }
    for (const path of ['/page-60', '/page-60', '/page-60', '/page-50']) {
      await started.request('GET', path, { token: null, headers })
    }
    await started.clicksCounted()
    const { page, context, problems, open } = await signedInPage(browser, started)
    await leave(page)
    const asked: string[] = []
    page.on('request', (request) => request.url().includes('/clicks') && asked.push(request.url()))
    await open('links')
    await row(page, 'Page 60').getByTitle('3 clicks in the last 30 days').waitFor()
    await row(page, 'Page 50').getByTitle('1 click in the last 30 days').waitFor()
    await row(page, 'Page 59').getByTitle('0 clicks in the last 30 days').waitFor()
    expect(new Set(asked).size).toBe(1)
    expect(problems).toEqual([])
    await context.close()
  })

  it('loads the next page while one scrolls, and keeps few rows in the document', async () => {
    const { page, context, open } = await signedInPage(browser, started)
    await open('links')
    await row(page, 'Page 60').waitFor()
    await page.mouse.move(600, 500)
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, 2000)
        return row(page, 'Page 1').count()
      })
      .toBe(1)
    expect(await rows(page).count()).toBeLessThan(40)
    await context.close()
  })

  it('selects a range with shift, and tags, archives and restores it', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started)
    await open('links')
    await row(page, 'Page 58').getByRole('checkbox').click()
    await row(page, 'Page 55')
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] })
    const bar = page.getByRole('toolbar', { name: '4 selected' })
    await bar.getByRole('button', { name: 'Add tags' }).click()
    await page.getByRole('combobox', { name: 'Add tags' }).pressSequentially('chosen typed')
    await page.getByRole('dialog').getByRole('button', { name: 'Add tags' }).click()
    await page.getByText('Tags added to 4 links.').waitFor()
    await row(page, 'Page 56').getByText('chosen').waitFor()
    await row(page, 'Page 56').getByText('typed').waitFor()

    await row(page, 'Page 56').getByRole('checkbox').click()
    const one = page.getByRole('toolbar', { name: '1 selected' })
    await one.getByRole('button', { name: 'Remove tags' }).click()
    await page.getByRole('combobox', { name: 'Remove tags' }).pressSequentially('typed')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove tags' }).click()
    await page.getByText('Tags removed from the link.').waitFor()
    await expect.poll(() => row(page, 'Page 56').getByText('typed').count()).toBe(0)
    await row(page, 'Page 56').getByText('chosen').waitFor()

    await row(page, 'Page 58').getByRole('checkbox').click()
    await row(page, 'Page 57')
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] })
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    expect((await download).suggestedFilename()).toMatch(/^links-.*\.csv$/)
    await page.getByText('2 rows exported.').waitFor()
    await page.getByRole('toolbar').getByRole('button', { name: 'Archive' }).click()
    await expect.poll(archived).toBe(2)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(archived).toBe(0)

    await row(page, 'Page 58').getByRole('checkbox').click()
    await page.getByRole('toolbar').getByRole('button', { name: 'Archive' }).click()
    await expect.poll(archived).toBe(1)
    await open('links?archived=both')
    await row(page, 'Page 58').getByRole('checkbox').click()
    await page.getByRole('toolbar', { name: '1 selected' }).getByRole('button', { name: 'Restore' }).waitFor()
    expect(await page.getByRole('toolbar').getByRole('button', { name: 'Archive' }).count()).toBe(0)
    await row(page, 'Page 57').getByRole('checkbox').click()
    await page.getByRole('toolbar').getByRole('button', { name: 'Archive' }).waitFor()
    await page.getByRole('toolbar').getByRole('button', { name: 'Restore' }).click()
    await expect.poll(archived).toBe(0)
    expect(problems).toEqual([])
    await context.close()
  })

  it('searches while one types, also after a pause, and goes on to a result at once', async () => {
    const { page, context, open } = await signedInPage(browser, started)
    await open('links')
    await row(page, 'Page 60').waitFor()
    await page.getByRole('searchbox').click()
    await page.keyboard.type('sev')
    await page.waitForURL(/q=sev$/)
    await page.keyboard.type('enth')
    await page.waitForURL(/q=seventh$/)
    await expect.poll(() => rows(page).count()).toBe(1)
    await page.getByRole('main').getByRole('button', { name: 'Reset' }).last().click()
    await row(page, 'Page 60').waitFor()
    expect(await page.getByRole('searchbox').inputValue()).toBe('')
    await page.getByRole('searchbox').fill('page')
    // Before the words are sent, which is when one stops typing for a moment.
    await row(page, 'Page 60').getByRole('link').click()
    await page.getByRole('heading', { name: /^Page 60/ }).waitFor()
    await context.close()
  })

  it('filters, keeps the filters in the URL, and goes back to all', async () => {
    const { page, context, open } = await signedInPage(browser, started)
    await open('links')
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('radiogroup', { name: 'Custom back-half' }).getByText('Yes').click()
    await expect.poll(() => rows(page).count()).toBe(6)
    expect(page.url()).toContain('custom=on')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'More Custom back-half: Yes' }).waitFor()
    await open('links?creator=nobody')
    await page.getByText('No links match').waitFor()
    await page.getByRole('main').getByRole('button', { name: 'Reset' }).last().click()
    await row(page, 'Page 60').waitFor()
    await context.close()
  })

  it.each([1280, 390])('filters by the days of creation, at %i px', async (width) => {
    const viewport = { width, height: 844 }
    const { page, context, open } = await signedInPage(browser, started, { viewport })
    await open('links?from=2026-10-01')
    await page.getByRole('button', { name: 'Created 10/1/26 – …' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('To').fill('2026-10-31')
    await page.getByRole('button', { name: 'Created 10/1/26 – 10/31/26' }).waitFor()
    const [around, field] = await Promise.all([dialog.boundingBox(), dialog.getByLabel('To').boundingBox()])
    expect((field?.x ?? 0) + (field?.width ?? 0)).toBeLessThan((around?.x ?? 0) + (around?.width ?? 0))
    await context.close()
  })

  it('opens the edit dialog from a row', async () => {
    const { page, context, open } = await signedInPage(browser, started)
    await open('links')
    await row(page, 'Page 59').hover()
    await row(page, 'Page 59').getByRole('button', { name: /^Edit/ }).click()
    expect(
      await page
        .getByRole('dialog')
        .getByLabel(/^Title/)
        .inputValue(),
    ).toBe('Page 59')
    await context.close()
  })

  it('is used by keys alone: j and k move, x selects, e edits, Enter opens, and the help says so', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started)
    await open('links')
    await row(page, 'Page 60').getByRole('checkbox').waitFor()
    const focused = () => page.evaluate<string>(`document.activeElement.closest('li')?.textContent ?? ''`)
    for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key)
    await expect.poll(focused).toMatch(/Page 59/)
    await page.keyboard.press('x')
    await page.getByRole('toolbar', { name: '1 selected' }).waitFor()
    expect(await row(page, 'Page 59').getByRole('checkbox').isChecked()).toBe(true)
    // Rows that are not in the document yet are reached, too.
    for (let pressed = 0; pressed < 40; pressed += 1) await page.keyboard.press('j')
    await expect.poll(focused).toMatch(/Page 19/)
    expect(await page.evaluate(isInView)).toBe(true)
    await page.keyboard.press('e')
    const dialog = page.getByRole('dialog')
    await expect.poll(() => dialog.getByLabel(/^Title/).inputValue()).toBe('Page 19')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('?')
    for (const label of ['Next row', 'Previous row', 'Open the row', 'Select the row', 'Search the list']) {
      await dialog.getByText(label, { exact: true }).waitFor()
    }
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    expect(await page.evaluate('document.activeElement.type')).toBe('search')
    await page.keyboard.press('Tab')
    await page.keyboard.press('j')
    await expect.poll(focused).toMatch(/Page 18/)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /^Page 18/ }).waitFor()
    expect(problems).toEqual([])
    await context.close()
  })

  it('has a key for each thing to do with a row, and c creates where no row has the focus', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started)
    const dialog = page.getByRole('dialog')
    const closed = () => dialog.waitFor({ state: 'detached' })
    await open('links')
    await row(page, 'Page 60').getByRole('checkbox').waitFor()
    await page.keyboard.press('c')
    await page.getByRole('dialog', { name: 'Create a link' }).waitFor()
    await page.keyboard.press('Escape')
    await closed()
    for (const key of ['j', 'j']) await page.keyboard.press(key)
    const link = row(page, 'Page 59').getByRole('link')
    await expect.poll(() => link.evaluate((each) => each === each.ownerDocument.activeElement)).toBe(true)
    await page.keyboard.press('c')
    await page.getByText('Copied').waitFor()
    expect(await clipboard(page).read()).toBe(`http://${await link.getAttribute('aria-label')}`)
    await page.keyboard.press('q')
    await page.getByRole('dialog', { name: 'Create a QR code' }).waitFor()
    await page.keyboard.press('Escape')
    await closed()
    await page.keyboard.press('d')
    await page.getByRole('dialog', { name: 'Create a link' }).waitFor()
    expect(await dialog.getByLabel(/^Destination/).inputValue()).toBe('https://example.com/page/59')
    expect(await dialog.getByLabel(/^Title/).inputValue()).toBe('Page 59')
    await page.keyboard.press('Escape')
    await closed()
    await page.keyboard.press('a')
    await expect.poll(archived).toBe(1)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(archived).toBe(0)
    await row(page, 'Page 59').getByRole('checkbox').waitFor()
    await page.keyboard.press('?')
    for (const label of ['Copy the link of the row with the focus', 'QR code of the row', 'Statistics of the row']) {
      await dialog.getByText(label, { exact: true }).waitFor()
    }
    await page.keyboard.press('Escape')
    await closed()
    await page.keyboard.press('k')
    await page.keyboard.press('s')
    await page.waitForURL(/\/links\/localhost/)
    expect(problems).toEqual([])
    await context.close()
  })

  it('has the actions of a row where the pointer or the focus is', async () => {
    const { page, context, open } = await signedInPage(browser, started)
    await open('links')
    const actions = row(page, 'Page 60')
      .getByRole('button', { name: /^Archive/ })
      .locator('..')
    const isShown = () => actions.evaluate((each) => each.ownerDocument.defaultView.getComputedStyle(each).opacity)
    await expect.poll(isShown).toBe('0')
    await row(page, 'Page 60').hover()
    await expect.poll(isShown).toBe('1')
    await row(page, 'Page 55').hover()
    await expect.poll(isShown).toBe('0')
    await row(page, 'Page 60').getByRole('link').focus()
    await expect.poll(isShown).toBe('1')
    await row(page, 'Page 60')
      .getByRole('button', { name: /^QR code of/ })
      .click()
    await page.getByRole('dialog', { name: 'Create a QR code' }).waitFor()
    expect(await findingsIn(page)).toEqual([])
    await context.close()
  })

  it('is dense by choice, which it remembers, and says how many links there are', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started, {
      viewport: { width: 1280, height: 900 },
    })
    await open('links')
    await page.getByText('60 links', { exact: true }).waitFor()
    const inView = () =>
      page.evaluate<number>(
        '[...document.querySelectorAll("[data-index]")].filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length',
      )
    await expect.poll(inView).toBeLessThan(10)
    await page.getByRole('button', { name: 'Dense rows', pressed: false }).click()
    await expect.poll(inView).toBeGreaterThanOrEqual(12)
    expect(await findingsInBoth(page)).toEqual([])
    await page.reload()
    await page.getByRole('button', { name: 'Dense rows', pressed: true }).waitFor()
    await expect.poll(inView).toBeGreaterThanOrEqual(12)
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('checkbox', { name: 'Created' }).click()
    const age = rows(page).first().locator('time')
    await age.waitFor({ state: 'hidden' })
    await page.reload()
    await rows(page).first().waitFor()
    expect(await age.isVisible()).toBe(false)
    await open('links?q=seventh')
    await page.getByText('1 link', { exact: true }).waitFor()
    expect(problems).toEqual([])
    await context.close()
  })

  it('shows the links with the most clicks first, and the newest again', async () => {
    const headers = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/142.0.0.0 Safari/537.36' }
    for (const path of ['/page-20', '/page-20', '/page-20', '/page-20', '/page-30']) {
      await started.request('GET', path, { token: null, headers })
    }
    await started.clicksCounted()
    const { page, context, open } = await signedInPage(browser, started)
    await open('links?q=page%2F3')
    await row(page, 'Page 39').waitFor()
    await page.getByRole('button', { name: 'Clicks, 30 days' }).click()
    await expect.poll(() => rows(page).count()).toBe(1)
    await row(page, 'Page 30').waitFor()
    await page.getByRole('searchbox').fill('page/59')
    await page.getByText('None of these links was clicked in the last 30 days').waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    await page.getByRole('button', { name: 'Show the newest links first' }).click()
    await row(page, 'Page 59').waitFor()
    expect(page.url()).toMatch(/q=page%2F59$/)
    await page.getByRole('button', { name: 'Clicks, 30 days' }).click()
    await page.getByRole('searchbox').fill('page/')
    await expect.poll(() => rows(page).first().textContent()).toContain('Page 20')
    expect(page.url()).toMatch(/sort=clicks/)
    await open('links')
    await page.getByRole('button', { name: 'Clicks, 30 days' }).click()
    await expect.poll(() => rows(page).first().textContent()).toContain('Page 20')
    expect(page.url()).toMatch(/links\?sort=clicks$/)
    await row(page, 'Page 30').waitFor()
    expect(await row(page, 'Page 59').count()).toBe(0)
    // Also those that nobody clicked match the filters.
    await page.getByRole('searchbox').fill('page/2')
    await expect.poll(() => rows(page).count()).toBe(1)
    await row(page, 'Page 20').getByRole('checkbox').click()
    const matches = (
      await started.request('GET', `/v4/groups/${started.groupGuid}/shortlinks?query=page%2F2&total=true&size=1`)
    ).body
    await page.getByRole('button', { name: `Select all ${matches.pagination.total}` }).click()
    const everything = page.getByRole('toolbar', { name: new RegExp(String(matches.pagination.total)) })
    await everything.waitFor()
    const download = page.waitForEvent('download')
    await everything.getByRole('button', { name: 'Export' }).click()
    expect((await download).suggestedFilename()).toMatch(/^links-.*\.csv$/)
    await page.getByText(`${matches.pagination.total} rows exported.`).waitFor()
    await everything.getByRole('button', { name: 'Clear the selection' }).click()
    await page.getByRole('searchbox').fill('')
    await page.getByRole('button', { name: 'Clicks, 30 days' }).click()
    await expect.poll(() => rows(page).first().textContent()).toContain('Page 60')
    await context.close()
  })

  it('keeps filters under a name, and shows them again after a reload', async () => {
    const { page, context, open } = await signedInPage(browser, started)
    await open('links?custom=on&q=page')
    await expect.poll(() => rows(page).count()).toBe(6)
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByLabel('Name of the view').fill('With a name')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Views With a name' }).waitFor()
    await open('links')
    await row(page, 'Page 59').waitFor()
    await page.getByRole('button', { name: 'Views' }).click()
    expect(await findingsIn(page)).toEqual([])
    await page.getByRole('button', { name: 'With a name', exact: true }).click()
    await expect.poll(() => rows(page).count()).toBe(6)
    expect(page.url()).toContain('custom=on')
    await page.getByRole('button', { name: 'Remove the view With a name' }).click()
    await page.getByLabel('Name of the view').waitFor()
    await context.close()
  })

  it('makes views of the group from those that were kept in the browser', async () => {
    const { page, context, open } = await signedInPage(browser, started)
    // Not on the page that takes them over: it would, and the next page would end its request.
    await open('campaigns')
    const former = JSON.stringify([{ name: 'Former', search: { custom: 'on', q: 'page' } }])
    const key = `shortlink-views-${started.groupGuid}`
    await page.evaluate(`localStorage.setItem(${JSON.stringify(key)}, ${JSON.stringify(former)})`)
    await open('links')
    const listed = async () => (await started.request('GET', `/v4/groups/${started.groupGuid}/views`)).body.views
    await expect.poll(listed).toMatchObject([{ name: 'Former', page: 'links', query: 'q=page&custom=on' }])
    expect(await page.evaluate(`localStorage.getItem(${JSON.stringify(key)})`)).toBe(null)
    await started.request('DELETE', `/v4/groups/${started.groupGuid}/views/${(await listed())[0].guid}`)
    await context.close()
  })

  it('suggests the members of the group as creators, also those whose links are not loaded', async () => {
    const login = await aPerson(started)
    const { page, context, open } = await signedInPage(browser, started)
    await open('links')
    await page.getByRole('button', { name: 'Creator' }).click()
    await page.getByRole('combobox', { name: 'Creator' }).fill(login)
    await page.getByRole('option', { name: `Person (${login})` }).click()
    await page.getByText('No links match').waitFor()
    expect(page.url()).toContain(login)
    await context.close()
  })

  it.each([1280, 390])('keeps long tags and titles in their row at %i px', async (width) => {
    const tags = ['one', 'two', 'three', 'four'].map((word) => `${word}-`.padEnd(49, 'w'))
    const title = `Endless${'w'.repeat(400)} ${width}`
    const body = { long_url: `https://example.com/endless/${width}/${'w'.repeat(300)}`, title, tags }
    const { id } = (await started.request('POST', '/v4/shortlinks', { body })).body
    const { page, context, open } = await signedInPage(browser, started, { viewport: { width, height: 844 } })
    await open('links')
    const endless = rows(page).filter({ hasText: `Endless` }).first()
    await endless.waitFor()
    const overflow = await endless.evaluate((element) => {
      const { right, bottom } = element.getBoundingClientRect()
      const inside = [...element.querySelectorAll('*')].filter((each) => each.getClientRects().length > 0)
      return inside.filter((each) => {
        const box = each.getBoundingClientRect()
        return box.right > right + 1 || box.bottom > bottom + 1
      }).length
    })
    expect(overflow).toBe(0)
    await open(`links/${id}`)
    await page.getByRole('heading', { name: /Endless/ }).waitFor()
    await page
      .getByText(tags[0] ?? '')
      .first()
      .waitFor()
    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    await started.request('DELETE', `/v4/shortlinks/${id}`)
    await context.close()
  })

  it('cuts long names in the middle, so that they stay different', async () => {
    const name = 'newsletter-of-the-autumn-collection-in-october'
    for (const end of ['-a1', '-b2']) {
      const body = { long_url: `https://example.com/${name}/${end}`, keyword: name + end }
      expect((await started.request('POST', '/v4/shortlinks', { body })).status).toBe(201)
    }
    const { page, context, open } = await signedInPage(browser, started, { viewport: { width: 390, height: 844 } })
    await open('links?q=october')
    for (const end of ['-a1', '-b2']) {
      const tail = rows(page).getByRole('link').getByText(end)
      await tail.waitFor()
      const [isCut, isSeen] = await tail.evaluate((each) => [
        each.previousElementSibling.scrollWidth > each.previousElementSibling.clientWidth,
        each.getBoundingClientRect().right <= each.closest('li').getBoundingClientRect().right,
      ])
      expect([isCut, isSeen]).toEqual([true, true])
    }
    await context.close()
  })

  it('deletes the chosen links, except those that the API only archives', async () => {
    const made = []
    for (const keyword of [undefined, undefined, 'cannot-be-deleted']) {
      const body = { long_url: `https://example.com/doomed/${crypto.randomUUID()}`, keyword }
      made.push((await started.request('POST', '/v4/shortlinks', { body })).body.id)
    }
    const { page, context, open } = await signedInPage(browser, started)
    await open('links?q=doomed')
    await page.getByText('3 links', { exact: true }).waitFor()
    await page.getByRole('checkbox', { name: 'Select all loaded links' }).click()
    await page.getByRole('toolbar', { name: '3 selected' }).getByRole('button', { name: 'Delete' }).click()
    const question = page.getByRole('dialog', { name: 'Delete 3 links?' })
    await question.getByText('This cannot be undone').waitFor()
    expect(await findingsIn(page)).toEqual([])
    await question.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('2 links deleted. 1 can only be archived, and is still selected.').waitFor()
    await page.getByRole('toolbar', { name: '1 selected' }).waitFor()
    await page.getByText('1 link', { exact: true }).waitFor()
    const status = async (id: string) => (await started.request('GET', `/v4/shortlinks/${id}`)).status
    expect(await Promise.all(made.map(status))).toEqual([410, 410, 200])
    await context.close()
  })

  it('changes all links that match, also those that are not loaded', async () => {
    const links = Array.from({ length: 120 }, (_, number) => ({
      long_url: `https://example.com/horde/${number}`,
      tags: ['horde'],
      ...(number === 0 && { keyword: 'of-the-horde' }),
    }))
    await started.request('POST', '/v4/bulk/shorten', { body: { links } })
    const { page, context, problems, open } = await signedInPage(browser, started)
    await open('links?tags=horde')
    await page.getByText('120 links', { exact: true }).waitFor()
    await page.getByRole('checkbox', { name: 'Select all loaded links' }).click()
    await page.getByRole('button', { name: 'Select all 120' }).click()
    const bar = page.getByRole('toolbar', { name: 'All 120 links that match' })
    await bar.waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    await bar.getByRole('button', { name: 'Add tags' }).click()
    await page.getByRole('combobox', { name: 'Add tags' }).fill('all-of-them')
    await page.getByRole('dialog').getByRole('button', { name: 'Add tags' }).click()
    const question = page.getByRole('dialog', { name: 'Add tags: 120 links?' })
    await question.getByRole('button', { name: 'Add tags' }).click()
    await page.getByText('Add tags: 120 links: Done. 120 changed, 0 refused.').waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    const listed = async (tag: string) => {
      const path = `/v4/groups/${started.groupGuid}/shortlinks?tags=${tag}&total=true`
      return (await started.request('GET', path)).body.pagination.total
    }
    expect(await listed('all-of-them')).toBe(120)

    // One more than was counted: nothing is deleted.
    await page.getByRole('checkbox', { name: 'Select all loaded links' }).click()
    await page.getByRole('button', { name: 'Select all 120' }).click()
    await started.request('POST', '/v4/shortlinks', {
      body: { long_url: 'https://example.com/horde/late', tags: ['horde'] },
    })
    const remove = async (count: number) => {
      await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click()
      const dialog = page.getByRole('dialog', { name: `Delete: ${count} links?` })
      await dialog.getByRole('button', { name: 'Delete' }).click()
    }
    await remove(120)
    await page.getByText('More than 120 short links match.').waitFor()
    expect(await listed('horde')).toBe(121)
    await page.getByRole('toolbar', { name: 'All 121 links that match' }).waitFor()
    await remove(121)
    await page.getByText('Delete: 121 links: Done. 120 deleted, 1 refused.').waitFor()
    await page.getByText('1 link', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Result' }).click()
    await page.getByText('Delete: 121 links', { exact: true }).waitFor()
    expect(problems).toEqual([expect.stringContaining('409')])
    await context.close()
  })

  it('has no serious finding of axe with its filters open', async () => {
    // More than the list shows at once.
    const tags = Array.from({ length: 15 }, (_, number) => `tag-${number}`)
    await started.request('POST', '/v4/shortlinks', { body: { long_url: 'https://example.com/tags', tags } })
    const { page, context, problems, open } = await signedInPage(browser, started)
    await open('links')
    await row(page, 'Page 60')
      .getByTitle(/clicks in the last/)
      .waitFor()
    await row(page, 'Page 60').getByRole('checkbox').click()
    for (const name of ['Tags', 'Created', 'Creator', 'More']) {
      await page.getByRole('button', { name, exact: true }).click()
      await page.getByRole('dialog').waitFor()
      expect([name, await findingsInBoth(page)]).toEqual([name, []])
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    expect(problems).toEqual([])
    await context.close()
  })
})
