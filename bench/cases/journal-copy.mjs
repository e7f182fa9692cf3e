// What a copy of the journal costs (--journal-copy), with either durability: processor time of a redirect, and throughput. The
// copy is on the same disk. Afterwards the copy must have every row, and every redirect must be in the click log.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { amount } from '../brief.mjs'
import { load } from '../load.mjs'
import { rounds } from '../rounds.mjs'
import { startShortlink } from '../servers.mjs'

const connections = 256

export async function run({ directory, say }) {
  const seconds = amount(3, 1)
  const services = []
  for (const durability of ['normal', 'full']) {
    for (const copied of [false, true]) services.push(await open(directory, durability, copied))
  }
  for (const service of services) await turn(service, seconds)
  const turns = Object.fromEntries(services.map((service) => [service.name, () => turn(service, seconds)]))
  const measured = await rounds(amount(5, 1), turns, say)
  const rows = services.flatMap((service) => rowsOf(service, measured))
  for (const service of services) {
    rows.push(await recount(service))
    await service.stop()
  }
  return rows
}

async function open(directory, durability, copied) {
  const name = `${durability}${copied ? ', copied' : ''}`
  const copy = join(directory, `copy-${durability}`)
  mkdirSync(copy, { recursive: true })
  const flags = ['--durability', durability, ...(copied ? ['--journal-copy', copy] : [])]
  const service = await startShortlink(join(directory, `data-${name}`), flags)
  const { link } = await service.shorten('https://example.com/landing?page=1')
  const alone = copied ? durability : undefined
  return { ...service, name, alone, url: service.url + new URL(link).pathname, answered: 0 }
}

/** One after the other: each has the machine alone, and counts its clicks before the next one begins. */
async function turn(service, seconds) {
  const before = service.processorTime()
  const result = await load({ url: service.url, seconds, connections })
  const loaded = service.processorTime()
  await service.drained()
  const after = service.processorTime()
  service.answered += result.answered
  const each = (time) => (time * 1e6) / result.answered
  const http = each(loaded.mainThread - before.mainThread)
  return { ...result, http, whole: each(after.process - before.process) }
}

function rowsOf({ name, alone }, measured) {
  const row = (what, key, unit) => ({
    what: `${name}: ${what}`,
    ...measured.of(name, key),
    unit,
    ...(alone !== undefined && { ratio: measured.ratio(name, alone, key).figure }),
  })
  return [
    row(`${connections} connections`, 'perSecond', 'redirects/s'),
    row('processor time of the HTTP thread', 'http', 'us each'),
    row('processor time of all threads, counting included', 'whole', 'us each'),
    row('p99', 'p99', 'ms'),
  ]
}

async function recount(service) {
  const figures = await service.figures()
  const redirects = figures('shortlink_redirect_requests_total{outcome="redirects"}')
  const delivered = figures('shortlink_pipeline_clicks_total{nature="human"}')
  const { journal, troubles } = await (await service.request('GET', '/readyz')).json()
  const isCopied = service.alone === undefined || journal.copyBehindRows === 0
  return {
    what: `${service.name}: redirects answered, counted and copied`,
    figure: delivered,
    unit: 'clicks',
    goal: `all of ${redirects}`,
    met: redirects === delivered && delivered >= service.answered && isCopied && troubles.length === 0,
  }
}
