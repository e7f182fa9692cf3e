import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { organize } from '../api/organize.js'
import { aPerson, password } from '../oauth/people.js'
import { browserTitle, chromium } from '../support/browser.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { findingsInBoth, signedInPage, startBrowser } from './dashboard-page.js'

describe.skipIf(chromium === undefined)(`hard moments ${browserTitle}`, { timeout: 120_000 }, () => {
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
})
