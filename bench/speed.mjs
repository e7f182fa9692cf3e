// npm run speed: fails when this build takes 15 % more processor time than the commit in `speed-baseline`, for
// redirects, their clicks or new links. Both builds are measured in turns, and only processor time counts, so other work on
// the machine does not matter much; a loss must show in the median and in the best rounds, and again in a second measurement.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readArguments } from '../scripts/arguments.mjs'
import { leave } from '../test/support/figures.mjs'
import { buildOf } from './builds.mjs'
import { compare, comparisonTable } from './compare.mjs'
import { ownBuild } from './servers.mjs'

const cases = ['redirect', 'shorten', 'bulk']
const mostLoss = 1.15
const plan = { count: 9, seconds: 1 }

readArguments('npm run speed')
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))
const directory = mkdtempSync(join(tmpdir(), 'shortlink-speed-'))
process.on('exit', () => rmSync(directory, { recursive: true, force: true }))

const baseline = readFileSync(new URL('speed-baseline', import.meta.url), 'utf8').trim()
if (isKnown(baseline)) await measureAll()
else leave({ skipped: 1, skips: { [`bench/speed.mjs: this clone does not have the commit ${baseline}`]: 1 } })

async function measureAll() {
  const other = buildOf(baseline, join(directory, 'build'))
  const failures = []
  let passed = 0
  for (const name of cases) {
    let rows = await measure(name, other, 'first')
    if (rows.some(isLoss)) rows = await measure(name, other, 'again')
    console.log(comparisonTable(rows))
    failures.push(...rows.filter(isLoss).map(({ what }) => `bench/speed.mjs > ${what} takes over 15 % more`))
    passed += rows.filter((row) => !isLoss(row)).length
  }
  leave({ passed, failed: failures.length, failures })
  if (failures.length > 0) process.exitCode = 1
}

/** Rows of processor time. */
async function measure(name, other, turn) {
  const { open } = await import(`./cases/${name}.mjs`)
  const say = (text) => console.error(`[${name}] ${text}`)
  const rows = await compare(name, open, other, { ...plan, directory: join(directory, name, turn), say })
  return rows.filter(({ unit }) => unit === 'us each')
}

function isLoss({ ratio, these, others }) {
  return ratio.figure > mostLoss && these.spread[0] / others.spread[0] > mostLoss
}

function isKnown(commit) {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ownBuild, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
