// Fuzzes the API with valid and invalid requests from its OpenAPI document, and checks the responses against it.
// `npm run fuzz`, `npm run fuzz -- postgres`, `npm run fuzz -- --seed 7` to repeat a run. It starts its own service
// on a free port with temporary data. test/fuzz/schemathesis.toml lists exceptions with their reasons.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startPostgres } from '../bench/postgres.mjs'
import { adminToken, startShortlink } from '../bench/servers.mjs'
import { isInternalError, oddRequests } from '../test/fuzz/odd-values.mjs'
import { readArguments, refuse } from './arguments.mjs'

const version = '4.32.5'
const casesPerOperation = 30
const legacyRounds = 10
const seconds = 160
// The checker checks its time limit only between cases, so end it if one hangs.
const lastSecond = 180

const root = dirname(dirname(fileURLToPath(import.meta.url)))
process.chdir(root)
const usage = 'npm run fuzz [-- sqlite|postgres] [--seed NUMBER]'
const { positionals, values } = readArguments(usage, {
  allowPositionals: true,
  options: { seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) } },
})
const [engine = 'sqlite', ...rest] = positionals
if (!['sqlite', 'postgres'].includes(engine) || rest.length > 0) refuse(usage, 'Records are on sqlite or on postgres.')
if (!/^\d+$/.test(values.seed)) refuse(usage, '--seed must be a whole number.')
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

const program = install()
const postgres = engine === 'postgres' ? await startPostgres() : undefined
if (postgres?.skip) {
  console.error(`Cannot start PostgreSQL: ${postgres.skip}.`)
  process.exit(1)
}
if (postgres) {
  const migrated = spawnSync('node', ['dist/main.js', 'migrate', '--database-url', postgres.url], { stdio: 'inherit' })
  if (migrated.status !== 0) process.exit(1)
}
const directory = mkdtempSync(join(tmpdir(), 'shortlink-fuzz-'))
process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
const service = await startShortlink(join(directory, 'data'), postgres ? ['--database-url', postgres.url] : [])
console.log(`Fuzzing ${service.url} (${engine}) for at most three minutes. Seed ${values.seed}.`)
const names = await known(service)
const legacyFailures = await checkLegacy(service.url, names)
const status = (await check(service.url, names)) || legacyFailures
await service.stop()
await postgres?.stop()
console.log(status === 0 ? 'No failures.' : `Failures. Repeat with: npm run fuzz -- ${engine} --seed ${values.seed}`)
process.exit(status === 0 ? 0 : 1)

/** Schemathesis in its own virtual environment, created once in the user's cache folder. */
function install() {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'shortlink-test')
  const folder = join(cache, `schemathesis-${version}`)
  // Started as a module: scripts in a virtual environment contain the path where they were created.
  const python = (place) => join(place, 'bin', 'python')
  if (existsSync(folder)) return python(folder)
  console.log(`Installing schemathesis ${version} (once; it takes a minute) ...`)
  const aside = `${folder}.${process.pid}`
  mkdirSync(cache, { recursive: true })
  const pip = ['-m', 'pip', 'install', '--disable-pip-version-check', '--progress-bar', 'off']
  for (const [command, ...args] of [
    ['python3', '-m', 'venv', aside],
    [python(aside), ...pip, `schemathesis==${version}`],
  ]) {
    const done = spawnSync(command, args, { stdio: 'inherit' })
    if (done.status === 0) continue
    rmSync(aside, { recursive: true, force: true })
    console.error(`Cannot install schemathesis${done.error ? `: ${done.error.message}` : ''}. It needs Python 3.10.`)
    process.exit(1)
  }
  if (existsSync(folder)) rmSync(aside, { recursive: true, force: true })
  else renameSync(aside, folder)
  return python(folder)
}

/** Existing objects that cases can use. */
async function known({ url, shorten }) {
  const { id, references } = await shorten('https://example.com/fuzz')
  const headers = { authorization: `Bearer ${adminToken}` }
  const read = async (path) => (await fetch(url + path, { headers })).json()
  const group = await read(new URL(references.group).pathname)
  const { tokens } = await read('/v4/user/tokens')
  const branded = { domain: 'go.example.com', group_guids: [group.guid] }
  const send = async (path, body) => {
    const type = { 'content-type': 'application/json' }
    const options = { method: 'POST', headers: { ...headers, ...type }, body: JSON.stringify(body) }
    return (await fetch(url + path, options)).json()
  }
  await send(`/v4/organizations/${group.organization_guid}/domains`, branded)
  const campaign = await send('/v4/campaigns', { group_guid: group.guid, name: 'fuzz' })
  const channel = await send('/v4/channels', { group_guid: group.guid, name: 'fuzz' })
  const app = { name: 'fuzz', os: 'ios', uri_scheme: 'fuzz' }
  const registered = await send(`/v4/organizations/${group.organization_guid}/mobile_apps`, app)
  const onBranded = await send('/v4/shorten', { long_url: 'https://example.com/fuzz', domain: branded.domain })
  const [domain, hash] = id.split('/')
  const spare = await shorten('https://example.com/fuzz/spare')
  return {
    FUZZ_TOKEN: adminToken,
    FUZZ_TOKEN_GUID: tokens[0].guid,
    FUZZ_GROUP: group.guid,
    FUZZ_ORGANIZATION: group.organization_guid,
    FUZZ_DOMAIN: domain,
    FUZZ_BRANDED_DOMAIN: branded.domain,
    FUZZ_BRANDED_LINK: onBranded.id,
    FUZZ_CAMPAIGN: campaign.guid,
    FUZZ_CHANNEL: channel.guid,
    FUZZ_APP: registered.guid,
    // A cursor of any list, at a position that never existed.
    FUZZ_SEARCH_AFTER: Buffer.from('1 fuzz').toString('base64url'),
    FUZZ_HASH: hash,
    FUZZ_SPARE_HASH: spare.id.split('/')[1],
  }
}

/** The number of requests to the legacy API that met a bug: its HTTP status is 200 then, too. */
async function checkLegacy(url, { FUZZ_DOMAIN: domain, FUZZ_HASH: hash, FUZZ_CAMPAIGN: campaign }) {
  const document = await (await fetch(`${url}/docs/v3.json`)).json()
  // More than a search reads in one step.
  const links = Array.from({ length: 450 }, (_, index) => ({ long_url: `https://example.com/fuzz/${index}` }))
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  await fetch(`${url}/v4/bulk/shorten`, { method: 'POST', headers, body: JSON.stringify({ links }) })
  // Three words, which no link has: a search reads all links.
  const known = [
    'never these words',
    `http://${domain}/${hash}`,
    hash,
    domain,
    campaign,
    'https://example.com/fuzz',
    'admin',
  ]
  let failures = 0
  for (const { path, query } of oddRequests(document, { seed: Number(values.seed), rounds: legacyRounds, known })) {
    const response = await fetch(`${url}${path}?access_token=${adminToken}&${query}`)
    if (!isInternalError(response.status, await response.text())) continue
    failures++
    console.error(`Internal error: ${path}?${query}`)
  }
  return failures
}

function check(url, names) {
  const options = {
    '--url': url,
    '--max-examples': casesPerOperation,
    '--max-time': seconds,
    '--seed': values.seed,
    '--request-timeout': 20,
    '--generation-database': 'none',
    '--report': 'ndjson',
    '--report-ndjson-path': process.env.FUZZ_REPORT ?? join(directory, 'report.ndjson'),
  }
  const args = [
    ...['-m', 'schemathesis.cli', '--config-file', join(root, 'test', 'fuzz', 'schemathesis.toml')],
    ...['run', `${url}/openapi.json`, '--continue-on-failure', '--no-color'],
    ...Object.entries(options).flatMap(([name, value]) => [name, String(value)]),
  ]
  const env = { ...process.env, ...names, PYTHONPATH: join(root, 'test', 'fuzz'), PYTHONDONTWRITEBYTECODE: '1' }
  const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], cwd: directory, env })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const timer = setTimeout(kill, lastSecond * 1000)
  return new Promise((resolve) => {
    child.once('error', () => resolve(1))
    child.once('exit', (code, signal) => {
      if (signal) console.error(`The checker was ended by ${signal} before it was done.`)
      clearTimeout(timer)
      process.off('exit', kill)
      resolve(code ?? 1)
    })
  })
}
