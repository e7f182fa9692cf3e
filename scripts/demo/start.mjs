// Starts a service in a temporary folder and fills it with the demo: nine months of a coffee roaster's links. Everything is
// made by the API and by commands, as people would; only the dates of creation are moved back in the database.
import { execFile, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import Database from 'libsql'
import sharp from 'sharp'
import { clickLines, randomFrom } from './clicks.mjs'
import {
  campaigns,
  channels,
  channelTraits,
  domains,
  famousLinks,
  icons,
  members,
  organizationName,
  sites,
  subjects,
  tagColors,
  webhooks,
} from './organization.mjs'

const main = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'dist', 'main.js')
const run = promisify(execFile)
const day = 24 * 60 * 60 * 1000
const seed = 20_261
const token = 'demo'.repeat(10)

export const login = members[0].login
export const password = 'coffee for everyone'

/**
 * `progress` is called with each step. Without `port` it takes a free one. Links begin with `baseUrl`, or else with the URL
 * of the service. `stop` ends the service and removes its folder.
 */
export async function startDemo({ port: chosen, baseUrl, progress }) {
  const port = chosen ?? (await freePort())
  const dataDir = mkdtempSync(join(tmpdir(), 'shortlink-demo-'))
  const receiver = await startReceiver()
  const names = await startNames()
  const url = `http://localhost:${port}`
  const start = () => startService({ port, baseUrl: baseUrl ?? url, dataDir, names })
  let service = start()
  const stop = async () => {
    receiver.close()
    receiver.closeAllConnections()
    names.close()
    await end(service)
    rmSync(dataDir, { recursive: true, force: true })
  }
  try {
    await untilReady(service, url)
    const receiverUrl = `http://localhost:${receiver.address().port}`
    const { host } = new URL(baseUrl ?? url)
    await fill(new Service(url, dataDir), { host, dataDir, progress, receiver: receiverUrl })
    await end(service)
    await addVisitors(dataDir)
    service = start()
    await untilReady(service, url)
  } catch (error) {
    await stop()
    throw error
  }
  return { url, dataDir, service, stop }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

/** What the webhooks of the demo send their events to. The third is refused, and accepted when it is tried again. */
function startReceiver() {
  let requests = 0
  const server = createHttpServer((request, response) => {
    requests += 1
    const isRefused = requests === 3
    request.resume()
    request.on('end', () => {
      response.writeHead(isRefused ? 503 : 200, { 'content-type': 'application/json' })
      response.end(isRefused ? '{"error":"busy, try again later"}' : '{"stored":true}')
    })
  })
  // It must not keep a program alive that has ended.
  server.unref()
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

/** A name server for the branded domains: every name has the same address, which is nobody's. */
function startNames() {
  const socket = createSocket('udp4')
  socket.on('message', (question, sender) => socket.send(addressOf(question), sender.port, sender.address))
  socket.unref()
  return new Promise((resolve) => socket.bind(0, '127.0.0.1', () => resolve(socket)))
}

const ownAddress = [203, 0, 113, 7]

/** The question comes back, with one record if it is about an address. */
function addressOf(message) {
  const end = message.indexOf(0, 12) + 5
  const isAnswered = message.readUInt16BE(end - 4) === 1
  const header = [...message.subarray(0, 2), 0x85, 0x80, 0, 1, 0, isAnswered ? 1 : 0, 0, 0, 0, 0]
  const record = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...ownAddress]
  return Buffer.from([...header, ...message.subarray(12, end), ...(isAnswered ? record : [])])
}

function startService({ port, baseUrl, dataDir, names }) {
  const flags = ['--port', port, '--data-dir', dataDir, '--log-level', 'warn', '--titles', 'off', '--demo', 'on']
    .concat(['--outgoing-allow', '127.0.0.0/8,::1/128', '--base-url', baseUrl])
    .concat(['--dns-servers', `127.0.0.1:${names.address().port}`, '--dns-targets', ownAddress.join('.')])
    .map(String)
  const env = {
    ...process.env,
    SHORTLINK_ADMIN_LOGIN: login,
    SHORTLINK_ADMIN_PASSWORD: password,
    SHORTLINK_ADMIN_TOKEN: token,
  }
  return spawn(process.execPath, [main, 'serve', ...flags], { env, stdio: ['ignore', 'ignore', 'inherit'] })
}

async function end(service) {
  if (service.exitCode !== null) return
  service.kill()
  await new Promise((resolve) => service.once('exit', resolve))
}

async function untilReady(service, url) {
  for (;;) {
    const answer = await fetch(`${url}/healthz`).catch(() => undefined)
    if (answer?.ok) return
    if (service.exitCode !== null) throw new Error('The service did not start; see above.')
    await sleep(100)
  }
}

async function fill(service, { host, dataDir, progress, receiver }) {
  const now = Date.now()
  const random = randomFrom(seed)
  progress('people')
  const [group] = (await service.api('GET', '/v4/groups')).groups
  const tokens = await addMembers(service, group)
  progress('domains')
  for (const { name, ...pages } of domains) {
    const body = { domain: name, group_guids: [group.guid], ...pages }
    await service.api('POST', `/v4/organizations/${group.organization_guid}/domains`, body)
  }
  progress('links')
  const links = await addLinks(service, group.guid, tokens, { now, random })
  progress('campaigns')
  links.push(...(await addCampaigns(service, group.guid, now)))
  moveBack(dataDir, links, now)
  for (const [tag, color] of Object.entries(tagColors)) {
    await service.api('PATCH', `/v4/groups/${group.guid}/tags/${tag}`, { color })
  }
  progress('webhooks')
  await addWebhooks(service, group, receiver)
  progress('QR codes')
  moveCodesBack(dataDir, await addQrCodes(service, group.guid, links))
  await addIcons(dataDir, now)
  await addFiles(service, group.guid, links)
  progress('sites')
  for (const site of sites) await addSite(service, { group_guid: group.guid, host }, site, links)
  progress('clicks of nine months')
  const file = join(dataDir, 'demo-clicks.ndjson')
  writeFileSync(file, [...clickLines(links, { now, seed })].join('\n'))
  await service.command('import', 'clicks', file)
}

/** Tokens of those who create links. */
async function addMembers(service, group) {
  await service.command('organization', 'rename', group.organization_guid, organizationName)
  await service.command('group', 'rename', group.guid, 'Marketing')
  await service.api('PATCH', '/v4/user', { name: members[0].name })
  const tokens = [token]
  for (const { login, name, role } of members.slice(1)) {
    await service.command('user', 'create', login, '--name', name, '--password', password, '--group', group.guid)
    await service.command('member', 'set', login, '--group', group.guid, '--role', role)
    if (role === 'reader') continue
    tokens.push(
      JSON.parse(await service.command('token', 'create', '--login', login, '--label', 'demo', '--json')).secret,
    )
  }
  return tokens
}

/** Oldest first, so that lists, which go by the order of creation, agree with the dates. */
async function addLinks(service, group_guid, tokens, { now, random }) {
  const drafts = [
    ...famousLinks.map((link) => ({ ...link, createdAt: now - (255 + 15 * random()) * day })),
    ...subjects.flatMap(({ count, title, url, tags, weight }) =>
      Array.from({ length: count }, (_, number) => ({
        title: title(number),
        url: url(number),
        tags,
        // A few links are seen by many, and most by some.
        weight: weight * (0.15 + 2.2 * random() ** 5),
        createdAt: now - 270 * day * random(),
      })),
    ),
  ].sort((one, other) => one.createdAt - other.createdAt)
  for (const draft of drafts) {
    const { title, url: long_url, tags, keyword, domain } = draft
    const by = tokens[Math.floor(random() * tokens.length)]
    const made = await service.api('POST', '/v4/shortlinks', { group_guid, long_url, title, tags, keyword, domain }, by)
    draft.id = made.id
  }
  return drafts
}

async function addCampaigns(service, group_guid, now) {
  const links = []
  const pairs = new Map(channels.map((name) => [name, []]))
  for (const { name, description, from, to } of campaigns) {
    const campaign = await service.api('POST', '/v4/campaigns', { group_guid, name, description })
    for (const channel of channels) {
      const { weight, referrers, kind } = channelTraits[channel]
      for (let number = 1; number <= 4; number++) {
        const long_url = `https://shop.larkfield.example/${campaign.guid}/${number}?utm_medium=${channel.toLowerCase()}`
        const title = `${name}, ${channel.toLowerCase()} ${number}`
        const { id } = await service.api('POST', '/v4/shortlinks', { group_guid, long_url, title, tags: ['campaign'] })
        pairs.get(channel).push({ campaign_guid: campaign.guid, shortlink_id: id })
        const createdAt = now - (from - number * 6) * day
        links.push({ id, title, createdAt, until: now - to * day, weight: weight * 2.4, referrers, kind })
      }
    }
  }
  for (const [name, shortlinks] of pairs) await service.api('POST', '/v4/channels', { group_guid, name, shortlinks })
  return links
}

async function addWebhooks(service, { guid: group_guid, organization_guid }, receiver) {
  for (const { path, isOfGroup, ...webhook } of webhooks) {
    const whose = { organization_guid, ...(isOfGroup && { group_guid }) }
    await service.api('POST', '/v4/webhooks', { ...whose, ...webhook, url: receiver + path })
  }
}

async function addSite(service, { group_guid, host }, { path, template, name, about, keywords, isPublished }, links) {
  const [, keyword] = path.split('/')
  const { site_guid } = await service.api('POST', '/v4/sites', { group_guid, domain: host, keyword })
  const at = `/v4/sites/${site_guid}`
  await service.api('POST', `${at}/template`, { template_guid: template })
  await service.api('PATCH', at, { display_name: name, description: about })
  const { blocks } = await service.api('GET', `${at}?include_blocks=true`)
  for (const { block_id } of blocks) await service.api('DELETE', `${at}/blocks/${block_id}`)
  for (const each of keywords) {
    const { id, title } = links.find((link) => link.keyword === each)
    const content = { shortlink_id: id, link_title: title }
    await service.api('POST', `${at}/blocks`, { type: 'shortlink', content })
  }
  if (!isPublished) return
  await service.api('POST', `${at}/publish`)
  const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
  const page = await (await fetch(`${service.url}/${path}`, { headers })).text()
  for (const [, button] of page.matchAll(/href="[^"]*(\/[^/"]+\?r=[^"]+)"/g)) {
    await fetch(service.url + button, { headers, redirect: 'manual' })
  }
}

/**
 * One of twelve people who clicked saw the page before, and two of five of them pressed a button: like the only visits until
 * now, which are those of `addSite`. While no service has the file open.
 */
async function addVisitors(dataDir) {
  const file = await DuckDBInstance.create(join(dataDir, 'clicks.duckdb'))
  const log = await file.connect()
  await log.run(`create temp table first as
    select *, row_number() over (order by clicked_at desc) as nth from clicks where kind in (2, 3)`)
  for (const table of ['recent_clicks', 'sorted_clicks', 'merged_clicks']) {
    await log.run(`delete from ${table} where kind in (2, 3)`)
  }
  await log.run(`insert into recent_clicks
    select c.* exclude n replace (f.address as address, f.destination as destination, f.kind as kind, f.referrer as referrer)
    from clicks c, first f
    where c.kind = 0 and c.visitor % 12 = 0 and f.kind = 2 and f.nth = ceil(sqrt(c.visitor // 12 % 40))`)
  await log.run(`insert into recent_clicks
    select c.* exclude n replace (f.address as address, f.destination as destination, f.kind as kind)
    from clicks c, first f
    where c.kind = 0 and c.visitor % 12 = 0 and f.kind = 3`)
  log.closeSync()
  file.closeSync()
}

/** A poster is designed some days after its link was made. */
async function addQrCodes(service, group_guid, links) {
  const codes = []
  const scanned = links.filter(({ kind }) => kind === 'scan')
  for (const [index, { id, title, createdAt }] of scanned.entries()) {
    const render_customizations = codeStyles[index % codeStyles.length]
    const destination = { shortlink_id: id }
    const made = await service.api('POST', '/v4/qr-codes', { group_guid, title, destination, render_customizations })
    codes.push({ id: made.qrcode_id, createdAt: Math.min(createdAt + (1 + (index % 3)) * day, Date.now()) })
  }
  return codes
}

const codeStyles = [
  { dot_pattern_color: '#14532d' },
  { dot_pattern_color: '#7c2d12', dot_pattern_type: 'rounded' },
  { dot_pattern_color: '#1e3a8a' },
]

function moveBack(dataDir, links, now) {
  inRecords(dataDir, (database) => {
    const moved = database.prepare('update links set created_at = ?, modified_at = ? where id = ?')
    const movedTags = database.prepare('update link_tags set created_at = ? where link_id = ?')
    for (const { id, createdAt } of links) {
      const at = Math.round(createdAt)
      moved.run([at, at, id])
      movedTags.run([at, id])
    }
    const movedCampaigns = database.prepare('update campaigns set created_at = ?, modified_at = ? where name = ?')
    for (const { name, from } of campaigns) movedCampaigns.run([now - from * day, now - from * day, name])
  })
}

function moveCodesBack(dataDir, codes) {
  inRecords(dataDir, (database) => {
    const moved = database.prepare('update qr_codes set created_at = ?, modified_at = ? where id = ?')
    for (const { id, createdAt } of codes) moved.run([Math.round(createdAt), Math.round(createdAt), id])
  })
}

/** One that changes links, and one with all of them. */
async function addFiles(service, group_guid, links) {
  const posters = links.filter(({ kind }) => kind === 'scan').map(({ id }) => `${id},On the walls of our shops`)
  const file = ['link,note', ...posters].join('\n')
  await service.api('POST', `/v4/bulk/jobs?action=edit&group_guid=${group_guid}&name=posters.csv`, file)
  await service.api('POST', `/v4/groups/${group_guid}/shortlinks/exports`, { include_metrics: true })
}

async function addIcons(dataDir, now) {
  const drawn = await Promise.all(
    Object.entries(icons).map(async ([host, [letter, color]]) => {
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><rect width="48" height="48" rx="10" fill="${color}"/><text x="24" y="35" font-family="sans-serif" font-size="32" font-weight="700" text-anchor="middle" fill="#fff">${letter}</text></svg>`
      return [host, `data:image/png;base64,${(await sharp(Buffer.from(svg)).png().toBuffer()).toString('base64')}`]
    }),
  )
  inRecords(dataDir, (database) => {
    const added = database.prepare('insert into site_icons (host, image, fetched_at) values (?, ?, ?)')
    for (const [host, image] of drawn) added.run([host, image, now])
  })
}

/** All or nothing, beside the running service. */
function inRecords(dataDir, change) {
  const database = new Database(join(dataDir, 'records.sqlite'))
  database.pragma('busy_timeout = 5000')
  database.transaction(() => change(database)).immediate()
  database.close()
}

class Service {
  url
  #dataDir

  constructor(url, dataDir) {
    this.url = url
    this.#dataDir = dataDir
  }

  async api(method, path, body, by = token) {
    const isFile = typeof body === 'string'
    const type = isFile ? 'application/octet-stream' : 'application/json'
    const headers = { authorization: `Bearer ${by}`, ...(body && { 'content-type': type }) }
    const answer = await fetch(this.url + path, { method, headers, body: isFile ? body : body && JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`)
    return answer.status === 204 ? undefined : answer.json()
  }

  async command(...words) {
    const { stdout } = await run(process.execPath, [main, ...words, '--data-dir', this.#dataDir])
    return stdout
  }
}
