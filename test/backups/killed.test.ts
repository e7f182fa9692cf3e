/** Backups and restores that are killed at a random moment and repeated end the same. */
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BackupManifest } from '../../src/core/copies/manifest.js'
import { openPostgres } from '../../src/storage/records/postgres.js'
import { ClickhouseServer } from '../support/clickhouse-server.js'
import { rounds } from '../support/rounds.js'
import { ended, runCommand, startCommand } from '../support/run-command.js'
import { postgresEngine, type TestDatabase } from '../support/sql-engines.js'
import { drained, type ServiceProcess, shortenAt, startProcess } from '../support/start-process.js'

const kills = 2 * rounds
const folder = mkdtempSync(join(tmpdir(), 'shortlink-killed-backup-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const passphrase = 'correct horse battery staple'

const noServers = postgresEngine().skip ?? ClickhouseServer.skip()
const pairs = [
  ['SQLite and DuckDB', false, undefined],
  [`PostgreSQL and ClickHouse${noServers ? ` (skipped: ${noServers})` : ''}`, true, noServers],
] as const

describe.each(pairs)('on %s', { timeout: 600_000 * rounds }, (_name, onServers, skip) => {
  if (skip !== undefined) return it.skip(skip)
  const home = join(folder, onServers ? 'servers' : 'embedded')
  const clickhouse = new ClickhouseServer()
  const databases: TestDatabase[] = []
  let service: ServiceProcess
  let stores: readonly string[]
  let facts: object
  let good: string

  /** Flags of a new installation: `isNew` leaves the database without tables. */
  async function place(name: string, isNew: boolean): Promise<readonly string[]> {
    const dataDir = ['--data-dir', join(home, name)]
    if (!onServers) return dataDir
    const database = await postgresEngine().create()
    databases.push(database)
    if (!isNew) {
      const records = await openPostgres(database.location)
      await records.migrate()
      await records.close()
    }
    return [...dataDir, '--database-url', database.location, '--clickhouse-url', await clickhouse.newDatabase()]
  }

  beforeAll(async () => {
    rmSync(home, { recursive: true, force: true })
    stores = await place('data', false)
    service = await startProcess(stores[1] ?? '', ['--domains', 'sho.rt', ...stores.slice(2)])
    for (let link = 0; link < 10; link++) {
      const { path } = await shortenAt(service.url, `https://example.com/${link}`)
      for (let visit = 0; visit < 5; visit++) await fetch(service.url + path, { redirect: 'manual' })
    }
    await drained(service.url)
  })
  afterAll(async () => {
    await service?.stop('SIGTERM')
    await clickhouse.stop()
    for (const database of databases) await database.remove()
  })

  it('a backup that is killed again and again is complete in the end, and never before', async () => {
    good = join(home, 'backup')
    const whole = await timed(['backup', join(home, 'whole'), ...stores])
    for (let kill = 0; kill < kills; kill++) {
      await killedAfter(['backup', good, ...stores], Math.random() * whole)
      if (existsSync(good)) {
        expect(await run(['backup', 'verify', good])).toMatchObject({ code: 0 })
        rmSync(good, { recursive: true })
      }
    }
    expect(await run(['backup', good, ...stores])).toMatchObject({ code: 0, err: '' })
    expect(await run(['backup', 'verify', good])).toMatchObject({ code: 0, err: '' })
    expect(readdirSync(home).filter((name) => name.endsWith('.unfinished'))).toEqual([])
    facts = await factsOf('once', await restoredTo('once'))
  })

  it('a restore that is killed again and again ends as one that was not', async () => {
    const to = await place('killed', true)
    const whole = await timed(['restore', good, ...(await place('timed', true))])
    for (let kill = 0; kill < kills; kill++) await killedAfter(['restore', good, ...to], Math.random() * whole)
    const last = await run(['restore', good, ...to])
    // The last one that was killed may have finished.
    if (last.code !== 0) expect(last.err).toMatch(/is not empty|has clicks already/)
    expect(await factsOf('killed', to)).toEqual(facts)
  })

  async function restoredTo(name: string): Promise<readonly string[]> {
    const to = await place(name, true)
    expect(await run(['restore', good, ...to])).toMatchObject({ code: 0, err: '' })
    return to
  }

  /** What a backup of it contains. */
  async function factsOf(name: string, from: readonly string[]): Promise<object> {
    const made = await run(['backup', join(home, `of-${name}`), ...from, '--json'])
    expect(made).toMatchObject({ code: 0, err: '' })
    const { counts, files } = JSON.parse(made.out) as BackupManifest
    const clicks = files.flatMap(({ path, rows, fingerprint }) =>
      path.startsWith('clicks/') ? [{ path, rows, fingerprint }] : [],
    )
    return { counts, clicks }
  }
})

const options = { cwd: folder, env: { SHORTLINK_BACKUP_PASSPHRASE: passphrase } }

function run(args: readonly string[]) {
  return runCommand(args, options)
}

async function timed(args: readonly string[]): Promise<number> {
  const began = performance.now()
  expect(await ended(startCommand(args, options))).toMatchObject({ code: 0, err: '' })
  return performance.now() - began
}

async function killedAfter(args: readonly string[], milliseconds: number): Promise<void> {
  const child = startCommand(args, options)
  const timer = setTimeout(() => child.kill('SIGKILL'), milliseconds)
  await once(child, 'exit')
  clearTimeout(timer)
}
