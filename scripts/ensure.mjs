// Makes a clone runnable: installs packages if node_modules is missing or stale, and builds if a source is newer than
// the last build. Otherwise it only compares file times (a few ms).
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const installStamp = join(root, 'node_modules', '.shortlink-installed')
const buildStamp = join(root, 'dist', '.built')
const webStamp = join(root, 'dist-web', '.built')
const geographyStamp = join(root, 'dist-geography', '.built')
const cityData = join(root, 'node_modules', '@ip-location-db', 'dbip-city-mmdb', 'package.json')

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`shortlink needs Node 20.19 or newer, and this is ${process.version}. Install a newer one.`)
  process.exit(1)
}
// Loaded here: an older Node could not, and would say something else than the sentence above.
// Only as a script: bin/shortlink imports this file, and its arguments are those of a command.
const isScript = process.argv[1] === fileURLToPath(import.meta.url)
if (isScript && process.argv.length > 2) (await import('./arguments.mjs')).readArguments('node scripts/ensure.mjs')

const lock = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex')
if (read(installStamp) !== lock) {
  console.error('Installing packages (this takes a minute, once) ...')
  // --ignore-scripts: no package may run code at install time; none of ours needs to.
  // --include=dev: with NODE_ENV=production npm would leave out packages that the tests need.
  run('npm', ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'])
  writeFileSync(installStamp, lock)
}
if (newestIn(join(root, 'src')) > modified(buildStamp)) runScript('build.mjs')
const webSources = Math.max(newestIn(join(root, 'web')), modified(join(root, 'docs', 'openapi', 'v4.json')))
if (webSources > modified(webStamp)) {
  console.error('Building the dashboard ...')
  runScript('build-web.mjs')
}
if (read(geographyStamp) !== read(cityData)) {
  console.error('Preparing the city data (once) ...')
  runScript('build-geography.mjs')
}
// What "npm pack" leaves when it is interrupted; npm would prefer it to package-lock.json.
rmSync(join(root, 'npm-shrinkwrap.json'), { force: true })

function runScript(name) {
  run(process.execPath, [join(root, 'scripts', name)])
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    // Standard output belongs to the command that follows, so write to standard error.
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (status === 0) return
  console.error(`"${command} ${args.join(' ')}" failed${error ? `: ${error.message}` : ''}. Fix that and start again.`)
  process.exit(status ?? 1)
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
