/** The audit log in the dashboard: sentences, filters in the URL, and a file of what they select. */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { firstOrganization } from '../api/organize.js'
import { browserTitle, chromium } from '../support/browser.js'
import { useApp } from '../support/start-app.js'
import { findingsInBoth, readsOf, signedInPage, useBrowser } from './dashboard-page.js'

describe.skipIf(chromium === undefined)(`the audit log ${browserTitle}`, { timeout: 120_000 }, () => {
  const started = useApp()
  const browser = useBrowser()
  beforeAll(async () => {
    const domains = `/v4/organizations/${await firstOrganization(started)}/domains`
    await started.request('POST', domains, { body: { domain: 'go.example.com' } })
    for (let count = 0; count < 101; count++) {
      await started.request('PATCH', `${domains}/go.example.com`, {
        body: { root_url: `https://example.com/${count}` },
      })
    }
  })

  it('is read as sentences with links, is filtered by the URL, and saves all pages of what is selected', async () => {
    const { page, open, problems } = await signedInPage(browser, started)
    await open('settings?tab=audit&kind=domains')
    const log = page.getByRole('region', { name: 'Audit log' })
    const today = log.getByRole('region', { name: 'Today' })
    await today.getByText('admin changed the domain go.example.com').first().waitFor()
    expect(await log.getByText('signed in').count()).toBe(0)
    expect(await today.getByRole('listitem').count()).toBe(50)
    await log.getByRole('button', { name: 'More' }).click()
    await expect.poll(() => today.getByRole('listitem').count()).toBe(100)

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      log.getByRole('button', { name: 'Export as CSV' }).click(),
    ])
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n')
    expect(lines).toHaveLength(1 + 102)
    expect(lines[0]).toBe('created,action,login,account,subject,ip_address,details')
    expect(lines.at(-1)).toMatch(/,domain_added,admin,,go\.example\.com,,\{\}$/)
    await page.getByText('102 entries exported.').waitFor()

    await log.getByRole('combobox', { name: 'Action' }).click()
    await page.getByRole('option', { name: 'Domain added' }).click()
    await page.waitForURL(/action=domain_added/)
    await today.getByText('admin added the domain go.example.com').waitFor()
    expect(await today.getByRole('listitem').count()).toBe(1)
    await log.getByLabel('To', { exact: true }).fill('2020-01-01')
    await log.getByText('No entry matches the filters.').waitFor()
    await log.getByRole('button', { name: 'Clear filters' }).click()
    await today.getByText('admin signed in').first().waitFor()
    await today.getByRole('link', { name: 'go.example.com' }).first().click()
    await page.getByRole('heading', { name: 'go.example.com', level: 1 }).waitFor()
    expect(problems).toEqual([])
  })

  it('shows a changed link with its page, and many that were changed together as one sentence', async () => {
    const changed = async (count: number) => {
      const { body } = await started.request('POST', '/v4/shortlinks', {
        body: { long_url: `https://example.com/${count}` },
      })
      await started.request('PATCH', `/v4/shortlinks/${body.id}`, { body: { title: 'New title' } })
      return String(body.id)
    }
    const id = await changed(0)
    const { page, open, context, problems } = await signedInPage(browser, started)
    await open('settings?tab=audit&kind=links')
    const today = page.getByRole('region', { name: 'Today' })
    await today.getByText(`admin changed the link ${id}`).waitFor()
    await today.getByRole('link', { name: id }).click()
    await page.getByRole('heading', { name: 'New title' }).waitFor()
    for (const count of [1, 2]) await changed(count)
    await open('settings?tab=audit&kind=links')
    await today.getByText('admin changed 3 links').waitFor()
    expect(await today.getByRole('listitem').count()).toBe(1)
    expect(problems).toEqual([])
    await context.close()
  })

  it('shows what happened to one thing, and names tokens and views', async () => {
    const group = `/v4/groups/${started.groupGuid}`
    const post = async (path: string, body: object) => (await started.request('POST', path, { body })).body
    const view = await post(`${group}/views`, { name: 'Autumn', page: 'links', query: 'tags=autumn' })
    await started.request('PATCH', `${group}/views/${view.guid}`, { body: { name: 'Winter' } })
    await post('/v4/user/tokens', { label: 'Newsletter' })
    const site = await post('/v4/sites', {
      group_guid: started.groupGuid,
      domain: started.domain,
      keyword: 'in-the-log',
    })
    const { page, open, context, problems } = await signedInPage(browser, started)
    await open('settings?tab=audit')
    const today = page.getByRole('region', { name: 'Today' })
    await today.getByText('admin created the access token Newsletter').waitFor()
    await today.getByText(/^admin created the site/).waitFor()
    const ofSite = today.getByRole('link', { name: `${started.domain}/m/in-the-log` })
    expect(await ofSite.getAttribute('href')).toContain(`/sites/${site.site_guid}`)
    const asked: string[] = []
    page.on('request', (request) => asked.push(...readsOf(request).filter((path) => path.includes('subject='))))
    await page.getByLabel('Thing', { exact: true }).pressSequentially(view.guid)
    await page.waitForURL(/subject=/)
    await expect.poll(() => today.getByRole('listitem').count()).toBe(2)
    await today.getByText('admin changed the view Winter').waitFor()
    await today.getByText('admin saved the view Autumn').waitFor()
    // Once it is typed, not at every letter.
    expect(asked.length).toBeLessThan(view.guid.length / 2)
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await expect.poll(() => page.getByLabel('Thing', { exact: true }).inputValue()).toBe('')
    expect(problems).toEqual([])
    await context.close()
  })

  it.each([
    [1280, 'en-US', 'Today'],
    [390, 'de-DE', 'Heute'],
    [320, 'en-US', 'Today'],
  ])('has no serious accessibility problem %i px wide in %s', async (width, locale, today) => {
    const viewport = { width, height: 844 }
    const { page, open, context, problems } = await signedInPage(browser, started, { viewport, locale })
    await open('settings?tab=audit')
    await page.getByRole('region', { name: today }).getByRole('listitem').first().waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    expect(problems).toEqual([])
    await context.close()
  })
})
