// Reports at 20,000,000 clicks of 200,000 links over 180 days: latency through the click thread, disk space per
// click, and the effect of reports and compaction on redirects. The click log writes the dictionaries; then the
// clicks are multiplied inside DuckDB, in the production tables, and sorted by production compaction.

import { statSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { pino } from 'pino'
import { startClickThread } from '../../dist-modules/runtime/threads/click-thread.js'
import { openDuckdbClickLog } from '../../dist-modules/storage/duckdb/click-log.js'
import { amount } from '../brief.mjs'
import { load } from '../load.mjs'
import { median } from '../rounds.mjs'
import { adminToken, startShortlink } from '../servers.mjs'

const many = amount(Number(process.env.CLICKS ?? 20_000_000), 40_000)
const few = amount(1_000_000, 20_000)
const links = amount(200_000, 10_000)
const groups = 200
const hotLinks = 20
const day = 86_400_000
const days = 180
const end = Math.floor(Date.now() / day) * day
const start = end - days * day
const domain = 'localhost:8080'
const flags = ['--base-url', `http://${domain}`]
const chunk = amount(1_000_000, 20_000)

export async function run({ directory, say }) {
  const big = join(directory, 'many')
  const home = await prepareService(big)
  const rows = []
  say(`${many} clicks`)
  await fill(big, many, home, say)
  say(`${few} clicks`)
  await fill(join(directory, 'few'), few, home, () => {})

  const bytes = statSync(join(big, 'clicks.duckdb')).size / many
  rows.push({ what: 'on disk', figure: bytes, unit: 'bytes/click', goal: '<= 20', met: bytes <= 20 })
  say('reports')
  const figures = await reports(big, home)
  const fewFigures = await reports(join(directory, 'few'), home)
  rows.push(below('one link, all time, p95', figures.link, 15))
  rows.push(below('one group, 30 days, p95', figures.groupMonth, 30))
  rows.push(below('the biggest group, 30 days, p95', figures.bigGroupMonth, 40))
  rows.push(below('one group, all time, p95', figures.groupAll, 80))
  rows.push(below('the biggest group, all time, p95', figures.bigGroupAll, 80))
  const growth = median(figures.month) / median(fewFigures.month)
  rows.push({
    what: `30 days at ${many / 1e6} M against ${few / 1e6} M clicks`,
    figure: median(figures.month),
    unit: 'ms',
    ratio: growth,
    goal: '<= 2',
    met: growth <= 2,
  })
  rows.push(...(await disturbance(big, home, say)))
  return rows
}

/** Creates links with the service, for redirects and reports over HTTP; the clicks are assigned to them. */
async function prepareService(dataDir) {
  const service = await startShortlink(dataDir, flags)
  const made = []
  for (let link = 0; link < hotLinks; link++) made.push(await service.shorten(`https://example.com/hot/${link}`))
  const headers = { authorization: `Bearer ${adminToken}` }
  const answer = await (await fetch(`${service.url}/v4/groups`, { headers })).json()
  await service.stop()
  return { ids: made.map(({ id }) => id), groupGuid: answer.groups[0].guid }
}

/** Writes one click per link with the click log, so that all dictionaries are as in production; then adds the rest. */
export async function fill(dataDir, clicks, home, say) {
  const file = join(dataDir, 'clicks.duckdb')
  const log = await openDuckdbClickLog(file)
  for (let from = 0; from < links; from += 10_000) {
    const batch = Array.from({ length: 10_000 }, (_, index) => seedClick(from + index, home))
    await log.append(batch, { journalId: 'seed', row: 1 + from / 10_000 })
  }
  await log.close()
  // The last chunk stays unsorted: in production some clicks always wait for compaction.
  for (let from = links; from < clicks; from += chunk) {
    const count = Math.min(chunk, clicks - from)
    await multiply(file, count, start + (from / clicks) * days * day, start + ((from + count) / clicks) * days * day)
    if (from + chunk < clicks) await compact(file)
    say(`${from + count} of ${clicks}`)
  }
}

async function compact(file) {
  const log = await openDuckdbClickLog(file)
  while (await log.compact(Date.now()));
  await log.close()
}

function seedClick(number, { ids, groupGuid }) {
  const address = ids[number] ?? `${domain}/${number.toString(36).padStart(7, '0')}`
  // A few groups have most of the links; the service's own is the first and largest.
  const group = Math.floor(groups * ((number * 0.618034) % 1) ** 2)
  const site = number % 500
  const place = number % 5_000
  return {
    at: start,
    address,
    linkId: address,
    groupGuid: group === 0 || number < ids.length ? groupGuid : `Bgroup${group}`,
    destination: `https://www.example.com/shop/products/${number}?utm_source=newsletter`,
    kind: number % 20 === 0 ? 'scan' : 'click',
    trafficClass: number % 10 === 0 ? 'bot' : 'human',
    place: { country: `C${place % 60}`, region: `Region ${place % 700}`, subregion: '', city: `City ${place}` },
    agent: { device: 'Desktop', os: `System ${number % 12}`, browser: `Browser ${number % 50}`, aiAgent: '' },
    referrer: {
      referrer: site === 0 ? 'direct' : `https://site${site}.example/page/${number % 20_000}`,
      referrerDomain: site === 0 ? 'direct' : `site${site}.example`,
      referrerName: site === 0 ? 'direct' : `Site ${site}`,
      referrerNetwork: site === 0 ? 'direct' : 'other',
      site: '',
    },
    visitorHash: BigInt(number),
  }
}

/** More clicks in time order, with some links and places far more frequent than others. */
async function multiply(file, count, from, to) {
  const instance = await DuckDBInstance.create(file, { memory_limit: '1GB', threads: '2' })
  const connection = await instance.connect()
  const most = Object.fromEntries(
    (
      await connection.runAndReadAll(
        `SELECT 'places', max(id) FROM places UNION ALL SELECT 'agents', max(id) FROM agents
         UNION ALL SELECT 'referrers', max(id) FROM referrers`,
      )
    ).getRows(),
  )
  const skewed = (salt, limit) => `1 + floor(${limit} * pow((hash(i + ${salt}) % 1000003) / 1000003.0, 2))::INTEGER`
  await connection.run(
    `
    INSERT INTO recent_clicks
    SELECT ${Math.floor(from)} + floor(i::DOUBLE * ${(to - from) / count})::BIGINT, address, group_key, address,
      (hash(i + 2) % 20 = 0)::UTINYINT, (hash(i + 3) % 10 = 0)::UTINYINT, place, agent, referrer,
      hash((i + ${Math.floor(from)}) // 2)
    FROM (SELECT i, ${skewed(1, links - 1)} AS wanted, ${skewed(4, most.places)} AS place,
        ${skewed(5, most.agents)} AS agent, ${skewed(6, most.referrers)} AS referrer
      FROM (SELECT range + ${Math.floor(from)} AS i FROM range(${count})))
      JOIN (SELECT id AS address, group_key FROM addresses) ON address = wanted
    ORDER BY i`.replace('floor(i::DOUBLE', `floor((i - ${Math.floor(from)})::DOUBLE`),
  )
  connection.closeSync()
  instance.closeSync()
}

const facets = ['country', 'city', 'device', 'browser', 'referrer', 'referrerDomain', 'referrerNetwork', 'destination']
const allKinds = { kinds: ['click', 'scan', 'button'], trafficClasses: ['human'], size: 50, measure: 'events' }
const rounds = amount(12, 1)

/** Every facet, the series and the total, of random links and groups; in milliseconds, including messages. */
async function reports(dataDir, home) {
  const thread = await startClickThread({ dataDir, trustProxy: 0, geography: [] }, pino({ level: 'silent' }))
  const splits = [
    { by: [], bucket: undefined },
    { by: ['time'], bucket: { unit: 'day', zone: 'Europe/Berlin' }, size: undefined },
    ...facets.map((facet) => ({ by: [facet], bucket: undefined })),
  ]
  const times = async (scopeOf, from) => {
    const took = []
    for (let round = 0; round < rounds; round++) {
      for (const split of splits) {
        const query = { ...allKinds, scope: scopeOf(), from, to: end, ...split }
        const began = performance.now()
        await thread.metrics.count(query)
        took.push(performance.now() - began)
      }
    }
    return took
  }
  const anyLink = () => ({ addresses: [seedClick(Math.floor(Math.random() * links), home).address] })
  const anyGroup = () => ({ groupGuid: `Bgroup${1 + Math.floor(Math.random() * (groups - 1))}` })
  const biggest = () => ({ groupGuid: home.groupGuid })
  const month = end - 30 * day
  await times(anyGroup, month) // fills the caches of file system and engine
  const groupMonth = await times(anyGroup, month)
  const figures = {
    link: p95(await times(anyLink, undefined)),
    groupMonth: p95(groupMonth),
    month: [...groupMonth, ...(await times(anyLink, month))],
    bigGroupMonth: p95(await times(biggest, month)),
    groupAll: p95(await times(anyGroup, undefined)),
    bigGroupAll: p95(await times(biggest, undefined)),
  }
  await thread.close()
  return figures
}

/** Redirects alone, and while two clients request reports and compaction sorts millions of clicks; in turns. */
async function disturbance(dataDir, { ids }, say) {
  const file = join(dataDir, 'clicks.duckdb')
  const [ratios, delays, quiet, busy] = [[], [], [], []]
  for (let round = 1; round <= amount(5, 1); round++) {
    await compact(file)
    const alone = await redirects(dataDir, ids, 0)
    await multiply(file, 4 * chunk, end - day, end)
    const before = await waitingForSorting(file)
    const disturbed = await redirects(dataDir, ids, 2)
    const after = await waitingForSorting(file)
    say(
      `round ${round}: alone ${Math.round(alone.perSecond)}/s (p99 ${alone.p99.toFixed(1)} ms), disturbed ${Math.round(disturbed.perSecond)}/s ` +
        `(p99 ${disturbed.p99.toFixed(1)} ms) by ${disturbed.asked} reports and the sorting of ${before - after} clicks, ${after} still waiting`,
    )
    ratios.push(disturbed.perSecond / alone.perSecond)
    delays.push(disturbed.p99 / alone.p99)
    quiet.push(alone.perSecond)
    busy.push(disturbed.perSecond)
  }
  return [
    { what: 'redirects alone', figure: median(quiet), unit: 'redirects/s' },
    {
      what: 'redirects while reports and sorting run',
      figure: median(busy),
      unit: 'redirects/s',
      ratio: median(ratios),
      goal: '>= 0.8',
      met: median(ratios) >= 0.8,
    },
    {
      what: 'their p99 against undisturbed',
      figure: median(delays),
      unit: 'times',
      goal: '<= 3',
      met: median(delays) <= 3,
    },
  ]
}

async function redirects(dataDir, ids, clients) {
  const service = await startShortlink(dataDir, flags)
  const path = `/${ids[0].split('/')[1]}`
  await load({ url: service.url + path, seconds: amount(3, 1) }) // warms up the compiler, and lets compaction start
  let running = true
  let asked = 0
  const headers = { authorization: `Bearer ${adminToken}` }
  const asking = Array.from({ length: clients }, async (_, client) => {
    for (let number = client; running; number++) {
      const id = ids[number % ids.length]
      const answer = await fetch(`${service.url}/v4/shortlinks/${id}/clicks?unit=day&units=${number % 2 ? 30 : -1}`, {
        headers,
      })
      if (!answer.ok) throw new Error(`the report answered ${answer.status}: ${await answer.text()}`)
      await answer.text()
      asked++
    }
  })
  const took = []
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const probing = (async () => {
    while (running) took.push(await visit(service.url + path, agent))
  })()
  const { perSecond } = await load({ url: service.url + path, seconds: amount(5, 1) })
  running = false
  await Promise.all([...asking, probing])
  agent.destroy()
  await service.stop()
  return { perSecond, asked, p99: percentile(took, 0.99) }
}

/** Latency of one redirect in milliseconds, every ten milliseconds. */
async function visit(url, agent) {
  const began = performance.now()
  await new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      response.resume()
      response.on('end', resolve)
    }).on('error', reject)
  })
  const took = performance.now() - began
  await new Promise((resolve) => setTimeout(resolve, 10))
  return took
}

async function waitingForSorting(file) {
  const instance = await DuckDBInstance.create(file)
  const connection = await instance.connect()
  const rows = (await connection.runAndReadAll('SELECT count(*) FROM recent_clicks')).getRows()
  connection.closeSync()
  instance.closeSync()
  return Number(rows[0][0])
}

function below(what, figure, goal) {
  return { what, figure, unit: 'ms', goal: `< ${goal} ms`, met: figure < goal }
}

function p95(times) {
  return percentile(times, 0.95)
}

function percentile(times, share) {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length * share)]
}
