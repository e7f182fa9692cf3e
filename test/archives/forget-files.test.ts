/** What `forget` deleted is in no file of the data directory: not in journals, write-ahead logs or free pages. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Closing } from '../../src/lib/closing.js'
import { ClickhouseServer } from '../support/clickhouse-server.js'
import { ended, startCommand } from '../support/run-command.js'
import { postgresEngine } from '../support/sql-engines.js'
import { processToken, type ServiceProcess, startProcess } from '../support/start-process.js'

const agent = 'SpecialBrowser/7.7 (of a visitor)'
const ip = '203.0.113.77'
const referrer = 'https://special-referrer.example/page'
const destination = 'https://special-destination.example/page'
const other = 'https://other-destination.example/page'

const noServers = postgresEngine().skip ?? ClickhouseServer.skip()
const pairs = [
  ['SQLite and DuckDB', undefined, async () => [] as string[]],
  ['PostgreSQL and ClickHouse', noServers, serverOptions],
] as const

describe.each(pairs)('on %s', (_, skip, options) => {
  const folder = mkdtempSync(join(tmpdir(), 'shortlink-forget-'))
  const dataDir = join(folder, 'data')
  const closing = new Closing()
  let engines: readonly string[]
  let service: ServiceProcess
  beforeAll(async () => {
    if (skip !== undefined) return
    engines = await options(closing)
    service = await start()
  }, 120_000)
  afterAll(async () => {
    await service?.stop('SIGTERM')
    await closing.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const start = () => startProcess(dataDir, ['--domains', 'sho.rt', '--trust-proxy', '1', ...engines])

  const run = (...args: string[]) =>
    ended(startCommand([...args, '--data-dir', dataDir, '--domains', 'sho.rt', ...engines], { cwd: folder }))

  async function forget(...args: string[]): Promise<{ clicks?: number; rows?: Record<string, number> }> {
    const ran = await run('forget', ...args, '--yes', '--json')
    expect(ran).toMatchObject({ code: 0, err: '' })
    return JSON.parse(ran.out)
  }

  async function shorten(longUrl: string): Promise<string> {
    const answer = await fetch(`${service.url}/v4/shorten`, {
      method: 'POST',
      headers: { authorization: `Bearer ${processToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ long_url: longUrl, domain: 'sho.rt' }),
    })
    return ((await answer.json()) as { id: string }).id
  }

  function visit(id: string, headers: Readonly<Record<string, string>>): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      get(`${service.url}/${id.split('/')[1]}`, { headers: { host: 'sho.rt', ...headers } }, (response) => {
        response.resume().on('end', () => resolve(response.headers.location))
      }).on('error', reject)
    })
  }

  const visitor = { 'user-agent': agent, 'x-forwarded-for': ip, referer: referrer }
  const somebody = {
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0',
    'x-forwarded-for': '192.0.2.1',
  }

  it.skipIf(skip)(`a visitor, a link and a user are in no file ${skip ?? ''}`, { timeout: 240_000 }, async () => {
    const [link, stays] = [await shorten(destination), await shorten(other)]
    for (const id of [link, stays, stays]) expect(await visit(id, visitor)).toMatch(/-destination/)
    for (const id of [link, stays, stays, stays]) await visit(id, somebody)
    await run('user', 'create', 'special.person', '--email', 'special.person@mail.example')
    // A link with the first segment of the forgotten one.
    const table = `keyword,long_url\nguide,${other}\nguide/café,${destination}\n`
    writeFileSync(join(folder, 'links.csv'), table)
    expect(await run('import', 'links', join(folder, 'links.csv'))).toMatchObject({ code: 0 })
    expect(filesWith(dataDir, agent)).not.toEqual([])

    const day = new Date().toISOString().slice(0, 10)
    const theirs = ['--visitor-day', day, '--ip', ip, '--user-agent', agent]
    // Clicks are counted a moment after the visit.
    await expect.poll(() => forget(...theirs)).toMatchObject({ clicks: 3 })
    // While the service runs, the journal is deleted some seconds later.
    for (let tries = 0; filesWith(dataDir, agent).length > 0 && tries < 60; tries++) await wait(500)
    expect([...filesWith(dataDir, agent), ...filesWith(dataDir, ip)]).toEqual([])

    expect(await forget('--link', link)).toMatchObject({ clicks: 1, rows: { links: 1 } })
    expect(await forget('--link', 'https://sho.rt/guide/caf%C3%A9')).toMatchObject({ rows: { links: 1 } })
    expect(await visit('sho.rt/guide', somebody)).toBe(other)
    expect(await run('forget', '--user', 'special.person', '--rewrite', '--yes')).toMatchObject({
      code: 1,
      err: expect.stringContaining('is already running'),
    })
    await service.stop('SIGTERM')
    await forget('--user', 'special.person', '--rewrite')
    for (const text of [agent, ip, 'special-referrer', 'special-destination', 'special.person']) {
      expect([text, filesWith(dataDir, text)]).toEqual([text, []])
    }

    service = await start()
    const answer = await fetch(`${service.url}/v4/shortlinks/${stays}/clicks/summary?unit=month&units=-1`, {
      headers: { authorization: `Bearer ${processToken}` },
    })
    expect(await answer.json()).toMatchObject({ total_clicks: 3 })
    expect(await visit(stays, somebody)).toBe(other)
  })
})

async function serverOptions(closing: Closing): Promise<string[]> {
  const database = await postgresEngine().create()
  closing.add({ close: () => database.remove() })
  const clickhouse = new ClickhouseServer()
  closing.add({ close: () => clickhouse.stop() })
  const records = await database.connect()
  await records.migrate()
  await records.close()
  return ['--database-url', database.location, '--clickhouse-url', await clickhouse.newDatabase()]
}

function filesWith(directory: string, text: string): readonly string[] {
  const encodings = [Buffer.from(text), Buffer.from(text, 'utf16le')]
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => {
      const content = readFileSync(file, { flag: 'r' })
      return encodings.some((bytes) => content.includes(bytes))
    })
}
