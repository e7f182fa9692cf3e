/** A machine that is lost under load: what the backup has and what the old journal has is counted, each click once. */
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { BackupManifest } from '../../src/core/copies/manifest.js'
import { ClickhouseServer } from '../support/clickhouse-server.js'
import { runCommand } from '../support/run-command.js'
import { postgresEngine, type TestDatabase } from '../support/sql-engines.js'
import { drained, processToken, type ServiceProcess, shortenAt, startProcess } from '../support/start-process.js'

const folder = mkdtempSync(join(tmpdir(), 'shortlink-lost-machine-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const noServers = postgresEngine().skip ?? ClickhouseServer.skip()

describe.each([
  ['SQLite and DuckDB', false],
  [`PostgreSQL and ClickHouse${noServers ? ` (skipped: ${noServers})` : ''}`, true],
] as const)('on %s', { timeout: 300_000 }, (_title, onServers) => {
  const clickhouse = new ClickhouseServer()
  const databases: TestDatabase[] = []
  afterAll(async () => {
    await clickhouse.stop()
    for (const database of databases) await database.remove()
  })

  async function place(name: string): Promise<readonly string[]> {
    const dataDir = ['--data-dir', join(folder, `${onServers ? 'servers' : 'embedded'}-${name}`)]
    if (!onServers) return dataDir
    const database = await postgresEngine().create()
    databases.push(database)
    return [...dataDir, '--database-url', database.location, '--clickhouse-url', await clickhouse.newDatabase()]
  }

  const start = ([, dataDir = '', ...flags]: readonly string[]) =>
    startProcess(dataDir, ['--domains', 'sho.rt', ...flags])

  it.skipIf(onServers && noServers)('counts every click once', async () => {
    const stores = await place('origin')
    if (onServers) expect(await runCommand(['migrate', ...stores])).toMatchObject({ code: 0 })
    const origin = await start(stores)
    const link = await shortenAt(origin.url, 'https://example.com/lost')
    const state = { answered: 0, isOver: false }
    const visitors = [1, 2, 3, 4].map(() => visits(origin, link.path, state))
    while (state.answered < 300) await new Promise((resolve) => setTimeout(resolve, 5))
    const atStart = state.answered
    const backup = join(folder, `backup-${onServers}`)
    const made = await runCommand(['backup', backup, ...stores, '--json'])
    expect(made.code, made.err).toBe(0)
    const { counts } = JSON.parse(made.out) as BackupManifest
    const atEnd = state.answered
    expect(counts.clicks).toBeGreaterThanOrEqual(atStart)
    while (state.answered < atEnd + 300) await new Promise((resolve) => setTimeout(resolve, 5))
    state.isOver = true
    await Promise.all(visitors)
    await origin.stop('SIGKILL')

    // Without the journal: what the backup says. With it: everything that was answered.
    for (const [name, clicks] of [
      ['without', counts.clicks],
      ['with', state.answered],
    ] as const) {
      const to = await place(name)
      expect(await runCommand(['restore', backup, ...to])).toMatchObject({ code: 0 })
      if (name === 'with') cpSync(join(stores[1] ?? '', 'journal'), join(to[1] ?? '', 'journal'), { recursive: true })
      const restored = await start(to)
      try {
        await drained(restored.url)
        expect(await clicksOf(restored, link.id)).toBe(clicks)
        await visits(restored, link.path, { answered: 0, isOver: true })
        await drained(restored.url)
        expect(await clicksOf(restored, link.id)).toBe(clicks + 1)
      } finally {
        await restored.stop('SIGTERM')
      }
    }
  })
})

/** One visit after the other, at least one. */
async function visits(
  { url }: ServiceProcess,
  path: string,
  state: { answered: number; isOver: boolean },
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = {
    host: 'sho.rt',
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  }
  do {
    const [response] = await once(get(url + path, { agent, headers }), 'response')
    response.resume()
    await once(response, 'end')
    expect(response.statusCode).toBe(301)
    state.answered += 1
  } while (!state.isOver)
  agent.destroy()
}

async function clicksOf({ url }: ServiceProcess, link: string): Promise<number> {
  const answer = await fetch(`${url}/v4/shortlinks/${link}/clicks/summary?unit=day&units=-1`, {
    headers: { authorization: `Bearer ${processToken}` },
  })
  return ((await answer.json()) as { total_clicks: number }).total_clicks
}
