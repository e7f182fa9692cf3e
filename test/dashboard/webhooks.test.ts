import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { firstOrganization, organize } from '../api/organize.js'
import { visit } from '../api/visits.js'
import { aPerson, password } from '../oauth/people.js'
import { browserTitle, chromium } from '../support/browser.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { accept, type Receiver, startReceiver, status, verify } from '../webhooks/receiver.js'
import { clipboard, fakeReads, findingsIn, signedInPage, startBrowser } from './dashboard-page.js'

/** Short pauses: five tries within a second. */
const webhookTiming = { pauses: [100, 100, 100, 100], backoff: 20, maxBackoff: 100, timeout: 2000 }

describe.skipIf(chromium === undefined)(`webhooks in the dashboard ${browserTitle}`, { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'shortlink-webhooks-page-'))
  let started: StartedApp
  let browser: Browser
  let receiver: Receiver
  let organization: string
  let link: string
  beforeAll(async () => {
    const plans = join(folder, 'plans.json')
    writeFileSync(plans, JSON.stringify({ bare: { features: [] } }))
    started = await startApp({ plans, outgoingAllow: ['127.0.0.0/8'] }, { webhookTiming })
    organization = await firstOrganization(started)
    receiver = await startReceiver()
    const body = { long_url: 'https://example.com/hooked' }
    link = (await started.request('POST', '/v4/shorten', { body })).body.id
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await started?.close()
    await receiver?.close()
    rmSync(folder, { recursive: true })
  })

  async function aWebhook(name: string): Promise<string> {
    const body = { organization_guid: organization, name, event: 'engagement', url: receiver.url }
    return (await started.request('POST', '/v4/webhooks', { body })).body.guid
  }
  const stateOf = async (guid: string) => (await started.request('GET', `/v4/webhooks/${guid}`)).body.status

  it('adds one with a secret that is shown once, sends a test, and shows what was delivered', async () => {
    receiver.answerWith(accept)
    const { page, open, problems } = await signedInPage(browser, started)
    await open('settings?tab=webhooks')
    await page.getByText('No webhooks yet').waitFor()
    await page.getByRole('button', { name: 'Add a webhook' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Name/).fill('Data warehouse')
    await dialog.getByLabel(/^URL of the receiver/).fill('not a url')
    await dialog.getByRole('checkbox', { name: 'Link created' }).check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText(/http or https URL/).waitFor()
    problems.splice(0)
    await dialog.getByLabel(/^URL of the receiver/).fill(receiver.url)
    expect(await findingsIn(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/Copy the secret now/).waitFor()
    const secret = await clipboard(page).copiedBy(page.getByRole('dialog').getByRole('button', { name: 'Copy' }))
    expect(secret).toMatch(/^whsec_/)
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('The receiver accepted the test.').waitFor()
    const ping = receiver.requests.at(-1)
    expect(ping && verify(secret, ping)).toMatchObject({ event_type: 'ping' })
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText(/Click or scan · Link created/).waitFor()

    await page.getByRole('link', { name: 'Data warehouse' }).click()
    await page.getByRole('heading', { name: 'Data warehouse' }).waitFor()
    expect(await page.getByText(secret).count()).toBe(0)
    const log = page.getByRole('region', { name: 'Deliveries' })
    await log.getByRole('button', { name: /200.*Test/ }).waitFor()
    await visit(started, link, { referrer: 'https://from.example/page' })
    const delivery = log.getByRole('button', { name: /200.*Click or scan/ })
    await delivery.click()
    await log.getByRole('region', { name: 'Sent' }).getByText('https://from.example/page').waitFor()
    await log.getByRole('region', { name: 'Answer' }).getByText('ok').waitFor()
    const before = receiver.events.length
    await log.getByRole('button', { name: 'Send again' }).click()
    await expect.poll(() => receiver.events.length, { timeout: 60_000 }).toBe(before + 1)
    expect(receiver.events.at(-1)).toEqual(receiver.events.at(-2))
    // What is open can be shared.
    await page.reload()
    await log.getByRole('region', { name: 'Sent' }).getByText('https://from.example/page').waitFor()
    expect(problems).toEqual([])
    await page.context().close()
  })

  it('edits, pauses, activates and deletes one, and makes a new secret', async () => {
    receiver.answerWith(accept)
    const guid = await aWebhook('Changing')
    const { page, open, problems } = await signedInPage(browser, started)
    await open(`settings/webhooks/${guid}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Name/).fill('Changed')
    await dialog.getByText('More options').click()
    await dialog.getByRole('checkbox', { name: /OAuth/ }).check()
    await dialog.getByLabel(/^Token endpoint/).fill(receiver.url)
    await dialog.getByLabel(/^Client ID/).fill('me')
    await dialog.getByLabel(/^Client secret/).fill('hush')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Changed' }).waitFor()
    const changed = (await started.request('GET', `/v4/webhooks/${guid}`)).body
    expect(changed).toMatchObject({ name: 'Changed', oauth_url: receiver.url, client_id: 'me', events: ['engagement'] })

    const choose = async (name: string) => {
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name }).click()
    }
    await choose('Pause')
    await dialog.getByText(/never delivered/).waitFor()
    await dialog.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Events meanwhile are not delivered', { exact: false }).waitFor()
    expect(await stateOf(guid)).toBe('inactive')
    await page.getByRole('button', { name: 'Activate' }).click()
    await expect.poll(() => stateOf(guid)).toBe('active')
    await choose('New signing secret')
    await dialog.getByRole('button', { name: 'New signing secret' }).click()
    await dialog.getByText(/^whsec_/).waitFor()
    await dialog.getByText(/also signed with the former secret/).waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await choose('Delete')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(/tab=webhooks/)
    expect((await started.request('GET', `/v4/webhooks/${guid}`)).status).toBe(404)
    expect(problems).toEqual([])
    await page.context().close()
  })

  it('says why one fails or was turned off, here and at home, and sends again what failed', async () => {
    const [failing, gone] = [await aWebhook('Failing one'), await aWebhook('Gone one')]
    receiver.answerWith((response, { body }) =>
      status(body.webhook_guid === gone ? 410 : 500, 'no room left')(response, body),
    )
    await visit(started, link)
    await expect.poll(() => stateOf(gone), { timeout: 60_000 }).toBe('deactivated')
    const dead = async () => (await started.request('GET', `/v4/webhooks/${failing}/dead_letters`)).body.dead_letters
    await expect.poll(async () => (await dead()).length, { timeout: 60_000 }).toBe(1)

    const { page, open, problems } = await signedInPage(browser, started)
    const attention = page.getByRole('list', { name: 'What needs attention' })
    await attention.getByRole('link', { name: /Gone one was turned off/ }).waitFor()
    await attention.getByRole('link', { name: /Failing one fails/ }).click()
    await page.getByRole('heading', { name: 'Failing one' }).waitFor()
    await page.getByText(/Last failure: status 500/).waitFor()
    const log = page.getByRole('region', { name: 'Deliveries' })
    await log.getByRole('button', { name: 'Failed' }).click()
    await page.waitForURL(/failed=true/)
    await log.getByRole('button', { name: /500/ }).first().click()
    await log.getByText('no room left').waitFor()
    expect(await findingsIn(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.reload()
    await log.getByText('no room left').waitFor()
    expect(await findingsIn(page)).toEqual([])
    await log.getByText('1 event could not be delivered.').waitFor()
    receiver.answerWith(accept)
    await log.getByRole('button', { name: 'Send them again' }).click()
    await expect.poll(async () => (await dead()).length, { timeout: 60_000 }).toBe(0)
    await log.getByText('1 event could not be delivered.').waitFor({ state: 'detached' })

    await open('settings?tab=webhooks')
    const row = page.getByRole('listitem').filter({ hasText: 'Gone one' })
    await row.getByText('Turned off').waitFor()
    await row.getByText('Last failure: status 410').waitFor()
    expect(await findingsIn(page)).toEqual([])
    await row.getByRole('link', { name: 'Gone one' }).click()
    await page.getByText(/answered 410 Gone/).waitFor()
    await page.getByRole('button', { name: 'Activate' }).click()
    await page.getByText('The webhook is active.').waitFor()
    expect(problems).toEqual([])

    // On a phone nothing is cut off.
    await page.setViewportSize({ width: 320, height: 700 })
    await open(`settings/webhooks/${failing}`)
    await log.getByRole('button', { name: /500/ }).first().click()
    await log.getByText('no room left').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320)
    await page.context().close()
  })

  it('are for administrators: others see neither the tab nor a webhook', async () => {
    const guid = await aWebhook('Hidden')
    const login = await aPerson(started)
    await organize(started).role(login, 'reader', { groupGuid: started.groupGuid })
    const { page, open } = await signedInPage(browser, started, { login, password })
    await open('settings')
    await page.getByRole('tab', { name: 'Organization' }).waitFor()
    expect(await page.getByRole('tab', { name: 'Webhooks' }).count()).toBe(0)
    await open('settings?tab=webhooks')
    await page.getByRole('tab', { name: 'Organization' }).waitFor()
    expect(await page.getByRole('button', { name: 'Add a webhook' }).count()).toBe(0)
    await open(`settings/webhooks/${guid}`)
    await page.getByRole('alert').getByText('You do not have access to this').waitFor()
    expect(await page.getByRole('button', { name: 'Send a test' }).count()).toBe(0)
    await page.context().close()
  })

  it('speaks German, also of errors', async () => {
    const { page, open } = await signedInPage(browser, started, { locale: 'de-DE' })
    await open('settings?tab=webhooks')
    await page.getByRole('button', { name: 'Webhook hinzufügen' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Name/).fill('Lager')
    await dialog.getByLabel(/^URL des Empfängers/).fill('kein url')
    await dialog.getByRole('button', { name: 'Speichern' }).click()
    await dialog.getByText('Das ist keine gültige URL', { exact: false }).waitFor()
    await page.context().close()
  })

  it('says that the plan has none, and that the list cannot be loaded', async () => {
    const { page, open } = await signedInPage(browser, started)
    await started.request('PATCH', `/v4/organizations/${organization}/plan`, { body: { plan: 'bare' } })
    await open('settings?tab=webhooks')
    await page.getByText('Your plan has no webhooks').waitFor()
    await started.request('PATCH', `/v4/organizations/${organization}/plan`, { body: { plan: 'unlimited' } })
    const work = await fakeReads(page, /\/webhooks$/, { status: 500 })
    await open('settings?tab=webhooks')
    await page.getByRole('button', { name: 'Try again' }).waitFor({ timeout: 60_000 })
    await work()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('link', { name: 'Data warehouse' }).waitFor()
    await page.context().close()
  })
})
