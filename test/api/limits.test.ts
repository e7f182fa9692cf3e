import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readCidr } from '../../src/lib/cidr.js'
import { operations } from '../conformance/operations.js'
import { RedisServer, whyNoRedis } from '../support/redis-server.js'
import { type StartedApp, startApp, useApp } from '../support/start-app.js'
import { aMember } from './alter-records.js'

const noon = Date.parse('2026-03-18T12:00:00Z')
let now = noon
const clock = { now: () => now }
const from = (address: string) => ({ 'x-forwarded-for': address })

/** Each test uses its own IP, so that tests do not share limits. */
let tests = 0
let here: Record<string, string>
beforeEach(() => {
  tests += 1
  here = from(`198.51.100.${tests}`)
})

describe('platform limits', () => {
  let started: StartedApp
  beforeAll(async () => {
    const limits = { apiRequestsPerHour: 50, addressRequestsPerHour: 100 }
    const endpointLimits = [{ endpoint: 'POST /v4/shorten', perHour: 20 }]
    started = await startApp({ ...limits, endpointLimits, trustProxy: 1 }, { clock })
  })
  afterAll(() => started.close())
  // All limits start again with each test.
  beforeEach(() => {
    now += 3_600_000
  })
  const get = (path: string, token?: string | null, headers = here) =>
    started.request('GET', path, { headers, ...(token !== undefined && { token }) })
  async function statuses(count: number, path: string, token?: string | null, headers = here): Promise<number[]> {
    const answers: number[] = []
    for (let each = 0; each < count; each++) answers.push((await get(path, token, headers)).status)
    return answers
  }

  it('answer 429 RATE_LIMIT_EXCEEDED after a tenth of the hourly limit in one minute', async () => {
    expect(await statuses(5, '/v4/user')).toEqual([200, 200, 200, 200, 200])
    now += 20_500
    const { status, body, headers } = await get('/v4/user')
    expect(status).toBe(429)
    const description =
      'Too many requests: your account may send 5 requests per minute to this endpoint. Try again in 40 seconds.'
    expect(body).toEqual({ message: 'RATE_LIMIT_EXCEEDED', resource: 'users', description })
    expect(headers).toMatchObject({
      'retry-after': '40',
      'x-ratelimit-reason': 'account per minute',
      'x-ratelimit-limit': '5',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String((now - 20_500 + 60_000) / 1000),
    })
    now += 39_499
    expect((await get('/v4/user')).status).toBe(429)
    now += 1
    expect((await get('/v4/user')).status).toBe(200)
    now -= 60_000
  })

  it('answer 429 after the hourly limit, until the next full hour', async () => {
    const start = now
    for (let minute = 0; minute < 10; minute++) {
      now = start + minute * 60_000
      expect(await statuses(5, '/v4/bsds')).toEqual([200, 200, 200, 200, 200])
    }
    now = start + 3_599_999
    const { status, headers } = await get('/v4/bsds')
    expect(status).toBe(429)
    expect(headers).toMatchObject({ 'x-ratelimit-reason': 'account per hour', 'retry-after': '1' })
    now += 1
    expect((await get('/v4/bsds')).status).toBe(200)
    now = start
  })

  it('report the remainder of the tightest window in every response', async () => {
    const { headers } = await get('/v4/user')
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '4' })
    const refused = await started.request('POST', '/v4/shorten', { body: {}, headers: here })
    expect(refused).toMatchObject({ status: 400, headers: { 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '1' } })
  })

  it('apply per endpoint, HEAD as GET, and with a separate limit if configured', async () => {
    expect(await statuses(6, '/v4/user')).toEqual([200, 200, 200, 200, 200, 429])
    expect((await started.request('HEAD', '/v4/user', { headers: here })).status).toBe(429)
    expect((await get('/v4/bsds')).status).toBe(200)
    const body = { long_url: 'https://example.com/' }
    const shorten = () => started.request('POST', '/v4/shorten', { body, headers: here })
    expect([(await shorten()).status, (await shorten()).status, (await shorten()).status]).toEqual([201, 200, 429])
  })

  it('count all links of one endpoint together, also invalid requests', async () => {
    const all = ['a/b', 'c/d', 'e%2Ff', 'g/h', 'i/j', 'k/l'].map((id) => get(`/v4/shortlinks/${id}`))
    expect((await Promise.all(all)).map(({ status }) => status).sort()).toEqual([404, 404, 404, 404, 404, 429])
  })

  it('apply per account, and to all accounts at one IP together', async () => {
    const others = [await aMember(started, started.groupGuid), await aMember(started, started.groupGuid)]
    expect(await statuses(6, '/v4/groups', undefined)).toEqual([200, 200, 200, 200, 200, 429])
    expect(await statuses(5, '/v4/groups', others[0])).toEqual([200, 200, 200, 200, 200])
    const { status, headers } = await get('/v4/groups', others[1])
    expect([status, headers['x-ratelimit-reason']]).toEqual([429, 'address per minute'])
    expect((await get('/v4/groups', others[1], from('198.51.100.200'))).status).toBe(200)
  })

  it('treat an IPv6 /64 as one IP', async () => {
    const [one, other] = [await aMember(started, started.groupGuid), await aMember(started, started.groupGuid)]
    const in64 = (end: string) => from(`2001:db8:7:${tests}::${end}`)
    for (let each = 1; each <= 5; each++) await get('/v4/groups', one, in64(String(each)))
    for (let each = 6; each <= 10; each++) await get('/v4/groups', other, in64(String(each)))
    expect((await get('/v4/groups', undefined, in64('b'))).status).toBe(429)
    expect((await get('/v4/groups', undefined, from(`2001:db8:8:${tests}::b`))).status).toBe(200)
  })

  it('answer 403 to wrong tokens, and 429 if an IP tries too many of them', async () => {
    const answers = await statuses(11, '/v4/user', 'wrong')
    expect(answers).toEqual([...Array(10).fill(403), 429])
    expect((await get('/v4/user', null)).status).toBe(429)
    // Even the right one, so that guessing reveals nothing.
    expect((await get('/v4/user')).status).toBe(429)
    expect((await get('/v4/user', undefined, from('198.51.100.201'))).status).toBe(200)
  })

  it('never apply to redirects, nor to unknown paths', async () => {
    for (let each = 0; each < 12; each++) {
      expect((await get('/nothing-here', null)).status).toBe(404)
      expect((await get('/v4/nothing', null)).status).toBe(404)
      expect((await get('/healthz', null)).status).toBe(200)
    }
  })

  describe('GET /v4/user/platform_limits', () => {
    const limitsOf = (path?: string, token?: string | null) =>
      get(`/v4/user/platform_limits${path === undefined ? '' : `?path=${encodeURIComponent(path)}`}`, token)

    it('answers 200 with every endpoint, its hourly limit and the requests of this hour', async () => {
      await statuses(3, '/v4/bsds')
      const { status, body } = await limitsOf()
      expect(status).toBe(200)
      const names = body.platform_limits.map(({ endpoint }: { endpoint: string }) => endpoint)
      const built = operations.filter(({ form }) => !form).map(({ path }) => path)
      expect(names).toEqual(expect.arrayContaining(built))
      expect(names).toEqual([...new Set(names)].sort())
      expect(body.platform_limits).toContainEqual({
        endpoint: '/v4/bsds',
        methods: [{ name: 'GET', limit: 50, unlimited: false, count: 3 }],
      })
      expect(body.platform_limits).toContainEqual({
        endpoint: '/v4/shorten',
        methods: [{ name: 'POST', limit: 20, unlimited: false, count: 0 }],
      })
    })

    it('returns one endpoint, with or without the version', async () => {
      await get(`/v4/groups/${started.groupGuid}`)
      const group = [
        {
          endpoint: '/v4/groups/{group_guid}',
          methods: [
            { name: 'GET', limit: 50, unlimited: false, count: 1 },
            { name: 'PATCH', limit: 50, unlimited: false, count: 0 },
            { name: 'DELETE', limit: 50, unlimited: false, count: 0 },
          ],
        },
      ]
      expect((await limitsOf('/v4/groups/{group_guid}')).body).toEqual({ platform_limits: group })
      expect((await limitsOf('/groups/{group_guid}')).body).toEqual({ platform_limits: group })
    })

    it('counts only requests of this account, and starts again every hour', async () => {
      const other = await aMember(started, started.groupGuid)
      await statuses(2, '/v4/bsds', other)
      const count = async () => (await limitsOf('/v4/bsds')).body.platform_limits[0].methods[0].count
      expect(await count()).toBe(0)
      await statuses(2, '/v4/bsds')
      expect(await count()).toBe(2)
      now += 3_600_000
      expect(await count()).toBe(0)
    })

    it('answers 404 for an endpoint that does not exist and 400 for two paths', async () => {
      const { status, body } = await limitsOf('/v4/nothing')
      expect([status, body.message, body.resource]).toEqual([404, 'NOT_FOUND', 'users'])
      expect((await get('/v4/user/platform_limits?path=a&path=b')).status).toBe(400)
    })

    it('answers 403 without a token', async () => {
      expect((await limitsOf(undefined, null)).status).toBe(403)
    })
  })
})

describe('the limit of each endpoint', () => {
  const started = useApp({ apiRequestsPerHour: 1, addressRequestsPerHour: 0 }, { clock })

  const limited = operations.filter(({ form, statuses }) => !form && statuses.includes(429))
  it.each(limited.map(({ method, path }) => [method, path] as const))(
    '%s %s answers 429 RATE_LIMIT_EXCEEDED above the limit',
    async (method, path) => {
      const filled = path.replace(/\{(custom_)?shortlink\}/, 'go.example/none').replace(/\{\w+\}/g, 'none')
      const body = method === 'GET' || method === 'DELETE' ? undefined : {}
      expect((await started.request(method, filled, { body })).status).not.toBe(429)
      const answer = await started.request(method, filled, { body })
      expect([answer.status, answer.body.message]).toEqual([429, 'RATE_LIMIT_EXCEEDED'])
    },
  )
})

describe('the IP that proxies report', () => {
  let started: StartedApp
  afterEach(() => started.close())
  const statuses = async (...claims: readonly string[]) => {
    const answers: number[] = []
    for (const claim of claims)
      answers.push((await started.request('GET', '/v4/user', { headers: from(claim) })).status)
    return answers
  }

  it('is ignored without trustProxy', async () => {
    started = await startApp({ addressRequestsPerHour: 20, apiRequestsPerHour: 20 }, { clock })
    expect(await statuses('192.0.2.1', '192.0.2.2', '192.0.2.3')).toEqual([200, 200, 429])
  })

  it('is trusted only from the last proxy: earlier entries come from the client', async () => {
    started = await startApp({ addressRequestsPerHour: 20, apiRequestsPerHour: 20, trustProxy: 1 }, { clock })
    expect(await statuses('1.1.1.1, 192.0.2.9', '2.2.2.2,192.0.2.9', 'x, 192.0.2.9:80')).toEqual([200, 200, 429])
  })

  it.each(['', 'unknown', 'x'.repeat(300), '1.2.3'])('is the proxy itself where it is %j', async (claim) => {
    const limits = { apiRequestsPerHour: 0, addressRequestsPerHour: 10, trustProxy: 1 }
    started = await startApp(limits, { clock })
    expect((await started.request('GET', '/v4/user')).status).toBe(200)
    expect(await statuses(claim, '192.0.2.1')).toEqual([429, 200])
  })

  it('is not kept in memory, however long it is', async () => {
    started = await startApp({ trustProxy: 1 })
    const collectGarbage = garbageCollector()
    const send = async (count: number) => {
      for (let each = 0; each < count; each++) {
        const claim = `${String(each).padStart(8, '0').repeat(1500)}, 192.0.2.1`
        await started.request('GET', '/v4/user', { headers: from(claim) })
      }
      collectGarbage()
      return process.memoryUsage().heapUsed
    }
    const before = await send(100)
    // A thousand of twelve kilobytes are 12 MB.
    expect((await send(1000)) - before).toBeLessThan(6_000_000)
  })
})

/** Of this process, without a flag at its start. */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc')
}

describe('configured limits', () => {
  it('prevent the start if an endpoint does not exist', async () => {
    const endpointLimits = [{ endpoint: 'POST /v4/shortn', perHour: 20 }]
    await expect(startApp({ endpointLimits })).rejects.toThrow(/no endpoint "POST \/v4\/shortn".*POST \/v4\/shorten/)
  })

  it('can be switched off', async () => {
    const started = await startApp({ apiRequestsPerHour: 0, addressRequestsPerHour: 0 })
    const { status, headers } = await started.request('GET', '/v4/user')
    expect([status, headers['x-ratelimit-limit']]).toEqual([200, undefined])
    const { body } = await started.request('GET', '/v4/user/platform_limits?path=/user')
    expect(body.platform_limits[0].methods[0]).toEqual({ name: 'GET', limit: 2_000_000_000, unlimited: true, count: 0 })
    await started.close()
  })
})

describe('connections from one address', () => {
  const started = useApp({ apiConnections: 5, trustProxy: 1 })

  /** A request with an unfinished body: it is in progress until the socket is closed. */
  async function halfSent(address: string, to = started): Promise<Socket> {
    const socket = connect(Number(new URL(to.url).port), '127.0.0.1')
    await once(socket, 'connect')
    const head = [
      'POST /v4/expand HTTP/1.1',
      `Host: ${started.domain}`,
      `X-Forwarded-For: ${address}`,
      `Authorization: Bearer ${started.token}`,
      'Content-Type: application/json',
      'Content-Length: 100',
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n{`)
    return socket
  }
  const ask = (path: string, headers = here) => started.request('GET', path, { headers })
  const refusals = async () =>
    /refused_total\{limit="concurrent connections"\} (\d+)/.exec((await ask('/metrics', {})).text)?.[1]

  async function fiveUnderWay(address: string): Promise<readonly Socket[]> {
    const sockets = await Promise.all(Array.from({ length: 5 }, () => halfSent(address)))
    // They have arrived when the sixth is rejected.
    while ((await ask('/v4/user', from(address))).status === 200) await setTimeout(5)
    return sockets
  }

  it('are limited to five: the sixth concurrent request gets 429 and is counted', async () => {
    const address = here['x-forwarded-for'] ?? ''
    const sockets = await fiveUnderWay(address)
    const { status, body, headers } = await ask('/v4/user')
    expect([status, body.message]).toEqual([429, 'RATE_LIMIT_EXCEEDED'])
    expect(headers).toMatchObject({ 'retry-after': '1', 'x-ratelimit-reason': 'concurrent connections' })
    expect(Number(await refusals())).toBeGreaterThan(0)
    // Others, redirects and operators are not affected.
    expect((await ask('/v4/user', from('198.51.100.250'))).status).toBe(200)
    expect((await ask('/nothing-here')).status).toBe(404)
    expect((await ask('/readyz')).status).toBe(200)
    for (const socket of sockets) socket.destroy()
    while ((await ask('/v4/user')).status !== 200) await setTimeout(5)
  })

  it.each(['POST /v4/shorten', 'GET /v4/bsds'])('%s answers 403 and explains in X-Ratelimit-Reason', async (name) => {
    const sockets = await fiveUnderWay(here['x-forwarded-for'] ?? '')
    const [method = '', path = ''] = name.split(' ')
    const body = method === 'POST' ? { long_url: 'https://example.com/' } : undefined
    const answer = await started.request(method, path, { body, headers: here })
    expect([answer.status, answer.body.message]).toEqual([403, 'RATE_LIMIT_EXCEEDED'])
    expect(answer.headers).toMatchObject({ 'x-ratelimit-reason': 'concurrent connections', 'retry-after': '1' })
    for (const socket of sockets) socket.destroy()
  })

  it('are counted, not requests: eight pipelined requests on one connection are answered', async () => {
    const { port } = new URL(started.url)
    const socket = connect(Number(port), '127.0.0.1')
    const ask = (last: boolean) =>
      `GET /v4/user HTTP/1.1\r\nHost: ${started.domain}\r\nX-Forwarded-For: ${here['x-forwarded-for']}\r\n` +
      `Authorization: Bearer ${started.token}\r\n${last ? 'Connection: close\r\n' : ''}\r\n`
    socket.write(ask(false).repeat(7) + ask(true))
    let text = ''
    for await (const chunk of socket) text += chunk
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(Array(8).fill('HTTP/1.1 200'))
  })

  it('queue: twenty concurrent new links are all created', async () => {
    // A long timeout, for slow machines.
    const own = await startApp({ apiConnections: 5, apiConnectionWait: 10_000 })
    const made = Array.from({ length: 20 }, (_, each) =>
      own.request('POST', '/v4/shorten', { body: { long_url: `https://example.com/at-once/${each}` } }),
    )
    expect((await Promise.all(made)).map(({ status }) => status)).toEqual(Array(20).fill(201))
    await own.close()
  })

  it('of a listed network have the limit of that network', async () => {
    const network = readCidr('203.0.113.0/24')
    if (!network) throw new Error('a network')
    const own = await startApp({ apiConnections: 1, networkConnections: [{ network, max: 0 }], trustProxy: 1 })
    const ask = (address: string) => own.request('GET', '/v4/user', { headers: from(address) })
    const socket = await halfSent('203.0.113.9', own)
    const other = await halfSent('198.51.100.9', own)
    while ((await ask('198.51.100.9')).status === 200) await setTimeout(5)
    expect((await ask('203.0.113.9')).status).toBe(200)
    socket.destroy()
    other.destroy()
    await own.close()
  })

  it('are released after each response, also on one connection', async () => {
    for (let each = 0; each < 20; each++) expect((await ask('/v4/user')).status).toBe(200)
  })
})

const redis = whyNoRedis === undefined ? 'limits in Redis' : `limits in Redis (skipped: ${whyNoRedis})`
describe.skipIf(whyNoRedis)(redis, () => {
  let server: RedisServer
  let services: readonly StartedApp[]
  beforeAll(async () => {
    server = await RedisServer.start()
    const config = { redisUrl: server.url, apiRequestsPerHour: 200, addressRequestsPerHour: 0 }
    services = [await startApp(config, { clock }), await startApp(config, { clock })]
  })
  afterAll(async () => {
    for (const service of services ?? []) await service.close()
    await server?.stop()
  })
  const parallel = async (count: number) => {
    const asked = Array.from({ length: count }, (_, each) => services[each % 2]?.request('GET', '/v4/user'))
    return (await Promise.all(asked)).filter((answer) => answer?.status === 200).length
  }
  const readiness = async () => (await services[0]?.request('GET', '/readyz', { token: null }))?.body

  it('are exact across two services', async () => {
    now += 3_600_000
    expect(await parallel(60)).toBe(20)
    now += 60_000
    expect(await parallel(60)).toBe(20)
    const limits = await services[1]?.request('GET', '/v4/user/platform_limits?path=/user')
    expect(limits?.body.platform_limits[0].methods[0]).toMatchObject({ limit: 200, count: 40 })
  })

  it('fail open while Redis is unreachable, report it, and apply again afterwards', async () => {
    now += 3_600_000
    await server.kill()
    expect(await parallel(60)).toBe(60)
    expect(await readiness()).toMatchObject({ status: 'degraded', troubles: [expect.stringMatching(/^limits: /)] })
    const { text } = (await services[0]?.request('GET', '/metrics')) ?? { text: '' }
    expect(text).toMatch(/^shortlink_api_limits_up 0$/m)
    expect(text).toMatch(/^shortlink_api_uncounted_total [1-9]/m)

    await server.run()
    for (const service of services) while (service.app.platformLimits.status().failure) await setTimeout(20)
    expect(await parallel(60)).toBe(20)
    expect(await readiness()).toMatchObject({ status: 'ready', troubles: [] })
  })
})
