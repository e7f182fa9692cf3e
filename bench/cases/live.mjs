// Live updates: the processor time of a service with 500 live readers of a group that gets 100 clicks a second, beside
// the same clicks without readers; the memory of a reader; and whether each reader was told of every click.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { amount } from '../brief.mjs'
import { adminToken, startShortlink, usedSince } from '../servers.mjs'

const readers = amount(500, 5)
const rate = 100
const seconds = amount(10, 1)
const clicks = rate * seconds

/** The processor time of a click that all readers are told of, for each of them. */
export async function open({ directory, build }) {
  const service = await startShortlink(directory, [], build)
  const { link } = await service.shorten('https://example.com/landing?page=1')
  const live = await startReaders(`${service.url}/v4/groups/${await groupOf(service)}/events`)
  await live.report(readers)
  const tell = async () => {
    const before = service.processorTime()
    await visit(service.url + new URL(link).pathname)
    await told(live)
    return usedSince(before, service, clicks * readers)
  }
  const stop = async () => {
    live.stop()
    await service.stop()
  }
  return { tasks: { [`an event for one of ${readers} readers`]: tell }, stop }
}

export async function run({ directory, say }) {
  const service = await startShortlink(directory)
  const { link } = await service.shorten('https://example.com/landing?page=1')
  const visited = service.url + new URL(link).pathname
  const group = await groupOf(service)

  await visit(visited) // warms the compiler up
  say(`${rate} clicks/s without readers`)
  const alone = await shareOf(service, () => visit(visited))

  say(`${rate} clicks/s with ${readers} readers`)
  const live = await startReaders(`${service.url}/v4/groups/${group}/events`)
  // The first reader starts the stream and its threads, which others share.
  await live.report(1)
  const before = await memoryOf(service)
  await live.report(readers - 1)
  const after = await memoryOf(service)
  await visit(visited)
  await told(live)
  const watched = await shareOf(service, () => visit(visited))
  const { fewest, most } = await told(live)
  live.stop()
  await service.stop()

  const share = watched.process
  return [
    { what: `processor at ${rate} clicks/s without readers`, figure: alone.process, unit: '% of a core' },
    {
      what: `processor with ${readers} live readers`,
      figure: share,
      unit: '% of a core',
      goal: '< 30 %',
      met: share < 30,
    },
    { what: 'of that, the thread that answers redirects', figure: watched.mainThread, unit: '% of a core' },
    {
      what: 'memory of a live reader',
      figure: (after - before) / (readers - 1) / 1024,
      unit: 'KiB',
      goal: '< 20 KiB',
      met: (after - before) / (readers - 1) < 20 * 1024,
    },
    {
      what: 'clicks told to each reader',
      figure: fewest,
      unit: 'clicks',
      goal: `all of ${clicks}`,
      met: fewest === clicks && most === clicks,
    },
  ]
}

async function groupOf({ url }) {
  const headers = { authorization: `Bearer ${adminToken}` }
  return (await (await fetch(`${url}/v4/user`, { headers })).json()).default_group_guid
}

async function visit(url) {
  await once(spawn(process.execPath, ['bench/stream-visitors.mjs', url, rate, seconds].map(String)), 'exit')
}

/** Processor time while something is done, in percent of one core. */
async function shareOf(service, work) {
  const [before, began] = [service.processorTime(), performance.now()]
  await work()
  const [after, took] = [service.processorTime(), (performance.now() - began) / 1000]
  const share = (name) => ((after[name] - before[name]) / took) * 100
  return { process: share('process'), mainThread: share('mainThread') }
}

async function memoryOf(service) {
  return (await service.figures())('process_resident_memory_bytes')
}

/** Waits until what is on the way has arrived. */
async function told(live) {
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  return live.report(0)
}

async function startReaders(url) {
  const child = spawn(process.execPath, ['bench/live-readers.mjs', url, adminToken], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  process.on('exit', () => child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    /** Opens more readers, and returns what all of them were told since the last report. */
    async report(more) {
      child.stdin.write(`${more}\n`)
      return JSON.parse((await lines.next()).value)
    },
    stop: () => child.stdin.end(),
  }
}
