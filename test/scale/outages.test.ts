/**
 * A service with every engine, under load while one of them is killed, or frozen with SIGSTOP. Prints what visitors and callers
 * of the API were answered in each second: `ROUNDS=15 npm test -- test/scale/outages.test.ts` for 30 seconds each.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import nsqjs, { type NsqjsReader } from 'nsqjs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { agents } from '../api/visits.js'
import { type RealDaemon, startRealNsqd } from '../stream/nsq-daemons.js'
import { ClickhouseServer } from '../support/clickhouse-server.js'
import { enginesWanted } from '../support/engines-wanted.js'
import { goNsq } from '../support/go-nsq.js'
import { PostgresServer, whyNoPostgresServer } from '../support/postgres-server.js'
import { RedisServer, whyNoRedis } from '../support/redis-server.js'
import { rounds } from '../support/rounds.js'
import { runCommand } from '../support/run-command.js'
import { drained, processToken, type ServiceProcess, shortenAt, startProcess } from '../support/start-process.js'

const seconds = 2 * rounds
const programs = goNsq()
const skip =
  ClickhouseServer.skip() ??
  whyNoRedis ??
  ('skip' in programs ? programs.skip : undefined) ??
  (enginesWanted().has('postgres') ? whyNoPostgresServer() : 'ENGINES leaves postgres out')

describe.skipIf(skip)(`engines that go away${skip === undefined ? '' : ` (skipped: ${skip})`}`, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'shortlink-outages-'))
  const postgres = new PostgresServer()
  const clickhouse = new ClickhouseServer()
  let redis: RedisServer
  let nsqd: RealDaemon
  let service: ServiceProcess
  let known: { readonly id: string; readonly path: string }
  let reader: NsqjsReader
  const streamed = new Set<string>()
  const answered = new Set<string>()
  let sent = 0

  beforeAll(async () => {
    const databaseUrl = await postgres.start()
    redis = await RedisServer.start()
    nsqd = await startRealNsqd('skip' in programs ? '' : programs.nsqd, { flags: ['--sync-every=2500'] })
    expect(await runCommand(['migrate', '--database-url', databaseUrl])).toMatchObject({ code: 0 })
    const flags = [
      ...['--database-url', databaseUrl, '--clickhouse-url', await clickhouse.newDatabase(), '--redis-url', redis.url],
      ...['--nsqd-tcp-addresses', nsqd.tcp, '--api-requests-per-hour', '1000000000'],
      ...['--address-requests-per-hour', '1000000000'],
    ]
    // Before it serves visitors: a running process looks every five seconds who may read.
    service = await startProcess(dataDir, flags)
    const { body } = await ask('GET', '/v4/organizations')
    const { guid } = (JSON.parse(body) as { organizations: [{ guid: string }] }).organizations[0]
    expect((await ask('PUT', `/v4/organizations/${guid}/stream_access`)).status).toBe(200)
    await service.stop('SIGTERM')
    service = await startProcess(dataDir, flags)
    known = await shortenAt(service.url, 'https://example.com/known')
    reader = new nsqjs.Reader(`clicks.${guid}`, 'archive', {
      nsqdTCPAddresses: [nsqd.tcp],
      maxInFlight: 1000,
      lookupdPollInterval: 1,
    })
    reader.on('message', (message) => {
      streamed.add(String((message.json() as { r?: string }).r))
      message.finish()
    })
    // It connects again by itself.
    reader.on('error', () => {})
    reader.connect()
  }, 240_000)
  afterAll(async () => {
    for (const engine of [postgres, clickhouse, redis, nsqd]) engine?.freeze(false)
    await service?.stop('SIGKILL')
    reader?.close()
    await Promise.all([postgres.stop(), clickhouse.stop(), redis?.stop(), nsqd?.stop()])
    rmSync(dataDir, { recursive: true, force: true })
  }, 120_000)

  const agent = new Agent({ keepAlive: true })
  /** Status 0: no answer. */
  function ask(method: string, path: string, body?: object): Promise<{ status: number; body: string }> {
    const headers: Record<string, string> = path.startsWith('/v4/')
      ? { authorization: `Bearer ${processToken}`, 'content-type': 'application/json' }
      : { referer: `https://visit.example/${sent++}`, 'user-agent': agents.desktop }
    return new Promise((resolve) => {
      const asked = request(service.url + path, { method, agent, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part) => {
          text += part
        })
        response.on('end', () => {
          if (response.statusCode === 301) answered.add(String(headers.referer))
          resolve({ status: response.statusCode ?? 0, body: text })
        })
        response.on('error', () => resolve({ status: 0, body: '' }))
      })
      asked.on('error', () => resolve({ status: 0, body: '' }))
      asked.end(body && JSON.stringify(body))
    })
  }

  const kinds = {
    'known links': () => ask('GET', known.path),
    'unknown links': () => ask('GET', `/missing${sent++}`),
    'POST shorten': () => ask('POST', '/v4/shorten', { long_url: `https://example.com/${sent++}` }),
    'GET groups': () => ask('GET', '/v4/groups'),
    reports: () => ask('GET', `/v4/shortlinks/${known.id}/clicks/summary`),
  }
  type Kind = keyof typeof kinds
  const pauses: Readonly<Record<Kind, number>> = {
    'known links': 1,
    'unknown links': 10,
    'POST shorten': 20,
    'GET groups': 20,
    reports: 20,
  }

  interface Second {
    readonly statuses: Record<number, number>
    slowest: number
  }

  /** By kind and second: what was asked then. */
  async function underLoad(work: () => Promise<void>): Promise<ReadonlyMap<Kind, Second[]>> {
    const seen = new Map<Kind, Second[]>()
    const begun = performance.now()
    let ended = false
    const loops = (Object.keys(kinds) as Kind[]).map(async (kind) => {
      const bySecond: Second[] = []
      seen.set(kind, bySecond)
      while (!ended) {
        const asked = performance.now()
        const { status } = await kinds[kind]()
        const index = Math.floor((asked - begun) / 1000)
        bySecond[index] ??= { statuses: {}, slowest: 0 }
        const second = bySecond[index]
        second.statuses[status] = (second.statuses[status] ?? 0) + 1
        second.slowest = Math.max(second.slowest, performance.now() - asked)
        await wait(pauses[kind])
      }
    })
    await work()
    ended = true
    await Promise.all(loops)
    return seen
  }

  const isWell = async () => {
    const ready = (await (await fetch(`${service.url}/readyz`)).json()) as { status: string }
    return ready.status === 'ready'
  }

  const engines = {
    PostgreSQL: {
      kill: () => postgres.halt('SIGQUIT'),
      restart: () => postgres.resume(),
      freeze: (frozen: boolean) => postgres.freeze(frozen),
      statuses: { 'unknown links': ['404', '503'], 'POST shorten': ['201', '503'], 'GET groups': ['200', '503'] },
    },
    ClickHouse: {
      kill: () => clickhouse.kill(),
      restart: () => clickhouse.restart(),
      freeze: (frozen: boolean) => clickhouse.freeze(frozen),
      statuses: {},
    },
    Redis: {
      kill: () => redis.kill(),
      restart: () => redis.run(),
      freeze: (frozen: boolean) => redis.freeze(frozen),
      statuses: {},
    },
    nsqd: {
      kill: () => nsqd.kill(),
      restart: () => nsqd.restart(),
      freeze: (frozen: boolean) => nsqd.freeze(frozen),
      statuses: {},
    },
  }
  const healthy: Readonly<Record<Kind, readonly string[]>> = {
    'known links': ['301'],
    'unknown links': ['404'],
    'POST shorten': ['201'],
    'GET groups': ['200'],
    reports: ['200', '503'],
  }

  for (const [name, engine] of Object.entries(engines)) {
    for (const how of ['killed', 'frozen'] as const) {
      it(`${name} ${how} for ${seconds} s: visitors are redirected, and every click is counted and streamed`, {
        timeout: 240_000 + seconds * 2000,
      }, async () => {
        const seen = await underLoad(async () => {
          await wait(1000)
          if (how === 'killed') await engine.kill()
          else engine.freeze(true)
          await wait(seconds * 1000)
          if (how === 'killed') await engine.restart()
          else engine.freeze(false)
          await vi.waitFor(async () => expect(await isWell()).toBe(true), { timeout: 120_000, interval: 100 })
          await wait(1000)
        })
        await drained(service.url)
        const { body } = await ask('GET', `/v4/shortlinks/${known.id}/clicks/summary`)
        const { total_clicks: counted } = JSON.parse(body) as { total_clicks: number }
        console.log(
          [
            `${name} ${how} from second 1 to ${seconds + 1}`,
            ...table(seen),
            `${answered.size} answered in all, ${counted} counted`,
          ].join('\n'),
        )

        const allowed = { ...healthy, ...engine.statuses }
        for (const [kind, bySecond] of seen) {
          const statuses = new Set(bySecond.flatMap((second) => Object.keys(second.statuses)))
          expect([...statuses].filter((status) => !allowed[kind].includes(status))).toEqual([])
        }
        expect(counted).toBe(answered.size)
        const missing = () => [...answered].filter((referrer) => !streamed.has(referrer))
        await vi.waitFor(() => expect(missing()).toEqual([]), { timeout: 120_000, interval: 100 })
      })
    }
  }
})

function table(seen: ReadonlyMap<string, readonly { statuses: Record<number, number>; slowest: number }[]>): string[] {
  const length = Math.max(...[...seen.values()].map((bySecond) => bySecond.length))
  const rows = Array.from({ length }, (_, index) => {
    const cells = [...seen.values()].map((bySecond) => {
      const { statuses = {}, slowest = 0 } = bySecond[index] ?? {}
      const counts = Object.entries(statuses).map(([status, count]) => `${count} x ${status}`)
      return counts.length === 0 ? '-' : `${counts.join(', ')}, slowest ${Math.round(slowest)} ms`
    })
    return `| ${[index, ...cells].join(' | ')} |`
  })
  return [`| second | ${[...seen.keys()].join(' | ')} |`, ...rows]
}
