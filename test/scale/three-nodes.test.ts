/**
 * Three processes of the service on one PostgreSQL, ClickHouse, Redis and nsqd, killed in turns while visitors come and
 * links are made: what was answered is counted exactly once and told of at least once, by row and not by total.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import nsqjs from 'nsqjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agents } from '../api/visits.js'
import { type RealDaemon, startRealNsqd } from '../stream/nsq-daemons.js'
import { eventually } from '../stream/nsqd/subject.js'
import { ClickhouseServer } from '../support/clickhouse-server.js'
import { freePort } from '../support/free-port.js'
import { goNsq } from '../support/go-nsq.js'
import { clicksInClickhouse } from '../support/load.js'
import { RedisServer, whyNoRedis } from '../support/redis-server.js'
import { rounds } from '../support/rounds.js'
import { runCommand } from '../support/run-command.js'
import { sqlEngines, type TestDatabase } from '../support/sql-engines.js'
import { drained, processToken, type ServiceProcess, startProcess } from '../support/start-process.js'

const kills = rounds
const seconds = 1 + kills
const host = 's.example.test'
const visitorsPerNode = 4

const programs = goNsq()
const postgres = sqlEngines().find(({ name }) => name === 'postgres')
const skip =
  ClickhouseServer.skip() ??
  whyNoRedis ??
  ('skip' in programs ? programs.skip : undefined) ??
  (postgres ? postgres.skip : 'ENGINES leaves postgres out')

describe.skipIf(skip)(`three processes on shared engines${skip === undefined ? '' : ` (skipped: ${skip})`}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'shortlink-nodes-'))
  const clickhouse = new ClickhouseServer()
  let clickhouseUrl: string
  let redis: RedisServer
  let database: TestDatabase | undefined
  let nsqd: RealDaemon
  let ports: readonly number[]
  let organization: string
  const nodes: (ServiceProcess | undefined)[] = []

  const start = async (index: number) => {
    const flags = [
      ...['--base-url', `http://${host}`, '--database-url', String(database?.databaseUrl)],
      ...['--clickhouse-url', clickhouseUrl, '--redis-url', redis.url, '--nsqd-tcp-addresses', nsqd.tcp],
    ]
    nodes[index] = await startProcess(join(folder, String(index)), flags, '', ports[index])
  }

  beforeAll(async () => {
    clickhouseUrl = await clickhouse.newDatabase()
    redis = await RedisServer.start()
    database = await postgres?.create()
    nsqd = await startRealNsqd('skip' in programs ? '' : programs.nsqd, { flags: ['--sync-every=2500'] })
    ports = await Promise.all([freePort(), freePort(), freePort()])
    const migrated = await runCommand(['migrate', '--database-url', String(database?.databaseUrl)])
    expect(migrated).toMatchObject({ code: 0, err: '' })
    // Before the others start: a running process looks every five seconds who may read.
    await start(0)
    organization = await allowStream()
    await nodes[0]?.stop('SIGTERM')
    await Promise.all(ports.map((_, index) => start(index)))
  }, 120_000)
  afterAll(async () => {
    for (const node of nodes) await node?.stop('SIGKILL')
    await nsqd?.stop()
    await redis?.stop()
    await clickhouse.stop()
    await database?.remove()
    rmSync(folder, { recursive: true, force: true })
  }, 120_000)

  it(
    `counts every answered visit once and streams it, through ${kills} kills in ${seconds} seconds`,
    async () => {
      const [clicks, links] = ['clicks', 'links'].map((kind) => read(`${kind}.${organization}`))
      const link = await shorten(0, 'https://example.com/visited')
      const path = `/${String(link).split('/')[1]}`

      const answered = new Set<string>()
      const made = new Set<string>([String(link)])
      let ended = false
      let sent = 0
      const visitors = [...ports.keys()].flatMap((index) =>
        Array.from({ length: visitorsPerNode }, async () => {
          const agent = new Agent({ keepAlive: true, maxSockets: 1 })
          while (!ended) {
            const referer = `https://visit.example/${sent++}`
            const answer = await ask(index, 'GET', path, { agent, headers: { referer } })
            if (answer?.status === 301) answered.add(referer)
            else await wait(20)
          }
          agent.destroy()
        }),
      )
      const makers = [...ports.keys()].map(async (index) => {
        while (!ended) {
          const id = await shorten(index, `https://example.com/${sent++}`)
          if (id !== undefined) made.add(id)
          await wait(10)
        }
      })
      for (let kill = 0; kill < kills; kill++) {
        await wait((seconds * 1000) / (kills + 1))
        await nodes[kill % 3]?.stop('SIGKILL')
        await start(kill % 3)
      }
      await wait((seconds * 1000) / (kills + 1))
      ended = true
      await Promise.all([...visitors, ...makers])
      for (const index of ports.keys()) await drained(`http://127.0.0.1:${ports[index]}`)

      const counted = await clicksInClickhouse(clickhouseUrl)
      expect([...answered].filter((referrer) => counted.get(referrer) !== 1)).toEqual([])
      expect([...counted].filter(([, count]) => count !== 1)).toEqual([])
      const missing = (seen: ReadonlySet<string>, wanted: ReadonlySet<string>) =>
        [...wanted].filter((each) => !seen.has(each))
      await eventually(async () => expect(missing(clicks?.seen('r') ?? new Set(), answered)).toEqual([]))
      await eventually(async () => expect(missing(links?.seen('link') ?? new Set(), made)).toEqual([]))
      clicks?.close()
      links?.close()
      console.log(`${answered.size} visits answered, ${counted.size} counted, ${made.size} links made`)
    },
    seconds * 1000 + 300_000,
  )

  it('tells a live reader of one process the clicks on the others', { timeout: 120_000 }, async () => {
    const headers = { authorization: `Bearer ${processToken}` }
    const { organizations } = JSON.parse((await ask(0, 'GET', '/v4/organizations', { headers }))?.body ?? '')
    // Live readers need no access to the stream.
    await ask(0, 'DELETE', `/v4/organizations/${organizations[0].guid}/stream_access`, { headers })
    const link = String(await shorten(0, 'https://example.com/followed'))
    const following = request({ port: ports[0], path: `/v4/shortlinks/${link}/events`, headers: { host, ...headers } })
    let told = ''
    following.on('response', (response) => response.setEncoding('utf8').on('data', (text) => (told += text)))
    following.on('error', () => {})
    following.end()
    await eventually(async () => expect(told).toContain('event: ready'))
    // The other processes look at what is held every five seconds.
    await wait(6000)
    for (const index of ports.keys()) {
      // Live readers are told of people only, so the visitor needs the name of a real browser.
      const visitor = { referer: `https://node.example/${index}`, 'user-agent': agents.desktop }
      expect((await ask(index, 'GET', `/${link.split('/')[1]}`, { headers: visitor }))?.status).toBe(301)
    }
    const referrers = () => [...told.matchAll(/"https:\/\/node.example\/(\d)"/g)].map(([, index]) => index).sort()
    await eventually(async () => expect(referrers()).toEqual(['0', '1', '2']))
    following.destroy()
  })

  interface Answer {
    readonly status: number | undefined
    readonly body: string
  }

  /** Undefined when the process is not there, or dies before it has answered. */
  function ask(
    index: number,
    method: string,
    path: string,
    { agent, headers = {}, body }: { agent?: Agent; headers?: Record<string, string>; body?: object } = {},
  ): Promise<Answer | undefined> {
    return new Promise((resolve) => {
      const json =
        body === undefined ? {} : { 'content-type': 'application/json', authorization: `Bearer ${processToken}` }
      const options = {
        method,
        port: ports[index],
        path,
        agent,
        headers: { host, 'user-agent': 'Mozilla/5.0', ...json, ...headers },
      }
      const sent = request(options, (response) => {
        let text = ''
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode, body: text }))
        response.on('error', () => resolve(undefined))
      })
      sent.on('error', () => resolve(undefined))
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }

  async function shorten(index: number, longUrl: string): Promise<string | undefined> {
    const answer = await ask(index, 'POST', '/v4/shorten', { body: { long_url: longUrl } })
    return answer?.status === 201 ? (JSON.parse(answer.body) as { id: string }).id : undefined
  }

  async function allowStream(): Promise<string> {
    const headers = { authorization: `Bearer ${processToken}` }
    const answer = await ask(0, 'GET', '/v4/organizations', { headers })
    const guid = (JSON.parse(answer?.body ?? '') as { organizations: { guid: string }[] }).organizations[0]?.guid ?? ''
    expect((await ask(0, 'PUT', `/v4/organizations/${guid}/stream_access`, { headers }))?.status).toBe(200)
    return guid
  }

  function read(topic: string) {
    const messages: Record<string, unknown>[] = []
    const reader = new nsqjs.Reader(topic, 'archive', { nsqdTCPAddresses: [nsqd.tcp], maxInFlight: 1000 })
    reader.on('message', (message) => {
      messages.push(message.json() as Record<string, unknown>)
      message.finish()
    })
    reader.connect()
    return { seen: (key: string) => new Set(messages.map((each) => String(each[key]))), close: () => reader.close() }
  }
})
