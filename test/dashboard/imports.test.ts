import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { organize } from '../api/organize.js'
import { aPerson, password } from '../oauth/people.js'
import { browserTitle, chromium } from '../support/browser.js'
import { useApp } from '../support/start-app.js'
import { findingsInBoth, readsOf, signedInPage, useBrowser } from './dashboard-page.js'

describe.skipIf(chromium === undefined)(`files with links ${browserTitle}`, { timeout: 120_000 }, () => {
  const started = useApp()
  const browser = useBrowser()

  const file = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name })
  const upload = (page: Page, name: string, text: string) =>
    page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
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
    await page.getByRole('link', { name: 'Import from a file' }).click()
    await page.getByText('No files yet').waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    expect((await saved(page, 'Download an example')).text).toMatch(/^long_url,/)
    await upload(page, 'autumn.csv', 'long_url,title\nhttps://example.com/imported,Imported page\nwrong,\n')
    await file(page, 'autumn.csv').getByText('Done. 1 created, 0 existed already, 1 refused.').waitFor()
    const result = await saved(page, 'Download the result of autumn.csv')
    expect(result.name).toBe('result-autumn.csv')
    expect(result.text).toMatch(/^long_url,title,link,note,error\nhttps:\/\/example.com\/imported,Imported page,http/)
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

  it('are shown in the list of links also if their job was done before it was seen', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started)
    await started.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/there' } })
    await open('links')
    await file(page, 'example.com/there').waitFor()
    await page.getByRole('link', { name: 'Import from a file' }).click()
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
    await upload(page, 'broken.csv', 'link,title\nx,"never ends\n')
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
