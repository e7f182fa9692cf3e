// Writes docs/conformance.md: every documented v4 operation with every status, and the test that produced it or the
// reason why it cannot occur; every v3 operation with its status texts. Runs the API tests, and fails if a row is
// empty.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { readArguments } from './arguments.mjs'

readArguments('npm run conformance')

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { operations, operationFor, neverByAsking, shapeOf } = await load(
  join(root, 'test', 'conformance', 'operations.ts'),
)
const { legacyOperations } = await load(join(root, 'test', 'conformance', 'v3-operations.ts'))

const directory = mkdtempSync(join(tmpdir(), 'shortlink-conformance-'))
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const suites = [
  'test/api',
  'test/domains',
  'test/oauth',
  'test/stream/http.test.ts',
  'test/webhooks/deliveries.test.ts',
]
const { status } = spawnSync(process.execPath, [vitest, 'run', ...suites], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, CONFORMANCE_DIR: directory },
})
const seen = testsByStatus(directory)
const heard = testsByWord(directory)
rmSync(directory, { recursive: true })

const rows = operations.flatMap((operation) => rowsOf(operation))
const legacyRows = legacyOperations.flatMap((operation) => legacyRowsOf(operation))
const file = join(root, 'docs', 'conformance.md')
writeFileSync(file, page(rows) + legacyPage(legacyRows))
console.log(`wrote ${file}`)

const empty = [...rows, ...legacyRows].filter((row) => row.answer === '')
for (const { name, status } of empty) {
  console.error(`${name} ${status}: no test produced it. Write one, or say in operations.ts why it cannot occur.`)
}
if (status !== 0) console.error('Tests failed, so the table may be incomplete. Fix them and run this again.')
process.exit(empty.length > 0 || status !== 0 ? 1 : 0)

function rowsOf(operation) {
  const { area, method, path, statuses, never = {} } = operation
  const name = `${method} ${path}`
  return statuses.map((code) => {
    const test = seen.get(`${name} ${code}`)
    const reason = never[code] ?? neverByAsking[code]
    return { area, name, status: code, answer: test ?? (reason ? `_${reason}_` : '') }
  })
}

/** For each status of each operation, the test with the best matching name; of equals, the first alphabetically. */
function testsByStatus(folder) {
  const tests = new Map()
  for (const { method, path, status: code, test } of records(folder)) {
    const operation = operationFor(method, path)
    if (!operation) continue
    const key = `${operation.method} ${operation.path} ${code}`
    const rank = `${fit(test, operation, code)} ${test}`
    if (!tests.has(key) || rank < tests.get(key)) tests.set(key, rank)
  }
  return new Map([...tests].map(([key, rank]) => [key, rank.slice(2)]))
}

/** 0 for a test that names the operation and the status, up to 3 for one that names neither. */
function fit(test, { method, path }, code) {
  const words = shapeOf(test)
  const operation = words.includes(`${method} ${shapeOf(path)} `) || words.includes(`${method} ${shapeOf(path)}'`)
  return (operation ? 0 : 2) + (test.includes(String(code)) ? 0 : 1)
}

/** The status texts that a v3 operation must be able to return, and any others it returned. */
function legacyRowsOf({ path, parameters, words }) {
  const name = `GET ${path}`
  const said = heard.get(path) ?? new Map()
  const others = [...said.keys()].filter((word) => !words.includes(word)).sort()
  return [...words, ...others].map((word) => ({ name, parameters, status: word, answer: said.get(word) ?? '' }))
}

/** By path: for each status text the test that names it, or the first alphabetically. */
function testsByWord(folder) {
  const paths = new Map()
  for (const { path, word, test } of records(folder)) {
    if (word === undefined) continue
    const words = paths.get(path) ?? new Map()
    paths.set(path, words)
    const rank = `${test.includes(word) ? 0 : 1} ${test}`
    if (!words.has(word) || rank < words.get(word)) words.set(word, rank)
  }
  return new Map(
    [...paths].map(([path, words]) => [path, new Map([...words].map(([word, rank]) => [word, rank.slice(2)]))]),
  )
}

function* records(folder) {
  for (const entry of readdirSync(folder)) {
    for (const line of readFileSync(join(folder, entry), 'utf8').trimEnd().split('\n')) yield JSON.parse(line)
  }
}

function legacyPage(all) {
  const lines = [
    '',
    '## Legacy v3',
    '',
    'Every operation with its parameters, and the test that got each word (`status_txt`).',
  ]
  let last = ''
  for (const { name, parameters, status: word, answer } of all) {
    if (name !== last) {
      const taken = parameters.map((parameter) => `\`${parameter}\``).join(', ')
      lines.push('', `### \`${name}\``, '', `Parameters: ${taken}.`, '', '| status_txt | test |', '|---|---|')
    }
    lines.push(`| \`${word}\` | ${cell(answer)} |`)
    last = name
  }
  return `${lines.join('\n')}\n`
}

function page(all) {
  const areas = [...new Set(all.map((row) => row.area))]
  const lines = [
    '# Conformance',
    '',
    'Every documented v4 operation with every status documented for it, and the test that produced it',
    '(of several, the one named after it). What cannot occur says why, _in italics_. Made by',
    '`npm run conformance`.',
  ]
  for (const area of areas) {
    lines.push('', `## ${area}`, '', '| operation | status | test |', '|---|---|---|')
    let last = ''
    for (const { name, status: code, answer } of all.filter((row) => row.area === area)) {
      lines.push(`| ${name === last ? '' : `\`${name}\``} | ${code} | ${cell(answer)} |`)
      last = name
    }
  }
  return `${lines.join('\n')}\n`
}

/** Test names may contain the values they were run with. */
function cell(text) {
  const short = text.length > 160 ? `${text.slice(0, 159)}…` : text
  return short.replace(/[|<>\\]/g, (sign) => `\\${sign}`).replace(/\s+/g, ' ')
}

async function load(source) {
  const { outputFiles } = await build({ entryPoints: [source], bundle: true, format: 'esm', write: false })
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`)
}
