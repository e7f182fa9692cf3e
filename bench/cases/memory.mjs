// Memory of a service under mixed load at a fixed rate: redirects of many links, new links, lists, reports, CSV, pictures of
// QR codes, live readers. MINUTES=30 npm run bench -- memory; prints the memory of each minute, and what it consists of.
import { Agent, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { amount } from '../brief.mjs'
import { adminToken, startShortlink } from '../servers.mjs'

const minutes = amount(Number(process.env.MINUTES ?? 5), 0.05)
const links = amount(5000, 100)
/** Requests a second of each kind. */
const rates = { redirect: 400, shorten: 20, list: 4, report: 4, csv: 1, picture: 2 }
const readers = 20

export async function run({ directory, say }) {
  const service = await startShortlink(directory)
  say(`${links} links first`)
  const ids = await service.shortenMany(links)
  const client = clientOf(service.url)
  const group = JSON.parse(await client.get('/v4/user')).default_group_guid
  for (let reader = 0; reader < readers; reader++) client.listen(`/v4/groups/${group}/events`)
  const requests = requestsTo(client, group, ids)
  const until = Date.now() + minutes * 60_000
  const load = Object.entries(rates).map(([kind, rate]) => repeat(requests[kind], rate, until))
  const measured = []
  while (Date.now() < until) {
    await sleep(Math.min(60_000, until - Date.now()))
    measured.push(await memoryOf(service))
    say(
      `minute ${measured.length}: ${Object.entries(measured.at(-1))
        .map(([name, mib]) => `${name} ${mib} MiB`)
        .join(', ')}`,
    )
  }
  const answered = await Promise.all(load)
  client.close()
  await service.drained()
  await sleep(amount(60_000, 1000))
  const rest = await memoryOf(service)
  await service.stop()
  const growth = quarterMean(measured, 3) - quarterMean(measured, 2)
  return [
    {
      what: `requests answered in ${minutes} minute(s)`,
      figure: answered.reduce((sum, count) => sum + count, 0),
      unit: '',
    },
    { what: 'most memory', figure: Math.max(...measured.map(({ resident }) => resident)), unit: 'MiB' },
    { what: 'growth, third to last quarter', figure: growth, unit: 'MiB', goal: '< 32 MiB', met: growth < 32 },
    { what: 'a minute after the load', figure: rest.resident, unit: 'MiB' },
  ]
}

/** Of the resident memory in a quarter, counted from 0: a single minute depends on when garbage was collected. */
function quarterMean(measured, quarter) {
  const [from, to] = [quarter, quarter + 1].map((each) => Math.floor((measured.length * each) / 4))
  const minutes = measured.slice(from, Math.max(to, from + 1))
  return Math.round(minutes.reduce((sum, { resident }) => sum + resident, 0) / minutes.length)
}

function requestsTo(client, group, ids) {
  let count = 0
  const any = () => ids[Math.floor(Math.random() * ids.length)]
  const reports = [
    'countries',
    'cities',
    'devices',
    'referrers',
    'clicks?unit=hour&units=24',
    'clicks?unit=day&units=30',
  ]
  return {
    redirect: () => client.get(`/${any().split('/')[1]}`),
    shorten: () => client.post('/v4/shorten', { long_url: `https://example.com/memory/${count++}` }),
    list: () => client.get(`/v4/groups/${group}/shortlinks?size=50&query=${count % 100}`),
    report: () => client.get(`/v4/shortlinks/${any()}/${reports[count++ % reports.length]}`),
    csv: () => client.get(`/v4/groups/${group}/countries?unit=day&units=30`, { accept: 'text/csv' }),
    picture: () => client.post('/v4/qr-codes/static', { group_guid: group, content: `memory ${count++}` }),
  }
}

/** At a fixed rate, as visitors come: a slow answer does not slow the next request down. Returns the number of answers. */
async function repeat(ask, rate, until) {
  let answered = 0
  const open = new Set()
  for (let next = Date.now(); Date.now() < until; next += 1000 / rate) {
    await sleep(Math.max(0, next - Date.now()))
    if (open.size > 200) continue
    const asked = ask().then(() => answered++)
    open.add(asked)
    void asked.finally(() => open.delete(asked))
  }
  await Promise.all(open)
  return answered
}

async function memoryOf(service) {
  const figure = await service.figures()
  const mebibytes = (name) => Math.round(figure(name) / 2 ** 20)
  return {
    resident: mebibytes('process_resident_memory_bytes '),
    heap: mebibytes('nodejs_heap_size_used_bytes '),
    external: mebibytes('nodejs_external_memory_bytes '),
  }
}

function clientOf(url) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const own = { authorization: `Bearer ${adminToken}` }
  const listening = new Set()
  const sendBy = async (connections, [method, path, headers, body]) => {
    const asked = request(url + path, { agent: connections, method, headers: { ...own, ...headers } })
    asked.end(body)
    const response = await new Promise((resolve, reject) => asked.once('response', resolve).once('error', reject))
    const bytes = await buffer(response)
    if (response.statusCode >= 400) throw new Error(`${method} ${path} was answered ${response.statusCode}: ${bytes}`)
    return bytes.toString()
  }
  // The agent closes idle connections a second before the service would. On a busy machine it may be too late for that, and
  // a new connection is none of them.
  const send = (...request) =>
    sendBy(agent, request).catch((error) => {
      if (error.code !== 'ECONNRESET') throw error
      return sendBy(false, request)
    })
  return {
    get: (path, headers = {}) => send('GET', path, headers),
    post: (path, body) => send('POST', path, { 'content-type': 'application/json' }, JSON.stringify(body)),
    listen(path) {
      const asked = request(url + path, { agent: false, headers: own }, (response) => response.resume())
      asked.on('error', () => {})
      asked.end()
      listening.add(asked)
    },
    close() {
      for (const asked of listening) asked.destroy()
      agent.destroy()
    },
  }
}
