/**
 * Servers that take connections and bytes and answer nothing: PostgreSQL and Redis stopped with SIGSTOP, and behind a
 * proxy that swallows packets. Prints what the service answered meanwhile.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PostgresServer, whyNoPostgresServer } from '../support/postgres-server.js'
import { RedisServer, whyNoRedis } from '../support/redis-server.js'
import { rounds } from '../support/rounds.js'
import { runCommand } from '../support/run-command.js'
import { SilentProxy } from '../support/silent-proxy.js'
import { drained, processToken, type ServiceProcess, shortenAt, startProcess } from '../support/start-process.js'

const seconds = 2 * rounds
const skip = whyNoPostgresServer() ?? whyNoRedis

describe.skipIf(skip)(`servers that fall silent${skip === undefined ? '' : ` (skipped: ${skip})`}`, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'shortlink-silent-'))
  const postgres = new PostgresServer()
  let redis: RedisServer
  let toPostgres: SilentProxy
  let toRedis: SilentProxy
  let flags: readonly string[]
  let service: ServiceProcess
  let known: { id: string; path: string }
  let visits = 0

  beforeAll(async () => {
    redis = await RedisServer.start()
    const databaseUrl = await postgres.start()
    toPostgres = await SilentProxy.start(Number(new URL(databaseUrl).port))
    toRedis = await SilentProxy.start(Number(new URL(redis.url).port))
    flags = ['--database-url', toPostgres.urlOf(databaseUrl), '--redis-url', toRedis.urlOf(redis.url)]
    expect(await runCommand(['migrate', '--database-url', databaseUrl])).toMatchObject({ code: 0 })
    service = await startProcess(dataDir, flags)
    known = await shortenAt(service.url, 'https://example.com/known')
    await ask.known()
  }, 240_000)
  afterAll(async () => {
    postgres.freeze(false)
    redis?.freeze(false)
    await service?.stop('SIGKILL')
    await Promise.all([toPostgres?.close(), toRedis?.close()])
    await postgres.stop()
    await redis?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  let asked = 0
  const get = (path: string, init: RequestInit = {}) =>
    fetch(service.url + path, { redirect: 'manual', signal: AbortSignal.timeout(30_000), ...init })
  const authorization = `Bearer ${processToken}`
  const ask = {
    known: async () => {
      const answer = await get(known.path)
      if (answer.status === 301) visits += 1
      return answer.status
    },
    unknown: async () => (await get(`/unknown${++asked}`)).status,
    api: async () => (await get('/v4/groups', { headers: { authorization } })).status,
    shorten: async () => {
      const body = JSON.stringify({ long_url: `https://example.com/${++asked}` })
      const headers = { authorization, 'content-type': 'application/json' }
      return (await get('/v4/shorten', { method: 'POST', headers, body })).status
    },
    readyz: async () => (await get('/readyz')).status,
  }

  /** Asks for everything, again and again, until told to stop. */
  async function watch(kind: keyof typeof ask, isOver: () => boolean) {
    const times: number[] = []
    const statuses: Record<string, number> = {}
    while (!isOver()) {
      const begun = performance.now()
      const status = await ask[kind]()
      times.push(performance.now() - begun)
      statuses[status] = (statuses[status] ?? 0) + 1
      await wait(5)
    }
    times.sort((one, other) => one - other)
    const at = (share: number) => Math.round(times[Math.floor((times.length - 1) * share)] ?? 0)
    return { kind, statuses, median: at(0.5), slowest: at(1) }
  }

  /** What was answered while a server was silent, and how long after its return until everything worked. */
  async function during(what: string, fallSilent: () => void, comeBack: () => void) {
    fallSilent()
    const until = performance.now() + seconds * 1000
    const isOver = () => performance.now() > until
    const kinds = Object.keys(ask) as (keyof typeof ask)[]
    const figures = await Promise.all(kinds.map((kind) => watch(kind, isOver)))
    const troubles = ((await (await get('/readyz')).json()) as Readiness).servers
    const back = performance.now()
    comeBack()
    while ((await ask.unknown()) !== 404 || (await ask.shorten()) !== 201) await wait(10)
    while (!(await isWell())) await wait(10)
    console.log(
      [
        `${what}, ${seconds} s:`,
        ...figures.map(
          ({ kind, statuses, median, slowest }) =>
            `  ${kind.padEnd(8)} ${JSON.stringify(statuses)}, median ${median} ms, slowest ${slowest} ms`,
        ),
        `  works again ${Math.round(performance.now() - back)} ms after its return`,
      ].join('\n'),
    )
    const statusesOf = (kind: keyof typeof ask) =>
      Object.keys(figures.find((each) => each.kind === kind)?.statuses ?? {})
    return { statusesOf, servers: troubles }
  }

  const isWell = async () => {
    const { servers } = (await (await get('/readyz')).json()) as Readiness
    return Object.values(servers).every(({ state }) => state !== 'failing')
  }

  const silence = (proxy: SilentProxy) => () => {
    proxy.silent = true
    proxy.forgetConnections()
  }
  const listen = (proxy: SilentProxy) => () => {
    proxy.silent = false
  }

  it.each([
    ['PostgreSQL stopped with SIGSTOP', () => postgres.freeze(true), () => postgres.freeze(false)],
    ['packets to PostgreSQL swallowed', () => silence(toPostgres)(), () => listen(toPostgres)()],
  ])(
    '%s: known links redirect, everything else is refused, and it recovers by itself',
    async (...[what, from, to]) => {
      const { statusesOf, servers } = await during(what, from, to)
      expect(statusesOf('known')).toEqual(['301'])
      expect(statusesOf('unknown')).toEqual(['503'])
      expect(statusesOf('shorten')).toEqual(['503'])
      expect(statusesOf('readyz')).toEqual(['200'])
      expect(servers.postgresql).toMatchObject({ state: 'failing', failure: expect.any(String) })
    },
    90_000 + seconds * 1000,
  )

  it.each([
    ['Redis stopped with SIGSTOP', () => redis.freeze(true), () => redis.freeze(false)],
    ['packets to Redis swallowed', () => silence(toRedis)(), () => listen(toRedis)()],
  ])(
    '%s: everything works without limits, and it recovers by itself',
    async (...[what, from, to]) => {
      const { statusesOf, servers } = await during(what, from, to)
      expect(statusesOf('known')).toEqual(['301'])
      expect(statusesOf('unknown')).toEqual(['404'])
      expect(statusesOf('shorten')).toEqual(['201'])
      expect(statusesOf('api')).toEqual(['200'])
      expect(servers.redis).toMatchObject({ state: 'failing', failure: expect.any(String) })
    },
    90_000 + seconds * 1000,
  )

  it('counts every visit that was answered meanwhile', async () => {
    await drained(service.url)
    const summary = await get(`/v4/shortlinks/${known.id}/clicks/summary`, { headers: { authorization } })
    expect(await summary.json()).toMatchObject({ total_clicks: visits })
  })

  it('stops while its servers are silent', async () => {
    silence(toPostgres)()
    silence(toRedis)()
    // Not 0: its last use of tokens and its lease could not be written.
    expect(await service.stop('SIGTERM')).toBe(1)
    expect(service.output()).toContain('stopping: finishing requests')
  }, 120_000)
})

interface Readiness {
  readonly servers: Readonly<Record<string, { readonly state: string; readonly failure?: string }>>
}
