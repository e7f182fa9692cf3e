// npm run bench [-- case ...]: measures the built service beside baselines on this machine, in one run, in turns.
// npm run bench -- case ... --against <folder or commit>: measures two builds of shortlink in turns.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { readArguments, refuse } from '../scripts/arguments.mjs'
import { isBrief } from './brief.mjs'
import { buildOf } from './builds.mjs'
import { cases, comparable, long } from './cases.mjs'
import { compare, comparisonTable } from './compare.mjs'
import { drawProfiles } from './flame-graph.mjs'
import { tool } from './load.mjs'
import { profileTo } from './servers.mjs'
import { format, formatSpread, table } from './table.mjs'

const usage = `npm run bench [-- all | CASE ...] [--brief | --profile | --against FOLDER|COMMIT [--rounds NUMBER] [--seconds NUMBER]]
Cases: ${cases.join(', ')}; without any, all of these. Only when named, or with all: ${long.join(', ')}. Those that can compare two builds: ${comparable.join(', ')}.
--brief only shows that the cases work, with little data and short rounds: no figure is judged or kept.
--profile draws where the time goes, a flame graph of each thread, in bench/profiles/. The figures are worse with it.`
const { values: options, positionals: wanted } = readArguments(usage, {
  options: {
    against: { type: 'string' },
    rounds: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '1' },
    profile: { type: 'boolean', default: false },
    brief: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
const known = options.against ? comparable : cases
const named = options.against ? comparable : ['all', ...cases, ...long]
const unknown = wanted.filter((name) => !named.includes(name))
if (unknown.length > 0) {
  const which = options.against ? 'case that compares builds' : 'bench case'
  refuse(usage, `There is no ${which} called "${unknown.join('", "')}".`)
}
for (const name of ['profile', 'brief']) {
  if (options[name] && options.against) refuse(usage, `--${name} is for one build.`)
}
for (const name of ['rounds', 'seconds']) {
  if (!/^[1-9]\d{0,3}$/.test(options[name])) refuse(usage, `--${name} must be a whole number from 1 to 9999.`)
}

const machine = `${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, ${tool}`
console.log(`Machine: ${machine}`)
if (loadavg()[0] > 0.5)
  console.log('It is busy with other work: trust the processor time per request, not throughput and p99.')
console.log('')
// The servers end with this process, however it ends.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))
const directory = mkdtempSync(join(tmpdir(), 'shortlink-bench-'))
process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
const chosen = wanted.includes('all') ? [...cases, ...long] : wanted.length > 0 ? wanted : known
if (options.against) await compareBuilds(chosen)
else await measureCases(chosen)

async function measureCases(names) {
  const rows = []
  for (const name of names) {
    const { run } = await caseOf(name)
    const profiles = join(directory, `${name}-profiles`)
    if (options.profile) profileTo(profiles)
    const measured = await run({ directory: join(directory, name), say: sayFor(name) })
    if (options.profile) for (const file of drawProfiles(profiles, name)) sayFor(name)(file)
    rows.push(...measured.map((row) => ({ case: name, ...row })))
  }
  console.log(goalTable(rows))
  if (!isBrief) write(new Date().toISOString().slice(0, 10), rows)
}

async function compareBuilds(names) {
  const other = buildOf(options.against, join(directory, 'build'))
  const rows = []
  for (const name of names) {
    const { open } = await caseOf(name)
    const plan = {
      directory: join(directory, name),
      count: Number(options.rounds),
      seconds: Number(options.seconds),
      say: sayFor(name),
    }
    rows.push(...(await compare(name, open, other, plan)))
  }
  console.log(`"this build" is this folder, "other build" is ${options.against}; the ratio is this / other.`)
  console.log(comparisonTable(rows))
}

/** Loaded on demand: some cases use parts that other builds do not have. */
function caseOf(name) {
  return import(`./cases/${name}.mjs`)
}

function sayFor(name) {
  return (text) => console.error(`[${name}] ${text}`)
}

/** Beside what other cases measured earlier that day on this machine. */
function write(date, rows) {
  const results = new URL('./results/', import.meta.url)
  mkdirSync(results, { recursive: true })
  const file = new URL(`${date}.json`, results)
  const earlier = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { rows: [] }
  const kept =
    earlier.machine === machine ? earlier.rows.filter((row) => !rows.some((now) => now.case === row.case)) : []
  writeFileSync(file, `${JSON.stringify({ date, machine, rows: [...kept, ...rows] }, undefined, 2)}\n`)
}

/** Row: { what, figure, unit, spread?, ratio?, goal?, met? }; a goal is text with the expected figure or ratio. */
function goalTable(rows) {
  return table([
    ['case', 'what', 'median', 'spread', 'ratio', 'goal', 'met'],
    ...rows.map((row) => [
      row.case,
      row.what,
      `${format(row.figure)} ${row.unit}`,
      formatSpread(row.spread),
      row.ratio === undefined ? '' : row.ratio.toFixed(2),
      row.goal ?? '',
      row.met === undefined || isBrief ? '' : row.met ? 'yes' : 'NO',
    ]),
  ])
}
