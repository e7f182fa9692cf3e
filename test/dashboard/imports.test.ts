import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { organize } from '../api/organize.js'
import { aPerson, password } from '../oauth/people.js'
import { browserTitle, chromium } from '../support/browser.js'
import { useApp } from '../support/start-app.js'
import { cell, sheetXml, workbook } from '../support/workbooks.js'
import { clipboard, fakeReads, findingsInBoth, readsOf, signedInPage, useBrowser } from './dashboard-page.js'

describe.skipIf(chromium === undefined)(`files with links ${browserTitle}`, { timeout: 120_000 }, () => {
  const started = useApp()
  const browser = useBrowser()

  const file = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name })
  const choose = (page: Page, name: string, text: string) =>
    page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
  const upload = async (page: Page, name: string, text: string) => {
    await choose(page, name, text)
    await page.getByRole('button', { name: /^(Create|Change) links$/ }).click()
  }
  const focused = (page: Page, role: 'button' | 'region', name: string) =>
    page.getByRole(role, { name }).and(page.locator(':focus')).waitFor()
  const saved = async (page: Page, button: string) => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: button }).click(),
    ])
    const text = Buffer.concat(await (await download.createReadStream()).toArray()).toString()
    return { name: download.suggestedFilename(), text }
  }

  it('create links, are listed with what became of them, and give the result as a file', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    await open('links')
    await page.getByRole('link', { name: 'Import and export' }).click()
    await page.getByText('No files yet').waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    expect((await saved(page, 'Download an example')).text).toMatch(/^long_url,/)
    await upload(page, 'autumn.csv', 'long_url,title\nhttps://example.com/imported,Imported page\nwrong,\n')
    await file(page, 'autumn.csv').getByText('Done. 1 created, 0 existed already, 1 refused.').waitFor()
    const result = await saved(page, 'Download the result of autumn.csv')
    expect(result.name).toBe('result-autumn.csv')
    expect(result.text).toMatch(/^long_url,title,link,remark,error\nhttps:\/\/example.com\/imported,Imported page,http/)
    expect(result.text).toContain('INVALID_ARG_LONG_URL')
    expect(await findingsInBoth(page)).toEqual([])
    await page.setViewportSize({ width: 320, height: 700 })
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('link', { name: 'Links' }).first().click()
    await file(page, 'Imported page').waitFor()
    expect(problems).toEqual([])
    await context.close()
  })

  it('are looked at before they are sent, and their columns are remembered', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    await open('links/imports')
    const lines = ['Page;Short name;title', 'https://example.com/p/1;mapped-1;One', 'wrong;mapped-1;Two']
    await choose(page, 'shop.csv', lines.join('\n'))
    await page.getByText('2 rows. 1 row has a problem, and will be refused.').waitFor()
    const preview = page.getByRole('region', { name: 'Preview' })
    await focused(page, 'region', 'Preview')
    await preview.getByRole('row', { name: /^2 wrong Not a valid URL/ }).waitFor()
    const meaning = (column: string) => preview.getByLabel(`Meaning of ${column}`)
    expect(await meaning('Page').inputValue()).toBe('long_url')
    await meaning('Short name').selectOption('Back-half')
    await meaning('title').selectOption('Not used')
    await preview.getByRole('row', { name: /^2 wrong/ }).waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    await page.getByRole('button', { name: 'Create links' }).click()
    await file(page, 'shop.csv').getByText('Done. 1 created, 0 existed already, 1 refused.').waitFor()
    await focused(page, 'button', 'Choose a file')
    const { body } = await started.request('GET', `/v4/custom_shortlinks/${started.domain}/mapped-1`)
    expect(body.shortlink).toMatchObject({ long_url: 'https://example.com/p/1' })
    expect(body.shortlink.title).not.toBe('One')

    await page.reload()
    await choose(page, 'next.csv', lines.slice(0, 1).concat('https://example.com/p/2;mapped-2;One').join('\n'))
    expect(await meaning('Short name').inputValue()).toBe('keyword')
    expect(await meaning('title').inputValue()).toBe('')
    await meaning('Page').selectOption('Not used')
    await page.getByRole('alert').getByText('Choose the column for: Destination.').waitFor()
    expect(await page.getByRole('button', { name: 'Create links' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await focused(page, 'button', 'Choose a file')
    expect(problems).toEqual([])
    await context.close()
  })

  it('say if they cannot be sent or read, until another one is chosen', async () => {
    const { page, context, open } = await signedInPage(browser, started)
    await open('links/imports')
    await page.route('**/v4/bulk/jobs?*', (asked) =>
      asked.request().method() === 'POST' ? asked.fulfill({ status: 500 }) : asked.continue(),
    )
    await upload(page, 'unsent.csv', 'long_url\nhttps://example.com/unsent\n')
    const alert = page.getByRole('main').getByRole('alert')
    await alert.waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await focused(page, 'button', 'Choose a file')
    expect(await alert.count()).toBe(0)
    // As of a folder, or a file that was moved.
    await page.evaluate("File.prototype.arrayBuffer = () => Promise.reject(new DOMException('', 'NotReadableError'))")
    await choose(page, 'moved.csv', 'long_url\n')
    await alert.getByText('The browser could not read the file. Choose it again.').waitFor()
    await context.close()
  })

  it('are dropped as workbooks, and give all links and their QR codes', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started)
    await open('links/imports')
    const urls = ['https://example.com/sheet/1', 'https://example.com/sheet/2']
    // Sheets count the days since 1900.
    const today = Math.floor(Date.now() / 86_400_000)
    const until = new Date((today + 100) * 86_400_000).toISOString().slice(0, 10)
    const rows = [['Address', 'Until', 'Memo'].map((name) => cell.inline(name))]
    // 23 hours: the number of a second is rounded.
    for (const at of urls.keys())
      rows.push([cell.shared(at), cell.date(`${today + 100 + 25_569}.958333333`, 1), cell.inline('one_x000A_two')])
    const bytes = workbook({ sheet: sheetXml(rows), texts: urls }).toString('base64')
    const dropped = await page.evaluateHandle(`(() => {
      const data = new DataTransfer()
      data.items.add(new File([Uint8Array.from(atob('${bytes}'), (each) => each.charCodeAt(0))], 'book.xlsx'))
      return data
    })()`)
    await page.getByText('or drop it here').dispatchEvent('drop', { dataTransfer: dropped })
    await page.getByText('2 rows. No problems found.').waitFor()
    await page.getByLabel('Meaning of Until').selectOption('Expiry')
    await page.getByLabel('Meaning of Memo').selectOption('Note')
    await page.getByRole('button', { name: 'Create links' }).click()
    await file(page, 'book.xlsx').getByText('Done. 2 created, 0 existed already, 0 refused.').waitFor()
    await page.getByRole('button', { name: 'Copy all links of book.xlsx' }).click()
    await page.getByText('Copied').first().waitFor()
    const links = (await clipboard(page).read()).split('\n')
    expect(links).toHaveLength(2)
    const [first = ''] = links
    const found = await started.request('GET', `/v4/shortlinks/${first.replace('http://', '')}`)
    expect(found.body).toMatchObject({ long_url: urls[0], expiration_at: `${until}T23:00:00+0000`, note: 'one\ntwo' })
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(); document.execCommand = () => false')
    await page.getByRole('button', { name: 'Copy all links of book.xlsx' }).click()
    await page.getByText('The links could not be copied. Save them as a file instead.').waitFor()
    const zip = await saved(page, 'Save the QR codes of book.xlsx')
    expect(zip.name).toBe('book-qr.zip')
    for (const link of links) expect(zip.text).toContain(`${link.split('/').at(-1)}.svg`)
    expect(problems).toEqual([])
    await context.close()
  })

  it('are shown in the list of links also if their job was done before it was seen', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started)
    await started.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/there' } })
    await open('links')
    await file(page, 'example.com/there').waitFor()
    await page.getByRole('link', { name: 'Import and export' }).click()
    await page.getByLabel('Refuse rows whose back-half is taken').waitFor()
    await page.route('**/v4/**', async (asked) => {
      const path = `/v4/bulk/jobs?group_guid=${started.groupGuid}`
      const states = async () =>
        (await started.request('GET', path)).body.jobs.map((job: { state: string }) => job.state)
      if (readsOf(asked.request()).some((read) => read.startsWith('/v4/bulk/jobs?')))
        await expect.poll(states).toSatisfy((each) => !/waiting|running/.test(String(each)))
      await asked.continue()
    })
    await upload(page, 'quick.csv', 'long_url,title\nhttps://example.com/quick,Quick page\n')
    await file(page, 'quick.csv').getByText('Done. 1 created, 0 existed already, 0 refused.').waitFor()
    await page.getByRole('link', { name: 'Links' }).first().click()
    await file(page, 'Quick page').waitFor()
    expect(problems).toEqual([])
    await context.close()
  })

  it('refuse a back-half that is taken, unless another one is welcome', async () => {
    await started.request('POST', '/v4/shortlinks', { body: { long_url: 'https://example.com/a', keyword: 'taken' } })
    const { page, context, problems, open } = await signedInPage(browser, started)
    await open('links/imports')
    const text = 'long_url,keyword\nhttps://example.com/b,taken\n'
    await upload(page, 'strict.csv', text)
    await file(page, 'strict.csv').getByText('Done. 0 created, 0 existed already, 1 refused.').waitFor()
    await page.getByLabel('Refuse rows whose back-half is taken').uncheck()
    await upload(page, 'lenient.csv', text)
    await file(page, 'lenient.csv').getByText('Done. 1 created, 0 existed already, 0 refused.').waitFor()
    expect(problems).toEqual([])
    await context.close()
  })

  it('change links, or say why they cannot be read', async () => {
    const body = { long_url: 'https://example.com/changed', title: 'Before' }
    const link = (await started.request('POST', '/v4/shortlinks', { body })).body.id
    const { page, context, problems, open } = await signedInPage(browser, started)
    await open('links/imports')
    await page.getByRole('combobox', { name: 'What the file does' }).click()
    await page.getByRole('option', { name: 'Change links' }).click()
    await upload(page, 'titles.csv', `link,title\n${link},After\n`)
    await file(page, 'titles.csv').getByText('Done. 1 changed, 0 refused.').waitFor()
    expect((await started.request('GET', `/v4/shortlinks/${link}`)).body.title).toBe('After')
    await choose(page, 'broken.csv', 'link,title\nx,"never ends\n')
    await file(page, 'broken.csv').getByText('The file could not be read, and nothing was changed.').waitFor()
    await file(page, 'broken.csv')
      .getByText(/Line 2/)
      .waitFor()
    expect(problems).toEqual([])
    await context.close()
  })

  it('are stopped and deleted', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started)
    await open('links/imports')
    const rows = Array.from({ length: 40_000 }, (_, number) => `https://example.com/many/${number}\n`)
    await upload(page, 'many.csv', `long_url\n${rows.join('')}`)
    await page.getByRole('button', { name: 'Stop many.csv' }).click()
    await file(page, 'many.csv').getByText('Stopped.').waitFor()
    await page.getByRole('button', { name: 'Delete many.csv' }).click()
    await page.getByRole('dialog').getByText('The links stay as they are.').waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await file(page, 'many.csv').waitFor({ state: 'detached' })
    const { body } = await started.request('GET', '/v4/bulk/jobs')
    expect(body.jobs.map(({ name }: { name: string }) => name)).not.toContain('many.csv')
    expect(problems).toEqual([])
    await context.close()
  })

  it('are only looked at by readers', async () => {
    const login = await aPerson(started)
    await organize(started).role(login, 'reader', { groupGuid: started.groupGuid })
    const { page, context, open } = await signedInPage(browser, started, { login, password })
    await open('links/imports')
    await page.getByRole('button', { name: 'Download the result of autumn.csv' }).waitFor()
    expect(await page.getByRole('button', { name: /Choose a file|Delete|Stop/ }).count()).toBe(0)
    await context.close()
  })
})

describe.skipIf(chromium === undefined)(`exports ${browserTitle}`, { timeout: 120_000 }, () => {
  const started = useApp()
  const browser = useBrowser()
  const path = () => `/v4/groups/${started.groupGuid}/shortlinks/exports`
  const anExport = async () => (await started.request('POST', path())).body
  const region = (page: Page) => page.getByRole('region', { name: 'Exports' })
  const one = /^\/v4\/exports\/[^/]+$/

  it('are found again after a reload, and give their file', async () => {
    await started.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/exported' } })
    const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    await open('links')
    const reads = await fakeReads(page, one, { status: 200, body: { guid: 'x', state: 'running', rows_done: 0 } })
    await page.getByRole('checkbox').first().click()
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    await page.getByRole('button', { name: '0 rows' }).waitFor()
    await reads()
    await page.reload()
    await page.getByRole('link', { name: 'Import and export' }).click()
    await region(page).getByText('Done. 1 row exported.').waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      region(page)
        .getByRole('link', { name: /^Download Links/ })
        .click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^links-.*\.csv$/)
    expect(await findingsInBoth(page)).toEqual([])
    await page.setViewportSize({ width: 320, height: 700 })
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    await page.getByRole('button', { name: /^Delete Links/ }).click()
    await page.getByRole('dialog').getByText('Its file is deleted.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await region(page).getByText('No exports yet.').waitFor()
    expect(problems).toEqual([])
    await context.close()
  })

  it('show their progress and are stopped', async () => {
    const made = await anExport()
    const running = { ...made, state: 'running', rows_done: 2_000, rows_total: 5_000 }
    const { page, context, open } = await signedInPage(browser, started)
    await fakeReads(page, /\/exports\?/, { status: 200, body: { exports: [running], pagination: {} } })
    await open('links/imports')
    await region(page).getByText('Working. 2,000 of 5,000 rows').waitFor()
    const stopped = page.waitForRequest((request) => request.url().endsWith(`/v4/exports/${made.guid}/cancel`))
    await region(page)
      .getByRole('button', { name: /^Stop Links/ })
      .click()
    expect((await stopped).method()).toBe('POST')
    await context.close()
  })

  it('that are deleted meanwhile leave the button as it was', async () => {
    const { page, context, open } = await signedInPage(browser, started)
    await open('settings?tab=organization')
    const reads = await fakeReads(page, one, { status: 200, body: { guid: 'x', state: 'running', rows_done: 0 } })
    await page.getByRole('button', { name: 'Export links', exact: true }).click()
    await page.getByRole('button', { name: '0 rows' }).waitFor()
    await reads()
    const asked: string[] = []
    page.on('request', (request) => asked.push(...readsOf(request).filter((each) => one.test(each))))
    await fakeReads(page, one, { status: 404, body: { message: 'NOT_FOUND' } })
    await page.getByText('The export was deleted.').waitFor()
    await page.getByRole('button', { name: 'Export links', exact: true, disabled: false }).waitFor()
    const before = asked.length
    await page.waitForTimeout(1500)
    expect(asked.length).toBe(before)
    await context.close()
  })

  it('of others are not stopped or deleted by readers, who see their own', async () => {
    const login = await aPerson(started)
    await organize(started).role(login, 'reader', { groupGuid: started.groupGuid })
    const { page, context, open } = await signedInPage(browser, started, { login, password })
    await open('links')
    await page.getByRole('link', { name: 'Import and export' }).click()
    await region(page)
      .getByRole('link', { name: /^Download/ })
      .first()
      .waitFor()
    expect(await region(page).getByRole('button').count()).toBe(0)
    await context.close()
  })
})
