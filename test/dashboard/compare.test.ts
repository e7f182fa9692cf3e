import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { visit } from '../api/visits.js'
import { aClock } from '../oauth/people.js'
import { browserTitle, chromium } from '../support/browser.js'
import { useApp } from '../support/start-app.js'
import { fakeReads, findingsIn, findingsInBoth, signedInPage, useBrowser } from './dashboard-page.js'

describe.skipIf(chromium === undefined)(`comparing ${browserTitle}`, { timeout: 120_000 }, () => {
  const clock = aClock()
  const started = useApp({ trustProxy: 1 }, { clock })
  const browser = useBrowser()
  let poster: string
  let letter: string
  let channels: string[]
  const dayLength = 86_400_000
  /** Noon of the day before the tests begin. */
  const noon = Math.floor(Date.now() / dayLength) * dayLength - dayLength / 2
  const day = (days: number) => new Date(noon + days * dayLength).toISOString().slice(0, 10)
  /** Seven days which are not over until the day after tomorrow. */
  const week = `from=${day(-4)}&to=${day(2)}`
  /** Posters: two clicks eight days before noon, then three and a scan. Letters: one click at noon. */
  beforeAll(async () => {
    const { groupGuid: group_guid } = started
    clock.offset = noon - 8 * dayLength - Date.now()
    const link = async (title: string, tags: string[]) =>
      (await post('/v4/shortlinks', { long_url: `https://example.com/${title}`, title, tags })).id as string
    poster = await link('Poster', ['print', 'spring'])
    letter = await link('Letter', ['print'])
    const { guid: campaign_guid } = await post('/v4/campaigns', { group_guid, name: 'Sale' })
    const channel = async (name: string, ...ids: string[]) => {
      const shortlinks = ids.map((shortlink_id) => ({ campaign_guid, shortlink_id }))
      return (await post('/v4/channels', { group_guid, name, shortlinks })).guid as string
    }
    channels = [await channel('Walls', poster), await channel('Post', letter), await channel('Radio')]
    for (let times = 0; times < 2; times++) await visit(started, poster)
    await started.clicksCounted()
    clock.offset = noon - Date.now()
    for (let times = 0; times < 3; times++) await visit(started, poster)
    await visit(started, poster, { agent: 'phone', from: 'mountainView', scan: true })
    await visit(started, letter)
    await started.clicksCounted()
    clock.offset = 0
  })

  async function post(path: string, body: object) {
    const answer = await started.request('POST', path, { body })
    expect(answer.status).toBeLessThan(300)
    return answer.body
  }

  /** Clicks, scans, visitors, change, share. */
  const cells = async (page: Page, name: string | RegExp) => {
    const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) })
    const texts = await row.locator('td.figures').allInnerTexts()
    return texts.map((text) => text.split('\n')[0]?.trim())
  }
  const kind = (page: Page, name: string) =>
    page.getByRole('group', { name: 'What to compare' }).getByRole('button', { name })
  const remove = (page: Page) => page.getByRole('button', { name: /^Take .* out$/ })
  const focused = (page: Page) => page.evaluate<string | null>('document.activeElement.ariaLabel')
  const add = async (page: Page, field: string, words: string, option: string | RegExp) => {
    await page.getByRole('combobox', { name: field }).fill(words)
    await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual([expect.stringMatching(option)])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
  }

  it('shows annotations of the group on the axis, and says them', async () => {
    const happened_at = `${day(0)}T12:00:00+0000`
    const { guid } = await post(`/v4/groups/${started.groupGuid}/annotations`, { happened_at, text: 'Newsletter sent' })
    const { page, open, context, problems } = await signedInPage(browser, started)
    await open(
      `analytics/compare?kind=links&${[poster, letter].map((id) => `ids=${encodeURIComponent(id)}`).join('&')}&${week}`,
    )
    await page.getByRole('rowheader', { name: /Newsletter sent$/ }).waitFor()
    await page.getByRole('slider').focus()
    for (const _ of [1, 2]) await page.keyboard.press('ArrowLeft')
    await page.getByRole('status').getByText('Newsletter sent').waitFor()
    expect(await findingsIn(page)).toEqual([])
    expect(problems).toEqual([])
    await started.request('DELETE', `/v4/groups/${started.groupGuid}/annotations/${guid}`)
    await context.close()
  })

  it('shows links, tags and periods in one chart and one table, which is a URL', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started)
    await open(`analytics?${week}`)
    await page.getByRole('link', { name: 'Compare', exact: true }).click()
    await page.getByRole('heading', { name: 'Compare', level: 1 }).waitFor()
    await page.getByText('Use “Add a link” to choose two or more, at most 5.').waitFor()
    expect(await findingsIn(page)).toEqual([])

    await add(page, 'Add a link', 'post', /Poster/)
    await expect.poll(() => cells(page, 'Poster')).toEqual(['3', '1', '2', '↑ 100%', '100%'])
    await add(page, 'Add a link', 'letter', /Letter/)
    const links = async () => [await cells(page, 'Poster'), await cells(page, 'Letter')]
    const linkNumbers = [
      ['3', '1', '2', '↑ 100%', '80%'],
      ['1', '0', '1', '', '20%'],
    ]
    await expect.poll(links).toEqual(linkNumbers)
    await page.getByRole('button', { name: 'Poster 4', pressed: true }).waitFor()
    // The last day is not over: no line leads to its number.
    expect(await page.locator('g[data-series] > path').count()).toBe(2)
    expect(await page.locator('g[data-series] > circle').count()).toBe(2)
    // The arrow keys move through the chart.
    await page.getByRole('slider', { name: 'Clicks and scans' }).focus()
    await page.getByRole('status').getByText('Poster 0').waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await page.getByRole('status').getByText('Poster 4').waitFor()
    await page.reload()
    await expect.poll(links).toEqual(linkNumbers)
    expect(await findingsInBoth(page)).toEqual([])

    // The chosen kind stays as it is.
    await kind(page, 'Links').click()
    await expect.poll(links).toEqual(linkNumbers)
    await kind(page, 'Tags').click()
    await add(page, 'Add a tag', 'print', 'print')
    await add(page, 'Add a tag', 'spr', 'spring')
    const tags = async () => [await cells(page, 'print'), await cells(page, 'spring')]
    const tagNumbers = [
      ['4', '1', '2', '↑ 150%', '55.6%'],
      ['3', '1', '2', '↑ 100%', '44.4%'],
    ]
    await expect.poll(tags).toEqual(tagNumbers)
    await page.reload()
    await expect.poll(tags).toEqual(tagNumbers)
    expect(await findingsInBoth(page)).toEqual([])
    // What is compared is not filtered by.
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Country' }).waitFor()
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Tag' }).count()).toBe(0)
    await page.keyboard.press('Escape')

    await kind(page, 'Periods').click()
    const headers = page.getByRole('rowheader').filter({ has: page.locator('[data-series]') })
    const periods = async () => Promise.all((await headers.allInnerTexts()).map((name) => cells(page, name)))
    const periodNumbers = [
      ['4', '1', '2', '↑ 150%', '71.4%'],
      ['2', '0', '1', '', '28.6%'],
    ]
    await expect.poll(periods).toEqual(periodNumbers)
    // Only this period is not over.
    expect(await page.locator('g[data-series] > path').count()).toBe(2)
    expect(await page.locator('g[data-series] > circle').count()).toBe(1)
    await page.getByRole('combobox', { name: 'Add a period' }).click()
    await page.getByRole('option').first().click()
    await expect.poll(periods).toEqual([...periodNumbers, ['0', '0', '0', '', '0%']])
    await page.reload()
    await expect.poll(periods).toEqual([...periodNumbers, ['0', '0', '0', '', '0%']])
    expect(await findingsInBoth(page)).toEqual([])
    await page.goBack()
    await expect.poll(periods).toEqual(periodNumbers)
    // One period stays.
    await remove(page).first().click()
    await expect.poll(() => remove(page).count()).toBe(0)
    expect(await headers.count()).toBe(1)
    expect(await focused(page)).toBe('Add a period')
    await open('analytics/compare?kind=periods&range=all')
    await page.getByText('There is no period before all time.').waitFor()
    expect(problems).toEqual([])
    await context.close()
  })

  it('shows channels by their links, with the filters of the page', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started)
    const ids = channels.map((guid) => `ids=${guid}`).join('&')
    await open(`analytics/compare?kind=channels&${ids}&${week}&country=is:GB`)
    await expect.poll(() => cells(page, 'Walls')).toEqual(['3', '0', '1', '↑ 50%', '75%'])
    expect(await cells(page, 'Post')).toEqual(['1', '0', '1', '', '25%'])
    await page.getByText('Radio has no links').waitFor()
    await page.getByRole('button', { name: 'Take Walls out' }).click()
    await expect.poll(() => cells(page, 'Post')).toEqual(['1', '0', '1', '', '100%'])
    expect(problems).toEqual([])
    await context.close()
  })

  it('begins with rows of the list of links', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started)
    await open('links')
    for (const name of ['Poster', 'Letter']) {
      await page.getByRole('listitem').filter({ hasText: name }).getByRole('checkbox').click()
    }
    await page.getByRole('link', { name: 'Compare', exact: true }).click()
    await page.getByRole('button', { name: 'Poster 6', pressed: true }).waitFor()
    await page.getByRole('button', { name: 'Letter 1', pressed: true }).waitFor()
    expect(problems).toEqual([])
    await context.close()
  })

  it('takes out what is in the URL in another spelling, and leaves out what was deleted', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started)
    const gone = ['gone1', 'gone2', 'gone3'].map((hash) => `${started.domain}/${hash}`)
    const ids = [`https://${poster}`, letter, ...gone].map((id) => `ids=${encodeURIComponent(id)}`).join('&')
    await open(`analytics/compare?${ids}&${week}`)
    await page.getByText(`${started.domain}/gone3 is no longer there.`).waitFor()
    // There is room for another one.
    await page.getByRole('combobox', { name: 'Add a link' }).waitFor()
    await page.getByRole('button', { name: 'Take Poster out' }).click()
    await expect.poll(() => cells(page, 'Letter')).toEqual(['1', '0', '1', '', '100%'])
    expect(await cells(page, 'Poster')).toEqual([])
    expect(await focused(page)).toBe('Take Letter out')
    expect(await page.getByText('no longer there').count()).toBe(0)
    await page.getByRole('button', { name: 'Take Letter out' }).click()
    await page.getByText('Nothing to compare yet').waitFor()
    expect(await focused(page)).toBe('Add a link')
    // Missing links are messages of the browser.
    expect(problems.filter((problem) => !problem.includes('404'))).toEqual([])
    await context.close()
  })

  it('moves the focus to the last row when there are five, and labels hours by the current period', async () => {
    // The week before has 169 hours.
    const { page, context, problems, open } = await signedInPage(browser, started, { timezoneId: 'Europe/Berlin' })
    const four = [0, 1, 2, 3].map((back) => `ids=${back}`).join('&')
    await open(`analytics/compare?kind=periods&${four}&from=2025-10-27&to=2025-11-02&interval=hour&zone=own`)
    const labels = page.getByRole('table', { name: 'Clicks and scans' }).locator('tbody th')
    await expect.poll(() => labels.count()).toBe(168)
    expect(await labels.first().innerText()).toMatch(/^Oct 27, 12:00/)
    await page.getByRole('combobox', { name: 'Add a period' }).click()
    await page.getByRole('option').first().click()
    await expect.poll(() => remove(page).count()).toBe(5)
    await expect.poll(() => focused(page)).toBe(await remove(page).last().getAttribute('aria-label'))
    expect(problems).toEqual([])
    await context.close()
  })

  it('leaves out a line that could not be loaded, and asks again', async () => {
    const { page, context, open } = await signedInPage(browser, started)
    const [, hash] = letter.split('/')
    const pattern = new RegExp(`${hash}/metrics/over_time`)
    const end = await fakeReads(page, pattern, { status: 400, body: { message: 'INVALID_ARG_UNIT' } })
    await open(`analytics/compare?ids=${letter}&ids=${poster}&${week}`)
    await page.getByRole('button', { name: 'Poster 4', pressed: true }).waitFor()
    expect(await page.locator('g[data-series]').count()).toBe(1)
    // It keeps the colour of its row.
    await page.locator('g[data-series="1"]').waitFor({ state: 'attached' })
    await end()
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('button', { name: 'Letter 1', pressed: true }).waitFor()
    await page.getByRole('alert').waitFor({ state: 'detached' })
    await context.close()
  })

  it.each([320, 390])('fits on a phone of %i px', async (width) => {
    const viewport = { width, height: 844 }
    const { page, open, problems, context } = await signedInPage(browser, started, { viewport, locale: 'de-DE' })
    for (const path of [`analytics/compare?ids=${poster}&ids=${letter}`, 'analytics/compare?kind=periods&range=7d']) {
      await open(path)
      await page.locator('td.figures', { hasText: /\d/ }).first().waitFor()
      expect(await findingsIn(page)).toEqual([])
      expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    }
    expect(problems).toEqual([])
    await context.close()
  })

  it('counts archived links of a channel', async () => {
    const answer = await started.request('PATCH', `/v4/shortlinks/${letter}`, { body: { archived: true } })
    expect(answer.status).toBe(200)
    const { page, context, problems, open } = await signedInPage(browser, started)
    await open(`analytics/compare?kind=channels&ids=${channels[1]}&${week}`)
    await expect.poll(() => cells(page, 'Post')).toEqual(['1', '0', '1', '', '100%'])
    expect(problems).toEqual([])
    await context.close()
  })
})
