/** Branded domains in the dashboard: from nothing to a link that works, with a name server of the test. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:tls'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeAuthority, makeServerCertificate } from '../../src/lib/certificate.js'
import { nodeDns } from '../../src/storage/dns/node-dns.js'
import { tlsCertificates } from '../../src/storage/outgoing/tls-certificates.js'
import { firstOrganization, organize } from '../api/organize.js'
import { browserTitle, chromium } from '../support/browser.js'
import { type DnsServer, startDnsServer } from '../support/dns-server.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { clipboard, findingsInBoth, signedInPage, startBrowser } from './dashboard-page.js'

const browserAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'

describe.skipIf(chromium === undefined)(`domains in the dashboard ${browserTitle}`, { timeout: 120_000 }, () => {
  let started: StartedApp
  let browser: Browser
  let dns: DnsServer
  let server: Server
  beforeAll(async () => {
    // An address of this machine, so that the certificate can be read.
    dns = await startDnsServer(new Map([['links.example.net', { A: ['127.0.0.1'] }]]))
    const validity = { from: new Date(), days: 90 }
    const authority = makeAuthority('A test authority', validity)
    const { certificate: cert, key } = makeServerCertificate(authority, ['secure.example.com'], validity)
    server = createServer({ cert, key }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const certificateLookup = tlsCertificates({
      dnsLookup: nodeDns({ servers: [dns.address] }),
      allow: ['127.0.0.1/32'],
      port: (server.address() as AddressInfo).port,
      ca: authority.certificate,
    })
    const config = { dnsTargets: ['links.example.net'], dnsServers: [dns.address] }
    started = await startApp(config, { certificateLookup })
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await started?.close()
    server?.close()
    await dns?.close()
  })

  const step = (page: Page, name: string) =>
    page.getByRole('list', { name: 'Set-up' }).getByRole('listitem').filter({ hasText: name })

  it('goes from nothing to a link that works', async () => {
    const { page, open, problems } = await signedInPage(browser, started)
    await open('domains')
    await page.getByRole('button', { name: 'Add a domain' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Domain/).fill('secure.example.com')
    await dialog.getByRole('button', { name: 'Add a domain' }).click()

    await page.getByRole('heading', { name: 'secure.example.com', level: 1 }).waitFor()
    await page.getByText('Next: set one record').waitFor()
    const records = step(page, 'DNS records')
    const expected = records.getByRole('button', { name: 'Copy links.example.net' })
    expect(await clipboard(page).copiedBy(expected)).toBe('links.example.net')
    await records.getByText('nothing yet').waitFor()
    await records.getByText(/^Checked .* again every 15 seconds$/).waitFor()
    // A domain that waits for DNS is not said to lack HTTPS.
    await step(page, 'HTTPS').getByText('Checked once the domain points here.').waitFor()

    dns.zone.set('secure.example.com', { A: ['192.0.2.9'] })
    await records.getByRole('button', { name: 'Check now' }).click()
    await records.getByText('Remove this record: 192.0.2.9').waitFor()
    await records.getByText('The domain points to another server.').waitFor()

    // Nobody presses the button: the page looks by itself.
    dns.zone.set('secure.example.com', { CNAME: 'links.example.net' })
    await step(page, 'HTTPS').getByText('Certificate of A test authority, valid until').waitFor()
    await page.getByText('Works', { exact: true }).waitFor()

    await page.getByText('Next: make a link').waitFor()
    const test = step(page, 'Test link')
    await test.getByRole('button', { name: 'Make a test link' }).click()
    await test.getByText('Waiting for your visit').waitFor()
    const href = (await test.getByRole('link', { name: 'Open it' }).getAttribute('href')) ?? ''
    const { host, port, pathname } = new URL(href)
    expect(host).toBe(`secure.example.com:${new URL(started.url).port}`)
    expect(port).not.toBe('')
    const headers = { host, 'user-agent': browserAgent }
    const visit = await started.request('GET', pathname, { token: null, headers })
    expect([visit.status, visit.headers.location]).toEqual([301, 'https://example.com/'])
    await test.getByText('It works: your visit arrived and was counted.').waitFor()
    await page.getByText('secure.example.com is ready for your links.').waitFor()
    expect(problems).toEqual([])
  })

  it('says what HTTPS needs when the domain points here', async () => {
    dns.zone.set('plain.example.com', { CNAME: 'links.example.net' })
    await organize(started).domain('plain.example.com', await firstOrganization(started))
    const { page, open, problems } = await signedInPage(browser, started)
    await open('domains')
    const row = page.getByRole('listitem').filter({ hasText: 'plain.example.com' })
    await row.getByText('HTTPS missing').waitFor()
    await row.getByRole('link', { name: 'Continue the set-up' }).click()
    const https = step(page, 'HTTPS')
    await https.getByText('The certificate is for another name.').waitFor()
    await https.getByRole('button', { name: 'HTTPS' }).click()
    await https.getByText('The operator of this service does this').waitFor()
    expect(problems).toEqual([])
  })

  it('changes where the root and unknown links lead, and removes a domain', async () => {
    await organize(started).domain('pages.example.com', await firstOrganization(started))
    const { page, open, problems } = await signedInPage(browser, started)
    await open('domains/pages.example.com')
    const pages = step(page, 'Root page and not-found page')
    await pages.getByRole('button', { name: 'Root page' }).click()
    await pages.getByLabel('Where the bare domain leads').fill('https://www.example.com/')
    await pages.getByRole('button', { name: 'Save' }).click()
    await pages.getByText('root leads to www.example.com').waitFor()
    await page.getByRole('button', { name: 'Actions for pages.example.com' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.waitForURL(/\/domains$/)
    await expect.poll(() => page.getByText('pages.example.com').count()).toBe(0)
    expect(problems).toEqual([])
  })

  it('says that a domain is gone', async () => {
    const { page, open } = await signedInPage(browser, started)
    await open('domains/nowhere.example.com')
    await page.getByText('There is no such domain').waitFor()
    await page.getByRole('link', { name: 'All domains' }).click()
    await page.getByRole('heading', { name: 'Domains', level: 1 }).waitFor()
  })

  it.each([
    ['domains', 1280, 'en-US'],
    ['domains', 390, 'de-DE'],
    ['domains/waiting.example.com', 1280, 'en-US'],
    ['domains/waiting.example.com', 390, 'de-DE'],
    ['domains/waiting.example.com', 320, 'en-US'],
  ])('has no serious accessibility problem at %s, %i px wide, in %s', async (path, width, locale) => {
    dns.zone.set('waiting.example.com', { A: ['192.0.2.9'] })
    const organization = await firstOrganization(started)
    const body = { domain: 'waiting.example.com', group_guids: [started.groupGuid] }
    await started.request('POST', `/v4/organizations/${organization}/domains`, { body, isShown: false })
    const viewport = { width, height: 844 }
    const { page, open, context, problems } = await signedInPage(browser, started, { viewport, locale })
    await open(path)
    const waiting = locale === 'de-DE' ? 'Wartet auf DNS' : 'Waiting for DNS'
    await page.getByText(waiting).first().waitFor()
    if (path !== 'domains') await page.getByText('192.0.2.9').waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    expect(problems).toEqual([])
    await context.close()
  })
})
