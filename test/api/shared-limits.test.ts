import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Endpoint, hour, minute } from '../../src/core/limits/platform.js'
import { RedisCounters } from '../../src/storage/redis/redis-counters.js'
import { RedisServer, whyNoRedis } from '../support/redis-server.js'
import { postgresEngine, type TestDatabase } from '../support/sql-engines.js'
import { processToken, type ServiceProcess, startProcess } from '../support/start-process.js'

const perHour = 600
const perMinute = perHour / 10

const engine = postgresEngine()
const why = engine.skip ?? whyNoRedis
const title = why === undefined ? 'limits of two processes that share Redis' : `shared limits (skipped: ${why})`
describe.skipIf(why)(title, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'shortlink-shared-limits-'))
  let redis: RedisServer
  let database: TestDatabase
  let services: readonly ServiceProcess[] = []
  beforeAll(async () => {
    redis = await RedisServer.start()
    database = await engine.create()
    const records = await database.connect()
    await records.migrate()
    await records.close()
    const flags = [
      ...['--database-url', database.location, '--redis-url', redis.url],
      ...['--api-requests-per-hour', String(perHour), '--log-level', 'error'],
    ]
    // One after the other: the first creates the account that both use.
    const one = await startProcess(join(dataDir, 'one'), flags)
    services = [one]
    // Clicks do not matter here, and without ClickHouse only one process may count them.
    await database.run('delete from leases')
    services = [one, await startProcess(join(dataDir, 'two'), flags)]
  })
  afterAll(async () => {
    await Promise.all(services.map((service) => service.stop('SIGTERM')))
    await database?.remove()
    await redis?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  /** Half of them to each process, all at once. */
  async function ask(path: string, times: number): Promise<readonly Response[]> {
    const urls = Array.from({ length: times }, (_, each) => `${services[each % services.length]?.url}${path}`)
    const headers = { authorization: `Bearer ${processToken}` }
    return Promise.all(urls.map((url) => fetch(url, { headers })))
  }

  async function expectExactly(allowed: number, answers: readonly Response[], reason: string): Promise<void> {
    const admitted = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ status }) => status === 429)
    expect([admitted.length, refused.length]).toEqual([allowed, answers.length - allowed])
    for (const answer of refused) {
      expect(await answer.json()).toMatchObject({ message: 'RATE_LIMIT_EXCEEDED' })
      expect(answer.headers.get('x-ratelimit-reason')).toBe(reason)
    }
    // No number was reported twice, by either process.
    const left = admitted.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))
    expect(left.sort((one, other) => one - other)).toEqual(Array.from({ length: allowed }, (_, each) => each))
    for (const { url } of services) {
      const metrics = await (await fetch(`${url}/metrics`)).text()
      expect(metrics).toContain('shortlink_api_uncounted_total 0')
    }
  }

  it('allow exactly a tenth of the hourly limit in a minute', async () => {
    await roomInMinute()
    await expectExactly(perMinute, await ask('/v4/user', 200), 'account per minute')
  })

  it('allow exactly the hourly limit in an hour, and both report the same count', async () => {
    await roomInMinute()
    await spendBefore(redis.url, { method: 'GET', path: '/v4/bsds' }, perHour - 40)
    await expectExactly(40, await ask('/v4/bsds', 200), 'account per hour')
    const shown = await Promise.all((await ask('/v4/user/platform_limits?path=/v4/bsds', 2)).map((each) => each.json()))
    const methods = [{ name: 'GET', limit: perHour, count: perHour, unlimited: false }]
    expect(shown).toEqual(Array(2).fill({ platform_limits: [{ endpoint: '/v4/bsds', methods }] }))
  })
})

/** Windows follow the clock: requests that are counted together must not start at the end of a window. */
async function roomInMinute(): Promise<void> {
  const left = minute - (Date.now() % minute)
  if (left < 10_000) await setTimeout(left)
}

/** The account's requests in other minutes of this hour, counted as by another process. */
async function spendBefore(url: string, asked: { method: string; path: string }, times: number): Promise<void> {
  const endpoint: Endpoint = {
    ...asked,
    id: 0,
    perAccount: { hour: perHour, minute: perMinute },
    perAddress: undefined,
  }
  const counters = new RedisCounters(url, { onChange: () => {} })
  await counters.connected()
  const now = Date.now()
  const start = now - (now % hour)
  const minutes = Array.from({ length: 60 }, (_, each) => start + each * minute)
  // Neither in this minute nor in the next, in which the requests may fall.
  const others = minutes.filter((at) => Math.abs(at - now) > 2 * minute)
  for (let each = 0; each < times; each++) {
    const at = others[each % others.length] ?? start
    expect(await counters.take(endpoint, { account: 'admin', address: undefined }, at)).toMatchObject({
      refused: false,
    })
  }
  await counters.close()
}
