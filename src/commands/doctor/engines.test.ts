import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ClickhouseServer } from '../../../test/support/clickhouse-server.js'
import { PostgresServer, whyNoPostgresServer } from '../../../test/support/postgres-server.js'
import { RedisServer, whyNoRedis } from '../../../test/support/redis-server.js'
import { startSmtpServer } from '../../../test/support/smtp-server.js'
import { loadSettings } from '../../config/load.js'
import { Closing } from '../../lib/closing.js'
import { connectEngines } from './engines.js'

/** Real servers; those that refuse connections are in test/project/doctor.test.ts. */
describe('a server that answers', () => {
  const closing = new Closing()
  const folder = mkdtempSync(join(tmpdir(), 'shortlink-engines-'))
  afterAll(async () => {
    await closing.close()
    rmSync(folder, { recursive: true })
  })

  const connect = (flag: string, url: string) =>
    connectEngines(loadSettings({ flags: { [flag]: url }, env: {}, cwd: folder }).config)

  const noPostgres = whyNoPostgresServer()
  it.skipIf(noPostgres)(`is PostgreSQL${noPostgres ? ` (skipped: ${noPostgres})` : ''}`, async () => {
    const server = new PostgresServer()
    closing.add({ close: () => server.stop() })
    const url = await server.start()
    const [state] = await connect('database-url', url)
    expect(state).toMatchObject({ name: 'PostgreSQL', version: expect.stringMatching(/^\d+/) })
    expect(Math.abs(state?.clockOffset ?? Number.NaN)).toBeLessThan(2000)
    const [refused] = await connect('database-url', url.replace(/\/\/shortlink:[^@]+/, '//shortlink:hunter2'))
    expect(refused?.failure).toMatch(/password authentication failed/)
    expect(refused?.failure).not.toContain('hunter2')
  })

  it.skipIf(whyNoRedis)(`is Redis${whyNoRedis ? ` (skipped: ${whyNoRedis})` : ''}`, async () => {
    const server = await RedisServer.start()
    closing.add({ close: () => server.stop() })
    const [state] = await connect('redis-url', server.url)
    expect(state).toMatchObject({ name: 'Redis', version: expect.stringMatching(/^\d+\./) })
    expect(Math.abs(state?.clockOffset ?? Number.NaN)).toBeLessThan(2000)
  })

  it('is ClickHouse, whose database the first start creates', async ({ skip }) => {
    const reason = ClickhouseServer.skip()
    skip(reason !== undefined, reason)
    const server = new ClickhouseServer()
    closing.add({ close: () => server.stop() })
    const [state] = await connect('clickhouse-url', await server.newDatabase())
    expect(state).toMatchObject({ name: 'ClickHouse', version: expect.stringMatching(/^\d+\./) })
    expect(Math.abs(state?.clockOffset ?? Number.NaN)).toBeLessThan(2000)
  })

  it('is a mail server', async () => {
    const server = closing.add(await startSmtpServer())
    const [state] = await connect('smtp-url', server.url)
    expect(state).toEqual({ name: 'SMTP', option: 'smtpUrl', place: new URL(server.url).host })
    expect(server.mails).toEqual([])
  })
})
