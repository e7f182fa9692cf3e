// Runs the tests of start, API and sudden ends on other versions of Node: `npm run test:node-versions`, `-- 22` for one,
// `-- --in-turn` for another than the one in use, by the day, as CI does. The npm package `node` carries the programs.
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const versions = ['20', '22', '24']
const tests = [
  'test/project/first-start.test.ts',
  'test/project/running-service.test.ts',
  'test/durability/kill.test.ts',
  'test/durability/former-releases.test.ts',
  'test/api/shorten.test.ts',
  'test/api/custom-links.test.ts',
  'test/api/clicks.test.ts',
  'test/sign-in/sign-in.test.ts',
]
/** libsql, DuckDB and Argon2 are programs of their own inside Node: each version must be able to load them. */
const loads = `import('libsql').then(({ default: Database }) => new Database(':memory:').exec('select 1'))
  .then(() => import('@duckdb/node-api')).then(({ DuckDBInstance }) => DuckDBInstance.create(':memory:'))
  .then(() => import('@node-rs/argon2')).then(({ hash }) => hash('a')).then(() => console.log('Node', process.version))`
const longest = 10 * 60_000

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const asked = process.argv.slice(2)
const day = Math.floor(Date.now() / 86_400_000)
const others = versions.filter((version) => !process.version.startsWith(`v${version}.`))
const chosen = asked.includes('--in-turn') ? [others[day % others.length]] : asked.length > 0 ? asked : versions
const failed = chosen.filter((version) => !works(version))
if (failed.length > 0) console.error(`Failed on Node ${failed.join(', ')}.`)
process.exit(failed.length > 0 ? 1 : 0)

function works(version) {
  console.log(`\nNode ${version}:`)
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  return run(version, ['-e', loads]) && run(version, [vitest, 'run', ...tests])
}

/** With it in front of PATH too, so that a command of ours that a test runs is run by it as well. */
function run(version, args) {
  const { status, error } = spawnSync('npx', ['--yes', '--package', `node@${version}`, '--', 'node', ...args], {
    cwd: root,
    env: { ...process.env, ENGINES: 'sqlite,duckdb' },
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: longest,
    shell: process.platform === 'win32',
  })
  if (error) console.error(error.message)
  return status === 0
}
