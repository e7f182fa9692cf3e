// Runs the start, API and kill tests on other versions of Node: `npm run test:node-versions`, `-- 22` for one
// version. The npm package `node` provides the versions; one that cannot be installed is skipped with the reason.
import { spawnSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readArguments, refuse } from './arguments.mjs'

const versions = ['20', '22', '24']
const tests = [
  'test/project/first-start.test.ts',
  'test/durability/kill.test.ts',
  'test/durability/former-releases.test.ts',
  'test/scale/processes.test.ts',
  'test/api/shorten.test.ts',
  'test/api/clicks.test.ts',
]
/** libsql, DuckDB and Argon2 are native modules: each version must be able to load them. */
const loads = `import('libsql').then(({ default: Database }) => new Database(':memory:').exec('select 1'))
  .then(() => import('@duckdb/node-api')).then(({ DuckDBInstance }) => DuckDBInstance.create(':memory:'))
  .then(() => import('@node-rs/argon2')).then(({ hash }) => hash('a')).then(() => console.log('Node', process.version))`
const longest = 10 * 60_000

const usage = 'npm run test:node-versions [-- VERSION ...]'
const { positionals } = readArguments(usage, { options: {}, allowPositionals: true })
const wrong = positionals.find((version) => !/^\d+(\.\d+){0,2}$/.test(version))
if (wrong !== undefined) refuse(usage, `"${wrong}" is not a version of Node.`)

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const failed = (positionals.length > 0 ? positionals : versions).filter((version) => !works(version))
if (failed.length > 0) console.error(`Failed on Node ${failed.join(', ')}.`)
process.exit(failed.length > 0 ? 1 : 0)

function works(version) {
  console.log(`\nNode ${version}:`)
  const installed = npx(version)
  if ('failure' in installed) {
    console.log(`Node ${version} is skipped: ${installed.failure}`)
    count({ skipped: 1, skips: { [`Node ${version}: ${installed.failure}`]: 1 } })
    return true
  }
  const loaded = run(installed.program, ['-e', loads])
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const tested = loaded.status === 0 ? run(installed.program, [vitest, 'run', ...tests]) : undefined
  if (tested?.status === 0) return true
  // Tests that failed are counted by their own run.
  const reason = tested ? tested.error?.message : 'the native packages cannot be loaded'
  if (reason !== undefined) {
    console.error(reason)
    count({ failed: 1, failures: [`Node ${version}: ${reason}`] })
  }
  return false
}

/** Installs it once, in npm's cache. */
function npx(version) {
  const args = ['--yes', '--package', `node@${version}`, '--', 'node', '-p', 'process.execPath']
  const { status, stdout, stderr, error } = spawnSync('npx', args, {
    encoding: 'utf8',
    env: { ...process.env, npm_config_fetch_retries: '1' },
    timeout: longest,
    shell: process.platform === 'win32',
  })
  if (status === 0) return { program: stdout.trim() }
  const reason = error?.message ?? /^npm (?:ERR!|error) (?!code )(.+)$/m.exec(stderr)?.[1] ?? 'no reason given'
  return { failure: `the package node@${version} cannot be installed (${reason})` }
}

/** Also puts it first in PATH, so that commands started by tests use it. */
function run(program, args) {
  return spawnSync(program, args, {
    cwd: root,
    env: { ...process.env, PATH: `${dirname(program)}${delimiter}${process.env.PATH}`, ENGINES: 'sqlite,duckdb' },
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: longest,
  })
}

/** For the closing line of CI (test/support/figures.mjs). */
function count(figures) {
  if (process.env.TEST_FIGURES) appendFileSync(process.env.TEST_FIGURES, `${JSON.stringify(figures)}\n`)
}
