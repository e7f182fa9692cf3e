// How fast clicks are imported: the whole command, on a file of a million lines for 20,000 links. Visitors, user
// agents and pages vary as in a busy half-year, so that caches do not do all the work.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, createWriteStream, rmSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { amount } from '../brief.mjs'
import { rounds } from '../rounds.mjs'
import { ownBuild, startShortlink } from '../servers.mjs'

export const lines = amount(1_000_000, 5000)
const links = amount(20_000, 500)
const domain = 'sho.rt'
const task = `import of ${lines} clicks`

export async function open({ directory, build = ownBuild, say }) {
  const { home, file } = await prepareImport({ directory, build, say })
  const dataDir = join(directory, 'data')
  const importOnce = async () => {
    rmSync(dataDir, { recursive: true, force: true })
    cpSync(home, dataDir, { recursive: true })
    const { imported, seconds, processorSeconds } = await importFile({ file, dataDir, build })
    if (imported !== lines) throw new Error(`${imported} of ${lines} lines imported`)
    return { perSecond: lines / seconds, whole: (processorSeconds * 1e6) / lines, processorSeconds }
  }
  return {
    tasks: { [task]: importOnce },
    importAgain: () => importFile({ file, dataDir, build }),
    async stop() {},
  }
}

export async function run({ directory, say }) {
  const { tasks, importAgain } = await open({ directory, say })
  const measured = await rounds(amount(3, 1), { import: tasks[task] }, say)
  const { imported } = await importAgain()
  const perSecond = measured.of('import')
  return [
    { what: task, ...perSecond, unit: 'clicks/s', goal: '>= 100,000/s', met: perSecond.figure >= 100_000 },
    { what: 'processor time of that', ...measured.of('import', 'processorSeconds'), unit: 's' },
    { what: 'clicks counted by importing again', figure: imported, unit: '', goal: '0', met: imported === 0 },
  ]
}

/** A data directory with links and without clicks, and a file of clicks on them. */
export async function prepareImport({ directory, build, say }) {
  const home = join(directory, 'home')
  const service = await startShortlink(home, ['--domains', domain], build)
  const ids = await service.shortenMany(links)
  await service.stop()
  say(`${ids.length} links made`)
  const file = join(directory, 'clicks.ndjson')
  await writeClicks(file, ids)
  return { home, file, ids }
}

async function writeClicks(path, ids) {
  const random = randomNumbers()
  // Some values are far more frequent than others.
  const any = (count) => Math.floor(count * random() ** 2)
  const agents = userAgents()
  const visitors = Array.from({ length: 200_000 }, () => publicAddress(random))
  const first = Date.now() - 180 * 86_400_000
  const file = createWriteStream(path)
  let piece = ''
  for (let line = 0; line < lines; line++) {
    const luck = random()
    piece += `${JSON.stringify({
      link: ids[any(ids.length)],
      at: new Date(first + line * 15_000).toISOString(),
      ip: visitors[any(visitors.length)],
      user_agent: agents[any(agents.length)],
      ...(luck < 0.6 && { referrer: `https://site${any(500)}.example/page/${any(40)}` }),
      ...(luck < 0.05 && { kind: 'scan' }),
    })}\n`
    if (piece.length < 1 << 20) continue
    if (!file.write(piece)) await once(file, 'drain')
    piece = ''
  }
  file.end(piece)
  await once(file, 'finish')
}

/** The same sequence in every run. */
function randomNumbers() {
  let state = 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function publicAddress(random) {
  const part = (count) => Math.floor(random() * count)
  return `${11 + part(89)}.${part(256)}.${part(256)}.${part(256)}`
}

function userAgents() {
  const systems = ['Windows NT 10.0; Win64; x64', 'Macintosh; Intel Mac OS X 10_15_7', 'X11; Linux x86_64']
  const chromes = Array.from({ length: 120 }, (_, index) => {
    const system = systems[index % systems.length]
    return `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${100 + index / 3}.0 Safari/537.36`
  })
  const phones = Array.from({ length: 40 }, (_, index) => {
    const system = `iPhone; CPU iPhone OS ${12 + (index % 7)}_${index % 6} like Mac OS X`
    return `Mozilla/5.0 (${system}) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.${index} Mobile/15E148 Safari/604.1`
  })
  return [...chromes, ...phones, 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)']
}

export function importFile({ file, dataDir, build }) {
  return timedCommand(build, ['import', 'clicks', file, '--data-dir', dataDir, '--domains', domain, '--json'])
}

/** What a command of a build printed as JSON, with its time and processor time. */
export async function timedCommand(build, command) {
  const began = performance.now()
  const args = [process.execPath, join(build, 'dist/main.js'), ...command]
  const child = spawn('sh', ['-c', '"$0" "$@"; times', ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const output = await text(child.stdout)
  return {
    ...JSON.parse(output.split('\n', 1)[0]),
    seconds: (performance.now() - began) / 1000,
    processorSeconds: processorSeconds(output),
  }
}

/** Parses the shell's `times` for its children: minutes and seconds, user and system. */
function processorSeconds(output) {
  const children = output.trimEnd().split('\n').at(-1)
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + 60 * minutes + Number(seconds),
    0,
  )
}
