/** `move`, as an operator runs it: the whole service to PostgreSQL and ClickHouse and back, while visitors keep coming. */
import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ClickhouseServer } from '../support/clickhouse-server.js'
import { freePort } from '../support/free-port.js'
import { ended, runCommand, startCommand } from '../support/run-command.js'
import { postgresEngine, type TestDatabase } from '../support/sql-engines.js'
import { drained, processToken, type ServiceProcess, shortenAt, startProcess } from '../support/start-process.js'

const folder = mkdtempSync(join(tmpdir(), 'shortlink-move-'))
const dataDir = join(folder, 'data')
const clickhouse = new ClickhouseServer()
let database: TestDatabase
let port: number
let servers: readonly string[]
let links: readonly { readonly id: string; readonly path: string }[] = []
/** Visits of each link that were answered. */
const visited = new Map<string, number>()
let webhook: string

/** Milliseconds: on a fast machine four links are moved in little more than a second. */
const mostBeforeKill = 800

const skip = postgresEngine().skip ?? ClickhouseServer.skip()
describe.skipIf(skip)(`moving a service ${skip ?? ''}`, { timeout: 300_000 }, () => {
  beforeAll(async () => {
    database = await postgresEngine().create()
    servers = ['--database-url', database.location, '--clickhouse-url', await clickhouse.newDatabase()]
    port = await freePort()
    const service = await start([])
    links = await Promise.all([1, 2, 3, 4].map((number) => shortenAt(service.url, `https://example.com/${number}`)))
    for (const { path } of links.slice(0, 3)) for (let visit = 0; visit < 20; visit++) await visitLink(path)
    webhook = await createWebhook(service)
    await expectRefused(['--to', 'sqlite'], 2, 'The records are there already')
    await expectRefused(toServers(), 1, 'is already running')
    await drained(service.url)
    await service.stop('SIGTERM')
  })
  afterAll(async () => {
    await clickhouse.stop()
    await database.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  it('goes on with the former stores after a move that was killed', async () => {
    const child = command(toServers())
    // No visit is on its way when it is killed: whether that one counts, nobody could tell.
    await visitWhile(child, Math.random() * mostBeforeKill)
    expect(child.exitCode, 'the move had ended before it was killed').toBeNull()
    child.kill('SIGKILL')
    const service = await start([])
    await expectComplete(service)
    await service.stop('SIGTERM')
  })

  it('moves to PostgreSQL and ClickHouse; links work meanwhile, everything else answers 503', async () => {
    const child = command(toServers())
    const [out, err, during] = await Promise.all([text(child.stdout), text(child.stderr), visitWhile(child)])
    expect({ code: child.exitCode, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain('Moved 4 links (with those of stand-alone QR codes), 1 user')
    expect(out).not.toContain(new URL(database.location).password)
    expect(during.answered).toBeGreaterThan(0)
    expect(during.refused).toEqual({ status: 503, retryAfter: '10', message: 'TEMPORARILY_UNAVAILABLE' })
    // Nothing is moved twice, and nobody uses the former stores by mistake.
    await expectRefused(toServers(), 1, 'were moved to PostgreSQL')
    await expect(start([])).rejects.toThrow('were moved to PostgreSQL')
    const token = await runCommand(['token', 'create', '--login', 'admin', '--label', 'test', '--data-dir', dataDir])
    expect(token).toMatchObject({ code: 1, err: expect.stringContaining('were moved to PostgreSQL') })

    const service = await start(servers)
    await expectComplete(service)
    await visitLink(links[3]?.path ?? '')
    await service.stop('SIGTERM')
  })

  it('moves back', async () => {
    const back = [...servers, '--to', 'sqlite', '--to', 'duckdb']
    await expectRefused(back, 1, 'There are other clicks already')
    for (const name of ['records.sqlite', 'clicks.duckdb']) {
      for (const end of ['', '-wal', '-shm', '.wal']) {
        if (existsSync(join(dataDir, name + end))) renameSync(join(dataDir, name + end), join(folder, name + end))
      }
    }
    const child = command(back)
    const [err, during] = await Promise.all([text(child.stderr), visitWhile(child)])
    expect({ code: child.exitCode, err }).toEqual({ code: 0, err: '' })
    expect(during.answered).toBeGreaterThan(0)
    await expect(start(servers)).rejects.toThrow('were moved to SQLite')

    const service = await start([])
    await expectComplete(service)
    await service.stop('SIGTERM')
  })

  it('moves only the records, or only the clicks', async () => {
    const other = await postgresEngine().create()
    try {
      await expectMoved(['--to', other.location])
      const mixed = await start(['--database-url', other.location])
      await expectComplete(mixed)
      await mixed.stop('SIGTERM')
      const url = await clickhouse.newDatabase()
      await expectMoved(['--database-url', other.location, '--to', url])
      const service = await start(['--database-url', other.location, '--clickhouse-url', url])
      await expectComplete(service)
      await service.stop('SIGTERM')
    } finally {
      await other.remove()
    }
  })

  it('goes back to the former stores when it is told to', async () => {
    await expect(start([])).rejects.toThrow('were moved to PostgreSQL')
    expect((await ended(command(['--cancel']))).code).toBe(0)
    const service = await start([])
    expect((await linkOf(service, links[0]?.id ?? '')).status).toBe(200)
    await service.stop('SIGTERM')
  })
})

function toServers(): readonly string[] {
  return ['--to', servers[1] ?? '', '--to', servers[3] ?? '']
}

function start(flags: readonly string[]): Promise<ServiceProcess> {
  return startProcess(dataDir, flags, '', port)
}

function command(args: readonly string[]) {
  return startCommand(['move', '--data-dir', dataDir, '--port', String(port), ...args], { cwd: folder })
}

async function expectMoved(args: readonly string[]): Promise<void> {
  expect(await ended(command(args))).toMatchObject({ code: 0, err: '' })
}

async function expectRefused(args: readonly string[], code: number, reason: string): Promise<void> {
  expect(await ended(command(args))).toMatchObject({ code, err: expect.stringContaining(reason) })
}

/** Visits links until the process ends, or some milliseconds after its first answer, and asks the API once it answers. */
async function visitWhile(child: ChildProcess, time = Number.POSITIVE_INFINITY) {
  let answered = 0
  let until = Number.POSITIVE_INFINITY
  let refused: unknown
  let runs = child.exitCode === null && child.signalCode === null
  child.once('exit', () => {
    runs = false
  })
  while (runs && Date.now() < until) {
    for (const { path } of links.slice(0, 3)) if (await visitLink(path)) answered++
    if (answered === 0) continue
    until = Math.min(until, Date.now() + time)
    if (refused === undefined && runs) refused = await apiAnswer()
  }
  return { answered, refused }
}

async function apiAnswer() {
  const response = await fetch(`http://127.0.0.1:${port}/v4/user`).catch(() => undefined)
  if (!response) return undefined
  const { message } = (await response.json()) as { message: string }
  return { status: response.status, retryAfter: response.headers.get('retry-after'), message }
}

/** False when nobody answers. */
function visitLink(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
    get(`http://127.0.0.1:${port}${path}`, { headers, agent: false }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode !== 301) return reject(new Error(`${path} answered ${response.statusCode}`))
        visited.set(path, (visited.get(path) ?? 0) + 1)
        resolve(true)
      })
    }).on('error', () => setTimeout(resolve, 10, false))
  })
}

/** Every link, the token, the secret of the webhook, and each visit once. */
async function expectComplete(service: ServiceProcess): Promise<void> {
  await drained(service.url)
  for (const [index, { id, path }] of links.entries()) {
    const { status, body } = await linkOf(service, id)
    expect({ status, longUrl: body.long_url }).toEqual({ status: 200, longUrl: `https://example.com/${index + 1}` })
    const summary = await ask(service, `/v4/shortlinks/${id}/clicks/summary?unit=month&units=-1`)
    expect(summary.body.total_clicks, path).toBe(visited.get(path) ?? 0)
  }
  const { body } = await ask(service, `/v4/webhooks/${webhook}`)
  expect(body.url).toBe('https://example.com/hook')
}

function linkOf(service: ServiceProcess, id: string) {
  return ask(service, `/v4/shortlinks/${id}`)
}

async function ask({ url }: ServiceProcess, path: string, body?: object) {
  const response = await fetch(url + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${processToken}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  return { status: response.status, body: (await response.json()) as any }
}

async function createWebhook(service: ServiceProcess): Promise<string> {
  const { organizations } = (await ask(service, '/v4/organizations')).body
  const { status, body } = await ask(service, '/v4/webhooks', {
    organization_guid: organizations[0].guid,
    name: 'hook',
    event: 'limit.reached',
    url: 'https://example.com/hook',
  })
  expect(status).toBe(201)
  return body.guid
}
