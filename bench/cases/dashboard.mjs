// How soon people see a page: its Largest Contentful Paint in Chromium with an empty cache and a processor slowed down four
// times, and what was sent for it. And how smoothly a group of 100,000 links scrolls: 20,000 rows, as fast as they load.
import { join } from 'node:path'
import Database from 'libsql'
import { signIn, startBrowser } from '../../scripts/demo/browser.mjs'
import { startDemo } from '../../scripts/demo/start.mjs'
import { amount } from '../brief.mjs'
import { summary } from '../rounds.mjs'
import { seedStatements } from '../seed-links.mjs'

const slowDown = 4
const paintGoal = 1500
const referencePaintGoal = 1000
const requestGoal = 15
const scriptGoal = 200
const count = amount(5, 1)
/** Milliseconds after which a page has asked for all that it shows at first. */
const settled = 3000
const links = amount(100_000, 2000)
const scrolledRows = amount(20_000, 500)
/** Two rows of a frame of 16 ms: faster than people turn the wheel. */
const timePerRow = 8
const memoryGoal = 200

export async function run({ say }) {
  const demo = await startDemo({ progress: (step) => say(`making ${step}`) })
  const browser = await startBrowser()
  try {
    const page = await signIn(browser, demo.url, { viewport: { width: 1440, height: 900 } })
    const group = groupOf(page)
    const loads = await firstLoads(page, say)
    await page.goto(group)
    seedLinks(demo.dataDir, page.url())
    say(`${links} links seeded`)
    return [...loads, ...(await scroll(page, say))]
  } finally {
    await browser.close()
    await demo.stop()
  }
}

/** Each page, opened with an empty cache: when people see it, how much they wait for. */
async function firstLoads(page, say) {
  const debug = await page.context().newCDPSession(page)
  await debug.send('Network.enable')
  await debug.send('Emulation.setCPUThrottlingRate', { rate: slowDown })
  const group = groupOf(page)
  const [clicked, unclicked] = await Promise.all([linkWithClicks(page), newLink(page)])
  const pages = {
    Home: group,
    Links: `${group}/links`,
    Analytics: `${group}/analytics`,
    Link: `${group}/links/${clicked.id}`,
    'Link without clicks': `${group}/links/${unclicked.id}`,
    'API reference': new URL('/docs', group).href,
  }
  const rows = []
  for (const [name, url] of Object.entries(pages)) {
    const rounds = []
    for (let round = 1; round <= count; round++) rounds.push(await firstLoad(page, debug, url))
    const { figure, spread } = summary(rounds.map(({ paint }) => paint))
    const { requests, script, whole } = rounds.at(-1)
    say(`${name}: ${figure.toFixed(0)} ms, ${requests} requests, ${script} kB of script, ${whole} kB`)
    const goal = name === 'API reference' ? referencePaintGoal : paintGoal
    rows.push(
      { what: `${name}, Largest Contentful Paint`, figure, spread, unit: 'ms', ...below(figure, goal, 'ms') },
      { what: `${name}, requests`, figure: requests, unit: '', ...below(requests, requestGoal, '') },
      { what: `${name}, script as sent`, figure: script, unit: 'kB', ...below(script, scriptGoal, 'kB') },
      { what: `${name}, all that is sent`, figure: whole, unit: 'kB' },
    )
  }
  await debug.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  return rows
}

async function linkWithClicks(page) {
  const { links } = await ask(page, 'GET', `/v4/groups/${groupGuidIn(page.url())}/shortlinks?query=subscribe`)
  return links[0]
}

function newLink(page) {
  const long_url = 'https://shop.larkfield.example/new'
  return ask(page, 'POST', '/v4/shortlinks', {
    group_guid: groupGuidIn(page.url()),
    long_url,
    title: 'Nobody clicked this yet',
  })
}

/** The API, as the person who is signed in. */
async function ask(page, method, path, data) {
  const { origin } = new URL(page.url())
  const { csrf } = await (await page.request.get(`${origin}/account/session`)).json()
  const headers = { origin, 'x-csrf-token': csrf }
  return (await page.request.fetch(origin + path, { method, headers, data })).json()
}

async function firstLoad(page, debug, url) {
  const types = new Map()
  const bytes = { all: 0, Script: 0 }
  // A picture that is in the page already is no request.
  const begun = ({ requestId, type, request }) => request.url.startsWith('data:') || types.set(requestId, type)
  const ended = ({ requestId, encodedDataLength }) => {
    bytes.all += encodedDataLength
    if (types.get(requestId) === 'Script') bytes.Script += encodedDataLength
  }
  await page.goto('about:blank')
  await debug.send('Network.clearBrowserCache')
  debug.on('Network.requestWillBeSent', begun).on('Network.loadingFinished', ended)
  await page.goto(url)
  // The live feed is a request that never ends.
  await page.waitForTimeout(settled)
  debug.off('Network.requestWillBeSent', begun).off('Network.loadingFinished', ended)
  const paint = await page.evaluate(largestPaint)
  return { paint, requests: types.size, script: kilobytes(bytes.Script), whole: kilobytes(bytes.all) }
}

function kilobytes(bytes) {
  return Math.round(bytes / 1000)
}

function below(figure, goal, unit) {
  return { goal: `<= ${goal} ${unit}`.trim(), met: figure <= goal }
}

/** In the group whose pages the browser shows. */
export function seedLinks(dataDir, url) {
  const group = groupGuidIn(url)
  const database = new Database(join(dataDir, 'records.sqlite'))
  database.pragma('busy_timeout = 20000')
  for (const statement of seedStatements(2 * links, group)) database.exec(statement)
  database.close()
}

export async function scroll(page, say) {
  await page.goto(listOf(page))
  await page.getByRole('main').getByRole('listitem').first().waitFor()
  const debug = await page.context().newCDPSession(page)
  // Processor time of the page's thread: what else the machine does counts little.
  await debug.send('Performance.enable', { timeDomain: 'threadTicks' })
  const before = await metrics(debug)
  const { rows, frames, late, longest, longTasks } = await page.evaluate(scrollDown, scrolledRows)
  const after = await metrics(debug)
  const perRow = (1000 * (after.TaskDuration - before.TaskDuration)) / rows
  const memory = after.JSHeapUsedSize / 1e6
  say(
    `${rows} rows in ${frames} frames: ${late} late, the longest ${longest.toFixed(0)} ms, ${longTasks} tasks above 50 ms; ` +
      `${perRow.toFixed(1)} ms of processor time per row, ${memory.toFixed(0)} MB of memory`,
  )
  const what = `Links page, ${scrolledRows} of ${links} rows scrolled`
  return [
    { what: `${what}, processor time per row`, figure: perRow, unit: 'ms', goal: '< 8 ms', met: perRow < timePerRow },
    { what: `${what}, memory of the page`, figure: memory, unit: 'MB', goal: '< 200 MB', met: memory < memoryGoal },
  ]
}

async function metrics(debug) {
  await debug.send('HeapProfiler.collectGarbage')
  const { metrics: all } = await debug.send('Performance.getMetrics')
  return Object.fromEntries(all.map(({ name, value }) => [name, value]))
}

function listOf(page) {
  return `${groupOf(page)}/links`
}

function groupGuidIn(url) {
  return new URL(url).pathname.split('/')[2]
}

/** The address of the pages of the group that the browser shows. */
function groupOf(page) {
  return page.url().match(/^.*\/app\/[^/?]+/)[0]
}

/** Runs in the page. */
const largestPaint = `new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime))
    .observe({ type: 'largest-contentful-paint', buffered: true })
})`

/** Runs in the page: scrolls on with every frame, as far as rows are loaded, until so many were passed. */
function scrollDown(wanted) {
  return new Promise((resolve) => {
    const step = 400
    const seen = { rows: 0, frames: 0, late: 0, longest: 0, longTasks: 0 }
    const observer = new PerformanceObserver((list) => {
      seen.longTasks += list.getEntries().length
    })
    observer.observe({ type: 'longtask' })
    let last = performance.now()
    const frame = (now) => {
      const took = now - last
      last = now
      seen.frames += 1
      if (took > 34) seen.late += 1
      seen.longest = Math.max(seen.longest, took)
      scrollBy(0, step)
      seen.rows = Number([...document.querySelectorAll('main [data-index]')].at(-1)?.dataset.index ?? 0)
      if (seen.rows < wanted) requestAnimationFrame(frame)
      else {
        observer.disconnect()
        resolve(seen)
      }
    }
    requestAnimationFrame(frame)
  })
}
