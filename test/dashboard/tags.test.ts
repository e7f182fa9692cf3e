import { describe, expect, it } from 'vitest'
import { visit } from '../api/visits.js'
import { browserTitle, chromium } from '../support/browser.js'
import { useApp } from '../support/start-app.js'
import { findingsInBoth, signedInPage, useBrowser } from './dashboard-page.js'

describe.skipIf(chromium === undefined)(`tags in the dashboard ${browserTitle}`, { timeout: 120_000 }, () => {
  const started = useApp({ trustProxy: 1 })
  const browser = useBrowser()

  let made = 0
  const create = async (...tags: string[]) => {
    const body = { long_url: `https://example.com/${made++}`, title: `Link ${made}`, tags }
    return (await started.request('POST', '/v4/shortlinks', { body })).body.id as string
  }
  const tagsOf = async (id: string) => (await started.request('GET', `/v4/shortlinks/${id}`)).body.tags

  it('deletes, renames and merges tags, after saying what that does', async () => {
    const id = await create('summer', 'autumn', 'über')
    await create('autumn', 'Herbst')
    const { page, context, open, problems } = await signedInPage(browser, started)
    await open('settings?tab=tags')
    const row = (name: string) => page.getByRole('listitem').filter({ has: page.getByTitle(name, { exact: true }) })
    const choose = async (tag: string, action: string) => {
      await page.getByRole('button', { name: `Actions for ${tag}` }).click()
      await page.getByRole('menuitem', { name: action }).click()
      return page.getByRole('dialog')
    }
    await row('autumn').getByText('2 links').waitFor()
    expect(await findingsInBoth(page)).toEqual([])

    const edit = await choose('autumn', 'Edit')
    await edit.getByLabel('Name').fill('autumn 26')
    await edit.getByText('cannot be a tag').waitFor()
    await edit.getByLabel('Name').fill('summer')
    await edit.getByText('Another tag has this name').waitFor()
    await edit.getByLabel('Name').fill('autumn-26')
    await edit.getByText('Renames the tag on 2 links.').waitFor()
    await edit.getByRole('radio', { name: 'Orange' }).check({ force: true })
    await edit.getByLabel('Description').fill('The sale')
    expect(await findingsInBoth(page)).toEqual([])
    await edit.getByRole('button', { name: 'Save' }).click()
    await row('autumn-26').getByText('The sale').waitFor()
    expect(await tagsOf(id)).toEqual(['summer', 'autumn-26', 'über'])

    const merge = await choose('Herbst', 'Merge')
    await merge.getByRole('combobox').click()
    await page.getByRole('option', { name: 'autumn-26' }).click()
    await merge.getByText('1 link with “Herbst” will have “autumn-26” instead').waitFor()
    await merge.getByRole('button', { name: 'Merge', exact: true }).click()
    await expect.poll(() => row('Herbst').count()).toBe(0)

    const remove = await choose('summer', 'Delete')
    await remove.getByText('It is removed from 1 link.').waitFor()
    await remove.getByRole('button', { name: 'Delete' }).click()
    await expect.poll(() => row('summer').count()).toBe(0)
    expect(await tagsOf(id)).toEqual(['autumn-26', 'über'])

    await row('autumn-26').getByRole('link', { name: '2 links' }).click()
    await page.waitForURL(/links\?tags=/)
    await page.locator('[data-tag-color=orange]').first().waitFor()
    expect(problems).toEqual([])
    await context.close()
  })

  it('tells the best link of a tag in the last month', async () => {
    const sold = [await create('sale'), await create('sale'), await create('other')]
    const [loud = '', quiet = '', busy = ''] = sold
    const clicks = [...[loud, loud, loud], quiet, ...Array.from({ length: 9 }, () => busy)]
    for (const address of clicks) await visit(started, address)
    await started.clicksCounted()
    const { page, context, open, problems } = await signedInPage(browser, started, { timezoneId: 'UTC' })
    // For the browser it is next month already.
    const now = new Date()
    await page.clock.setFixedTime(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 10)))
    await open('analytics?range=last_month')
    const best = page.getByRole('listitem').getByRole('button', { name: /^Link \d+$/ })
    await expect.poll(() => best.count()).toBe(3)
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    const filter = page.getByRole('dialog', { name: 'Filter' })
    await filter.getByRole('button', { name: 'Tag' }).click()
    await filter.getByRole('button', { name: 'sale' }).click()
    await page.waitForURL(/tag=is(:|%3A)sale/)
    await expect.poll(() => best.count()).toBe(2)
    const { title } = (await started.request('GET', `/v4/shortlinks/${loud}`)).body
    expect(await best.first().innerText()).toContain(title)
    await page.getByRole('list', { name: 'Filters' }).getByText('sale').waitFor()
    await filter.getByRole('button', { name: 'is', exact: true }).click()
    await page.waitForURL(/tag=is_not(:|%3A)sale/)
    await expect.poll(() => best.count()).toBe(1)
    await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0)
    expect(await findingsInBoth(page)).toEqual([])
    expect(problems).toEqual([])
    await context.close()
  })

  it('searches from ten tags on', async () => {
    await create(...Array.from({ length: 10 }, (_, number) => `many-${number}`))
    const { page, context, open, problems } = await signedInPage(browser, started)
    await open('settings?tab=tags')
    await page.getByRole('searchbox', { name: 'Search tags' }).fill('many-7')
    await expect.poll(() => page.getByRole('listitem').filter({ hasText: 'many-' }).count()).toBe(1)
    expect(problems).toEqual([])
    await context.close()
  })
})
