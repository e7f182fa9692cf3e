// Makes a release: npm run release -- 1.2.0. Checks and tests, gives the version to package.json, the lock file, the chart, the OpenAPI
// documents and the changelog, commits, tags, and writes the artefacts to dist-release/VERSION. docs/releases.md explains it.
// With --artefacts it only writes the artefacts of the version that is checked out.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readArguments, refuse } from './arguments.mjs'

const usage = 'npm run release -- VERSION, such as 1.2.0; npm run release -- --artefacts'
const { values, positionals } = readArguments(usage, {
  options: { artefacts: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const current = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version

if (values.artefacts) {
  if (positionals.length > 0) refuse(usage, '--artefacts takes the version of package.json.')
  if (run('git', ['status', '--porcelain']) !== '') stop('Commit your changes first: artefacts are made of a commit.')
  writeArtefacts(current)
} else {
  const [version, ...others] = positionals
  if (!isVersion(version) || others.length > 0) refuse(usage, 'It needs one version, three numbers with dots.')
  if (!isLater(version, current)) refuse(usage, `${version} is not later than ${current}, the version of package.json.`)
  if (run('git', ['status', '--porcelain']) !== '') stop('Commit your changes first: a release is made of a commit.')
  if (run('git', ['tag', '--list', `v${version}`]) !== '') stop(`There is already a tag v${version}.`)
  const changelog = releasedChangelog(version)
  show('npm', ['run', 'check'])
  show('npm', ['test'], { ROUNDS: '10' })
  show('npm', ['test', '--', 'test/api'], { API_RECORDS: 'postgres' })
  show('npm', ['run', 'test:node-versions'])
  writeFileSync(join(root, 'CHANGELOG.md'), changelog)
  run('npm', ['version', version, '--no-git-tag-version', '--ignore-scripts', '--workspaces=false'])
  const chart = join(root, 'deploy/helm/shortlink/Chart.yaml')
  writeFileSync(chart, readFileSync(chart, 'utf8').replaceAll(/^(version|appVersion): .*$/gm, `$1: ${version}`))
  show('npm', ['run', 'openapi'])
  run('git', ['commit', '--all', '--message', `release ${version}`])
  run('git', ['tag', '--annotate', `v${version}`, '--message', `shortlink ${version}`])
  writeArtefacts(version)
  console.log(`Look at the last commit, then: git push origin HEAD v${version}`)
}

/** The package, what it is made of, the image where a builder exists, and the checksums of all. */
function writeArtefacts(version) {
  const folder = join(root, 'dist-release', version)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  show('npm', ['pack', '--pack-destination', folder])
  const sbom = [
    'sbom',
    '--sbom-type=application',
    '--package-lock-only',
    '--omit=dev',
    '--workspaces=false',
    '--sbom-format=cyclonedx',
  ]
  writeFileSync(join(folder, `shortlink-${version}.cdx.json`), run('npm', sbom))
  if (spawnSync('buildah', ['--version']).status === 0) {
    show('bash', ['deploy/image.sh', join(folder, `shortlink-${version}-image.tar`)])
  } else console.log('No image: buildah is not installed.')
  const sums = readdirSync(folder).map((name) => `${sha256(join(folder, name))}  ${name}\n`)
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''))
  console.log(`Written to ${folder}:\n${readdirSync(folder).join('\n')}`)
}

function releasedChangelog(version) {
  const text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  const [, section] = /^## Unreleased\n(.*?)(?=^## |$(?![\s\S]))/ms.exec(text) ?? []
  if (!section?.trim()) stop('CHANGELOG.md has nothing under "Unreleased".')
  const day = new Date().toISOString().slice(0, 10)
  return text.replace('## Unreleased\n', `## Unreleased\n\n## ${version} - ${day}\n`)
}

function isVersion(text = '') {
  return /^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(text)
}

function isLater(version, other) {
  const [ours, theirs] = [version, other].map((text) => text.split('.').map(Number))
  const at = ours.findIndex((number, index) => number !== theirs[index])
  return at >= 0 && ours[at] > theirs[at]
}

function sha256(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

/** What the program prints; ends with its words when it fails. */
function run(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 })
  if (status !== 0) stop(`${command} ${args.join(' ')} failed:\n${stderr || stdout}`)
  return stdout.trim()
}

/** For long work: prints as it goes. */
function show(command, args, variables = {}) {
  console.log(`\n$ ${[...Object.entries(variables).map((pair) => pair.join('=')), command, ...args].join(' ')}`)
  const env = { ...process.env, ...variables }
  if (spawnSync(command, args, { cwd: root, env, stdio: 'inherit' }).status !== 0)
    stop(`${command} ${args.join(' ')} failed.`)
}

function stop(sentence) {
  console.error(sentence)
  process.exit(1)
}
