import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { organize } from '../api/organize.js'
import { aPerson, password } from '../oauth/people.js'
import { browserTitle, chromium } from '../support/browser.js'
import { startApp, useApp } from '../support/start-app.js'
import { findingsInBoth, signedInPage, useBrowser } from './dashboard-page.js'

describe.skipIf(chromium === undefined)(`hard moments ${browserTitle}`, { timeout: 120_000 }, () => {
  const started = useApp({ dnsTargets: [] })
  const browser = useBrowser()

  const aLink = async (body: object = {}): Promise<string> => {
    const long_url = `https://example.com/${crypto.randomUUID()}`
    const made = await started.request('POST', '/v4/shortlinks', { body: { long_url, ...body } })
    expect(made.status).toBe(201)
    return made.body.id
  }
  const read = async (id: string) => (await started.request('GET', `/v4/shortlinks/${id}`)).body
  const change = async (id: string, body: object) =>
    expect((await started.request('PATCH', `/v4/shortlinks/${id}`, { body })).status).toBe(200)
  const isOf = (id: string) => (url: URL) => decodeURIComponent(url.pathname) === `/v4/shortlinks/${id}`
  const dialog = (page: Page) => page.getByRole('dialog')
  const openEdit = async (page: Page, id: string) => {
    await page.goto(`http://${started.domain}/app/${started.groupGuid}/links/${id}`)
    await page.getByRole('button', { name: /^(Edit|Bearbeiten)$/ }).click()
    await dialog(page).waitFor()
  }
  const title = (page: Page) => dialog(page).getByLabel(/^(Title|Titel)/)
  const save = (page: Page) => dialog(page).getByRole('button', { name: /^(Save|Speichern)$/ })
  const isSaved = (page: Page) => dialog(page).waitFor({ state: 'detached' })
  const conflicts = (page: Page) => dialog(page).getByRole('region', { name: /changed while|geändert, während/ })
  const choice = (page: Page, field: string, name: RegExp) =>
    conflicts(page).getByRole('group', { name: field }).getByRole('radio', { name })

  describe('two people edit one link', () => {
    it('shows both texts of what both changed, keeps what is chosen, and leaves the rest as it is', async () => {
      const login = await aPerson(started)
      await organize(started).role(login, 'member', { groupGuid: started.groupGuid })
      const id = await aLink({ title: 'Before', note: 'Before', tags: ['before'] })
      const mine = await signedInPage(browser, started)
      const other = await signedInPage(browser, started, { login, password })
      await openEdit(mine.page, id)
      await openEdit(other.page, id)
      await title(other.page).fill('Their title')
      await dialog(other.page).getByLabel(/^Note/).fill('Their note')
      await dialog(other.page).getByRole('checkbox', { name: 'Private' }).click()
      await save(other.page).click()
      await isSaved(other.page)

      const { page } = mine
      await title(page).fill('My title')
      await dialog(page).getByLabel(/^Note/).fill('My note')
      await dialog(page).getByRole('combobox', { name: /^Tags/ }).fill('mine')
      await page.keyboard.press('Enter')
      await save(page).click()
      await conflicts(page).getByText(`${login}, `).first().waitFor()
      expect(await conflicts(page).getByRole('group').count()).toBe(2)
      expect(await choice(page, 'Title', /^Keep mine My title$/).count()).toBe(1)
      expect(await choice(page, 'Title', /^Take theirs .*Their title$/).count()).toBe(1)
      expect(await title(page).inputValue()).toBe('My title')
      expect((await read(id)).title).toBe('Their title')
      expect(await findingsInBoth(page)).toEqual([])
      // Not before all is decided.
      await save(page).click()
      expect(await choice(page, 'Title', /mine/).evaluate((radio) => radio.matches(':invalid:focus'))).toBe(true)

      await choice(page, 'Title', /mine/).check()
      await choice(page, 'Note', /theirs/).check()
      await save(page).click()
      await isSaved(page)
      expect(await read(id)).toMatchObject({ title: 'My title', note: 'Their note', private: true })
      expect([...(await read(id)).tags].sort()).toEqual(['before', 'mine'])
      expect(mine.problems).toEqual([])
      await mine.context.close()
      await other.context.close()
    })

    it('notices a change in the very moment of saving, by the ETag', async () => {
      const id = await aLink({ title: 'Before', note: 'Before' })
      const { page, context } = await signedInPage(browser, started)
      await openEdit(page, id)
      const meanwhile = [{ note: 'Another field' }, { title: 'In that moment', note: 'Again' }, { title: 'And again' }]
      const answers: number[] = []
      await page.route(isOf(id), async (route) => {
        if (route.request().method() !== 'PATCH') return route.fallback()
        const next = meanwhile.shift()
        if (next) await change(id, next)
        const answer = await route.fetch()
        answers.push(answer.status())
        await route.fulfill({ response: answer })
      })
      await title(page).fill('Mine')
      await save(page).click()
      // The first change was of another field, and is no reason to ask.
      await choice(page, 'Title', /^Take theirs you, elsewhere.*In that moment$/).waitFor()
      expect(answers).toEqual([412, 412])
      await choice(page, 'Title', /mine/).check()
      await save(page).click()
      await choice(page, 'Title', /And again$/).waitFor()
      expect(await choice(page, 'Title', /mine/).isChecked()).toBe(false)
      await choice(page, 'Title', /Mine$/).check()
      await save(page).click()
      await isSaved(page)
      expect(answers).toEqual([412, 412, 412, 200])
      expect(await read(id)).toMatchObject({ title: 'Mine', note: 'Again' })
      await context.close()
    })

    it('lets one take all of it at once, in German on a small phone, also after a reload', async () => {
      const id = await aLink({ title: 'Vorher', tags: ['alt'] })
      const phone = { viewport: { width: 320, height: 640 }, locale: 'de-DE' }
      const { page, context, problems } = await signedInPage(browser, started, phone)
      await openEdit(page, id)
      await title(page).fill('Meiner')
      await dialog(page).getByLabel(/^Ziel/).fill('example.com/meins')
      await change(id, { title: 'Anderer', long_url: 'https://example.com/anderes' })
      await page.reload()
      await page.getByRole('button', { name: 'Bearbeiten', exact: true }).click()
      await save(page).click()
      await choice(page, 'Ziel', /^Meins behalten https:\/\/example.com\/meins$/).waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      expect(await findingsInBoth(page)).toEqual([])
      await conflicts(page).getByRole('button', { name: 'Alles andere nehmen' }).click()
      await save(page).click()
      await isSaved(page)
      expect(await read(id)).toMatchObject({ title: 'Anderer', long_url: 'https://example.com/anderes' })
      expect(problems).toEqual([])
      await context.close()
    })

    it('saves also behind a proxy that alters ETags', async () => {
      const id = await aLink({ title: 'Before' })
      const { page, context } = await signedInPage(browser, started)
      const answers: number[] = []
      await page.route(isOf(id), async (route) => {
        const answer = await route.fetch()
        const { etag, ...headers } = answer.headers()
        if (route.request().method() === 'PATCH') answers.push(answer.status())
        await route.fulfill({ response: answer, headers: { ...headers, ...(etag && { etag: `W/${etag}` }) } })
      })
      await openEdit(page, id)
      await title(page).fill('After')
      await save(page).click()
      await isSaved(page)
      expect(answers).toEqual([412, 200])
      expect((await read(id)).title).toBe('After')
      await context.close()
    })
  })

  describe('the network fails', () => {
    it('recovers by itself when the network is back', async () => {
      await aLink({ title: 'Found when the network is back' })
      const { page, context, open } = await signedInPage(browser, started)
      await open('links')
      await page.getByText('Found when the network is back').first().waitFor()
      await page.waitForLoadState('networkidle')
      await context.setOffline(true)
      await page.getByRole('searchbox').fill('Found when')
      await page.getByText('The service cannot be reached').waitFor()
      await context.setOffline(false)
      await page.getByText('Found when the network is back').first().waitFor()
      await context.close()
    })

    it('says in the form that it cannot be sent, and keeps its text until it can', async () => {
      const id = await aLink({ title: 'Before' })
      const { page, context } = await signedInPage(browser, started)
      await openEdit(page, id)
      await title(page).fill('Typed without a network')
      await context.setOffline(true)
      await save(page).click()
      await dialog(page).getByRole('alert').getByText('The service cannot be reached').waitFor()
      expect(await title(page).inputValue()).toBe('Typed without a network')
      await context.setOffline(false)
      await save(page).click()
      await isSaved(page)
      expect((await read(id)).title).toBe('Typed without a network')
      await context.close()
    })
  })

  describe('a part of a page cannot be loaded', () => {
    /** As if the network were gone in the moment when these files are asked for. Returns how to end that. */
    const withhold = async (page: Page, files: RegExp) => {
      await page.route(files, (route) => route.abort('internetdisconnected'))
      return () => page.unroute(files)
    }

    it('leaves the page and an open form as they are, and shows the part when it can be', async () => {
      const id = await aLink({ title: 'Before' })
      const { page, context } = await signedInPage(browser, started)
      const release = await withhold(page, /assets.Conflicts-/)
      await openEdit(page, id)
      await title(page).fill('Still here')
      await change(id, { title: 'Theirs' })
      const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('Conflicts-'))
      await save(page).click()
      await failed
      await page.getByRole('alert').getByText('A part of this page could not be loaded').waitFor()
      expect(await title(page).inputValue()).toBe('Still here')
      await release()
      await choice(page, 'Title', /Still here$/).check()
      // With its styles, which could not be loaded either.
      const display = conflicts(page).evaluate((part) => part.ownerDocument.defaultView.getComputedStyle(part).display)
      expect(await display).toBe('grid')
      await save(page).click()
      await isSaved(page)
      expect((await read(id)).title).toBe('Still here')
      await page.getByRole('region', { name: 'History' }).getByText('Still here').waitFor()
      await context.close()
    })

    it('offers a new page when the service was updated and has other files', async () => {
      const { page, context, open } = await signedInPage(browser, started)
      // A page that is not there yet could load itself again, and would have forgotten what was pressed.
      await open('links')
      await page.getByRole('heading', { level: 1, name: 'Links' }).waitFor()
      await page.route(/assets.CommandPalette-/, (route) => route.fulfill({ status: 404 }))
      await page.evaluate('globalThis.isOld = true')
      await page.getByRole('button', { name: 'Search and commands' }).click()
      const said = page.getByRole('alert').filter({ hasText: 'A part of this page could not be loaded' })
      await said.getByRole('button', { name: 'Reload' }).click()
      await expect.poll(() => page.evaluate('globalThis.isOld')).toBeUndefined()
      await context.close()
    })

    it('opens a dialog later, without closing another', async () => {
      const { page, context } = await signedInPage(browser, started)
      await page.getByRole('button', { name: 'Create', exact: true }).click()
      await dialog(page)
        .getByLabel(/^Destination/)
        .fill('example.com/before-the-palette')
      const release = await withhold(page, /assets.CommandPalette-/)
      await page.keyboard.press('Control+k')
      await page.getByRole('alert').getByText('A part of this page could not be loaded').waitFor()
      expect(
        await dialog(page)
          .getByLabel(/^Destination/)
          .inputValue(),
      ).toBe('example.com/before-the-palette')
      await release()
      await page
        .getByRole('dialog')
        .getByPlaceholder(/Search/)
        .waitFor()
      await context.close()
    })
  })

  it('sends a change again after a short wait that the API asks for, and says a long one', async () => {
    const id = await aLink({ title: 'Before' })
    const { page, context } = await signedInPage(browser, started)
    await openEdit(page, id)
    const waits = ['1', '7']
    await page.route(isOf(id), (route) => {
      const wait = route.request().method() === 'PATCH' ? waits.shift() : undefined
      if (wait === undefined) return route.fallback()
      const json = { message: 'RATE_LIMIT_EXCEEDED', description: 'Too many.', resource: 'shortlinks' }
      return route.fulfill({ status: 429, json, headers: { 'retry-after': wait } })
    })
    await title(page).fill('Typed too quickly')
    await save(page).click()
    // The second answer: the first one was waited for.
    await dialog(page).getByRole('alert').getByText('Too many requests. Try again in 7 seconds.').waitFor()
    expect(waits).toEqual([])
    expect(await title(page).inputValue()).toBe('Typed too quickly')
    waits.push('1')
    await save(page).click()
    await isSaved(page)
    expect(waits).toEqual([])
    expect((await read(id)).title).toBe('Typed too quickly')
    await context.close()
  })

  it('scrolls through 10,000 links, searches and selects all of them, with few rows in the document', {
    timeout: 900_000,
  }, async () => {
    const many = await startApp({ dnsTargets: [] })
    const counts = Array.from({ length: 10 }, (_, part) => part * 1000)
    for (const first of counts) {
      const links = Array.from({ length: 1000 }, (_, at) => ({
        long_url: `https://example.com/many/${first + at}`,
        title: at === 500 ? `Needle ${first}` : `Number ${first + at}`,
      }))
      expect((await many.request('POST', '/v4/bulk/shorten', { body: { links } })).body).toMatchObject({
        created: 1000,
      })
    }
    const { page, context, problems, open } = await signedInPage(browser, many)
    const rows = page.getByRole('main').getByRole('listitem')
    let most = 0
    await open('links')
    await page.getByText('10,000 links', { exact: true }).waitFor()
    // Each look at the end of the list brings the next links, until the first one is there.
    await expect
      .poll(
        async () => {
          await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
          most = Math.max(most, await rows.count())
          return page.getByText(/^Number 0$/).count()
        },
        { timeout: 600_000 },
      )
      .toBeGreaterThan(0)
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThan(60)
    await page.evaluate('scrollTo(0, 0)')
    await page.getByRole('checkbox', { name: 'Select all loaded links' }).click()
    await page.getByRole('toolbar', { name: '10000 selected' }).waitFor()
    await page.getByRole('button', { name: 'Clear the selection' }).click()
    await page.getByRole('searchbox').fill('Needle')
    await page.getByText('10 links', { exact: true }).waitFor()
    expect(await rows.count()).toBe(10)
    await page.getByRole('checkbox', { name: 'Select all loaded links' }).click()
    await page.getByRole('toolbar', { name: '10 selected' }).waitFor()
    expect(problems).toEqual([])
    await context.close()
    await many.close()
  })

  describe('titles of all kinds', () => {
    const family = '\u{1F469}\u200D\u{1F469}\u200D\u{1F467}\u200D\u{1F466}'
    const titles = {
      arabic: 'مرحبا بكم في متجر الخريف الجديد وفي جميع فروعنا',
      hebrew: 'ברוכים הבאים לחנות הסתיו החדשה ולכל הסניפים שלנו',
      emoji: family.repeat(12),
      long: 'W'.repeat(2000),
      longArabic: 'مرحبا بكم '.repeat(200).trim(),
    }
    const ids = new Map<string, string>()
    beforeAll(async () => {
      for (const [name, text] of Object.entries(titles)) ids.set(name, await aLink({ title: text, note: text }))
    })

    /** What is wider than its place, and signs that were cut in two. */
    const faults = `(() => {
      const found = []
      if (document.documentElement.scrollWidth > innerWidth) found.push('the page scrolls sideways')
      for (const each of document.querySelectorAll('[role=dialog]')) {
        if (each.scrollWidth > each.clientWidth) found.push('a dialog scrolls sideways')
      }
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      while (texts.nextNode()) {
        const { data } = texts.currentNode
        if (!data.isWellFormed() || /^\u200D|\u200D$/.test(data)) found.push('cut: ' + data)
      }
      return found
    })()`
    const directionOf = (page: Page, text: string) =>
      page
        .getByRole('main')
        .getByText(text.slice(0, 20))
        .first()
        .evaluate((element) => {
          return element.ownerDocument.defaultView.getComputedStyle(element).direction
        })

    for (const width of [1280, 320]) {
      it(`keep the layout and their direction at ${width} px`, async () => {
        const { page, context, problems, open } = await signedInPage(browser, started, {
          viewport: { width, height: 800 },
        })
        for (const path of ['', 'links']) {
          await open(path)
          await page.getByText(titles.arabic.slice(0, 20)).filter({ visible: true }).first().waitFor()
          expect(await page.evaluate(faults), path).toEqual([])
          expect(await directionOf(page, titles.arabic)).toBe('rtl')
          expect(await directionOf(page, titles.long)).toBe('ltr')
        }
        const heights = await page
          .getByRole('main')
          .getByRole('listitem')
          .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height))
        expect(new Set(heights).size).toBe(1)
        for (const [name, text] of Object.entries(titles)) {
          await openEdit(page, ids.get(name) ?? '')
          expect(await page.evaluate(faults), name).toEqual([])
          const direction = /^[W\u{1F469}]/u.test(text) ? 'ltr' : 'rtl'
          expect(await title(page).evaluate((input) => input.matches(':dir(rtl)'))).toBe(direction === 'rtl')
          await page.keyboard.press('Escape')
          await isSaved(page)
          const heading = page.getByRole('heading', { level: 1 })
          expect(await heading.evaluate((each) => each.matches(':dir(rtl)'))).toBe(direction === 'rtl')
          // Three lines: the numbers of the link stay in reach.
          expect((await heading.boundingBox())?.height).toBeLessThan(100)
          await page.getByRole('button', { name: 'Delete', exact: true }).click()
          await dialog(page).waitFor()
          expect(await page.evaluate(faults), name).toEqual([])
        }
        expect(problems).toEqual([])
        await context.close()
      })
    }
  })
})
