/** The paths for operators of a service that starts while its database is away. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { freePort } from '../../test/support/free-port.js'
import { postgresEngine, type TestDatabase } from '../../test/support/sql-engines.js'
import { startApp } from '../../test/support/start-app.js'
import { serveDuringOutage } from './outage.js'

const engine = postgresEngine()
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }

describe.skipIf(engine.skip)(`a start without its database: ${engine.title}`, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'shortlink-outage-'))
  const token = 'o'.repeat(40)
  let database: TestDatabase
  let path: string
  let port: number
  let opsPort: number
  let away: URL
  let outage: Promise<boolean>

  beforeAll(async () => {
    database = await engine.create()
    const records = await database.connect()
    await records.migrate()
    await records.close()
    const started = await startApp({ dataDir, databaseUrl: database.databaseUrl })
    const made = await started.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/known' } })
    path = `/${made.body.id.split('/')[1]}`
    await started.request('GET', path, { token: null })
    await started.close()

    port = await freePort()
    opsPort = await freePort()
    away = new URL(database.databaseUrl ?? '')
    away.port = String(await freePort())
    const config = { ...started.app.config, port, opsPort, opsToken: token, databaseUrl: away.href }
    outage = serveDuringOutage(config, pino({ level: 'silent' }), 'The database is away.')
    await vi.waitFor(() => fetch(`http://127.0.0.1:${port}/healthz`), { timeout: 60_000 })
  })
  afterAll(async () => {
    await database?.remove()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const get = async (where: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(where, { redirect: 'manual', headers })
    return { status: answer.status, text: await answer.text() }
  }
  const ops = (asked: string) => get(`http://127.0.0.1:${opsPort}${asked}`)
  const service = (asked: string, headers?: Record<string, string>) => get(`http://127.0.0.1:${port}${asked}`, headers)

  it('tells its version, and operators why it is degraded, on both ports', async () => {
    const alive = { status: 200, text: JSON.stringify({ status: 'ok', version }) }
    expect([await service('/healthz'), await ops('/healthz')]).toEqual([alive, alive])
    expect(await service('/readyz')).toEqual({ status: 200, text: '{"status":"degraded"}' })
    const authorization = `Bearer ${token}`
    for (const { status, text } of [await ops('/readyz'), await service('/readyz', { authorization })]) {
      expect(status).toBe(200)
      expect(JSON.parse(text)).toMatchObject({
        status: 'degraded',
        troubles: [expect.stringMatching(/^records: .+ Recently used links redirect, everything else is refused\.$/)],
        journal: { lost: 0, backlogRows: null },
        servers: { postgresql: { state: 'failing', failure: expect.any(String), since: expect.any(String) } },
      })
    }
    await expect.poll(async () => (await ops('/readyz')).text, { timeout: 60_000 }).toContain('ECONNREFUSED')
  })

  it('counts redirects, clicks and failed lookups', async () => {
    expect([(await service(path)).status, (await service('/unknown')).status]).toEqual([301, 503])
    expect((await service('/metrics')).status).toBe(403)
    const { status, text } = await ops('/metrics')
    expect(status).toBe(200)
    for (const line of [
      `shortlink_build_info{version="${version}"} 1`,
      'shortlink_server_up{server="postgresql"} 0',
      'shortlink_redirect_requests_total{outcome="redirects"} 1',
      'shortlink_redirect_requests_total{outcome="failed"} 1',
      'shortlink_journal_clicks_total 1',
      'shortlink_journal_lost_clicks_total 0',
      'shortlink_troubles{area="records"} 1',
    ]) {
      expect(text.split('\n')).toContain(line)
    }
    // What it cannot know is not there, rather than 0.
    expect(text).not.toContain('shortlink_journal_backlog_rows')
    expect((await ops('/v4/user')).status).toBe(404)
  })

  it('frees both ports when the database is there', async () => {
    const target = Number(new URL(database.databaseUrl ?? '').port)
    const proxy = createServer((near) => {
      const far = connect(target, '127.0.0.1')
      near.pipe(far).pipe(near)
    }).listen(Number(away.port), '127.0.0.1')
    expect(await outage).toBe(true)
    proxy.close()
    for (const each of [port, opsPort]) await expect(fetch(`http://127.0.0.1:${each}/healthz`)).rejects.toThrow()
  })
})
