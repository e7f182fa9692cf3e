// Writes test/releases/<name>.tar.gz, a data directory written by a release, and <name>.json, its expected content;
// see test/releases/. The first argument is a built checkout of the release, the second a name.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import nsqjs from 'nsqjs'
import { readArguments, refuse } from './arguments.mjs'

const usage = 'node scripts/release-data.mjs CHECKOUT NAME, such as ../shortlink-0.1 0.1.0'
const [checkout, name] = readArguments(usage, { allowPositionals: true }).positionals
if (!checkout || !/^[\w.-]+$/.test(name ?? '')) refuse(usage, 'It needs a checkout and a name for what it writes.')
const target = join(dirname(dirname(fileURLToPath(import.meta.url))), 'test', 'releases')
const dataDir = mkdtempSync(join(tmpdir(), 'shortlink-release-'))
const adminToken = 'c'.repeat(40)
const adminPassword = 'correct horse battery'
/** The same for the test; below those that systems give out. */
const receiverPort = 28_471
const [port, streamPort] = [await freePort(), await freePort()]
const url = `http://127.0.0.1:${port}`
const admin = { SHORTLINK_ADMIN_TOKEN: adminToken, SHORTLINK_ADMIN_PASSWORD: adminPassword }
const env = { ...process.env, ...admin, SHORTLINK_TITLES: 'off', SHORTLINK_LOG_LEVEL: 'warn' }
const flags = ['--port', port, '--nsqd-port', streamPort, '--data-dir', dataDir, '--outgoing-allow', '127.0.0.0/8'].map(
  String,
)
const service = spawn(process.execPath, ['dist/main.js', 'serve', ...flags], { cwd: checkout, env, stdio: 'inherit' })
process.once('exit', () => service.kill())
await until(async () => (await fetch(`${url}/healthz`)).ok)

const { groups } = await api('GET', '/v4/groups')
const group_guid = groups[0].guid
const organization = groups[0].organization_guid
const plain = await api('POST', '/v4/shorten', { long_url: 'https://example.com/plain?b=2&a=1' })
const tagged = await api('POST', '/v4/shortlinks', {
  long_url: 'https://example.com/tagged',
  title: 'Tagged',
  tags: ['red', 'blue'],
})
const archived = await api('POST', '/v4/shortlinks', { long_url: 'https://example.com/archived', title: 'Archived' })
await api('PATCH', `/v4/shortlinks/${archived.id}`, { archived: true })
await api('POST', '/v4/shortlinks', { shortlink_id: plain.id, keyword: 'spring-sale' })
const campaign = await api('POST', '/v4/campaigns', { group_guid, name: 'Spring' })
const channel = await api('POST', '/v4/channels', {
  group_guid,
  name: 'Poster',
  shortlinks: [{ shortlink_id: plain.id, campaign_guid: campaign.guid }],
})
command('user', 'create', 'member', '--group', group_guid)
const memberToken = JSON.parse(
  command('token', 'create', '--login', 'member', '--label', 'release data', '--json'),
).secret

const redirect_uris = ['https://reader.example/back']
const { client_id, client_secret } = await api('POST', '/v4/user/applications', { name: 'Reader', redirect_uris })
const grant = { client_id, client_secret, grant_type: 'password', username: 'admin', password: adminPassword }
const granted = await fetch(`${url}/oauth/access_token`, { method: 'POST', body: new URLSearchParams(grant) })
const { access_token } = await granted.json()
if (!access_token) throw new Error(`the application got no token: ${granted.status}`)
const application = { clientId: client_id, token: access_token }
const session = await signIn()

// A channel exists after the first subscription; messages published later wait in it.
command('stream', 'allow', '--organization', organization)
const topic = `clicks.${organization}`
await subscribed()
// A webhook whose receiver accepts nothing: some events wait for their next try, the others for the receiver.
const receiver = createHttpServer((_, response) => response.writeHead(503).end())
await new Promise((resolve) => receiver.listen(receiverPort, '127.0.0.1', resolve))
const receiverUrl = `http://127.0.0.1:${receiverPort}/`
const webhook = await api('POST', '/v4/webhooks', {
  organization_guid: organization,
  name: 'Kept',
  event: 'engagement',
  events: ['link.updated'],
  url: receiverUrl,
})
await api('PATCH', `/v4/shortlinks/${tagged.id}`, { title: 'Tagged again' })
const path = (id) => id.split('/')[1]
for (const backHalf of [plain, plain, plain, tagged].map(({ id }) => path(id))) await visit(backHalf)
for (let visits = 0; visits < 2; visits++) await visit('spring-sale')
await until(async () => (await (await fetch(`${url}/readyz`)).json()).journal.backlogRows === 0)
// The current service must return the same responses, except for timestamps of the request.
const all = 'unit=month&units=-1'
const asked = [
  '/v4/user',
  ...[plain, tagged, archived].map(({ id }) => `/v4/shortlinks/${id}`),
  `/v4/shortlinks/${plain.id}/clicks/summary?${all}`,
  `/v4/shortlinks/${tagged.id}/clicks/summary?${all}`,
  `/v4/shortlinks/${plain.id.split('/')[0]}/spring-sale/clicks/summary?${all}`,
  `/v4/shortlinks/${plain.id}/referrers?${all}`,
  `/v4/groups/${group_guid}/tags`,
  `/v4/campaigns/${campaign.guid}`,
  `/v4/channels/${channel.guid}`,
]
const answers = {}
for (const at of asked)
  answers[at] = JSON.parse(
    JSON.stringify(await api('GET', at), (key, value) => (key === 'unit_reference' ? undefined : value)),
  )
await until(async () => (await api('GET', `/v4/webhooks/${webhook.guid}/deliveries`)).deliveries.length >= 2)
service.kill('SIGTERM')
receiver.close()
await new Promise((resolve) => service.once('exit', resolve))

mkdirSync(target, { recursive: true })
const packed = spawnSync('tar', ['-czf', join(target, `${name}.tar.gz`), '-C', dataDir, '.'], { stdio: 'inherit' })
if (packed.status !== 0) process.exit(1)
const redirects = {
  [path(plain.id)]: plain.long_url,
  'spring-sale': plain.long_url,
  [path(tagged.id)]: tagged.long_url,
}
const stream = { topic, channel: 'kept', messages: 6 }
const facts = {
  port,
  adminToken,
  memberToken,
  application,
  session,
  redirects,
  answers,
  stream,
  webhook: { receiverPort, events: 7 },
}
writeFileSync(join(target, `${name}.json`), `${JSON.stringify(facts, undefined, 2)}\n`)
rmSync(dataDir, { recursive: true })
console.log(`Written: ${join(target, name)}.tar.gz and .json`)

async function api(method, at, body) {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const answer = await fetch(url + at, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${at} answered ${answer.status}: ${text}`)
  return JSON.parse(text)
}

/** The cookies of a browser that signed in as the administrator. */
async function signIn() {
  const at = `${url}/account/sign-in`
  const page = await fetch(at)
  const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(await page.text()) ?? []
  const cookiesOf = ({ headers }) => headers.getSetCookie().map((line) => line.split(';', 1)[0])
  const body = new URLSearchParams({ csrf, login: 'admin', password: adminPassword })
  const headers = { cookie: cookiesOf(page).join('; ') }
  const answer = await fetch(at, { method: 'POST', headers, body, redirect: 'manual' })
  if (answer.status !== 303) throw new Error(`signing in answered ${answer.status}`)
  return cookiesOf(answer).join('; ')
}

function command(...words) {
  const args = ['dist/main.js', ...words, '--data-dir', dataDir]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: checkout, encoding: 'utf8', env })
  if (status !== 0) throw new Error(`${words.join(' ')}: ${stderr}`)
  return stdout
}

async function visit(backHalf) {
  const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x64) Firefox/140.0', referer: 'https://news.example.org/' }
  const answer = await fetch(`${url}/${backHalf}`, { redirect: 'manual', headers })
  if (answer.status !== 301) throw new Error(`${backHalf} answered ${answer.status}`)
}

async function subscribed() {
  const reader = new nsqjs.Reader(topic, 'kept', {
    nsqdTCPAddresses: [`localhost:${streamPort}`],
    tls: true,
    tlsVerification: true,
    ca: readFileSync(join(dataDir, 'stream-ca.pem')),
    authSecret: adminToken,
  })
  await new Promise((resolve, reject) => {
    reader.on('ready', resolve)
    reader.on('error', reject)
    reader.connect()
  })
  reader.close()
  await new Promise((resolve) => setTimeout(resolve, 500))
}

async function until(condition) {
  while (!(await condition().catch(() => false))) await new Promise((resolve) => setTimeout(resolve, 50))
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => probe.once('listening', resolve))
  const { port } = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return port
}
