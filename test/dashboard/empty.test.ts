import { describe, expect, it } from 'vitest'
import { browserTitle, chromium } from '../support/browser.js'
import { useApp } from '../support/start-app.js'
import { findingsInBoth, signedInPage, useBrowser } from './dashboard-page.js'

describe.skipIf(chromium === undefined)(`places without anything ${browserTitle}`, { timeout: 120_000 }, () => {
  const started = useApp()
  const browser = useBrowser()

  it.each([
    ['links', 'links', 'No links yet', 'Create a link'],
    ['links?q=unknown', 'search', 'No links match', 'Reset'],
    ['campaigns', 'campaigns', 'No campaigns yet', 'Create a campaign'],
    ['qr-codes', 'codes', 'No QR codes yet', 'Create a QR code'],
    ['qr-codes?q=unknown', 'search', 'No QR codes match', 'Reset'],
    ['settings?tab=webhooks', 'webhooks', 'No webhooks yet', 'Add a webhook'],
    ['domains', 'domains', 'No branded domains yet', 'Add a domain'],
    ['settings?tab=tags', 'tags', 'No tags yet', undefined],
    ['analytics', 'clicks', 'Nothing in this time', 'All time'],
    ['settings?tab=audit&login=nobody', 'search', 'No entry matches the filters.', undefined],
  ])('%s has a drawing, a sentence and what to do', async (path, drawing, title, action) => {
    const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    await open(path)
    const empty = page.locator('main').locator('div', { has: page.locator(`> div > [data-drawing=${drawing}]`) })
    await empty.getByRole('heading', { name: title }).waitFor()
    if (action) await empty.getByText(action, { exact: true }).waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 800 })
    const wider = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    await expect.poll(wider).toBeLessThanOrEqual(0)
    if (action === 'All time') {
      await empty.getByText(action).click()
      await page.waitForURL(/range=all/)
      await empty.getByText(action).waitFor({ state: 'detached' })
    }
    expect(problems).toEqual([])
    await context.close()
  })
})
