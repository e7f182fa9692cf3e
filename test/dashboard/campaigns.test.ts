import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { visit } from '../api/visits.js'
import { browserTitle, chromium } from '../support/browser.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { findingsInBoth, readsOf, seriousFindings, signedInPage, startBrowser } from './dashboard-page.js'

describe.skipIf(chromium === undefined)(`campaigns ${browserTitle}`, { timeout: 120_000 }, () => {
  let started: StartedApp
  let browser: Browser
  /** Posters with two clicks and a scan, letters with one click. */
  let spring: string
  /** Letters with the same link. */
  let summer: string
  beforeAll(async () => {
    started = await startApp({ trustProxy: 1 })
    browser = await startBrowser()
    const { groupGuid: group_guid } = started
    const poster = (await post('/v4/shortlinks', { long_url: 'https://example.com/poster', title: 'Poster' })).id
    const letter = (await post('/v4/shortlinks', { long_url: 'https://example.com/letter', title: 'Letter' })).id
    const campaign = async (name: string) => (await post('/v4/campaigns', { group_guid, name })).guid
    spring = await campaign('Spring')
    summer = await campaign('Summer')
    await campaign('Winter')
    const placed = (campaign_guid: string, shortlink_id: string) => ({ campaign_guid, shortlink_id })
    await post('/v4/channels', { group_guid, name: 'Posters', shortlinks: [placed(spring, poster)] })
    const shortlinks = [placed(spring, letter), placed(summer, letter)]
    await post('/v4/channels', { group_guid, name: 'Letters', shortlinks })
    await visit(started, poster)
    await visit(started, poster, { from: 'mountainView' })
    await visit(started, poster, { agent: 'phone', scan: true })
    await visit(started, letter)
    await started.clicksCounted()
  })
  afterAll(async () => {
    await browser?.close()
    await started?.close()
  })

  async function post(path: string, body: object) {
    const answer = await started.request('POST', path, { body })
    expect(answer.status).toBeLessThan(300)
    return answer.body
  }

  const row = (page: Page, name: string) =>
    page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: new RegExp(`^${name}`) }) })
  const cells = (page: Page, name: string) => row(page, name).locator('td.figures').allInnerTexts()
  const names = (page: Page) => page.getByRole('rowheader').getByRole('link').allInnerTexts()

  it('are listed with clicks and scans, in one read of numbers, and can be sorted', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started)
    const reads: string[] = []
    page.on('request', (request) => reads.push(...readsOf(request)))
    await open('campaigns')
    await row(page, 'Spring').getByText('2 channels · 2 links').waitFor()
    expect(await cells(page, 'Spring')).toEqual(['3', '1'])
    expect(await cells(page, 'Summer')).toEqual(['1', '0'])
    expect(await cells(page, 'Winter')).toEqual(['0', '0'])
    expect(reads.filter((path) => path.includes('/metrics'))).toHaveLength(1)
    expect(await names(page)).toEqual(['Winter', 'Summer', 'Spring'])
    await page.getByRole('button', { name: 'Clicks' }).click()
    await page.waitForURL(/sort=clicks/)
    await expect.poll(() => names(page)).toEqual(['Spring', 'Summer', 'Winter'])
    expect(await findingsInBoth(page)).toEqual([])
    expect(problems).toEqual([])
    await context.close()
  })

  it('are compared in one chart and one table, which is a URL', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started)
    await open('campaigns?range=7d')
    await page.getByRole('checkbox', { name: 'Select Summer' }).click()
    await page.getByText('Select another one to compare').waitFor()
    await page.getByRole('checkbox', { name: 'Select Spring' }).click()
    await page.getByRole('link', { name: 'Compare', exact: true }).click()
    await page.getByRole('heading', { name: 'Compare campaigns', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Time range: Last 7 days' }).waitFor()
    await page.getByRole('button', { name: 'Spring 4', pressed: true }).waitFor()
    await expect.poll(() => cells(page, 'Spring')).toEqual(['3', '1', '3', '80%'])
    expect(await cells(page, 'Summer')).toEqual(['1', '0', '1', '20%'])
    // A line can be hidden.
    await page.getByRole('button', { name: 'Summer 1' }).click()
    expect(await page.locator('path[data-series]').count()).toBe(1)
    await page.getByRole('button', { name: 'Scans', exact: true }).click()
    await page.getByRole('button', { name: 'Spring 1' }).waitFor()
    await page.getByRole('combobox', { name: 'Add a campaign' }).click()
    await page.getByRole('option', { name: 'Winter' }).click()
    await row(page, 'Winter').waitFor()
    // The same for somebody who gets the address.
    await page.reload()
    await page.getByRole('button', { name: 'Spring 1' }).waitFor()
    await row(page, 'Winter').waitFor()
    await page.getByRole('button', { name: 'Take Summer out' }).click()
    await row(page, 'Summer').waitFor({ state: 'detached' })
    expect(await findingsInBoth(page)).toEqual([])
    expect(problems).toEqual([])
    await context.close()
  })

  it.each([320, 390])('fit on a phone of %i px', async (width) => {
    const viewport = { width, height: 844 }
    const { page, open, problems, context } = await signedInPage(browser, started, { viewport, locale: 'de-DE' })
    for (const path of ['campaigns', `campaigns/compare?campaigns=${spring}&campaigns=${summer}`]) {
      await open(path)
      await row(page, 'Spring').getByText('3', { exact: true }).first().waitFor()
      expect(await seriousFindings(page)).toEqual([])
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      expect(overflow).toBeLessThanOrEqual(0)
    }
    expect(problems).toEqual([])
    await context.close()
  })
})
