import type { Locator, Page, Request } from 'playwright-core'
import { describe, expect, it, vi } from 'vitest'
import { browserTitle, chromium } from '../support/browser.js'
import { useApp } from '../support/start-app.js'
import { findingsInBoth, readsOf, signedInPage, useBrowser } from './dashboard-page.js'

describe.skipIf(chromium === undefined)(`sites ${browserTitle}`, { timeout: 600_000 }, () => {
  const started = useApp()
  const browser = useBrowser()

  const dialog = (page: Page) => page.getByRole('dialog')
  const shown = (page: Page) => page.frameLocator('iframe[title=Preview]').first()
  const row = (page: Page, name: string) => page.locator('[data-block]').filter({ hasText: name }).first()

  /** Presses Tab until the focus is there, as people without a mouse do. */
  async function tabTo(page: Page, wanted: Locator): Promise<void> {
    await wanted.waitFor()
    for (let times = 0; times < 80; times++) {
      if (await wanted.evaluate((element) => element === element.ownerDocument.activeElement)) return
      await page.keyboard.press('Tab')
    }
    throw new Error('Tab does not come there')
  }

  /** The last one is that of a dialog, if one is open. */
  async function press(page: Page, name: string): Promise<void> {
    await tabTo(page, page.getByRole('button', { name, exact: true }).last())
    await page.keyboard.press('Enter')
  }

  /** What opens takes the focus itself, a moment after it is seen: who types earlier writes into nothing. */
  async function focused(wanted: Locator): Promise<void> {
    await expect.poll(() => wanted.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true)
  }

  async function type(page: Page, label: string, text: string): Promise<void> {
    await tabTo(page, page.getByRole('textbox', { name: label }).last())
    await page.keyboard.type(text)
  }

  /** These requests do not leave the browser. Returns how to end that. */
  async function hold(page: Page, isHeld: (request: Request) => boolean): Promise<() => void> {
    let end = () => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    await page.route('**/v4/**', async (route) => {
      if (isHeld(route.request())) await ended
      return route.continue()
    })
    return end
  }

  it('are built and published by keyboard alone', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    await open('sites')
    await page.getByText('No sites yet').waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    await press(page, 'Create a site')
    await focused(dialog(page).getByLabel(/^Name/))
    await page.keyboard.type('Anna’s Pottery')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Anna’s Pottery' }).waitFor()
    await shown(page).getByRole('heading', { name: 'Anna’s Pottery' }).waitFor()

    await type(page, 'A few words', 'Bowls and cups, made by hand')
    // Before it is saved.
    await shown(page).getByText('Bowls and cups, made by hand').waitFor()
    await press(page, 'Save in the draft')
    await page.getByText('Saved', { exact: true }).waitFor()

    for (const [name, url] of [
      ['Shop', 'example.com/shop'],
      ['Courses', 'example.com/courses'],
    ] as const) {
      await press(page, 'Add a block')
      await focused(page.getByRole('menuitem', { name: 'Link' }))
      await page.keyboard.press('Enter')
      await type(page, 'Leads to', url)
      await type(page, 'Title', name)
      await shown(page).getByText(name).waitFor()
      await press(page, 'Add')
      await row(page, name).waitFor()
    }
    // Courses above Shop.
    await press(page, 'Move Courses')
    await page.keyboard.press('ArrowUp')
    await page.getByRole('status').getByText('Courses: 1 of 2').waitFor({ state: 'attached' })
    await expect.poll(() => shown(page).locator('.bl b').allInnerTexts()).toEqual(['Courses', 'Shop'])
    expect(await findingsInBoth(page)).toEqual([])

    await press(page, 'Publish')
    await dialog(page).getByText('Everybody who has the address').waitFor()
    await press(page, 'Publish')
    await dialog(page).getByText('It is published').waitFor()
    const { body } = await started.request('GET', `/v4/groups/${started.groupGuid}/sites`)
    const [site] = body.sites
    expect(site).toMatchObject({ is_edited: false, status: 'active', button_count: 2 })
    await page.keyboard.press('Escape')
    await page.getByText('Published', { exact: true }).waitFor()
    expect(problems).toEqual([])

    const visitor = await context.newPage()
    await visitor.goto(site.url)
    expect(await visitor.getByRole('heading', { level: 1 }).innerText()).toBe('Anna’s Pottery')
    expect(await visitor.locator('.bl b').allInnerTexts()).toEqual(['Courses', 'Shop'])
    await context.close()
  })

  it('are made by who is faster than what the dialog asks for', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    const answer = await hold(page, (request) => readsOf(request).some((path) => path.endsWith('/preferences')))
    await open('sites')
    await press(page, 'Create a site')
    await focused(dialog(page).getByLabel(/^Name/))
    await page.keyboard.type('Quick')
    await page.keyboard.press('Enter')
    await dialog(page).locator('button[data-loading]').waitFor()
    answer()
    await page.getByRole('heading', { name: 'Quick' }).waitFor()
    expect(problems).toEqual([])
    await context.close()
  })

  it('begin with a template, are dragged into order, and offer a colour that can be read', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    await open('sites')
    await page.getByRole('button', { name: 'Create a site' }).first().click()
    await dialog(page).getByLabel(/^Name/).fill('Café')
    await dialog(page).getByRole('button', { name: 'Paper', exact: true }).click()
    await dialog(page).getByRole('button', { name: 'Create the site' }).click()
    await shown(page).getByText('The letter').waitFor()
    const names = () => page.locator('[data-block] [dir=auto]').allInnerTexts()
    const before = await names()
    expect(before.length).toBeGreaterThan(2)

    const handle = await page.locator('[data-handle]').nth(0).boundingBox()
    const target = await page.locator('[data-block]').nth(1).boundingBox()
    if (!handle || !target) throw new Error('not on the page')
    await page.mouse.move(handle.x + 5, handle.y + 5)
    await page.mouse.down()
    await page.mouse.move(handle.x + 5, target.y + target.height * 0.6)
    await page.mouse.move(handle.x + 5, target.y + target.height * 0.9)
    await page.locator('[data-drop]').waitFor()
    await page.mouse.up()
    await expect.poll(async () => (await names())[1]).toBe(before[0])
    await page.keyboard.press('Control+z')
    await expect.poll(names).toEqual(before)

    await page.getByRole('tab', { name: 'Look' }).click()
    await page.getByRole('textbox', { name: 'Texts of buttons' }).fill('#292524')
    await page.getByText('Hard to read: 1:1').waitFor()
    await page.getByRole('button', { name: 'Save in the draft' }).click()
    await page
      .getByRole('alert')
      .getByText(/contrast/)
      .waitFor()
    // The browser notes the refusal as an error.
    expect(problems.splice(0)).toHaveLength(1)
    await page.getByRole('button', { name: /^Use #/ }).click()
    await page.getByText('Hard to read').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save in the draft' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'Publish' }).click()
    await dialog(page)
      .getByText(/“The letter”.* are still samples of the template/)
      .waitFor()
    await dialog(page).getByRole('button', { name: 'Publish with samples' }).click()
    await dialog(page).getByText('It is published').waitFor()
    expect(problems).toEqual([])
    await context.close()
  })

  it('are imported from a saved page, whose scripts are not run', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    await open('sites')
    await page.getByRole('button', { name: 'Import' }).first().click()
    const html = `<!doctype html><title>x</title><h1>Old page</h1><script>document.title = 'run'</script>
      <a href="https://example.com/one" onclick="document.title = 'run'">One</a><a href="javascript:alert(1)">Bad</a>
      <a href="https://www.instagram.com/ada"><svg></svg></a><img src="https://example.com/pixel.png" onerror="document.title = 'run'">`
    const file = { name: 'page.html', mimeType: 'text/html', buffer: Buffer.from(html) }
    await dialog(page).locator('input[type=file]').setInputFiles(file)
    await dialog(page).getByText('3 blocks were found').waitFor()
    await dialog(page).getByText('This is not a URL that a page may lead to.').waitFor()
    expect(await page.title()).not.toBe('run')
    await dialog(page).getByRole('button', { name: 'Make a site with 2 blocks' }).click()
    await page.getByRole('heading', { name: 'Old page' }).waitFor()
    await shown(page).getByText('One').waitFor()
    // The policy says that it stopped what would run.
    expect(problems.filter((problem) => !problem.includes('inline event handler'))).toEqual([])
    await context.close()
  })

  it('are made once, also when a step after that has to be tried again', async () => {
    const { page, context, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    let failures = 0
    await page.route('**/v4/sites/*', (route) =>
      route.request().method() === 'PATCH' && failures++ % 2 === 0
        ? route.fulfill({ status: 500, json: { message: 'INTERNAL_ERROR', description: 'x' } })
        : route.continue(),
    )
    await open('sites')
    await page.getByRole('button', { name: 'Create a site' }).first().click()
    await dialog(page).getByRole('textbox', { name: 'Name' }).fill('Twice tried')
    const create = dialog(page).getByRole('button', { name: 'Create the site' })
    await create.click()
    await dialog(page).getByRole('alert').waitFor()
    await create.click()
    await page.getByRole('heading', { name: 'Twice tried' }).waitFor()

    await open('sites')
    await page.getByRole('button', { name: 'Import' }).first().click()
    const exported = { name: 'Twice imported', links: [{ title: 'One', url: 'https://example.com/one' }] }
    const buffer = Buffer.from(JSON.stringify(exported))
    const file = { name: 'page.json', mimeType: 'application/json', buffer }
    await dialog(page).locator('input[type=file]').setInputFiles(file)
    await dialog(page).getByRole('button', { name: 'Make a site with' }).click()
    await dialog(page).getByRole('alert').waitFor()
    await dialog(page).getByRole('button', { name: 'Try these again' }).click()
    await page.getByRole('heading', { name: 'Twice imported' }).waitFor()
    expect(failures).toBe(4)
    await context.close()
  })

  it('are sorted by two editors without losing a block', async () => {
    const { page, context, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    const place = { group_guid: started.groupGuid, domain: started.domain, keyword: 'two-sorting' }
    const { site_guid } = (await started.request('POST', '/v4/sites', { body: place })).body
    const blocks = `/v4/sites/${site_guid}/blocks`
    const ids: string[] = []
    for (const text of ['One', 'Two', 'Three']) {
      const { body } = await started.request('POST', blocks, { body: { type: 'text_block', content: { text } } })
      ids.push(body.block_id)
    }
    await open(`sites/${site_guid}`)
    await row(page, 'Three').waitFor()
    // The other editor removes one and adds one.
    await started.request('DELETE', `${blocks}/${ids[1]}`)
    await started.request('POST', blocks, { body: { type: 'text_block', content: { text: 'Four' } } })
    await press(page, 'Move Three')
    await page.keyboard.press('ArrowUp')
    await row(page, 'Four').waitFor()
    await vi.waitFor(async () => {
      const { body } = await started.request('GET', `/v4/sites/${site_guid}?include_blocks=true`)
      const texts = body.blocks.map(({ content }: { content: { text: string } }) => content.text)
      expect(texts.indexOf('Three')).toBeLessThan(texts.indexOf('Four'))
      expect(texts.toSorted()).toEqual(['Four', 'One', 'Three'])
    }, 20_000)
    await context.close()
  })

  it('are published with the steps that were still on their way', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    const place = { group_guid: started.groupGuid, domain: started.domain, keyword: 'on-their-way' }
    const path = `/v4/sites/${(await started.request('POST', '/v4/sites', { body: place })).body.site_guid}`
    for (const text of ['One', 'Two'])
      await started.request('POST', `${path}/blocks`, { body: { type: 'text_block', content: { text } } })
    const send = await hold(page, (request) => request.url().endsWith('/blocks/order'))
    const isSorted = page.waitForResponse((response) => response.url().endsWith('/blocks/order'))
    await open(path.slice('/v4/'.length))
    await press(page, 'Move Two')
    await page.keyboard.press('ArrowUp')
    await page.getByRole('button', { name: 'Publish' }).click()
    send()
    await isSorted
    await dialog(page).getByRole('button', { name: 'Publish' }).click()
    await dialog(page).getByText('It is published').waitFor()
    const { body } = await started.request('GET', `${path}?include_blocks=true&version=live`)
    expect(body.blocks.map(({ content }: { content: { text: string } }) => content.text)).toEqual(['Two', 'One'])
    expect(problems).toEqual([])
    await context.close()
  })

  it('keep the words of two editors, who decide', async () => {
    const { page, context, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    const body = { group_guid: started.groupGuid, domain: started.domain, keyword: 'two-editors' }
    const { site_guid } = (await started.request('POST', '/v4/sites', { body })).body
    await open(`sites/${site_guid}`)
    await page.getByRole('textbox', { name: 'Name' }).fill('Mine')
    await started.request('PATCH', `/v4/sites/${site_guid}`, { body: { display_name: 'Theirs' } })
    await page.getByRole('button', { name: 'Save in the draft' }).click()
    await page.getByRole('radio', { name: /Theirs/ }).waitFor()
    await page.getByRole('radio', { name: /Mine/ }).check()
    await page.getByRole('button', { name: 'Save in the draft' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    const { body: site } = await started.request('GET', `/v4/sites/${site_guid}`)
    expect(site.content.display_name).toBe('Mine')
    await context.close()
  })

  describe('what is typed and not saved', () => {
    const aSite = async (keyword: string) => {
      const body = { group_guid: started.groupGuid, domain: started.domain, keyword }
      const guid = String((await started.request('POST', '/v4/sites', { body })).body.site_guid)
      await started.request('PATCH', `/v4/sites/${guid}`, { body: { display_name: 'Before' } })
      return guid
    }
    const draftOf = async (guid: string) => (await started.request('GET', `/v4/sites/${guid}?include_blocks=true`)).body
    const tab = (page: Page, name: string) => page.getByRole('tab', { name }).click()
    const save = (page: Page) => page.getByRole('button', { name: 'Save in the draft' })

    it('stays in all tabs and in the preview, and is published', async () => {
      const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
      const guid = await aSite('typed')
      await open(`sites/${guid}`)
      await page.getByRole('textbox', { name: 'Name' }).fill('After')
      await page.getByRole('button', { name: 'Add a block' }).click()
      await page.getByRole('menuitem', { name: 'Text' }).click()
      await page.getByRole('textbox', { name: 'Text', exact: true }).fill('A block')
      await shown(page).getByText('A block').waitFor()
      await tab(page, 'Look')
      await page.getByRole('textbox', { name: 'Texts of buttons' }).fill('#fefdfc')
      await tab(page, 'Share')
      await shown(page).getByRole('heading', { name: 'After' }).waitFor()
      await shown(page).getByText('A block').waitFor()
      expect((await draftOf(guid)).content.display_name).toBe('Before')
      await tab(page, 'Look')
      expect(await page.getByRole('textbox', { name: 'Texts of buttons' }).inputValue()).toBe('#fefdfc')
      await tab(page, 'Content')
      expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('After')
      await page.getByRole('button', { name: 'Publish' }).click()
      await dialog(page).getByText('Everybody who has the address').waitFor()
      await dialog(page).getByRole('button', { name: 'Publish' }).click()
      await dialog(page).getByText('It is published').waitFor()
      const { body: live } = await started.request('GET', `/v4/sites/${guid}?include_blocks=true&version=live`)
      expect(live.content.display_name).toBe('After')
      expect(live.blocks).toMatchObject([{ content: { text: 'A block' } }])
      expect(JSON.stringify(live.appearance)).toContain('#fefdfc')
      await page.keyboard.press('Escape')
      await expect.poll(() => save(page).count()).toBe(0)
      expect(problems).toEqual([])
      await context.close()
    })

    it('is added once, also when Publish is pressed while it is sent', async () => {
      const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
      const guid = await aSite('once')
      const send = await hold(page, (request) => request.url().endsWith('/blocks'))
      await open(`sites/${guid}`)
      await page.getByRole('button', { name: 'Add a block' }).click()
      await page.getByRole('menuitem', { name: 'Text' }).click()
      await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Once')
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await page.getByRole('button', { name: 'Publish' }).click()
      send()
      await dialog(page).getByText('Everybody who has the address').waitFor()
      expect((await draftOf(guid)).blocks).toMatchObject([{ content: { text: 'Once' } }])
      expect(problems).toEqual([])
      await context.close()
    })

    it('is shown and not published while it cannot be saved', async () => {
      const { page, context, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
      const guid = await aSite('unreadable')
      await open(`sites/${guid}?tab=look`)
      await page.getByRole('textbox', { name: 'Texts of buttons' }).fill('#ffffff')
      await page.getByRole('textbox', { name: /^Buttons/ }).fill('#ffffff')
      await tab(page, 'Content')
      await page.getByRole('button', { name: 'Publish' }).click()
      await page.getByText('Nothing was published').waitFor()
      await page
        .getByRole('alert')
        .getByText(/contrast/)
        .waitFor()
      expect(await dialog(page).count()).toBe(0)
      expect((await draftOf(guid)).last_published).toBeUndefined()
      await context.close()
    })

    it('is not lost without a question', async () => {
      const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
      const guid = await aSite('asked')
      for (const text of ['One', 'Two'])
        await started.request('POST', `/v4/sites/${guid}/blocks`, { body: { type: 'text_block', content: { text } } })
      await open(`sites/${guid}`)
      const leave = () => page.getByRole('link', { name: 'Links', exact: true }).first().click()
      await page.getByRole('textbox', { name: 'Name' }).fill('Kept')
      await leave()
      await dialog(page).getByText('Discard your changes?').waitFor()
      expect(await findingsInBoth(page)).toEqual([])
      await dialog(page).getByRole('button', { name: 'Cancel' }).click()
      expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Kept')

      // Another block, or another page of the internet.
      await row(page, 'One').getByRole('button', { name: /^One/, expanded: false }).click()
      await page.getByRole('textbox', { name: 'Text', exact: true }).fill('One changed')
      await row(page, 'Two').getByRole('button', { name: /^Two/, expanded: false }).click()
      await dialog(page).getByRole('button', { name: 'Discard' }).click()
      await row(page, 'Two').getByRole('button', { name: /^Two/, expanded: true }).waitFor()
      expect(await page.getByRole('textbox', { name: 'Text', exact: true }).inputValue()).toBe('Two')
      const asked = page.waitForEvent('dialog')
      await page.evaluate('setTimeout(() => location.reload())')
      expect((await asked).type()).toBe('beforeunload')
      await (await asked).dismiss()
      expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Kept')

      await leave()
      await dialog(page).getByRole('button', { name: 'Discard' }).click()
      await page.waitForURL(/\/links/)
      await open(`sites/${guid}`)
      expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Before')
      await leave()
      await page.waitForURL(/\/links/)
      expect(problems).toEqual([])
      await context.close()
    })
  })
})
