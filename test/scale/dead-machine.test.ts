/** A machine that is gone: its journal is delivered by another one, each answered click once. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { JournalProgress } from '../../src/core/clicks/journal-delivery.js'
import { askService, controlSocketPath } from '../../src/edges/control/client.js'
import { FileJournal } from '../../src/storage/journal/journal.js'
import { segmentsIn } from '../../src/storage/journal/segments.js'
import { read } from '../stream/reading.js'
import { ClickhouseServer } from '../support/clickhouse-server.js'
import { freePort } from '../support/free-port.js'
import { clicksIn, clicksInClickhouse, Load } from '../support/load.js'
import { readiness, redirectProcesses } from '../support/redirect-processes.js'
import { ended, runCommand, startCommand } from '../support/run-command.js'
import { postgresEngine } from '../support/sql-engines.js'
import { processToken, type ServiceProcess, shortenAt, startProcess } from '../support/start-process.js'

let folder: string
let lostDir: string
let otherDir: string
const started: ServiceProcess[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-dead-'))
  lostDir = join(folder, 'lost')
  otherDir = join(folder, 'other')
})
afterEach(async () => {
  for (const service of started.splice(0)) await service.stop('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

async function start(...given: Parameters<typeof startProcess>): Promise<ServiceProcess> {
  const service = await startProcess(...given)
  started.push(service)
  return service
}

/** A service that is killed under load while its click log is away: all of its clicks are in its journals alone. */
async function killedUnderLoad(flags: readonly string[] = []): Promise<Load> {
  const clickhouseUrl = `http://127.0.0.1:${await freePort()}`
  const lost = await start(lostDir, ['--processes', '2', '--clickhouse-url', clickhouseUrl, ...flags])
  await expect.poll(() => redirectProcesses(lost).length, { timeout: 60_000 }).toBe(1)
  const { path } = await shortenAt(lost.url, 'https://example.com/lost')
  const load = new Load(lost.url + path)
  const isOver = load.run(12)
  await load.reached(2_000)
  await lost.stop('SIGKILL')
  await isOver
  return load
}

/** Another installation, stopped. */
async function another(): Promise<void> {
  await (await start(otherDir)).stop('SIGTERM')
}

async function deliver(dir: string, ...flags: string[]): Promise<{ progress: Delivered[]; problem: string }> {
  const { out, err } = await runCommand(['journal', 'deliver', dir, '--data-dir', otherDir, '--json', ...flags])
  return { progress: out === '' ? [] : (JSON.parse(out) as Delivered[]), problem: err }
}
type Delivered = JournalProgress & { readonly deleted: boolean }

const clicksOf = (progress: readonly Delivered[]) => progress.reduce((sum, { clicks }) => sum + clicks, 0)
const filesIn = (dir: string) => segmentsIn(dir).map(({ file }) => readFileSync(file, 'utf8'))

/** More than is delivered in a moment. */
async function longJournal(dir: string, clicks: number): Promise<void> {
  const journal = new FileJournal(dir, { durability: 'normal', segmentBytes: 4_000_000 })
  const target = { address: 'sho.rt/a', linkId: 'sho.rt/a', groupGuid: 'Bgroup', longUrl: 'https://example.com/' }
  const visit = { method: 'GET', kind: 'click', site: '', visitor: '203.0.113.7', userAgent: 'Mozilla/5.0' } as const
  for (let click = 0; click < clicks; click++) {
    const referrer = `https://visit.example/${click}`
    const rest = { at: Date.now(), language: '', purpose: '', referrer }
    journal.record(target as Parameters<FileJournal['record']>[0], { ...visit, ...rest }, () => {})
    await nextTurn()
  }
  journal.close()
}

describe('the journal of a machine that is gone', { timeout: 300_000 }, () => {
  it('is delivered while the service is stopped, twice without counting twice', async () => {
    const load = await killedUnderLoad()
    await another()
    const before = filesIn(join(lostDir, 'journal'))
    const first = await deliver(lostDir)
    expect(first.problem).toBe('')
    expect(first.progress.map(({ folder }) => folder)).toEqual([join(lostDir, 'journal-2'), join(lostDir, 'journal')])
    expect(clicksOf(first.progress)).toBeGreaterThanOrEqual(load.answered.size)
    expect(filesIn(join(lostDir, 'journal'))).toEqual(before)
    const { counted, journals } = await clicksIn(otherDir)
    load.expectCounted(counted)
    expect(journals).toBe(2)

    const again = await runCommand(['journal', 'deliver', join(lostDir, 'journal'), '--data-dir', otherDir])
    expect(again.out).toBe(`${join(lostDir, 'journal')}: delivered 0 clicks; all were counted before.`)
    const service = await start(otherDir)
    expect(clicksOf((await deliver(lostDir, '--delete')).progress)).toBe(0)
    expect(filesIn(join(lostDir, 'journal'))).toEqual([])
    await service.stop('SIGTERM')
    load.expectCounted((await clicksIn(otherDir)).counted)
    expect((await deliver(lostDir)).problem).toContain('is no journal, and has none')
  })

  it('is delivered by the running service, and to its stream', async () => {
    const load = await killedUnderLoad()
    const port = await freePort()
    const service = await start(otherDir, ['--nsqd-port', String(port)])
    expect(await runCommand(['stream', 'allow', '--login', 'admin', '--data-dir', otherDir])).toMatchObject({ code: 0 })
    const place = { nsqdTCPAddresses: [`localhost:${port}`] }
    const reader = read({ topic: 'clicks', token: processToken, dataDir: otherDir, place })
    await reader.until(({ connections }) => connections === 1)
    const { progress, problem } = await deliver(lostDir)
    expect(problem).toBe('')
    expect(clicksOf(progress)).toBeGreaterThanOrEqual(load.answered.size)
    const seen = () => new Set(reader.clicks.map(({ r }) => String(r)))
    await reader.until(({ clicks }) => clicks.length >= load.answered.size)
    await expect.poll(() => [...load.answered].filter((each) => !seen().has(each)), { timeout: 60_000 }).toEqual([])
    reader.close()
    expect((await readiness(service)).status).toBe('ready')
    await service.stop('SIGTERM')
    load.expectCounted((await clicksIn(otherDir)).counted)
  })

  it.each([
    ['the command', false],
    ['the service that delivers it', true],
  ])('is exact when %s is killed in the middle and it is delivered again', async (_, byService) => {
    const clicks = 40_000
    await longJournal(lostDir, clicks)
    await another()
    if (byService) {
      const service = await start(otherDir)
      const command = startCommand(['journal', 'deliver', lostDir, '--data-dir', otherDir])
      const told = ended(command)
      await vi.waitFor(async () => {
        const asked = await askService(controlSocketPath(otherDir), 'deliveryProgress', { folder: lostDir })
        expect(asked?.result.clicks).toBeGreaterThan(0)
      }, waitTimeout)
      await service.stop('SIGKILL')
      expect(await told).toMatchObject({ code: 1 })
    } else {
      const command = startCommand(['journal', 'deliver', lostDir, '--data-dir', otherDir])
      const told = ended(command)
      const wal = join(otherDir, 'clicks.duckdb.wal')
      await vi.waitFor(
        () => expect(statSync(wal, { throwIfNoEntry: false })?.size).toBeGreaterThan(100_000),
        waitTimeout,
      )
      command.kill('SIGKILL')
      expect(await told).toMatchObject({ code: null })
    }
    const { progress, problem } = await deliver(lostDir)
    expect(problem).toBe('')
    expect(clicksOf(progress)).toBeGreaterThan(0)
    expect(clicksOf(progress)).toBeLessThan(clicks)
    const { counted } = await clicksIn(otherDir)
    expect(counted.size).toBe(clicks)
    expect([...counted].filter(([, count]) => count !== 1)).toEqual([])
  })

  it('tells damaged rows, and is not deleted then', async () => {
    await longJournal(lostDir, 20)
    await another()
    const file = segmentsIn(lostDir)[0]?.file ?? ''
    const lines = readFileSync(file, 'utf8').split('\n')
    writeFileSync(file, lines.map((line, index) => (index === 6 ? `x${line.slice(1)}` : line)).join('\n'))
    const { code, out } = await runCommand(['journal', 'deliver', lostDir, '--data-dir', otherDir, '--delete'])
    expect(code).toBe(0)
    expect(out).toBe(
      `${lostDir}: delivered 19 clicks.\nDamaged or missing rows: 1. Their clicks are lost: ${file}\n` +
        'Its files stay: somebody may be able to repair them.',
    )
    expect(filesIn(lostDir)).not.toEqual([])
  })

  it('needs no id file, and nothing is written beside it', async () => {
    await longJournal(lostDir, 20)
    await another()
    rmSync(join(lostDir, 'id'))
    const before = readdirSync(lostDir)
    expect(clicksOf((await deliver(lostDir)).progress)).toBe(20)
    expect(readdirSync(lostDir)).toEqual(before)
  })

  it('is refused where it is no journal, or one that a service delivers itself', async () => {
    const running = await start(lostDir)
    await another()
    const problemOf = async (dir: string) => (await deliver(dir)).problem
    expect(await problemOf(join(folder, 'nowhere'))).toBe(`There is no folder ${join(folder, 'nowhere')}.`)
    expect(await problemOf(folder)).toContain('is no journal, and has none')
    for (const dir of [lostDir, join(lostDir, 'journal')]) {
      expect(await problemOf(dir)).toBe(
        `A service (process ${running.child.pid}) runs on ${lostDir}, and delivers its clicks itself.`,
      )
    }
    const copied = join(folder, 'copied')
    cpSync(join(otherDir, 'journal'), copied, { recursive: true })
    for (const own of [copied, otherDir]) expect(await problemOf(own)).toContain('is a journal of this data directory')
  })
})

const waitTimeout = { timeout: 120_000, interval: 5 }
const noServers = postgresEngine().skip ?? ClickhouseServer.skip()

describe.skipIf(noServers)(`on PostgreSQL and ClickHouse${noServers ? ` (skipped: ${noServers})` : ''}`, () => {
  it('a machine that dies under load loses no click: another delivers what is left in its journal', {
    timeout: 300_000,
  }, async () => {
    const clickhouse = new ClickhouseServer()
    const database = await postgresEngine().create()
    try {
      const clickhouseUrl = await clickhouse.newDatabase()
      const flags = ['--database-url', String(database.databaseUrl), '--clickhouse-url', clickhouseUrl]
      expect(await runCommand(['migrate', '--database-url', String(database.databaseUrl)])).toMatchObject({ code: 0 })
      // Longer than the refusal needs on a slow machine.
      const all = [...flags, '--missing-after', '10']
      const other = await start(otherDir, all)
      const lost = await start(lostDir, [...all, '--base-url', other.url])
      const { path } = await shortenAt(other.url, 'https://example.com/dead')
      await wait(100)
      const load = new Load(lost.url + path)
      const isOver = load.run(12)
      // Some are counted already.
      await expect.poll(async () => (await clicksInClickhouse(clickhouseUrl)).size, { timeout: 60_000 }).not.toBe(0)
      await load.reached(load.answered.size + 500)
      await lost.stop('SIGKILL')
      await isOver
      const disk = join(folder, 'disk')
      renameSync(lostDir, disk)

      expect((await deliver(disk, ...all)).problem).toMatch(/was seen a moment ago.* run this again in \d+ seconds/)
      const troubles = async () => (await readiness(other)).troubles.filter((trouble) => trouble.includes('last seen'))
      await expect.poll(troubles, { timeout: 60_000 }).toHaveLength(1)
      const { progress, problem } = await deliver(disk, ...all)
      expect(problem).toBe('')
      const left = clicksOf(progress)
      expect(left).toBeGreaterThan(0)
      expect(left).toBeLessThan(load.answered.size)
      load.expectCounted(await clicksInClickhouse(clickhouseUrl))
      await expect.poll(troubles, { timeout: 60_000 }).toEqual([])
      // Also by a machine without a service.
      otherDir = join(folder, 'third')
      expect(clicksOf((await deliver(disk, ...all)).progress)).toBe(0)
      load.expectCounted(await clicksInClickhouse(clickhouseUrl))
    } finally {
      for (const service of started.splice(0)) await service.stop('SIGKILL')
      await clickhouse.stop()
      await database.remove()
    }
  })
})
