import { mkdtempSync, rmSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCommand } from '../support/run-command.js'
import { postgresEngine, type TestDatabase } from '../support/sql-engines.js'
import { drained, processToken, type ServiceProcess, shortenAt, startProcess } from '../support/start-process.js'

const engine = postgresEngine()
describe.skipIf(engine.skip)(`the click log of records that are shared: ${engine.title}`, { timeout: 120_000 }, () => {
  let folder: string
  let database: TestDatabase
  let services: ServiceProcess[]
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'shortlink-click-log-home-'))
    database = await engine.create()
    const records = await database.connect()
    await records.migrate()
    await records.close()
    services = []
  })
  afterEach(async () => {
    for (const service of services) if (service.child.exitCode === null) await service.stop('SIGKILL')
    await database.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  async function start(name: string, port?: number): Promise<ServiceProcess> {
    const flags = ['--database-url', database.location, '--log-level', 'error']
    const service = await startProcess(join(folder, name), flags, '', port)
    services.push(service)
    return service
  }

  async function command(name: string, ...args: string[]): Promise<{ code: number | null; said: string }> {
    const env = { SHORTLINK_DATA_DIR: join(folder, name), SHORTLINK_DATABASE_URL: database.location }
    const { code, out, err } = await runCommand(args, { env, cwd: folder })
    return { code, said: `${out}\n${err}` }
  }

  async function clicksAt(url: string, id: string): Promise<number> {
    const headers = { authorization: `Bearer ${processToken}` }
    const answer = await fetch(`${url}/v4/shortlinks/${id}/clicks/summary`, { headers })
    return ((await answer.json()) as { total_clicks: number }).total_clicks
  }

  it('is one: a second data directory is refused with the sentence what to set', async () => {
    await start('one')
    const refused = await start('two').catch((error: Error) => error.message)
    expect(refused).toMatch(/ended with 1:[\s\S]*counted in .*\/one on /)
    expect(refused).toContain('set clickhouseUrl (SHORTLINK_CLICKHOUSE_URL) for all of them')
    expect(refused).toContain('bin/shortlink click-log move')
  })

  it('is found again at once after kill -9, with its numbers', async () => {
    const first = await start('one')
    const { id, path } = await shortenAt(first.url, 'https://example.com/kept')
    await fetch(first.url + path, { redirect: 'manual', headers: { 'user-agent': browser } })
    await drained(first.url)
    await first.stop('SIGKILL')
    const again = await start('one', Number(new URL(first.url).port))
    await drained(again.url)
    expect(await clicksAt(again.url, id)).toBe(1)
  })

  it('is not that of a copy of the data directory while the original runs', async () => {
    const first = await start('one')
    await first.stop('SIGTERM')
    await cp(join(folder, 'one'), join(folder, 'copy'), { recursive: true })
    await start('one')
    const refused = await start('copy').catch((error: Error) => error.message)
    expect(refused).toMatch(/ended with 1:[\s\S]*A running process counts .* in .*\/one on /)
  })

  it('moves to another data directory when the operator says so, and not before the other one has stopped', async () => {
    const first = await start('one')
    const early = await command('two', 'click-log', 'move')
    expect(early).toMatchObject({ code: 1, said: expect.stringMatching(/A running process .*\/one on .* Stop it/) })
    await first.stop('SIGTERM')
    const moved = await command('two', 'click-log', 'move')
    expect(moved).toMatchObject({ code: 0, said: expect.stringMatching(/two\.[\s\S]*\/one on/) })
    await start('two')
    expect(await start('one').catch((error: Error) => error.message)).toMatch(/counted in .*\/two on /)
  })

  it('is asked for by an import into a stopped service, too', async () => {
    const first = await start('one')
    await first.stop('SIGTERM')
    const answer = await command('two', 'import', 'clicks', join(folder, 'none.ndjson'))
    expect(answer).toMatchObject({ code: 1, said: expect.stringMatching(/counted in .*\/one on /) })
  })
})

const browser =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0 Safari/537.36'
