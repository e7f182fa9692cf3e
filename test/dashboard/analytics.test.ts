import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { organize } from '../api/organize.js'
import { visit } from '../api/visits.js'
import { browserTitle, chromium } from '../support/browser.js'
import { endLiveConnections } from '../support/live-connections.js'
import { useApp } from '../support/start-app.js'
import { findingsIn, readsOf, signedInPage, useBrowser } from './dashboard-page.js'

describe.skipIf(chromium === undefined)(`the analytics ${browserTitle}`, { timeout: 120_000 }, () => {
  const started = useApp({ trustProxy: 1 })
  const browser = useBrowser()
  /** Three clicks from London, two from Mountain View through Instagram on a phone, a scan, and a robot. */
  let first: string
  /** One click from nowhere. */
  let second: string
  let campaign: string
  let code: string
  beforeAll(async () => {
    const { groupGuid: group_guid } = started
    const post = async (path: string, body: object) => (await started.request('POST', path, { body })).body
    first = (await post('/v4/shortlinks', { long_url: 'https://example.com/one', title: 'First link' })).id
    second = (await post('/v4/shortlinks', { long_url: 'https://example.com/two', title: 'Second link' })).id
    campaign = (await post('/v4/campaigns', { group_guid, name: 'Spring' })).guid
    for (const [name, shortlink_id] of [
      ['Posters', first],
      ['Letters', second],
    ]) {
      await post('/v4/channels', { group_guid, name, shortlinks: [{ campaign_guid: campaign, shortlink_id }] })
    }
    const poster = { group_guid, title: 'Poster', destination: { shortlink_id: first } }
    code = (await post('/v4/qr-codes', poster)).qrcode_id
    for (let times = 0; times < 3; times++) await visit(started, first)
    const phone = { agent: 'phone', from: 'mountainView', referrer: 'https://l.instagram.com/abc' } as const
    for (let times = 0; times < 2; times++) await visit(started, first, phone)
    await visit(started, first, { agent: 'phone', scan: true })
    await visit(started, first, { agent: 'robot' })
    await visit(started, second, { from: 'nowhere' })
    await started.clicksCounted()
  })

  const figure = (page: Page, name: string, value: string) =>
    page.getByRole('button', { name: new RegExp(`^${name}\\s*${value}(\\s|$)`) })
  const row = (page: Page, name: string) => page.getByRole('listitem').getByRole('button', { name, exact: true })
  const pills = (page: Page) => page.getByRole('list', { name: 'Filters' })
  const searchOf = (page: Page) => new URL(page.url()).searchParams

  it('count clicks, scans and visitors of the group, and what was clicked just now', async () => {
    const { page, problems, open } = await signedInPage(browser, started)
    await open('analytics')
    await figure(page, 'Clicks and scans', '7').waitFor()
    await figure(page, 'Clicks', '6').waitFor()
    await figure(page, 'Scans', '1').waitFor()
    // The phones that clicked and scanned are of different places.
    await figure(page, 'Visitors', '4').waitFor()
    await page.getByText('A visitor counts once a day, however often they click or scan.').waitFor()
    await page.getByText('7 in the last 30 minutes').waitFor()
    await row(page, 'United Kingdom').waitFor()
    await row(page, 'First link').waitFor()
    // Today is not over: its number stands apart, and no line plunges there.
    const unfinished = page.getByRole('img', { name: 'Clicks and scans' }).locator('[data-unfinished]')
    const { x, width } = (await unfinished.boundingBox()) ?? { x: 0, width: 0 }
    const line = await page.locator('svg[role=img] path[class*=line]').first().boundingBox()
    expect(line && line.x + line.width).toBeLessThan(x + width / 2)
    await figure(page, 'Scans', '1').click()
    await page.waitForURL(/measure=scans/)
    await page.getByRole('table', { name: 'Scans' }).getByRole('cell', { name: '1', exact: true }).waitFor()
    expect(problems).toEqual([])
    await page.context().close()
  })

  it('list single clicks, with the filters of the page, chosen columns and a file of all', async () => {
    const { page, problems, open } = await signedInPage(browser, started)
    await open('analytics')
    await page.getByRole('button', { name: 'Events', exact: true }).click()
    await page.waitForURL(/view=events/)
    await page.getByText('7 events, newest first').waitFor()
    const rows = page.getByRole('table').getByRole('row')
    expect(await rows.count()).toBe(8)
    await rows.nth(1).getByRole('link', { name: 'Second link' }).waitFor()
    await rows.nth(2).getByText('Scan').waitFor()
    expect(await findingsIn(page)).toEqual([])

    await page.getByRole('button', { name: 'Filter: Country United States' }).first().click()
    await page.getByText('2 events, newest first').waitFor()
    expect(searchOf(page).get('country')).toBe('is:US')
    await page.getByRole('button', { name: 'Filter: Country United States' }).first().click()
    await page.getByRole('button', { name: 'Everything' }).click()
    await page.getByText('8 events, newest first').waitFor()
    await page.getByRole('cell', { name: 'Bot' }).waitFor()

    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('checkbox', { name: 'Destination' }).check()
    await page.getByRole('columnheader', { name: 'Destination' }).waitFor()
    await page.reload()
    await page.getByRole('columnheader', { name: 'Destination' }).waitFor()

    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as CSV: Events' }).click(),
    ])
    expect(file.suggestedFilename()).toMatch(/^engagements-.*\.csv$/)
    await page.getByText('8 rows exported.').waitFor()
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\n')
    expect([lines.length, lines[0]?.split(',')[0]]).toEqual([9, 'clicked_at'])
    expect(problems).toEqual([])
    await page.context().close()
  })

  it('show the hours of the week, for the eye, the keyboard and screen readers', async () => {
    const { page, problems, open } = await signedInPage(browser, started)
    await open('analytics')
    const map = page.getByRole('grid', { name: 'Hours of the week' })
    await map.waitFor()
    const counts = await map.locator('tbody td').allInnerTexts()
    expect(counts.reduce((sum, text) => sum + Number(text), 0)).toBe(7)
    await map.getByRole('gridcell').nth(1).focus()
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowLeft']) await page.keyboard.press(key)
    const focused = page.locator('[role=grid] td:focus')
    expect(await focused.evaluate((cell) => Reflect.get(cell, 'cellIndex'))).toBe(2)
    await page.getByText(/^Tuesday, 1/).waitFor()
    expect(await findingsIn(page)).toEqual([])
    expect(problems).toEqual([])
    await page.context().close()
  })

  it("are shown in the group's time zone, or in one's own", async () => {
    const group = `/v4/groups/${started.groupGuid}`
    await started.request('PATCH', group, { body: { time_zone: 'Asia/Tokyo' } })
    const { page, problems, open } = await signedInPage(browser, started, { timezoneId: 'America/New_York' })
    const asked: (string | null)[] = []
    page.on('request', (request) => {
      for (const path of readsOf(request)) {
        const { pathname, searchParams } = new URL(path, started.url)
        if (pathname === `${group}/metrics/over_time` && searchParams.get('unit') !== 'minute')
          asked.push(searchParams.get('zone'))
      }
    })
    await open('analytics')
    await figure(page, 'Clicks', '6').waitFor()
    await page.getByRole('button', { name: 'Mine: America/New York' }).click()
    await page.waitForURL(/zone=own/)
    await expect.poll(() => asked.at(-1)).toBe('America/New_York')
    await page.getByRole('button', { name: 'Group: Asia/Tokyo' }).click()
    await expect.poll(() => searchOf(page).get('zone')).toBe(null)
    expect(asked[0]).toBe('Asia/Tokyo')
    await started.request('PATCH', group, { body: { time_zone: '' } })
    expect(problems).toEqual([])
    await page.context().close()
  })

  it('are filtered by clicks on rows; is and is not; Back takes filters away', async () => {
    const { page, problems, open } = await signedInPage(browser, started)
    await open('analytics')
    await row(page, 'United Kingdom').click()
    await figure(page, 'Clicks', '3').waitFor()
    expect(searchOf(page).get('country')).toBe('is:GB')
    await pills(page).getByText('United Kingdom').waitFor()

    await page.getByRole('button', { name: 'is', exact: true }).click()
    await figure(page, 'Clicks', '3').waitFor()
    await row(page, 'United States').waitFor()
    expect(searchOf(page).get('country')).toBe('is_not:GB')

    await row(page, 'Instagram').click()
    await figure(page, 'Clicks', '2').waitFor()
    await page.goBack()
    await figure(page, 'Clicks', '3').waitFor()
    await page.goBack()
    await page.goBack()
    await figure(page, 'Clicks', '6').waitFor()
    expect(await pills(page).count()).toBe(0)
    expect(problems).toEqual([])
    await page.context().close()
  })

  it('are filtered by several values, which are in the URL and can be removed', async () => {
    const { page, open } = await signedInPage(browser, started)
    await open('analytics?country=is:GB,US&device=is:Desktop')
    await figure(page, 'Clicks', '3').waitFor()
    await pills(page).getByRole('button', { name: 'Remove Desktop' }).click()
    await figure(page, 'Clicks', '5').waitFor()
    await pills(page).getByRole('button', { name: 'Remove United Kingdom' }).click()
    await figure(page, 'Clicks', '2').waitFor()
    expect(searchOf(page).get('country')).toBe('is:US')
    await page.context().close()
  })

  it('are filtered by words that are searched for in all dimensions', async () => {
    const { page, open, problems } = await signedInPage(browser, started)
    await open('analytics?range=7d')
    await figure(page, 'Clicks', '\\d').waitFor()
    await page.keyboard.press('f')
    const filter = page.getByRole('dialog', { name: 'Filter' })
    await filter.getByRole('searchbox').fill('united st')
    await filter.getByRole('heading', { name: 'Country' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/country=is(:|%3A)US/)
    await expect
      .poll(() => filter.getByRole('button', { name: 'United States' }).getAttribute('aria-pressed'))
      .toBe('true')
    await filter.getByRole('searchbox').fill('nothing has this name')
    await filter.getByText('Nothing').waitFor()
    await page.keyboard.press('Escape')
    await filter.waitFor({ state: 'detached' })
    expect(problems).toEqual([])
  })

  it('are kept as a view, for everybody in the group', async () => {
    const { page, open, problems } = await signedInPage(browser, started)
    await open('analytics?country=is%3AUS&range=7d')
    await figure(page, 'Clicks', '2').waitFor()
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByLabel('Name of the view').fill('America')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Views America' }).waitFor()
    const { views } = (await started.request('GET', `/v4/groups/${started.groupGuid}/views`)).body
    expect(views).toMatchObject([{ name: 'America', page: 'analytics', created_by: 'admin' }])
    const again = await signedInPage(browser, started)
    await again.open('analytics')
    await again.page.getByRole('button', { name: 'Views' }).click()
    await again.page.getByRole('button', { name: 'America', exact: true }).click()
    await again.page.waitForURL(/country=is(:|%3A)US/)
    await figure(again.page, 'Clicks', '2').waitFor()
    expect([...problems, ...again.problems]).toEqual([])
    await again.context.close()
  })

  it('are kept as a view of all links', async () => {
    const { page, open, context, problems } = await signedInPage(browser, started)
    const path = `/app/${started.groupGuid}/links/${first}`
    await open(`${path}?range=7d&device=is%3ADesktop`)
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByLabel('Name of the view').fill('Desktops')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Views Desktops' }).waitFor()
    const { body } = await started.request('GET', `/v4/groups/${started.groupGuid}/views`)
    expect(body.views).toContainEqual(expect.objectContaining({ name: 'Desktops', page: 'link' }))
    expect(problems).toEqual([])
    await context.close()
  })

  it('have annotations on the axis of time', async () => {
    const { page, open, problems } = await signedInPage(browser, started)
    await open('analytics')
    await page.getByRole('button', { name: 'Annotations' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('What happened').fill('Newsletter sent')
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.getByRole('button', { name: 'Delete the annotation Newsletter sent' }).waitFor()
    expect(await findingsIn(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('slider', { name: 'Clicks and scans' }).focus()
    await page.getByRole('status').getByText('Newsletter sent').waitFor()
    await page.getByRole('button', { name: 'Annotations' }).click()
    await dialog.getByRole('button', { name: 'Delete the annotation Newsletter sent' }).click()
    await expect.poll(() => dialog.getByText('Newsletter sent').count()).toBe(0)
    expect(problems).toEqual([])
  })

  it('are filtered by a country of the map, and by a point of the chart with the keyboard', async () => {
    const { page, open } = await signedInPage(browser, started)
    await open('analytics')
    await figure(page, 'Clicks', '6').waitFor()
    // The map is drawn when somebody sees its place.
    await row(page, 'United States').scrollIntoViewIfNeeded()
    // Countries have their clicks from another report than the chart, and can be chosen when it is here.
    await page.locator('path[data-code="US"]:not([data-level="0"])').waitFor()
    // The click from nowhere colours no area.
    const coloured = page.locator('path[data-level]:not([data-level="0"])')
    expect(await coloured.evaluateAll((paths) => paths.map((path) => path.getAttribute('data-code')).sort())).toEqual([
      'GB',
      'US',
    ])
    await page.locator('path[data-code="US"]').dispatchEvent('click')
    await figure(page, 'Clicks', '2').waitFor()
    expect(searchOf(page).get('country')).toBe('is:US')
    await page.getByRole('slider', { name: 'Clicks and scans' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/from=/)
    expect(searchOf(page).get('from')).toBe(searchOf(page).get('to'))
    await figure(page, 'Clicks', '2').waitFor()
    await page.context().close()
  })

  it('show bots apart', async () => {
    const { page, open } = await signedInPage(browser, started)
    await open('analytics')
    await page.getByRole('button', { name: 'Bots' }).click()
    await figure(page, 'Clicks', '1').waitFor()
    await page.getByRole('button', { name: 'Everything' }).click()
    await figure(page, 'Clicks', '7').waitFor()
    await page.context().close()
  })

  it('have ranges and a calendar', async () => {
    const { page, open } = await signedInPage(browser, started)
    await open('analytics')
    await page.getByRole('button', { name: /^Time range/ }).click()
    await page.getByRole('button', { name: 'Last 7 days' }).click()
    await page.waitForURL(/range=7d/)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('1')
    await page.waitForURL(/range=today/)
    await figure(page, 'Clicks', '6').waitFor()
    await page.getByRole('button', { name: /^Time range/ }).click()
    await page.getByRole('button', { name: 'Month before' }).click()
    const days = page.locator('[data-day][data-outside="false"]')
    await days.nth(4).click()
    await days.nth(8).click()
    await page.waitForURL(/from=\d{4}-\d\d-05&to=\d{4}-\d\d-09/)
    await figure(page, 'Clicks', '0').waitFor()
    await page.getByText('Nothing in this time').first().waitFor()
    await page.context().close()
  })

  it('save every card as CSV, with the filters of the page', async () => {
    const { page, open } = await signedInPage(browser, started)
    await open('analytics?measure=clicks&country=is_not:')
    await row(page, 'United Kingdom').waitFor()
    const saved = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: `Download as CSV: ${name}` }).click(),
      ])
      return readFile(await download.path(), 'utf8')
    }
    expect(await saved('Countries')).toBe('Country,Count\nGB,3\nUS,2\n')
    expect(await saved('Referrers')).toBe('Referrer,Count\ndirect,3\nInstagram,2\n')
    expect(await saved('Devices')).toBe('Device,Count\nDesktop,3\nMobile,2\n')
    expect(await saved('Links')).toBe(`Link,Title,Destination,Count\n${first},First link,https://example.com/one,5\n`)
    expect(await saved('Over time')).toMatch(/^Date,Count\n.+,5\n(.+,0\n){27}$/)
    await page.context().close()
  })

  it('compare the channels of a campaign', async () => {
    const { page, problems, open } = await signedInPage(browser, started)
    await open('campaigns')
    await page.getByRole('link', { name: 'Spring' }).click()
    await figure(page, 'Clicks', '6').waitFor()
    const compared = page.getByRole('region', { name: 'Channels compared' })
    // Five clicks, and the scan of its QR code.
    await compared.getByText('Posters 6').waitFor()
    await compared.getByText('Letters 1').waitFor()
    await compared.getByRole('rowheader').getByRole('button', { name: 'Letters' }).click()
    await figure(page, 'Clicks', '1').waitFor()
    await pills(page).getByText('Letters').waitFor()
    expect(problems).toEqual([])
    await page.context().close()
  })

  it('are there for a link and for a QR code, which begins with its scans', async () => {
    const { page, problems, open } = await signedInPage(browser, started)
    await open(`links/${second}`)
    await figure(page, 'Clicks', '1').waitFor()
    await open('qr-codes')
    await page.getByRole('link', { name: 'Poster' }).click()
    await page.waitForURL(new RegExp(`qr-codes/${code}/analytics`))
    await page.getByRole('button', { name: /^Scans\s*1/, pressed: true }).waitFor()
    expect(problems).toEqual([])
    await page.context().close()
  })

  it('are at a glance on the first page, which leads to the others', async () => {
    // A changed destination is no new link.
    const edited = await started.request('PATCH', `/v4/shortlinks/${second}`, {
      body: { long_url: 'https://example.com/2' },
    })
    expect(edited.status).toBe(200)
    const { page, problems, open } = await signedInPage(browser, started)
    await open('')
    await page.getByText('2 new links this month').waitFor()
    await figure(page, 'Clicks', '6').waitFor()
    await page
      .getByRole('region', { name: 'Top links' })
      .getByRole('link', { name: /First link/ })
      .waitFor()
    await page
      .getByRole('region', { name: 'Latest links' })
      .getByRole('link', { name: /Second link/ })
      .waitFor()
    await row(page, 'United Kingdom').click()
    await page.waitForURL(/analytics\?country=is/)
    await figure(page, 'Clicks', '3').waitFor()
    expect(problems).toEqual([])
    await page.context().close()
  })

  it('ask at most four things at once', async () => {
    const { page, open } = await signedInPage(browser, started)
    let [now, most] = [0, 0]
    // An open stream of events is no request in progress for the service.
    const isApi = (url: string) => /^\/v4\/(?!.*\/events$)/.test(new URL(url).pathname)
    page.on('request', (request) => {
      if (isApi(request.url())) most = Math.max(most, ++now)
    })
    page.on('requestfinished', (request) => isApi(request.url()) && now--)
    page.on('requestfailed', (request) => isApi(request.url()) && now--)
    await open('analytics')
    await row(page, 'First link').waitFor()
    await row(page, 'United Kingdom').click()
    await figure(page, 'Clicks', '3').waitFor()
    expect(most).toBeLessThanOrEqual(4)
    await page.context().close()
  })

  // Last: it adds clicks.
  it('show clicks as they happen, and ask for numbers where they cannot', async () => {
    const timeZone = 'Asia/Tokyo'
    await started.request('PATCH', `/v4/groups/${started.groupGuid}`, { body: { time_zone: timeZone } })
    const { page, problems, open } = await signedInPage(browser, started)
    await open('analytics')
    const last = page.getByRole('region', { name: 'Last clicks' })
    await last.getByText('Live', { exact: true }).waitFor()
    await page.getByText('7 in the last 30 minutes').waitFor()
    // Those from before the page was opened, without the robot.
    await expect.poll(() => last.getByRole('listitem').count()).toBe(7)
    await visit(started, first, { agent: 'phone', referrer: 'https://www.instagram.com/abc' })
    await expect.poll(() => last.getByRole('listitem').count()).toBe(8)
    const click = last.getByRole('listitem').first()
    await click.getByText('First link').waitFor()
    await click.getByText('London, United Kingdom').waitFor()
    await click.getByText('instagram.com').waitFor()
    await click.getByText('Mobile').waitFor()
    const time = click.getByRole('time')
    const moment = new Date((await time.getAttribute('datetime')) ?? '')
    expect(await time.textContent()).toBe(moment.toLocaleTimeString('en-US', { timeZone }))
    expect(await time.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
    await page.getByText('8 in the last 30 minutes').waitFor()
    await figure(page, 'Clicks', '7').waitFor()
    expect(await findingsIn(page)).toEqual([])

    // The first page follows too: its figures, and the cards below them in their own time.
    await open('')
    await page.getByText('8 in the last 30 minutes').waitFor()
    await figure(page, 'Clicks', '7').waitFor()
    await visit(started, second, { agent: 'phone', scan: true })
    await page.getByText('9 in the last 30 minutes').waitFor()
    await figure(page, 'Scans', '2').waitFor()
    await figure(page, 'Clicks and scans', '9').waitFor()
    await page
      .getByRole('region', { name: 'Top links' })
      .getByRole('listitem')
      .filter({ hasText: /Second link.*2$/ })
      .waitFor()
    await open(`links/${second}`)
    await expect.poll(() => last.getByRole('listitem').count()).toBe(2)
    await last.getByText('Live', { exact: true }).waitFor()
    await visit(started, second, { from: 'mountainView', scan: true })
    await last.getByText('Mountain View, United States').waitFor()
    await expect.poll(() => last.getByRole('listitem').count()).toBe(3)
    expect(problems).toEqual([])

    // Clicks may be lost while the stream is away: the numbers are asked for again, although no click is told.
    await open('analytics')
    await last.getByText('Live', { exact: true }).waitFor()
    await page.getByText('10 in the last 30 minutes').waitFor()
    // The chart has its report. The counter, which asks for minutes, may still ask again.
    await page.getByRole('slider', { name: 'Clicks and scans' }).waitFor({ state: 'attached' })
    const asked = page.waitForRequest((request) =>
      readsOf(request).some((path) => /\/over_time\?(?!.*unit=minute)/.test(path)),
    )
    endLiveConnections(started)
    await asked

    await page.route('**/events', (route) => route.fulfill({ status: 503 }))
    await open('analytics')
    await last.getByText('Live updates are not available at the moment.').waitFor()
    await page.getByText('10 in the last 30 minutes').waitFor()
    await figure(page, 'Clicks and scans', '10').waitFor()
    await visit(started, second)
    await page.getByText('11 in the last 30 minutes').waitFor()
    await figure(page, 'Clicks and scans', '11').waitFor()
    await page.context().close()
  })

  it('show AI agents apart from people and other bots, as a tab that is a URL', async () => {
    // Of another group, whose numbers no other test expects.
    const group_guid = await organize(started).group()
    const body = { long_url: 'https://example.com/agents', group_guid }
    const { id } = (await started.request('POST', '/v4/shortlinks', { body })).body
    const [host = '', hash] = id.split('/')
    for (const times of [0, 1]) await visit(started, id, times === 0 ? {} : { agent: 'robot' })
    const headers = { host, 'user-agent': 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)' }
    for (const _ of [1, 2, 3]) await started.request('GET', `/${hash}`, { token: null, headers })
    await started.clicksCounted()
    const { page, problems, open } = await signedInPage(browser, started)
    await open(`/app/${group_guid}/analytics`)
    await figure(page, 'Clicks', '1').waitFor()
    const traffic = page.getByRole('group', { name: 'Traffic' })
    await traffic.getByRole('button', { name: 'AI agents' }).click()
    await figure(page, 'Clicks', '3').waitFor()
    expect(searchOf(page).get('traffic')).toBe('agents')
    expect(problems).toEqual([])
    await page.context().close()
  })

  it('export the clicks of a link, and load older ones', async () => {
    // Of another group, whose numbers no other test expects.
    const group_guid = await organize(started).group()
    const body = { long_url: 'https://example.com/many', group_guid }
    const { id } = (await started.request('POST', '/v4/shortlinks', { body })).body
    for (let times = 0; times < 53; times++) await visit(started, id)
    await started.clicksCounted()
    const { page, problems, open } = await signedInPage(browser, started)
    await open(`/app/${group_guid}/links/${id}?view=events`)
    await page.getByText('The newest 50 events').waitFor()
    await page.getByRole('button', { name: 'Older events' }).click()
    await page.getByText('53 events, newest first').waitFor()
    await page.getByText('These are all in this time.').waitFor()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as CSV: Events' }).click(),
    ])
    expect((await readFile(await file.path(), 'utf8')).trimEnd().split('\n')).toHaveLength(54)
    expect(problems).toEqual([])
    await page.context().close()
  })
})
