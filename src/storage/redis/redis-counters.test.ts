import { setImmediate, setTimeout } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RedisServer, whyNoRedis } from '../../../test/support/redis-server.js'
import { countersContract } from '../../core/limits/counters.contract.js'
import type { Endpoint } from '../../core/limits/platform.js'
import { RedisCounters } from './redis-counters.js'

const suite = whyNoRedis === undefined ? 'Redis' : `Redis (skipped: ${whyNoRedis})`

describe.skipIf(whyNoRedis)(suite, () => {
  let server: RedisServer
  let database = 0
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(() => server?.stop())

  async function open(changes: (string | undefined)[] = []): Promise<RedisCounters> {
    const url = server.url.replace(/\d+$/, String(database))
    const counters = new RedisCounters(url, { onChange: (failure) => changes.push(failure) })
    await counters.connected()
    return counters
  }

  describe('with a database for each test', () => {
    countersContract(async () => {
      const { currentTestName } = expect.getState()
      database = databaseOf(currentTestName ?? '')
      return open()
    }, true)
  })

  const endpoint: Endpoint = {
    id: 0,
    method: 'POST',
    path: '/v4/shorten',
    perAccount: { hour: 10, minute: 1 },
    perAddress: undefined,
  }
  const take = (counters: RedisCounters, account: string) =>
    counters.take(endpoint, { account, address: undefined }, Date.parse('2026-03-18T14:00:00Z'))

  it('lets everybody through while Redis is away, says so once, and limits again when it is back', async () => {
    database = 0
    const changes: (string | undefined)[] = []
    const counters = await open(changes)
    expect(await take(counters, 'eve')).toMatchObject({ refused: false })
    expect(await take(counters, 'eve')).toMatchObject({ refused: true })

    await server.kill()
    for (let each = 0; each < 20; each++) expect(await take(counters, 'eve')).toBeUndefined()
    expect(counters.status()).toEqual({ failure: expect.any(String), uncounted: 20 })
    expect(changes).toEqual([expect.any(String)])
    expect(await counters.thisHour([endpoint], 'eve', 0)).toEqual([0])

    await server.run()
    while (counters.status().failure !== undefined) await setTimeout(20)
    expect(changes).toEqual([expect.any(String), undefined])
    // It kept nothing.
    expect(await take(counters, 'eve')).toMatchObject({ refused: false })
    expect(await take(counters, 'eve')).toMatchObject({ refused: true })
    await counters.close()
  })

  it('does not take Redis for away when it is this process that was busy', async () => {
    database = 0
    const changes: (string | undefined)[] = []
    const counters = await open(changes)
    const busy = () => {
      const until = Date.now() + 1500
      while (Date.now() < until);
    }
    const [once, twice] = [take(counters, 'ann'), take(counters, 'ann')]
    // The questions are out; the answers arrive while nobody looks.
    await setImmediate()
    busy()
    expect(await Promise.all([once, twice])).toMatchObject([{ refused: false }, { refused: true }])
    const notYetOut = take(counters, 'ben')
    busy()
    expect(await notYetOut).toMatchObject({ refused: false })
    expect([counters.status(), changes]).toEqual([{ failure: undefined, uncounted: 0 }, []])
    await counters.close()
  })

  it('starts without Redis too, and without waiting for long', async () => {
    const counters = new RedisCounters('redis://127.0.0.1:1/0', { onChange: () => {} })
    await counters.connected()
    expect(await take(counters, 'eve')).toBeUndefined()
    expect(counters.status().failure).toContain('ECONNREFUSED')
    await counters.close()
  })

  it('waits a second for a Redis that is silent, then not at all, until it speaks again', async () => {
    database = 0
    const changes: (string | undefined)[] = []
    const counters = await open(changes)
    const other = new Redis(server.url)
    await other.client('PAUSE', 2500)
    expect(await take(counters, 'kim')).toBeUndefined()
    expect(counters.status()).toEqual({ failure: 'Redis did not answer within 1000 ms', uncounted: 1 })
    expect(await take(counters, 'kim')).toBeUndefined()
    expect(counters.status()).toEqual({ failure: 'Redis did not answer within 1000 ms', uncounted: 2 })
    while (counters.status().failure !== undefined) await setTimeout(20)
    expect([counters.status().failure, changes]).toEqual([undefined, [expect.any(String), undefined]])
    other.disconnect()
    await counters.close()
  })
})

const names: string[] = []

/** Redis has sixteen: one for each test that asks, the first left out. */
function databaseOf(test: string): number {
  if (!names.includes(test)) names.push(test)
  return 1 + names.indexOf(test)
}
