/**
 * PostgreSQL with a standby: the primary is lost under load and the standby promoted. The service goes on by itself, visitors
 * of known links notice nothing, and with synchronous replication nothing that was answered is lost.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { enginesWanted } from '../support/engines-wanted.js'
import { PostgresServer, whyNoPostgresServer } from '../support/postgres-server.js'
import { runCommand } from '../support/run-command.js'
import { SilentProxy } from '../support/silent-proxy.js'
import { drained, processToken, type ServiceProcess, shortenAt, startProcess } from '../support/start-process.js'

const skip = enginesWanted().has('postgres') ? whyNoPostgresServer() : 'ENGINES leaves postgres out'
const patiently = { timeout: 120_000, interval: 50 }

describe.skipIf(skip).each([
  ['the primary is killed, and the URL names both hosts', { frozen: false, moves: false }],
  ['the primary falls silent, and the URL names both hosts', { frozen: true, moves: false }],
  ['the primary falls silent, and its address moves', { frozen: true, moves: true }],
])(`%s${skip === undefined ? '' : ` (skipped: ${skip})`}`, (_how, { frozen, moves }) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'shortlink-failover-'))
  const primary = new PostgresServer({ synchronous_commit: 'on' })
  let standby: PostgresServer
  let address: SilentProxy
  let databaseUrl: string
  let service: ServiceProcess

  beforeAll(async () => {
    const own = await primary.start()
    standby = await primary.startStandby()
    await query(own, `alter system set synchronous_standby_names = '*'`)
    await query(own, 'select pg_reload_conf()')
    await vi.waitFor(async () => {
      expect(await query(own, 'select sync_state from pg_stat_replication')).toEqual([{ sync_state: 'sync' }])
    }, patiently)
    address = await SilentProxy.start(Number(new URL(own).port))
    databaseUrl = moves
      ? address.urlOf(own)
      : `${own.replace('/postgres', `,${new URL(standby.url).host}/postgres`)}?target_session_attrs=read-write`
    expect(await runCommand(['migrate', '--database-url', databaseUrl])).toMatchObject({ code: 0 })
    service = await startProcess(dataDir, ['--database-url', databaseUrl])
  }, 240_000)
  afterAll(async () => {
    if (frozen) primary.freeze(false)
    await service?.stop('SIGKILL')
    await address?.close()
    await standby?.stop()
    await primary.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const visit = (path: string) => fetch(service.url + path, { redirect: 'manual', signal: AbortSignal.timeout(60_000) })
  const ask = (method: string, path: string, body?: object) =>
    fetch(`${service.url}/v4${path}`, {
      method,
      headers: { authorization: `Bearer ${processToken}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    })
  const read = async (path: string) => (await (await ask('GET', path)).json()) as Record<string, unknown>

  it('goes on by itself, and nothing that was answered is lost', { timeout: 300_000 }, async () => {
    const known = await shortenAt(service.url, 'https://example.com/known')
    await visit(known.path)
    const edited = await Promise.all([0, 1].map((each) => shortenAt(service.url, `https://example.com/edited/${each}`)))
    const made = new Set<string>()
    const visits = new Map<number, number>()
    const refusals = new Map<number, number>()
    const edits = edited.map(() => ({ sent: 0, answered: 0 }))
    let ended = false
    const count = (counts: Map<number, number>, status: number) => counts.set(status, (counts.get(status) ?? 0) + 1)

    const visitors = [0, 1].map(async () => {
      while (!ended) {
        count(visits, (await visit(known.path)).status)
        await wait(2)
      }
    })
    const makers = [0, 1].map(async (maker) => {
      for (let number = 0; !ended; number++) {
        const answer = await ask('POST', '/shorten', { long_url: `https://example.com/${maker}/${number}` })
        if (answer.status === 201) made.add(((await answer.json()) as { id: string }).id)
        else count(refusals, answer.status)
        await wait(10)
      }
    })
    const editors = edited.map(async ({ id }, index) => {
      for (const edit = edits[index]; edit && !ended; ) {
        edit.sent += 1
        const { status } = await ask('PATCH', `/shortlinks/${id}`, {
          long_url: `https://example.com/edit/${edit.sent}`,
        })
        if (status === 200) edit.answered = edit.sent
        else count(refusals, status)
        await wait(10)
      }
    })
    const progress = async () => {
      const before = [made.size, ...edits.map(({ answered }) => answered)]
      await vi.waitFor(() => {
        const now = [made.size, ...edits.map(({ answered }) => answered)]
        expect(now.every((each, index) => each > (before[index] ?? 0) + 10)).toBe(true)
      }, patiently)
    }

    await progress()
    if (frozen) primary.freeze(true)
    else await primary.halt('SIGQUIT')
    await vi.waitFor(() => expect(refusals.get(503)).toBeGreaterThan(0), patiently)
    await standby.promote()
    address.target = Number(new URL(standby.url).port)
    await progress()
    ended = true
    await Promise.all([...visitors, ...makers, ...editors])

    expect([...visits.keys()]).toEqual([301])
    expect([...refusals.keys()]).toEqual([503])
    for (const id of made) expect((await ask('GET', `/shortlinks/${id}`)).status).toBe(200)
    for (const [index, { id, path }] of edited.entries()) {
      const { sent = 0, answered = 0 } = edits[index] ?? {}
      const { long_url: target } = await read(`/shortlinks/${id}`)
      const number = Number(String(target).split('/').at(-1))
      expect(number).toBeGreaterThanOrEqual(answered)
      expect(number).toBeLessThanOrEqual(sent)
      expect((await visit(path)).headers.get('location')).toBe(target)
    }
    await drained(service.url)
    const summary = await read(`/shortlinks/${known.id}/clicks/summary`)
    expect(summary).toMatchObject({ total_clicks: (visits.get(301) ?? 0) + 1 })
    console.log(
      `${visits.get(301)} visits, ${made.size} links and ${edits[0]?.answered}+${edits[1]?.answered} edits answered, ${refusals.get(503)} refused with 503`,
    )
  })

  it('hears of changes by others from the new primary', { timeout: 240_000 }, async () => {
    const { id, path } = await shortenAt(service.url, 'https://example.com/former')
    expect((await visit(path)).headers.get('location')).toBe('https://example.com/former')
    await vi.waitFor(async () => {
      const listening = `select 1 from pg_stat_activity where application_name = 'shortlink notifications'`
      expect(await query(standby.url, listening)).toHaveLength(1)
    }, patiently)
    await query(standby.url, `update links set long_url = 'https://example.com/new' where long_url like '%/former'`)
    await query(standby.url, `select pg_notify('shortlink_addresses', '${id}')`)
    await vi.waitFor(async () => {
      expect((await visit(path)).headers.get('location')).toBe('https://example.com/new')
    }, patiently)
  })

  it('starts on the new primary while the former one is away', { timeout: 240_000 }, async () => {
    await service.stop('SIGTERM')
    expect(await runCommand(['migrate', '--database-url', databaseUrl])).toMatchObject({ code: 0 })
    service = await startProcess(dataDir, ['--database-url', databaseUrl], '', Number(new URL(service.url).port))
    expect(await (await fetch(`${service.url}/readyz`)).json()).toMatchObject({
      servers: { postgresql: { state: 'ok' } },
    })
  })
})

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
