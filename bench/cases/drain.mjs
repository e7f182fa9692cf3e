// How fast a backlog is delivered: starts the service on a journal filled with clicks. IPs, user agents and referrers
// vary, so that every step of the pipeline has real work.
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { amount } from '../brief.mjs'
import { ownBuild, startShortlink } from '../servers.mjs'

const clicks = amount(400_000, 4000)
const task = 'pipeline drains a backlog'

export async function open({ directory, build = ownBuild, say }) {
  const { FileJournal } = await import(pathToFileURL(join(build, 'dist-modules/storage/journal/journal.js')).href)
  const full = join(directory, 'full')
  mkdirSync(full, { recursive: true })
  await fill(new FileJournal(join(full, 'journal'), { durability: 'normal' }))
  say(`a backlog of ${clicks} clicks`)
  const drainOnce = async () => {
    const dataDir = join(directory, 'data')
    rmSync(dataDir, { recursive: true, force: true })
    cpSync(full, dataDir, { recursive: true })
    // The clock starts when the service answers: opening the geography and the click log is not draining.
    const service = await startShortlink(dataDir, ['--trust-proxy', '1'], build)
    const before = (await service.figures())('shortlink_pipeline_clicks_total')
    const used = service.processorTime()
    const seconds = await service.drained()
    const usedAfter = service.processorTime()
    const after = (await service.figures())('shortlink_pipeline_clicks_total')
    await service.stop()
    return {
      perSecond: (after - before) / seconds,
      ...(used && { whole: ((usedAfter.process - used.process) * 1e6) / (after - before) }),
      delivered: after,
    }
  }
  return { tasks: { [task]: drainOnce }, async stop() {} }
}

export async function run({ directory, say }) {
  const { tasks } = await open({ directory, say })
  const { perSecond, delivered } = await tasks[task]()
  return [
    { what: task, figure: perSecond, unit: 'clicks/s', goal: '>= 25,000/s', met: perSecond >= 25_000 },
    {
      what: 'clicks delivered',
      figure: delivered,
      unit: 'clicks',
      goal: `all of ${clicks}`,
      met: delivered === clicks,
    },
  ]
}

async function fill(journal) {
  const agents = userAgents()
  for (let click = 0; click < clicks; click++) {
    const target = {
      address: `localhost:8080/link${click % 5000}`,
      linkId: `localhost:8080/link${click % 5000}`,
      groupGuid: `B${click % 50}`,
      longUrl: `https://example.com/${click % 5000}`,
    }
    const visit = {
      at: Date.now(),
      method: 'GET',
      kind: click % 20 === 0 ? 'scan' : 'click',
      site: '',
      visitor: randomAddress(),
      userAgent: agents[click % agents.length],
      referrer: click % 3 === 0 ? '' : `https://site${click % 700}.example.org/page/${click % 900}`,
      language: 'en-US,en;q=0.9',
      purpose: '',
    }
    journal.record(target, visit, () => {})
    if (click % 40 === 39) await nextTurn()
  }
  journal.close()
}

function randomAddress() {
  const byte = () => Math.floor(Math.random() * 256)
  return `${1 + Math.floor(Math.random() * 222)}.${byte()}.${byte()}.${byte()}`
}

function userAgents() {
  const systems = [
    'Windows NT 10.0; Win64; x64',
    'Macintosh; Intel Mac OS X 10_15_7',
    'X11; Linux x86_64',
    'Linux; Android 15; Pixel 9',
  ]
  const agents = []
  for (const system of systems) {
    for (let version = 100; version < 145; version++) {
      agents.push(
        `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Safari/537.36`,
      )
    }
  }
  for (let version = 10; version < 19; version++) {
    agents.push(
      `Mozilla/5.0 (iPhone; CPU iPhone OS ${version}_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/${version}.2 Mobile/15E148 Safari/604.1`,
    )
  }
  return agents
}
