// Backup of 20,000,000 clicks of 200,000 links while visitors are redirected: the whole command, and what it costs the
// redirects; a second backup, which finds most months unchanged; and the restore. The baseline of the redirects is the
// same service before and after.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { amount } from '../brief.mjs'
import { browser, load, loadDuring } from '../load.mjs'
import { median } from '../rounds.mjs'
import { ownBuild, startShortlink } from '../servers.mjs'
import { importFile, lines, prepareImport, timedCommand } from './import.mjs'
import { fill } from './metrics.mjs'

const clicks = amount(20_000_000, 40_000)
const goal = 60
const share = 0.8
const rounds = amount(3, 1)
const flags = ['--domains', 'sho.rt']

export async function open({ directory, build, say }) {
  const { home, file } = await prepareImport({ directory, build, say })
  await importFile({ file, dataDir: home, build })
  const target = join(directory, 'backup')
  const backUpOnce = async () => {
    rmSync(target, { recursive: true, force: true })
    const command = ['backup', target, '--data-dir', home, '--json']
    const { counts, seconds, processorSeconds } = await timedCommand(build, command)
    if (counts.clicks !== lines) throw new Error(`${counts.clicks} of ${lines} clicks are in the backup`)
    return { perSecond: lines / seconds, whole: (processorSeconds * 1e6) / lines }
  }
  return { tasks: { [`backup of ${lines} clicks`]: backUpOnce }, async stop() {} }
}

export async function run({ directory, say }) {
  const dataDir = join(directory, 'data')
  const backups = join(directory, 'backups')
  mkdirSync(backups, { recursive: true })
  const first = await startShortlink(dataDir, flags)
  const { id } = await first.shorten('https://example.com/backed-up')
  await first.stop()
  await fill(dataDir, clicks, { ids: [id], groupGuid: 'Bmain' }, say)
  const service = await startShortlink(dataDir, flags)
  const redirects = { url: `${service.url}/${id.split('/')[1]}`, headers: { ...browser, Host: 'sho.rt' } }
  try {
    const quiet = await backUp(dataDir, join(backups, 'quiet'), say)
    const again = await backUp(dataDir, join(backups, 'again'), say)
    const ratios = []
    for (let round = 1; round <= rounds; round++) {
      const before = await load({ ...redirects, seconds: amount(5, 1) })
      rmSync(join(backups, 'quiet'), { recursive: true, force: true })
      rmSync(join(backups, 'again'), { recursive: true, force: true })
      rmSync(join(backups, `loaded-${round - 1}`), { recursive: true, force: true })
      const backingUp = () => backUp(dataDir, join(backups, `loaded-${round}`), say)
      const { perSecond: during, seconds } = await loadDuring(redirects, backingUp)
      const after = await load({ ...redirects, seconds: amount(5, 1) })
      // A backup waits until the clicks before it are counted: not also for those of the round before.
      await service.drained()
      const undisturbed = (before.perSecond + after.perSecond) / 2
      ratios.push(during / undisturbed)
      say(
        `round ${round}: ${Math.round(during)}/s of ${Math.round(undisturbed)}/s, the backup took ${seconds.toFixed(1)} s`,
      )
    }
    const last = join(backups, `loaded-${rounds}`)
    const restored = await restore(last, join(directory, 'restored'), say)
    const ratio = median(ratios.toSorted((one, other) => one - other))
    return [
      ...[
        {
          what: `backup of ${clicks / 1e6} M clicks`,
          figure: quiet.seconds,
          unit: 's',
          goal: `< ${goal} s`,
          met: quiet.seconds < goal,
        },
        { what: 'its size', figure: quiet.bytes / clicks, unit: 'bytes/click' },
        { what: 'the next backup', figure: again.seconds, unit: 's', ratio: again.seconds / quiet.seconds },
      ],
      {
        what: 'redirects while a backup is made',
        figure: ratio,
        unit: 'of undisturbed',
        ratio,
        goal: `>= ${share}`,
        met: ratio >= share,
      },
      { what: 'restore', figure: restored, unit: 's' },
    ]
  } finally {
    await service.stop()
  }
}

async function backUp(dataDir, target, say) {
  const began = performance.now()
  const { counts } = JSON.parse(await command(['backup', target, '--data-dir', dataDir, '--json']))
  const seconds = (performance.now() - began) / 1000
  if (counts.clicks < clicks) throw new Error(`${counts.clicks} of ${clicks} clicks are in the backup`)
  say(`backup in ${seconds.toFixed(1)} s`)
  return { seconds, bytes: sizeOf(join(target, 'clicks')) }
}

async function restore(backup, dataDir, say) {
  const began = performance.now()
  await command(['restore', backup, '--data-dir', dataDir])
  const seconds = (performance.now() - began) / 1000
  say(`restored in ${seconds.toFixed(1)} s`)
  return seconds
}

async function command(args) {
  const child = spawn(process.execPath, [join(ownBuild, 'dist/main.js'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  if (code !== 0) throw new Error(`${args[0]} failed: ${err}`)
  return out
}

function sizeOf(folder) {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
}
