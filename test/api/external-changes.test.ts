import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { openSqlite } from '../../src/storage/records/sqlite.js'
import { postgresEngine } from '../support/sql-engines.js'
import { type StartedApp, startApp } from '../support/start-app.js'

const redirect = async (at: StartedApp, id: string) =>
  (await at.request('GET', `/${id.split('/')[1]}`, { token: null })).headers.location
const shorten = async (at: StartedApp, long_url: string): Promise<string> =>
  (await at.request('POST', '/v4/shorten', { body: { long_url } })).body.id

describe('a link edited by another process on one data directory', () => {
  it('leads to the new destination at the next redirect', async () => {
    const started = await startApp({ databaseUrl: undefined })
    const id = await shorten(started, 'https://example.com/old')
    const file = join(started.app.config.dataDir, 'records.sqlite')
    const other = await openSqlite(file)
    for (const longUrl of ['https://example.com/new', 'https://example.com/newer']) {
      expect(await redirect(started, id)).toBeDefined()
      await other.links.update(id, { longUrl }, { login: 'admin', at: 1 })
      expect(await redirect(started, id)).toBe(longUrl)
    }
    await other.close()
    await started.close()
  })
})

const engine = postgresEngine()
describe.skipIf(engine.skip)(`two services on one database: ${engine.title}`, () => {
  it("see each other's changes", async () => {
    const database = await engine.create()
    const records = await database.connect()
    await records.migrate()
    await records.close()
    const shared = { databaseUrl: database.databaseUrl, domains: ['shared.example'] as const }
    const one = await startApp(shared)
    // Clicks do not matter here, and without ClickHouse only one process may count them.
    await database.run('delete from leases')
    const two = await startApp(shared)

    const id = await shorten(one, 'https://example.com/old')
    expect(await redirect(two, id)).toBe('https://example.com/old')
    const body = { long_url: 'https://example.com/new', keyword: 'ignored' }
    expect((await one.request('PATCH', `/v4/shortlinks/${id}`, { body })).status).toBe(200)
    expect(await redirect(one, id)).toBe('https://example.com/new')
    await vi.waitFor(async () => expect(await redirect(two, id)).toBe('https://example.com/new'), { timeout: 60_000 })

    await Promise.all([one.close(), two.close()])
    await database.remove()
  })
})
