import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { enginesWanted } from '../support/engines-wanted.js'
import { PostgresServer, whyNoPostgresServer } from '../support/postgres-server.js'
import { rounds } from '../support/rounds.js'
import { runCommand } from '../support/run-command.js'
import { drained, processToken, type ServiceProcess, shortenAt, startProcess } from '../support/start-process.js'

const skip = enginesWanted().has('postgres') ? whyNoPostgresServer() : 'ENGINES leaves postgres out'
/** One of each kind. */
const restarts = 3 * rounds
const outage = 2 * rounds
const silence = 6 * rounds

describe.skipIf(skip)(`a service whose PostgreSQL goes away${skip === undefined ? '' : ` (skipped: ${skip})`}`, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'shortlink-away-'))
  const server = new PostgresServer()
  let databaseUrl: string
  let service: ServiceProcess
  let hot: string

  beforeAll(async () => {
    databaseUrl = await server.start()
    expect(await runCommand(['migrate', '--database-url', databaseUrl])).toMatchObject({ code: 0 })
    service = await startProcess(dataDir, ['--database-url', databaseUrl])
    hot = (await shortenAt(service.url, 'https://example.com/hot')).path
    expect((await visit(hot)).status).toBe(301)
  }, 240_000 * rounds)
  afterAll(async () => {
    server.freeze(false)
    await service?.stop('SIGKILL')
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const visit = (path: string, headers: Record<string, string> = {}) =>
    fetch(service.url + path, { redirect: 'manual', headers, signal: AbortSignal.timeout(20_000) })

  const shorten = (longUrl: string) =>
    fetch(`${service.url}/v4/shorten`, {
      method: 'POST',
      headers: { authorization: `Bearer ${processToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ long_url: longUrl }),
      signal: AbortSignal.timeout(20_000),
    })

  async function answersAgain(): Promise<void> {
    while ((await visit('/neverSeen')).status !== 404 || (await shorten('https://example.com/again')).status >= 500) {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  async function cutConnections(): Promise<void> {
    const client = new Client({ connectionString: databaseUrl })
    client.on('error', () => {})
    await client.connect()
    await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name like 'shortlink%' and pid <> pg_backend_pid()`)
    await client.end()
  }

  it(
    `lives through ${restarts} restarts under load, and counts every visit that it answered`,
    async () => {
      let answered = 0
      let ended = false
      const statuses = new Set<number>()
      const load = Array.from({ length: 8 }, async (_, index) => {
        for (let round = 0; !ended; round++) {
          // Unknown back-halves ask the database every time.
          statuses.add((await visit(`/miss${index}x${round}`)).status)
          const known = await visit(hot)
          if (known.status === 301) answered += 1
          else statuses.add(known.status)
          statuses.add((await shorten(`https://example.com/${index}/${round % 50}`)).status)
        }
      })
      for (let round = 0; round < restarts; round++) {
        if (round % 3 === 2) {
          await cutConnections()
        } else {
          await server.halt(round % 3 === 0 ? 'SIGINT' : 'SIGQUIT')
          await new Promise((resolve) => setTimeout(resolve, 200))
          await server.resume()
        }
        await answersAgain()
      }
      ended = true
      await Promise.all(load)
      expect(service.child.exitCode).toBeNull()
      expect([...statuses].filter((status) => ![200, 201, 404, 503].includes(status))).toEqual([])
      await drained(service.url)
      const summary = await fetch(
        `${service.url}/v4/shortlinks/${new URL(service.url).host.replace('127.0.0.1', 'localhost')}${hot}/clicks/summary`,
        {
          headers: { authorization: `Bearer ${processToken}` },
        },
      )
      // One visit was made before.
      expect(await summary.json()).toMatchObject({ total_clicks: answered + 1 })
    },
    240_000 * rounds,
  )

  it('answers links that it knows and refuses the rest while PostgreSQL is stopped', async () => {
    await server.halt()
    expect((await visit(hot)).status).toBe(301)
    expect((await visit('/unknown1')).status).toBe(503)
    const refused = await shorten('https://example.com/away')
    expect(refused.status).toBe(503)
    expect(await refused.json()).toMatchObject({ message: 'TEMPORARILY_UNAVAILABLE' })
    expect(refused.headers.get('retry-after')).toBe('1')
    const ready = await fetch(`${service.url}/readyz`)
    expect(ready.status).toBe(200)
    expect(await ready.json()).toMatchObject({ status: 'degraded' })
    await server.resume()
    await answersAgain()
  }, 120_000)

  it(
    `answers links that it knows all through ${outage} seconds without PostgreSQL, and counts their visits`,
    async () => {
      const { id, path } = await shortenAt(service.url, 'https://example.com/all-through')
      expect((await visit(path)).status).toBe(301)
      await server.halt()
      const statuses = new Map<number, number>()
      for (const begun = performance.now(); performance.now() - begun < outage * 1000; ) {
        const { status } = await visit(path)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
      expect([...statuses.keys()]).toEqual([301])
      expect(await (await fetch(`${service.url}/readyz`)).json()).toMatchObject({ status: 'degraded' })
      await server.resume()
      await answersAgain()
      await drained(service.url)
      const summary = await fetch(`${service.url}/v4/shortlinks/${id}/clicks/summary`, {
        headers: { authorization: `Bearer ${processToken}` },
      })
      const answered = statuses.get(301) ?? 0
      expect(await summary.json()).toMatchObject({ total_clicks: answered + 1 })
      console.log(`${answered} visits in ${outage} seconds without PostgreSQL were answered with 301 and counted`)
    },
    60_000 + outage * 1000,
  )

  it('does the same, on both ways in, while PostgreSQL takes connections and answers nothing', async () => {
    server.freeze(true)
    onTestFinished(() => server.freeze(false))
    expect((await visit(hot)).status).toBe(301)
    expect((await visit('/unknown2')).status).toBe(503)
    // Too long for the fast path: node:http reads it.
    expect((await visit('/unknown3', { 'x-long': 'a'.repeat(9000) })).status).toBe(503)
    expect((await shorten('https://example.com/frozen')).status).toBe(503)
    expect(await (await fetch(`${service.url}/readyz`)).json()).toMatchObject({ status: 'degraded' })
    server.freeze(false)
    await answersAgain()
  }, 120_000)

  it('answers links that were edited just before PostgreSQL fell silent', async () => {
    const links = await Promise.all(
      Array.from({ length: 10 }, (_, index) => shortenAt(service.url, `https://example.com/former/${index}`)),
    )
    for (const { path } of links) expect((await visit(path)).status).toBe(301)
    const client = new Client({ connectionString: databaseUrl })
    await client.connect()
    onTestFinished(() => client.end())
    // As another process does; the answer to the question that follows is lost with the server.
    await client.query(`update links set long_url = replace(long_url, 'former', 'new')`)
    await client.query(`select pg_notify('shortlink_addresses', string_agg(address, E'\\n')) from addresses`)
    server.freeze(true)
    onTestFinished(() => server.freeze(false))
    const statuses = await Promise.all(links.map(async ({ path }) => (await visit(path)).status))
    expect(new Set(statuses)).toEqual(new Set([301]))
    server.freeze(false)
    await answersAgain()
    await vi.waitFor(async () => {
      const targets = await Promise.all(links.map(async ({ path }) => (await visit(path)).headers.get('location')))
      expect(targets).toEqual(links.map((_, index) => `https://example.com/new/${index}`))
    })
  }, 120_000)

  it('says so when the state changes, and not for every visitor', async () => {
    await server.halt()
    for (let round = 0; round < 300; round++) {
      await visit(`/nobody${round}`)
      if (round % 30 === 0) expect((await shorten('https://example.com/refused')).status).toBe(503)
    }
    await server.resume()
    await answersAgain()
    const lines = service.output().split('\n')
    for (const message of ['cannot look up links', 'request failed', 'cannot write the counts of API requests']) {
      expect(lines.filter((line) => line.includes(message)).length).toBeLessThan(5)
    }
    expect(lines.some((line) => line.includes('cannot reach the database'))).toBe(true)
    expect(lines.some((line) => line.includes('the database is reachable again'))).toBe(true)
  }, 120_000)

  it(
    `writes a line a minute for each thing that fails in ${silence} seconds of silence`,
    async () => {
      const before = service.output().length
      server.freeze(true)
      onTestFinished(() => server.freeze(false))
      await wait(silence * 1000)
      server.freeze(false)
      await answersAgain()
      const counts = new Map<string, number>()
      for (const line of service.output().slice(before).split('\n').filter(Boolean)) {
        const { msg } = JSON.parse(line) as { msg: string }
        counts.set(msg, (counts.get(msg) ?? 0) + 1)
      }
      console.log(`${silence} seconds of silence: ${JSON.stringify(Object.fromEntries(counts))}`)
      // One that began in the minute before may be due again.
      const most = 2 + Math.floor(silence / 60)
      expect([...counts].filter(([, count]) => count > most)).toEqual([])
      expect(counts.get('cannot reach the database; serving cached redirects, refusing all other requests')).toBe(1)
    },
    60_000 + silence * 1000,
  )

  it('starts without PostgreSQL, answers the links that were used last, and keeps their clicks', async () => {
    const { id, path } = await shortenAt(service.url, 'https://example.com/known')
    expect((await visit(path)).status).toBe(301)
    expect(await service.stop('SIGTERM')).toBe(0)
    await server.halt()
    service = await startProcess(dataDir, ['--database-url', databaseUrl], '', Number(new URL(service.url).port))
    expect((await visit(path)).headers.get('location')).toBe('https://example.com/known')
    expect((await visit('/unknown4')).status).toBe(503)
    const refused = await shorten('https://example.com/away')
    expect([refused.status, await refused.json()]).toMatchObject([503, { message: 'TEMPORARILY_UNAVAILABLE' }])
    expect(await (await fetch(`${service.url}/readyz`)).json()).toMatchObject({ status: 'degraded', pipeline: null })
    expect(service.output()).toContain('cannot reach the database; serving recently used links')

    await server.resume()
    // For a moment, while the whole service starts, nobody listens.
    await vi.waitFor(async () => expect((await shorten('https://example.com/back')).status).toBe(201), {
      timeout: 30_000,
    })
    await drained(service.url)
    const summary = await fetch(`${service.url}/v4/shortlinks/${id}/clicks/summary`, {
      headers: { authorization: `Bearer ${processToken}` },
    })
    expect(await summary.json()).toMatchObject({ total_clicks: 2 })
  }, 120_000)
})
