// How soon people see the Links page: its Largest Contentful Paint in Chromium with an empty cache, slowed down four times.
import { signIn, startBrowser } from '../../scripts/demo/browser.mjs'
import { startDemo } from '../../scripts/demo/start.mjs'
import { summary } from '../rounds.mjs'

const slowDown = 4
const goal = 1500
const count = 5

export async function run({ say }) {
  const demo = await startDemo({ progress: (step) => say(`making ${step}`) })
  const browser = await startBrowser()
  const times = []
  try {
    const page = await signIn(browser, demo.url, { viewport: { width: 1440, height: 900 } })
    const links = `${page.url().replace(/\/$/, '')}/links`
    const debug = await page.context().newCDPSession(page)
    await debug.send('Emulation.setCPUThrottlingRate', { rate: slowDown })
    for (let round = 1; round <= count; round++) {
      await debug.send('Network.clearBrowserCache')
      await page.goto(links)
      await page.waitForLoadState('networkidle')
      const took = await page.evaluate(largestPaint)
      times.push(took)
      say(`round ${round} of ${count}: ${took.toFixed(0)} ms`)
    }
  } finally {
    await browser.close()
    await demo.stop()
  }
  const { figure, spread } = summary(times)
  const what = `Links page, Largest Contentful Paint, processor ${slowDown} times slower`
  return [{ what, figure, spread, unit: 'ms', goal: `< ${goal} ms`, met: figure < goal }]
}

/** Runs in the page. */
const largestPaint = `new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime))
    .observe({ type: 'largest-contentful-paint', buffered: true })
})`
