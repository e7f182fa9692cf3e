import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { browserTitle, chromium } from '../support/browser.js'
import { useApp } from '../support/start-app.js'
import {
  clipboard,
  type DashboardPage,
  findingsIn,
  findingsInBoth,
  readsOf,
  signedInPage,
  useBrowser,
} from './dashboard-page.js'

describe.skipIf(chromium === undefined)(`editing a link ${browserTitle}`, { timeout: 120_000 }, () => {
  const started = useApp({ dnsTargets: [] })
  const browser = useBrowser()

  const aLink = async (body: object = {}) => {
    const { domain, groupGuid } = started
    const long_url = `https://example.com/${crypto.randomUUID()}`
    const made = await started.request('POST', '/v4/shortlinks', {
      body: { long_url, domain, group_guid: groupGuid, ...body },
    })
    expect(made.status).toBe(201)
    return made.body as { id: string; link: string; long_url: string }
  }
  const visit = (link: string) =>
    started.request('GET', new URL(link).pathname, {
      token: null,
      headers: { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/142.0.0.0 Safari/537.36' },
    })
  const read = async (id: string) => (await started.request('GET', `/v4/shortlinks/${id}`)).body
  const openEdit = async (id: string, options: Parameters<typeof signedInPage>[2] = {}): Promise<DashboardPage> => {
    const opened = await signedInPage(browser, started, options)
    await opened.open(`links/${id}`)
    await opened.page.getByRole('button', { name: 'Edit', exact: true }).click()
    await opened.page.getByRole('dialog').waitFor()
    return opened
  }
  const dialog = (page: Page) => page.getByRole('dialog')
  const isFocused = (element: Locator) => element.evaluate((each) => each === each.ownerDocument.activeElement)
  const save = (page: Page) => dialog(page).getByRole('button', { name: 'Save' })

  it('changes title, tags and expiry, and sends no destination', async () => {
    const { id, long_url } = await aLink({ title: 'Before', tags: ['old'] })
    const { page, context, problems } = await openEdit(id)
    expect(await save(page).isDisabled()).toBe(true)
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'PATCH' && sent.push(request.postData() ?? ''))
    await page.getByLabel(/^Title/).fill('After')
    await page.getByRole('combobox', { name: /^Tags/ }).fill('spring')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Expiry' }).click()
    await page.getByRole('button', { name: 'In 30 days' }).click()
    await save(page).click()
    await dialog(page).waitFor({ state: 'detached' })
    const { title, tags, expiration_at, ...link } = await read(id)
    expect({ title, tags: [...tags].sort() }).toEqual({ title: 'After', tags: ['old', 'spring'] })
    expect(expiration_at).toMatch(/^\d{4}-/)
    expect(link.long_url).toBe(long_url)
    expect(sent).toHaveLength(1)
    expect(sent[0]).not.toContain('long_url')
    await page.getByRole('heading', { name: 'After' }).waitFor()
    expect(problems).toEqual([])
    await context.close()
  })

  it('makes a link private, and public again', async () => {
    const { id } = await aLink()
    for (const expected of [true, false]) {
      const { page, context, problems } = await openEdit(id)
      const box = page.getByRole('checkbox', { name: 'Private' })
      expect(await box.isChecked()).toBe(!expected)
      await box.click()
      await save(page).click()
      await dialog(page).waitFor({ state: 'detached' })
      expect((await read(id)).private).toBe(expected)
      expect(problems).toEqual([])
      await context.close()
    }
  })

  it('says what a new destination means, and shows the former one in the history', async () => {
    const keyword = `menu-${Date.now().toString(36)}`
    const { id, long_url } = await aLink({ keyword })
    const { page, context } = await openEdit(id)
    await page.getByLabel(/^Destination/).fill('example.com/new-menu')
    await page.getByText('can no longer be deleted').waitFor()
    await save(page).click()
    await dialog(page).waitFor({ state: 'detached' })
    expect((await read(id)).long_url).toBe('https://example.com/new-menu')
    await page.locator('dl').getByRole('button', { name: 'Back-halves' }).click()
    await dialog(page).getByRole('button', { name: 'History' }).click()
    const history = dialog(page).getByRole('listitem').filter({ hasText: 'by admin' }).locator('ol > li')
    await expect.poll(() => history.count()).toBe(2)
    expect(await history.nth(0).textContent()).toContain('example.com/new-menu')
    expect(await history.nth(1).textContent()).toContain(long_url.replace('https://', ''))
    await context.close()
  })

  it('changes a destination and undoes it, from the toast and from the history', async () => {
    const { id, link: url, long_url } = await aLink({ tags: ['old'] })
    // With numbers, which leave the history below the edge.
    await visit(url)
    await started.clicksCounted()
    const { page, context, problems } = await openEdit(id)
    const asked: string[] = []
    page.on('request', (request) => asked.push(...readsOf(request).filter((path) => path.includes('/history'))))
    const changeTo = async (destination: string) => {
      await page.getByLabel(/^Destination/).fill(destination)
      await save(page).click()
      await dialog(page).waitFor({ state: 'detached' })
    }
    await changeTo('example.com/by-mistake')
    await page.getByRole('alert').getByRole('button', { name: 'Undo' }).click()
    await expect.poll(async () => (await read(id)).long_url).toBe(long_url)
    // The next change begins with what the page shows.
    await page.getByRole('link', { name: long_url }).waitFor()
    // Those of the change and of undoing it: the card is not loaded before somebody scrolls to it.
    expect(asked).toHaveLength(2)

    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await changeTo('example.com/later')
    await started.request('PATCH', `/v4/shortlinks/${id}`, { body: { tags: ['new'], title: 'Later' } })
    await page.reload()
    const card = page.getByRole('region', { name: 'History' })
    await card.getByRole('heading').scrollIntoViewIfNeeded()
    const entries = card.locator('ol > li')
    await expect.poll(() => entries.count()).toBe(5)
    const texts = await entries.allTextContents()
    expect(texts[0]).toMatch(/^You changed the title and the tags.*none.*Later.*old.*new.*Undo$/)
    expect(texts[1]).toMatch(/^You changed the destination .*example\.com\/later/)
    expect(texts[4]).toMatch(/^You created the link/)
    expect(await findingsIn(page)).toEqual([])
    await card.getByRole('button', { name: 'Undo: You changed the title and the tags' }).press('Enter')
    await expect.poll(() => entries.count()).toBe(6)
    const { title, tags, ...link } = await read(id)
    expect({ title, tags, long_url: link.long_url }).toEqual({ tags: ['old'], long_url: 'https://example.com/later' })
    // What is as it was has nothing to undo.
    expect(await entries.nth(1).getByRole('button').count()).toBe(0)
    expect(problems).toEqual([])
    await context.close()
  })

  it('says in the history that nothing was changed, to a phone in German', async () => {
    const { id } = await aLink()
    const phone = { viewport: { width: 320, height: 640 }, locale: 'de-DE', colorScheme: 'dark' } as const
    const { page, context, open, problems } = await signedInPage(browser, started, phone)
    await open(`links/${id}`)
    const card = page.getByRole('region', { name: 'Verlauf' })
    await card.getByRole('heading').scrollIntoViewIfNeeded()
    await card.getByText('Seitdem wurde nichts geändert.').waitFor()
    await card.getByText('Du hast den Link erstellt').waitFor()
    expect(await findingsIn(page)).toEqual([])
    expect(problems).toEqual([])
    await context.close()
  })

  it('adds a back-half, and says why one cannot be had', async () => {
    const { id } = await aLink()
    const { page, context, open } = await signedInPage(browser, started)
    await open(`links/${id}`)
    await page.getByRole('button', { name: 'Add a back-half' }).click()
    const field = dialog(page).getByLabel('Add a back-half')
    await field.fill('login')
    await page.keyboard.press('Enter')
    await dialog(page).locator('.mantine-InputWrapper-error').waitFor()
    const keyword = `added-${Date.now().toString(36)}`
    await field.fill(keyword)
    await page.keyboard.press('Enter')
    await dialog(page).getByText(`${started.domain}/${keyword}`).waitFor()
    expect((await read(id)).custom_shortlinks).toEqual([`http://${started.domain}/${keyword}`])
    await context.close()
  })

  it('moves a back-half from one link to another on a domain of the group', async () => {
    const { groupGuid, app } = started
    const organization = (await started.request('GET', '/v4/organizations')).body.organizations[0].guid
    const domain = 'go.example.com'
    await started.request('POST', `/v4/organizations/${organization}/domains`, {
      body: { domain, group_guids: [groupGuid] },
    })
    expect(app.domains.named(domain)).toBeDefined()
    const { id: first } = await aLink({ domain, keyword: 'spring' })
    const { id: second } = await aLink({ domain, title: 'The new page' })
    const { page, context, open } = await signedInPage(browser, started)
    await open(`links/${second}`)
    await page.getByRole('button', { name: 'Add a back-half' }).click()
    await dialog(page).getByLabel('Add a back-half').fill('spring')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Move it here' }).click()
    await dialog(page)
      .getByText(/^go\.example\.com:\d+\/spring$/)
      .waitFor()
    expect((await read(second)).custom_shortlinks).toHaveLength(1)
    expect((await read(first)).custom_shortlinks).toEqual([])
    await context.close()
  })

  it('puts a link in a campaign and takes it out again, and changes nothing else', async () => {
    const group_guid = started.groupGuid
    const channel = (await started.request('POST', '/v4/channels', { body: { group_guid, name: 'Mail' } })).body.guid
    const body = { group_guid, name: 'Autumn', channel_guids: [channel] }
    const campaign = (await started.request('POST', '/v4/campaigns', { body })).body.guid
    const { id } = await aLink()
    const { page, context } = await openEdit(id)
    await page.getByRole('button', { name: 'Campaign', exact: true }).click()
    await page.getByRole('combobox', { name: 'Add to campaign' }).click()
    await page.getByRole('option', { name: 'Autumn' }).click()
    await page.getByRole('combobox', { name: 'Channel' }).click()
    await page.getByRole('option', { name: 'Mail' }).click()
    await save(page).click()
    await dialog(page).waitFor({ state: 'detached' })
    expect((await read(id)).campaign_ids).toEqual([campaign])
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByRole('button', { name: '1 campaign' }).click()
    await dialog(page).getByRole('button', { name: 'Remove from Autumn' }).click()
    await page.getByRole('button', { name: 'Campaign', exact: true }).waitFor()
    await save(page).click()
    await dialog(page).waitFor({ state: 'detached' })
    expect((await read(id)).campaign_ids).toEqual([])
    await context.close()
  })

  it('asks before it discards what was changed', async () => {
    const { id } = await aLink({ title: 'Before' })
    const { page, context, problems } = await openEdit(id)
    const question = page.getByRole('dialog', { name: 'Discard your changes?' })
    await page.getByLabel(/^Title/).fill('After')
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    expect(await page.getByLabel(/^Title/).inputValue()).toBe('After')
    await page.getByLabel(/^Title/).fill('Before')
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    expect(problems).toEqual([])
    await context.close()
  })

  it('gives the focus back when a dialog closes', async () => {
    const { id } = await aLink({ title: 'In focus' })
    const { page, context, problems, open } = await signedInPage(browser, started)
    const returnsTo = async (element: Locator, key: string) => {
      await page.keyboard.press(key)
      await dialog(page).waitFor()
      // The dialog has it meanwhile.
      await expect.poll(() => isFocused(element)).toBe(false)
      await page.keyboard.press('Escape')
      await dialog(page).waitFor({ state: 'detached' })
      await expect.poll(() => isFocused(element)).toBe(true)
    }
    await open('links')
    const row = page.getByRole('main').getByRole('listitem').filter({ hasText: 'In focus' })
    const pencil = row.getByRole('button', { name: `Edit ${id}` })
    const search = page.getByRole('button', { name: /Search/ }).first()
    for (const button of [pencil, search, page.getByRole('button', { name: 'Create', exact: true })]) {
      await button.focus()
      await returnsTo(button, 'Enter')
    }
    await page.keyboard.press('j')
    await returnsTo(row.getByRole('link').first(), 'e')
    // One dialog opens another.
    await search.focus()
    await page.keyboard.press('Enter')
    await dialog(page).getByRole('option', { name: 'Create a link' }).click()
    await page.getByLabel(/^Destination/).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => isFocused(search)).toBe(true)
    expect(problems).toEqual([])
    await context.close()
  })

  it('says that a link is archived', async () => {
    const { id } = await aLink()
    const { page, context, open } = await signedInPage(browser, started)
    await open(`links/${id}`)
    const badge = page.getByRole('main').getByText('Archived', { exact: true })
    await page.getByRole('button', { name: 'Archive', exact: true }).click()
    await badge.waitFor()
    expect(await findingsIn(page)).toEqual([])
    await page.getByRole('button', { name: 'Restore', exact: true }).click()
    await badge.waitFor({ state: 'detached' })
    await context.close()
  })

  it('says what is special about a link, and opens the form at that field', async () => {
    const { id } = await aLink({
      private: true,
      forward_query: true,
      expiration_at: new Date(Date.now() + 20 * 86_400_000).toISOString(),
      dynamic_routing: [{ long_url: 'https://example.de', country_match: ['DE'] }],
    })
    const { page, context, problems, open } = await signedInPage(browser, started)
    await open(`links/${id}`)
    const special = page.getByRole('list', { name: 'What is special about this link' })
    await special.getByText('Expires in 2 wk.').click()
    await dialog(page).getByLabel('Expires').waitFor()
    await expect.poll(() => isFocused(dialog(page).getByRole('button', { name: 'Ends in 2 wk.' }))).toBe(true)
    await page.keyboard.press('Escape')
    await special.getByText('1 rule').click()
    await dialog(page).getByLabel('Go to').waitFor()
    await page.keyboard.press('Escape')
    await special.getByText('Passes on parameters').click()
    await expect.poll(() => isFocused(dialog(page).getByLabel('Pass on parameters'))).toBe(true)
    await page.keyboard.press('Escape')
    await special.getByText('Private').click()
    await expect.poll(() => isFocused(dialog(page).getByLabel('Private'))).toBe(true)
    await page.keyboard.press('Space')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await special.getByText('Private').waitFor({ state: 'detached' })
    expect(await findingsInBoth(page)).toEqual([])
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('is never given to another link').waitFor()
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'Links' }).waitFor()
    expect(problems).toEqual([])
    await context.close()
  })

  it('says what to do about a link without clicks, until the first one comes', async () => {
    const { id, link } = await aLink()
    const { page, context, problems, open } = await signedInPage(browser, started)
    await open(`links/${id}`)
    const card = page.getByRole('region', { name: 'No clicks yet' })
    await card.getByRole('img', { name: `QR code of ${id}` }).waitFor()
    await card.getByRole('button', { name: 'Copy' }).click()
    await card.getByText('It is on your clipboard').waitFor()
    expect(await clipboard(page).read()).toBe(link)
    expect(await card.getByRole('link', { name: 'Test it' }).getAttribute('href')).toBe(link)
    expect(await page.getByRole('heading', { name: 'Countries' }).count()).toBe(0)
    expect(await findingsInBoth(page)).toEqual([])
    await visit(link)
    await card.getByText('1 click so far').waitFor()
    await page.getByRole('heading', { name: 'Countries' }).waitFor()
    expect(await card.count()).toBe(0)
    expect(problems).toEqual([])
    await context.close()
  })

  it('asks nothing about a link that it deleted, and does not go back to it', async () => {
    const { id } = await aLink({ title: 'Soon deleted' })
    const { page, context, problems } = await signedInPage(browser, started)
    const latest = page.getByRole('region', { name: 'Latest links' })
    await latest.getByText('Soon deleted').click()
    await page.getByRole('heading', { name: 'Soon deleted' }).waitFor()
    let isDeleted = false
    page.on('response', (response) => {
      if (response.request().method() === 'DELETE') isDeleted = true
    })
    const asked: string[] = []
    page.on('request', (request) => asked.push(...(isDeleted ? readsOf(request) : [])))
    await page.keyboard.press('e')
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await page.getByText('is never given to another link').waitFor()
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'Links' }).waitFor()
    await expect.poll(() => asked.filter((url) => url.includes('/shortlinks')).length).toBeGreaterThan(0)
    // Its live feed ends with it, and may ask once more before the page is gone.
    const ofLink = asked.filter((url) => url.includes(`/shortlinks/${id}`) && !url.endsWith('/events'))
    expect(ofLink).toEqual([])
    await page.goBack()
    await latest.waitFor()
    // What was asked before, and its live feed, may be answered by 410.
    expect(problems.filter((problem) => !problem.includes('410 (Gone)'))).toEqual([])
    await context.close()
  })

  it('explains the delete rules: an untouched link goes, an edited one is archived instead', async () => {
    const { id: plain } = await aLink()
    const { page, context } = await openEdit(plain)
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await page.getByText('is never given to another link').waitFor()
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'Links' }).waitFor()
    expect((await started.request('GET', `/v4/shortlinks/${plain}`)).status).toBe(410)
    await context.close()

    const { id: moved } = await aLink()
    await started.request('PATCH', `/v4/shortlinks/${moved}`, { body: { long_url: 'https://example.com/elsewhere' } })
    const other = await openEdit(moved)
    await dialog(other.page).getByRole('button', { name: 'Delete' }).click()
    await dialog(other.page).getByRole('button', { name: 'Delete' }).click()
    await other.page.getByText('This link can only be archived').waitFor()
    await dialog(other.page).getByRole('button', { name: 'Archive' }).click()
    await expect.poll(async () => (await read(moved)).archived).toBe(true)
    await other.page.getByRole('alert').getByRole('button', { name: 'Undo' }).click()
    await expect.poll(async () => (await read(moved)).archived).toBe(false)
    await other.context.close()
  })

  it('keeps the text when the session ends in the middle of an edit, and saves it after signing in again', async () => {
    const { id } = await aLink()
    const { page, context } = await openEdit(id)
    await page.getByLabel(/^Title/).fill('Typed before the session ended')
    const cookies = await context.cookies()
    await context.clearCookies()
    await save(page).click()
    await page.getByText('You were signed out').waitFor()
    expect(await page.getByLabel(/^Title/).inputValue()).toBe('Typed before the session ended')
    await context.addCookies(cookies)
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect.poll(async () => (await read(id)).title).toBe('Typed before the session ended')
    await context.close()
  })

  it('has no serious finding of axe in its dialogs', async () => {
    const { id } = await aLink({ keyword: 'axe', tags: ['spring'], title: 'A title' })
    const { page, context, problems } = await openEdit(id)
    await page.getByLabel(/^Destination/).fill('https://example.com/other')
    expect(await findingsInBoth(page)).toEqual([])
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await page.getByText('This link can only be archived').waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.getByText('Discard your changes?').waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.locator('dl').getByRole('button', { name: 'Back-halves' }).click()
    await dialog(page).getByRole('button', { name: 'History' }).click()
    await dialog(page).getByText('since').waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    expect(problems).toEqual([])
    await context.close()
  })
})
