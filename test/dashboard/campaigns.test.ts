import { execFile } from 'node:child_process'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { organize } from '../api/organize.js'
import { visit } from '../api/visits.js'
import { browserTitle, chromium } from '../support/browser.js'
import { useApp } from '../support/start-app.js'
import {
  clipboard,
  fakeReads,
  findingsIn,
  findingsInBoth,
  leave,
  readsOf,
  signedInPage,
  useBrowser,
} from './dashboard-page.js'

describe.skipIf(chromium === undefined)(`campaigns ${browserTitle}`, { timeout: 120_000 }, () => {
  const started = useApp({ trustProxy: 1 })
  const browser = useBrowser()
  /** Posters with two clicks and a scan, letters with one click. */
  let spring: string
  /** Letters with the same link. */
  let summer: string
  beforeAll(async () => {
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
    await leave(page)
    const reads: string[] = []
    page.on('request', (request) => reads.push(...readsOf(request)))
    await open('campaigns')
    await row(page, 'Spring').getByText('2 channels · 2 links').waitFor()
    expect(await cells(page, 'Spring')).toEqual(['3', '1'])
    expect(await cells(page, 'Summer')).toEqual(['1', '0'])
    expect(await cells(page, 'Winter')).toEqual(['0', '0'])
    // Each with clicks has its line.
    const lines = (name: string) => row(page, name).locator('svg polyline').count()
    expect([await lines('Spring'), await lines('Summer'), await lines('Winter')]).toEqual([1, 1, 0])
    expect(new Set(reads.filter((path) => path.includes('/metrics'))).size).toBe(1)
    expect(await names(page)).toEqual(['Winter', 'Summer', 'Spring'])
    await page.getByRole('button', { name: 'Clicks' }).click()
    await page.waitForURL(/sort=clicks/)
    await expect.poll(() => names(page)).toEqual(['Spring', 'Summer', 'Winter'])
    await open('campaigns?q=mer')
    await expect.poll(() => names(page)).toEqual(['Summer'])
    await page.getByRole('searchbox', { name: 'Search campaigns' }).fill('nothing')
    await page.getByText('No campaigns match').waitFor()
    await page.getByRole('searchbox', { name: 'Search campaigns' }).fill('')
    await expect.poll(() => names(page)).toHaveLength(3)
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
    await page.getByRole('heading', { name: 'Compare', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Time range: Last 7 days' }).waitFor()
    await page.getByRole('button', { name: 'Spring 4', pressed: true }).waitFor()
    await expect.poll(() => cells(page, 'Spring')).toEqual(['3', '1', '3', '', '80%'])
    expect(await cells(page, 'Summer')).toEqual(['1', '0', '1', '', '20%'])
    // A line can be hidden.
    await page.getByRole('button', { name: 'Summer 1' }).click()
    expect(await page.locator('g[data-series]').count()).toBe(1)
    await page.getByRole('button', { name: 'Scans', exact: true }).click()
    await page.getByRole('button', { name: 'Spring 1' }).waitFor()
    await page.getByRole('combobox', { name: 'Add a campaign' }).click()
    await page.getByRole('option', { name: 'Winter' }).click()
    await row(page, 'Winter').waitFor()
    // The same for somebody who gets the address.
    await page.reload()
    await page.getByRole('button', { name: 'Spring 1' }).waitFor()
    await row(page, 'Winter').waitFor()
    // The address that it had before.
    await open(`campaigns/compare?campaigns=${spring}&campaigns=${summer}&range=7d`)
    await page.waitForURL(/analytics\/compare\?.*kind=campaigns/)
    await page.getByRole('button', { name: 'Spring 4', pressed: true }).waitFor()
    await page.getByRole('button', { name: 'Take Summer out' }).click()
    await row(page, 'Summer').waitFor({ state: 'detached' })
    expect(await findingsInBoth(page)).toEqual([])
    expect(problems).toEqual([])
    await context.close()
  })

  it('show their channels in one chart and one table, which filters the page', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started)
    await leave(page)
    const reads: string[] = []
    page.on('request', (request) => reads.push(...readsOf(request)))
    await open(`campaigns/${spring}`)
    await page.getByText('2 channels · 2 links').waitFor()
    // Its links are counted without its history.
    expect(reads.filter((path) => path.includes('campaigns/metrics') && !path.includes('units=1&'))).toEqual([])
    await page.getByRole('button', { name: 'Posters 3', pressed: true }).waitFor()
    await expect.poll(() => cells(page, 'Posters')).toEqual(['2', '1', '3', '75%'])
    expect(await cells(page, 'Letters')).toEqual(['1', '0', '1', '25%'])
    expect(await findingsInBoth(page)).toEqual([])
    await page.getByRole('rowheader').getByRole('button', { name: 'Letters' }).click()
    await page.waitForURL(/channel=is/)
    await page.getByRole('button', { name: /^Clicks and scans\s*1/ }).waitFor()
    expect(await cells(page, 'Posters')).toEqual(['2', '1', '3', '75%'])
    await page.getByRole('link', { name: 'Compare', exact: true }).click()
    await page.getByRole('heading', { name: 'Compare', level: 1 }).waitFor()
    expect(problems).toEqual([])
    await context.close()
  })

  it('are counted 50 at a time, and sorted by numbers once all are shown', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started)
    const group_guid = await organize(started).group()
    for (let at = 1; at <= 52; at += 1) await post('/v4/campaigns', { group_guid, name: `Campaign ${at}` })
    await leave(page)
    // The same may be read once more, when live updates begin after the first read.
    const reads = new Set<string>()
    page.on('request', (request) => {
      for (const path of readsOf(request)) if (path.includes('/metrics')) reads.add(path)
    })
    await open(`/app/${group_guid}/campaigns?sort=clicks`)
    await row(page, 'Campaign 52').getByText('0 links').waitFor()
    expect(await names(page)).toHaveLength(50)
    expect(reads.size).toBe(1)
    await page.getByText('50 of 52 campaigns').waitFor()
    expect(await page.getByRole('button', { name: 'Clicks' }).isDisabled()).toBe(true)
    expect(await findingsInBoth(page)).toEqual([])
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await row(page, 'Campaign 1').getByText('0 links').last().waitFor()
    expect(await names(page)).toHaveLength(52)
    expect(reads.size).toBe(2)
    expect(await page.getByRole('button', { name: 'Clicks' }).isDisabled()).toBe(false)
    await page.getByRole('columnheader', { name: 'Clicks' }).and(page.locator('[aria-sort=descending]')).waitFor()
    expect(problems).toEqual([])
    await context.close()
  })

  it('keep their channels when they are saved, also if these could not be read', async () => {
    const { page, context, open } = await signedInPage(browser, started)
    const channelsOfSpring = async (): Promise<readonly { guid: string; name: string }[]> =>
      (await started.request('GET', `/v4/channels?campaign_guid=${spring}`)).body.channels
    await open(`campaigns/${spring}`)
    await page.getByText('2 channels · 2 links').waitFor()
    const end = await fakeReads(page, /\/channels\?/, { status: 400 })
    await page.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Try again' }).waitFor()
    const save = dialog.getByRole('button', { name: 'Save' })
    expect(await save.isDisabled()).toBe(true)
    await dialog.getByLabel('New channel').fill('Radio')
    expect(await dialog.getByRole('button', { name: 'Add channel' }).isDisabled()).toBe(true)
    await end()
    await dialog.getByRole('button', { name: 'Try again' }).click()
    await dialog.getByText('Posters', { exact: true }).waitFor()
    await dialog.getByLabel('Description').fill('From March to May')
    // Somebody else adds one meanwhile.
    const before = await channelsOfSpring()
    const { guid: walls } = await post('/v4/channels', { group_guid: started.groupGuid, name: 'Walls' })
    const channel_guids = [...before.map(({ guid }) => guid), walls]
    await started.request('PATCH', `/v4/campaigns/${spring}`, { body: { channel_guids } })
    await save.click()
    await page.getByText('From March to May').waitFor()
    expect((await channelsOfSpring()).map(({ name }) => name).sort()).toEqual(['Letters', 'Posters', 'Walls'])
    await started.request('DELETE', `/v4/channels/${walls}`)
    await context.close()
  })

  it('are deleted from their page, and their links stay', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started)
    const doomed = (await post('/v4/campaigns', { group_guid: started.groupGuid, name: 'Doomed' })).guid
    await open(`campaigns/${doomed}`)
    await page.getByText('No links in this campaign yet').waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete campaign' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor()
    await expect.poll(() => names(page)).not.toContain('Doomed')
    expect(problems).toEqual([])
    await context.close()
  })

  it('are made with a link for each channel; what failed is continued, and nothing made twice', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started)
    const { groupGuid: group_guid } = started
    await post(`/v4/groups/${group_guid}/utm_templates`, { name: 'Mailing', utm_source: 'mail', utm_content: 'footer' })
    await open('campaigns')
    await page.getByRole('link', { name: 'One page, many channels' }).click()
    await page.getByLabel('Page').fill('example.com/sale?color=red#top')
    await page.getByLabel('Name of the campaign').fill('Größer & besser')
    await page.getByRole('button', { name: 'E-mail newsletter' }).click()
    await page.getByRole('button', { name: 'Print with QR code' }).click()
    await page.getByRole('button', { name: 'Letters' }).click()
    await page.getByLabel('Another channel').fill('Radio')
    await page.getByLabel('Another channel').press('Enter')
    const item = (name: string) => page.getByRole('listitem', { name, exact: true })
    await item('Radio').getByLabel('utm_medium').fill('audio')
    await item('E-mail newsletter').getByRole('combobox', { name: 'Template' }).click()
    await page.getByRole('option', { name: 'Mailing' }).click()
    const utm = 'utm_source=mail&utm_medium=email&utm_campaign=grosser-besser&utm_content=footer'
    await item('E-mail newsletter').getByText(`https://example.com/sale?color=red&${utm}#top`).waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    // The second link is made, but its answer is lost.
    let links = 0
    await page.route('**/v4/shortlinks', async (route) => {
      links += 1
      if (links !== 2) return route.fallback()
      await route.fetch()
      return route.abort()
    })
    await page.getByRole('button', { name: 'Create 4 links' }).click()
    await page.getByText('1 of 4 links are made and stay.').waitFor()
    await item('E-mail newsletter').getByText('Done').waitFor()
    await item('Print with QR code').getByText('Not made').waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Go on: 3 links left' }).click()
    await page.getByRole('heading', { name: 'Your 4 links are ready' }).waitFor()
    expect(await findingsInBoth(page)).toEqual([])

    const { campaigns } = (await started.request('GET', `/v4/campaigns?group_guid=${group_guid}`)).body
    const made = campaigns.filter(({ name }: { name: string }) => name === 'Größer & besser')
    expect(made).toHaveLength(1)
    const query = `?campaign_guid=${made[0].guid}`
    const listed = (await started.request('GET', `/v4/groups/${group_guid}/shortlinks${query}`)).body.links
    expect(
      listed.map(({ long_url }: { long_url: string }) => new URL(long_url).searchParams.get('utm_source')),
    ).toEqual(['radio', 'letters', 'print', 'mail'])
    const all = (await started.request('GET', `/v4/groups/${group_guid}/shortlinks?query=besser`)).body.links
    expect(all).toHaveLength(4)
    // The group had Letters already.
    const { channels } = (await started.request('GET', `/v4/channels?group_guid=${group_guid}`)).body
    expect(channels.filter(({ name }: { name: string }) => name === 'Letters')).toHaveLength(1)

    await page.getByRole('button', { name: 'Copy all' }).click()
    await page.getByText('Copied', { exact: true }).waitFor()
    const copied = await clipboard(page).read()
    expect(copied.split('\n')[3]).toBe(`Radio\t${listed[0].link}`)
    const saved = async (button: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: button }).click(),
      ])
      return [download.suggestedFilename(), await readFile(await download.path())] as const
    }
    const [csvName, csv] = await saved('CSV')
    expect(csvName).toBe('grosser-besser.csv')
    expect(csv.toString()).toContain(`Radio,${listed[0].link},${listed[0].long_url}\r\n`)
    const [zipName, zip] = await saved('QR codes (ZIP)')
    expect(zipName).toBe('grosser-besser-qr.zip')
    const file = join(await mkdtemp(join(tmpdir(), 'codes-')), 'codes.zip')
    await writeFile(file, zip)
    // Python checks the sums.
    const script = 'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(z.testzip(), *z.namelist())'
    const { stdout } = await promisify(execFile)('python3', ['-c', script, file])
    const channelNames = ['e-mail-newsletter', 'print-with-qr-code', 'letters', 'radio']
    expect(stdout.trim()).toBe(`None ${channelNames.map((name) => `grosser-besser-${name}.svg`).join(' ')}`)
    await page.getByRole('link', { name: 'Open the campaign' }).click()
    await page.getByText('4 channels · 4 links').waitFor()
    expect(problems.filter((text) => !text.includes('ERR_FAILED'))).toEqual([])
    await context.close()
  })

  it('are made once, also by somebody who leaves meanwhile, and stay ready until the next', async () => {
    const { page, context, open } = await signedInPage(browser, started)
    const { groupGuid: group_guid } = started
    await post(`/v4/groups/${group_guid}/utm_templates`, { name: 'Waves', utm_medium: 'audio' })
    const body = { message: 'INTERNAL_ERROR', description: 'The channels are lost.' }
    const endFake = await fakeReads(page, /\/channels\?/, { status: 400, body })
    await open('campaigns/new')
    await page.getByLabel('Page').fill('example.com/autumn')
    await page.getByLabel('Name of the campaign').fill('Autumn')
    for (const name of ['letters', 'Tuner', 'Tüner']) {
      await page.getByLabel('Another channel').fill(name)
      await page.getByLabel('Another channel').press('Enter')
    }
    const item = (name: string) => page.getByRole('listitem', { name, exact: true })
    // Without the channels of the group nobody knows which ones are new.
    await page.getByRole('button', { name: 'Create 3 links' }).click()
    await page.getByRole('alert').waitFor()
    await endFake()
    let goOn = () => {}
    const held = new Promise<void>((resolve) => {
      goOn = resolve
    })
    let links = 0
    await page.route('**/v4/shortlinks', async (route) => {
      links += 1
      if (links === 2) await held
      return route.fallback()
    })
    await page.getByRole('button', { name: /3 links/ }).click()
    await item('letters').getByText('Done').waitFor()
    await item('Tuner').getByText('Being made').waitFor()
    for (const name of ['Tuner', 'Tüner']) expect(await item(name).getByLabel('utm_source').isDisabled()).toBe(true)
    expect(await item('Tüner').getByRole('button', { name: 'Take Tüner out' }).isDisabled()).toBe(true)
    expect(await item('Tüner').getByRole('combobox', { name: 'Template' }).isDisabled()).toBe(true)
    await page.getByRole('link', { name: 'Campaigns', exact: true }).first().click()
    await page.getByRole('link', { name: 'One page, many channels' }).click()
    await item('Tuner').getByText('Being made').waitFor()
    expect(await page.getByRole('button', { name: 'Go on: 2 links left' }).isDisabled()).toBe(true)
    goOn()
    await page.getByRole('heading', { name: 'Your 3 links are ready' }).waitFor()
    const made = async (path: string, name: string) => (await started.request('GET', path)).body[name]
    expect(await made(`/v4/groups/${group_guid}/shortlinks?query=autumn`, 'links')).toHaveLength(3)
    const channels: { name: string }[] = await made(`/v4/channels?group_guid=${group_guid}`, 'channels')
    expect(channels.filter(({ name }) => name.toLowerCase() === 'letters')).toHaveLength(1)

    await page.reload()
    await page.getByRole('heading', { name: 'Your 3 links are ready' }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'QR codes (ZIP)' }).click(),
    ])
    const zip = await readFile(await download.path(), 'latin1')
    const files = ['letters', 'tuner', 'tuner-2'].map((name) => `autumn-${name}.svg`)
    expect([...new Set(zip.match(/autumn[\w-]*\.svg/g))]).toEqual(files)
    await page.getByRole('button', { name: 'Once more' }).click()
    expect(await page.getByLabel('Page').inputValue()).toBe('')
    await page.reload()
    expect(await page.getByLabel('Page').inputValue()).toBe('')
    await context.close()
  })

  it.each([320, 390])('fit on a phone of %i px', async (width) => {
    const viewport = { width, height: 844 }
    const { page, open, problems, context } = await signedInPage(browser, started, { viewport, locale: 'de-DE' })
    const compare = `analytics/compare?kind=campaigns&ids=${spring}&ids=${summer}`
    const seen = { campaigns: 'Spring', [compare]: 'Spring', [`campaigns/${spring}`]: 'Posters' }
    for (const [path, name] of Object.entries(seen)) {
      await open(path)
      await row(page, name).locator('td.figures', { hasText: /\d/ }).first().waitFor()
      expect(await findingsIn(page)).toEqual([])
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      expect(overflow).toBeLessThanOrEqual(0)
    }
    await open(`campaigns/new?campaign=${spring}`)
    await page.getByLabel('Seite').fill('example.com/a/long/address/that/has/no/break')
    await page.getByRole('button', { name: 'E-Mail-Newsletter' }).click()
    await page.getByText('utm_campaign=spring').waitFor()
    expect(await findingsIn(page)).toEqual([])
    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    expect(problems).toEqual([])
    await context.close()
  })
})
