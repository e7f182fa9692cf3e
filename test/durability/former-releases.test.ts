/** The service on data directories that former releases left behind (test/releases/README.md). */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'libsql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../stream/nsqd/subject.js'
import { read } from '../stream/reading.js'
import { freePort } from '../support/free-port.js'
import { runCommand } from '../support/run-command.js'
import { drained, type ServiceProcess, startProcess } from '../support/start-process.js'
import { accept, type Receiver, startReceiver } from '../webhooks/receiver.js'

interface Release {
  readonly port: number
  readonly adminToken: string
  readonly memberToken: string
  readonly redirects: Readonly<Record<string, string>>
  readonly answers: Readonly<Record<string, object>>
  readonly stream: { readonly topic: string; readonly channel: string; readonly messages: number }
  /** A token that the administrator gave an OAuth application. */
  readonly application?: { readonly clientId: string; readonly token: string }
  /** The cookies of a browser in which the administrator had signed in. */
  readonly session?: string
  /** A webhook with events that were not delivered, some after a failed try. */
  readonly webhook?: { readonly receiverPort: number; readonly events: number }
}

const folder = fileURLToPath(new URL('../releases', import.meta.url))
const names = readdirSync(folder).flatMap((file) => (file.endsWith('.tar.gz') ? [file.slice(0, -7)] : []))

it('there are some', () => expect(names.length).toBeGreaterThan(0))

describe.each(names)('the data directory of %s', (name) => {
  const release = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Release
  let dataDir: string
  let streamPort: number
  let service: ServiceProcess
  let receiver: Receiver
  beforeAll(async () => {
    receiver = await startReceiver(accept, release.webhook?.receiverPort)
    dataDir = mkdtempSync(join(tmpdir(), 'shortlink-former-'))
    const { status } = spawnSync('tar', ['-xzf', join(folder, `${name}.tar.gz`), '-C', dataDir])
    expect(status).toBe(0)
    // Nobody has come back for longer than a session lasts.
    if (release.session) keepSessions(join(dataDir, 'records.sqlite'))
    streamPort = await freePort()
    // Another port than then: what is stored does not depend on it.
    service = await startProcess(dataDir, flags())
  })
  afterAll(async () => {
    expect(await service.stop('SIGTERM')).toBe(0)
    await receiver.close()
    rmSync(dataDir, { recursive: true })
  })

  const flags = () => ['--nsqd-port', String(streamPort), '--outgoing-allow', '127.0.0.0/8']

  /** The built-in domain is named after the port. */
  const today = (text: string) => text.replaceAll(`localhost:${release.port}`, `localhost:${new URL(service.url).port}`)
  const ask = (path: string, token = release.adminToken) =>
    fetch(service.url + path, { headers: { authorization: `Bearer ${token}` } })

  it.each(Object.entries(release.answers))('answers %s as before', async (path, answer) => {
    const response = await ask(today(path))
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject(JSON.parse(today(JSON.stringify(answer))))
  })

  it('knows the tokens that were given out', async () => {
    expect(await (await ask('/v4/user', release.memberToken)).json()).toMatchObject({ login: 'member' })
    expect((await ask('/v4/user', `${release.memberToken}x`)).status).toBe(403)
  })

  it('lets tokens do everything, which had no scopes', async () => {
    const { tokens } = (await (await ask('/v4/user/tokens')).json()) as { tokens: { scopes: string[] }[] }
    expect(tokens.map(({ scopes }) => scopes)).toEqual(tokens.map(() => ['all']))
    const made = await fetch(`${service.url}/v4/user/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${release.memberToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ label: 'Made by an older one' }),
    })
    expect(made.status).toBe(201)
  })

  if (release.application)
    it('lets an application go on with its token', async () => {
      const { clientId = '', token = '' } = release.application ?? {}
      expect(await (await ask('/v4/user', token)).json()).toMatchObject({ login: 'admin' })
      const { applications } = (await (await ask('/v4/user/applications')).json()) as { applications: object[] }
      expect(applications).toEqual([expect.objectContaining({ client_id: clientId, scopes: ['all'] })])
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      // Also what other tokens need a scope for that no application can have.
      const deeplinks = [{ app_id: 'com.example.unknown', os: 'android', app_uri_path: 'shop://1' }]
      const body = JSON.stringify({ long_url: 'https://example.com/by-the-application', deeplinks })
      const made = await fetch(`${service.url}/v4/shortlinks`, { method: 'POST', headers, body })
      expect(made.status, await made.clone().text()).toBe(201)
      const { id } = (await made.json()) as { id: string }
      expect((await ask(`/v4/shortlinks/${id}/clicks?unit=day&units=1`, token)).status).toBe(200)
      const removed = await fetch(`${service.url}/v4/shortlinks/${id}`, { method: 'DELETE', headers })
      expect(removed.status).toBe(200)
    })

  if (release.session)
    it('knows the browser that was signed in', async () => {
      const cookie = release.session ?? ''
      const session = await fetch(`${service.url}/account/session`, { headers: { cookie } })
      const { csrf } = (await session.json()) as { csrf: string }
      const user = await fetch(`${service.url}/v4/user`, { headers: { cookie, 'x-csrf-token': csrf } })
      expect(await user.json()).toMatchObject({ login: 'admin' })
      const sessions = await fetch(`${service.url}/v4/user/sessions`, { headers: { cookie, 'x-csrf-token': csrf } })
      expect(await sessions.json()).toMatchObject({ sessions: [{ is_current: true }] })
    })

  it('keeps a copy of the records from before the upgrade, and says how to go back', () => {
    const [upgrade = ''] = readdirSync(join(dataDir, 'before-upgrade'))
    expect(upgrade).toMatch(/^2[\w.-]+Z-before-\d{4}-[\w-]+$/)
    expect(readdirSync(join(dataDir, 'before-upgrade', upgrade))).toContain('records.sqlite')
    expect(service.output()).toContain(upgrade)
    expect(service.output()).toContain('shortlink upgrade undo')
  })

  it('keeps the messages of the stream that nobody had read', async () => {
    const { topic, channel, messages } = release.stream
    const place = { nsqdTCPAddresses: [`localhost:${streamPort}`] }
    const reading = read({ topic, channel, token: release.adminToken, dataDir, place })
    await reading.until(({ clicks }) => clicks.length >= messages)
    reading.close()
    expect(reading.clicks.map(({ u }) => u).sort()).toEqual(
      Object.values(release.redirects)
        .flatMap((longUrl, index) => Array([3, 2, 1][index]).fill(longUrl))
        .sort(),
    )
  })

  it('delivers the events that webhooks did not get, each once', async () => {
    const { events } = release.webhook ?? { events: 0 }
    await eventually(async () => expect(receiver.events).toHaveLength(events))
    expect(new Set(receiver.events.map(({ event_id }) => event_id)).size).toBe(events)
  })

  it('redirects, and counts on from where it was', async () => {
    const [first = ''] = Object.keys(release.redirects)
    const summary = `/v4/shortlinks/localhost:${new URL(service.url).port}/${first}/clicks/summary?unit=month&units=-1`
    const before = (await (await ask(summary)).json()) as { total_clicks: number }
    for (const [path, longUrl] of Object.entries(release.redirects)) {
      const answer = await fetch(`${service.url}/${path}`, {
        redirect: 'manual',
        headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' },
      })
      expect({ status: answer.status, location: answer.headers.get('location') }).toEqual({
        status: 301,
        location: longUrl,
      })
    }
    await drained(service.url)
    const after = (await (await ask(summary)).json()) as { total_clicks: number }
    expect(after.total_clicks).toBe(before.total_clicks + 1)
  })

  it('goes back to before the upgrade with one command, and forward again', async () => {
    const undo = () => runCommand(['upgrade', 'undo', '--data-dir', dataDir])
    expect(await undo()).toMatchObject({ code: 1, err: expect.stringContaining('is already running') })
    expect(await service.stop('SIGTERM')).toBe(0)
    expect(await undo()).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Put back records.sqlite/),
    })
    expect(await undo()).toMatchObject({ code: 1, err: expect.stringContaining('no copy from before an upgrade') })
    service = await startProcess(dataDir, flags())
    // Clicks go back only if the upgrade changed their log.
    const records = Object.entries(release.answers).filter(([path]) => !path.includes('unit='))
    for (const [path, answer] of records) {
      expect(await (await ask(today(path))).json()).toMatchObject(JSON.parse(today(JSON.stringify(answer))))
    }
    expect(service.output()).toContain('shortlink upgrade undo')
  })
})

function keepSessions(file: string): void {
  const records = new Database(file)
  records.exec('update sessions set expires_at = expires_at + 1000000000000')
  records.close()
}
