// What a start costs, with 2,000,000 links and 20,000,000 clicks: until it answers, and until its first report. Then what an
// empty service takes while nobody asks for anything.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { amount } from '../brief.mjs'
import { sqlite } from '../engines.mjs'
import { median, summary } from '../rounds.mjs'
import { startShortlink } from '../servers.mjs'
import { fill } from './metrics.mjs'

const name = 'links'
const links = amount(2_000_000, 4000)
const clicks = amount(20_000_000, 40_000)
const starts = amount(7, 1)
/** By then the first collections of garbage are over. */
const restAfter = amount(180, 1)
const restFor = amount(120, 1)

export async function run({ directory, say }) {
  say(`${links} links`)
  const engine = await sqlite(join(directory, 'full'))
  await engine.make(name)
  await engine.seed(name, links)
  const { dataDir, groupGuid } = await groupOf(await engine.serve(name))
  say(`${clicks} clicks`)
  await fill(dataDir, clicks, { ids: [], groupGuid }, say)
  const measured = []
  for (let round = 1; round <= starts; round++) {
    measured.push(await start(() => engine.serve(name), groupGuid))
    const { answering, first, second, http } = measured.at(-1)
    const times = [answering, first, http, second].map((time) => `${Math.round(time)} ms`)
    say(
      `start ${round} of ${starts}: answers after ${times[0]}, first report ${times[1]} (${times[2]} of the HTTP thread), again ${times[3]}`,
    )
  }
  const of = (name) => summary(measured.map((each) => each[name]))
  const rows = [
    below('start until it answers', of('answering'), 'ms', 1000),
    below('first report after a start', of('first'), 'ms', 150),
    { what: 'first report: processor time of the HTTP thread', ...of('http'), unit: 'ms' },
    { what: 'the same report again', ...of('second'), unit: 'ms' },
  ]
  return [...rows, ...(await rest(join(directory, 'empty'), say))]
}

async function groupOf(service) {
  const { groups } = await (await service.request('GET', '/v4/groups')).json()
  await service.stop()
  return { dataDir: service.dataDir, groupGuid: groups[0].guid }
}

async function start(serve, groupGuid) {
  const began = performance.now()
  const service = await serve()
  const answering = performance.now() - began
  const report = async () => {
    const asked = performance.now()
    const answer = await service.request('GET', `/v4/groups/${groupGuid}/countries?unit=day&units=30`)
    const { metrics } = await answer.json()
    if (metrics.length === 0) throw new Error('the report is empty')
    return performance.now() - asked
  }
  const before = service.processorTime().mainThread
  const first = await report()
  const http = (service.processorTime().mainThread - before) * 1000
  const second = median([await report(), await report(), await report()])
  await service.stop()
  return { answering, first, http, second }
}

async function rest(directory, say) {
  const service = await startShortlink(directory)
  say(`${restAfter + restFor} s of rest`)
  await sleep(restAfter * 1000)
  const before = service.processorTime().process
  await sleep(restFor * 1000)
  const share = (100 * (service.processorTime().process - before)) / restFor
  const memory = (await service.figures())('process_resident_memory_bytes ') / 2 ** 20
  await service.stop()
  return [
    below('at rest: memory', { figure: memory }, 'MiB', 110),
    below('at rest: processor', { figure: share }, '% of a core', 0.2),
  ]
}

function below(what, measured, unit, goal) {
  return { what, ...measured, unit, goal: `<= ${goal} ${unit}`, met: measured.figure <= goal }
}
