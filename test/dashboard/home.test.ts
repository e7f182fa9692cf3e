import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserTitle, chromium } from '../support/browser.js'
import { type DnsServer, startDnsServer } from '../support/dns-server.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { fakeReads, findingsIn, signedInPage, startBrowser } from './dashboard-page.js'

describe.skipIf(chromium === undefined)(`the first page ${browserTitle}`, { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'shortlink-home-'))
  const plans = join(folder, 'plans.json')
  let started: StartedApp
  let browser: Browser
  let dns: DnsServer
  beforeAll(async () => {
    writeFileSync(plans, JSON.stringify({ small: { limits: { encodes: 5 } } }))
    dns = await startDnsServer(new Map([['links.example.net', { A: ['203.0.113.7'] }]]))
    const config = { plans, defaultPlan: 'small', dnsTargets: ['links.example.net'], dnsServers: [dns.address] }
    started = await startApp(config)
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await started?.close()
    await dns?.close()
    rmSync(folder, { recursive: true })
  })

  it('says nothing while nothing needs attention, then what does', async () => {
    const { page, problems, open } = await signedInPage(browser, started)
    const attention = page.getByRole('list', { name: 'What needs attention' })
    await page.getByRole('heading', { name: 'Shorten your first link' }).waitFor()
    await page.waitForLoadState('networkidle')
    expect(await attention.count()).toBe(0)

    const { organization_guid } = (await started.request('GET', `/v4/groups/${started.groupGuid}`)).body
    const body = { domain: 'go.example.com', group_guids: [started.groupGuid] }
    const added = await started.request('POST', `/v4/organizations/${organization_guid}/domains`, { body })
    expect(added.status).toBeLessThan(300)
    for (let link = 0; link < 4; link++) {
      await started.request('POST', '/v4/shorten', { body: { long_url: `https://example.com/${link}` } })
    }
    await open('')
    await attention.getByRole('link', { name: 'The DNS of go.example.com does not point here yet.' }).waitFor()
    await attention.getByRole('link', { name: /4 of 5 used this month/ }).waitFor()
    await page.getByText('4 of 5 new links and changed destinations this month').waitFor()
    expect(await findingsIn(page)).toEqual([])
    await attention.getByRole('link', { name: /go.example.com/ }).click()
    await page.getByRole('heading', { name: 'go.example.com', level: 1 }).waitFor()
    expect(problems).toEqual([])
    await page.context().close()
  })

  it('says that the server failed to tell who is signed in, and recovers by itself', async () => {
    const { page, open } = await signedInPage(browser, started)
    await page.route('**/account/session', (route) => route.fulfill({ status: 503, body: '{}' }))
    await open('')
    await page.getByText('Something went wrong on the server').waitFor()
    await page.unroute('**/account/session')
    await page.getByRole('region', { name: 'Latest links' }).waitFor()
    await page.context().close()
  })

  it('recovers by itself after a failure of the network, and after a refusal that says when to ask again', async () => {
    const { page, open } = await signedInPage(browser, started)
    const reachAgain = await fakeReads(page, /^\/v4\/groups\//, 'unreachable')
    await open('')
    await page.getByText('The service cannot be reached').first().waitFor()
    await reachAgain()
    await page.getByRole('button', { name: /^Clicks\s*\d/ }).waitFor()
    await page.getByText('The service cannot be reached').first().waitFor({ state: 'detached' })

    const refusal = { message: 'RATE_LIMIT_EXCEEDED', description: 'Too many.', resource: 'groups' }
    const allow = await fakeReads(page, /^\/v4\/groups\//, { status: 429, body: refusal, retry_after: 7 })
    await open('')
    await page.getByText('Too many requests. Try again in 7 seconds.').first().waitFor()
    await allow()
    await page.getByRole('region', { name: 'Latest links' }).getByRole('listitem').first().waitFor()
    await page.context().close()
  })

  it('has the button to create in the bar on phones, where it covers nothing', async () => {
    const { page } = await signedInPage(browser, started, { viewport: { width: 390, height: 844 } })
    const button = await page.getByRole('button', { name: 'Create a link' }).boundingBox()
    const bar = await page.getByRole('navigation', { name: 'Main navigation' }).filter({ visible: true }).boundingBox()
    expect(button?.y).toBeGreaterThanOrEqual(bar?.y ?? 844)
    await page.context().close()
  })

  it('cuts long titles with an ellipsis', async () => {
    const title = 'A title that is longer than a card of this page is wide. '.repeat(4).trim()
    await started.request('POST', '/v4/shortlinks', { body: { long_url: 'https://example.com/long-title', title } })
    const { page } = await signedInPage(browser, started)
    const shown = page.getByRole('region', { name: 'Latest links' }).getByText(title)
    const style = await shown.evaluate((element) => {
      const { display, textOverflow } = element.ownerDocument.defaultView.getComputedStyle(element)
      return { display, textOverflow, isCut: element.scrollWidth > element.clientWidth }
    })
    // Browsers draw no ellipsis for text that is directly in a grid.
    expect(style).toEqual({ display: 'block', textOverflow: 'ellipsis', isCut: true })
    await page.context().close()
  })

  it('says that the service cannot be reached when the script of a page cannot be loaded', async () => {
    const { page, context } = await signedInPage(browser, started)
    await page.getByText('Nothing in this time').first().waitFor()
    await page.waitForLoadState('networkidle')
    const campaigns = page.getByRole('link', { name: 'Campaigns' })
    await context.setOffline(true)
    await campaigns.click()
    await page.getByText('The service cannot be reached').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('The service cannot be reached').waitFor()
    await context.setOffline(false)
    await page.getByText('No campaigns yet').waitFor()
    await context.close()
  })
})
