// Redirects by 1 to 4 processes, with the load tool on the same cores: throughput, processor time of all processes
// together, how evenly they share connections, and the memory of each further process. Afterwards every redirect must be
// in the click log.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { amount, isBrief } from '../brief.mjs'
import { load } from '../load.mjs'
import { processorTime } from '../processor-time.mjs'
import { rounds } from '../rounds.mjs'
import { startShortlink } from '../servers.mjs'

const connections = 256

export async function run({ directory, say }) {
  const seconds = amount(5, 1)
  const services = []
  for (const processes of isBrief ? [1, 2] : [1, 2, 3, 4]) services.push(await open(directory, processes))
  const names = (of) => Object.fromEntries(services.map((service) => [nameOf(service), of(service)]))
  for (const service of services) await turn(service, seconds)
  const measured = await rounds(
    amount(5, 1),
    names((service) => () => turn(service, seconds)),
    say,
  )
  const rows = services.flatMap((service) => rowsOf(service, measured))
  for (const service of services) {
    rows.push(await recount(service))
    await service.stop()
  }
  return rows
}

async function open(directory, processes) {
  const service = await startShortlink(join(directory, `data-${processes}`), ['--processes', processes])
  for (;;) {
    const { status, troubles } = await (await service.request('GET', '/readyz')).json()
    if (status === 'ready') break
    if (!troubles.every((trouble) => trouble.startsWith('processes: '))) throw new Error(troubles.join(' '))
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const { link } = await service.shorten('https://example.com/landing?page=1')
  return { ...service, processes, url: service.url + new URL(link).pathname, answered: 0, turns: 0 }
}

/** One after the other: each has the machine alone, and counts its clicks before the next one begins. */
async function turn(service, seconds) {
  const before = service.all().map(timeOf)
  const result = await load({ url: service.url, seconds, connections })
  const loaded = service.all().map(timeOf)
  await service.drained()
  const after = service.all().map(timeOf)
  service.answered += result.answered
  service.turns++
  const http = loaded.map(({ mainThread }, index) => mainThread - before[index].mainThread)
  const used = after.reduce((sum, { process }, index) => sum + process - before[index].process, 0)
  const sum = http.reduce((one, other) => one + other, 0)
  const each = (time) => (time * 1e6) / result.answered
  return { ...result, http: each(sum), whole: each(used), largestShare: Math.max(...http) / sum }
}

function timeOf(pid) {
  return processorTime(pid) ?? { process: 0, mainThread: 0 }
}

function rowsOf(service, measured) {
  const name = nameOf(service)
  const isTwo = service.processes === 2
  const ratio = (key) => measured.ratio(name, nameOf({ processes: 1 }), key).figure
  const [, ...others] = service.all().map(memoryOf)
  const most = Math.max(0, ...others)
  return [
    {
      what: `${name}: ${connections} connections`,
      ...measured.of(name),
      unit: 'redirects/s',
      ratio: ratio('perSecond'),
      ...(isTwo && { goal: '>= 1.25 of one process', met: ratio('perSecond') >= 1.25 }),
    },
    {
      what: `${name}: processor time of all threads that answer`,
      ...measured.of(name, 'http'),
      unit: 'us each',
      ratio: ratio('http'),
      ...(isTwo && { goal: '<= 1.1 of one process', met: ratio('http') <= 1.1 }),
    },
    {
      what: `${name}: processor time of all threads, counting included`,
      ...measured.of(name, 'whole'),
      unit: 'us each',
      ratio: ratio('whole'),
    },
    { what: `${name}: p99`, ...measured.of(name, 'p99'), unit: 'ms', ratio: ratio('p99') },
    { what: `${name}: largest share of a process`, ...measured.of(name, 'largestShare'), unit: '' },
    ...(others.length === 0
      ? []
      : [
          { what: `${name}: memory of a further process`, figure: most, unit: 'MiB', goal: '< 90 MiB', met: most < 90 },
        ]),
  ]
}

async function recount(service) {
  const figures = await service.figures()
  const redirects = figures('shortlink_redirect_requests_total{outcome="redirects"}')
  const delivered = figures('shortlink_pipeline_clicks_total{nature="human"}')
  // The load tool disconnects with one request per connection in flight.
  const met =
    redirects === delivered &&
    delivered >= service.answered &&
    delivered <= service.answered + service.turns * connections
  return {
    what: `${nameOf(service)}: redirects answered and found in the click log`,
    figure: delivered,
    unit: 'clicks',
    goal: `all of ${redirects}`,
    met,
  }
}

function nameOf({ processes }) {
  return processes === 1 ? 'one process' : `${processes} processes`
}

/** MiB that the process adds to the machine: what it shares counts by its part. */
function memoryOf(pid) {
  if (process.platform !== 'linux') return 0
  const [, kilobytes] = /^Pss: +(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1')) ?? []
  return Number(kilobytes) / 1024
}
