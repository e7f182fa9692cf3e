/** Two processes with one PostgreSQL and one schedule: each backup is made by one of them, also when the other dies. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { verifyCopy } from '../../src/core/copies/copy.js'
import { backupFormat } from '../../src/storage/copies/manifest.js'
import { listBackups, openCopy } from '../../src/storage/copies/open-copy.js'
import { openPostgres } from '../../src/storage/records/postgres.js'
import type { Records } from '../../src/storage/records/records.js'
import { ClickhouseServer } from '../support/clickhouse-server.js'
import { postgresEngine, type TestDatabase } from '../support/sql-engines.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { type ServiceProcess, startProcess } from '../support/start-process.js'

const skip = postgresEngine().skip ?? ClickhouseServer.skip()
const folder = mkdtempSync(join(tmpdir(), 'shortlink-two-backups-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(skip)(
  `a shared PostgreSQL${skip === undefined ? '' : ` (skipped: ${skip})`}`,
  { timeout: 240_000 },
  () => {
    const clickhouse = new ClickhouseServer()
    let database: TestDatabase
    let records: Records
    let clickhouseUrl: string
    beforeAll(async () => {
      database = await postgresEngine().create()
      records = await openPostgres(database.location)
      await records.migrate()
      clickhouseUrl = await clickhouse.newDatabase()
    }, 300_000)
    afterAll(async () => {
      await records?.close()
      await clickhouse.stop()
      await database?.remove()
    })

    /** Those that are listed as good are. */
    async function goodOnes(backups: string): Promise<readonly string[]> {
      const good = (await listBackups(backups)).filter(({ manifest }) => manifest)
      for (const { path } of good) await verifyCopy(await openCopy(path, backupFormat), () => {})
      return good.map(({ name }) => name)
    }

    it('gets each scheduled backup from exactly one of two processes', async () => {
      const backups = join(folder, 'in-turns')
      const day = 86_400_000
      let now = Date.now()
      const stores = { databaseUrl: database.location, clickhouseUrl, backupTo: backups, backupEvery: day }
      const apps: StartedApp[] = []
      for (const name of ['one', 'two']) {
        const dataDir = join(folder, name)
        mkdirSync(dataDir)
        apps.push(await startApp({ ...stores, dataDir }, { clock: { now: () => now } }))
      }
      try {
        for (let round = 1; round <= 3; round++) {
          await Promise.all(apps.map(({ app }) => app.backupSchedule?.check()))
          expect(await goodOnes(backups)).toHaveLength(round)
          now += day + 60_000
        }
        expect(apps.map(({ app }) => app.backupSchedule?.status.failures)).toEqual([0, 0])
      } finally {
        for (const app of apps) await app.close()
      }
    })

    const processes = new Map<string, ServiceProcess>()
    async function start(name: string, backups: string): Promise<void> {
      const flags = ['--database-url', database.location, '--clickhouse-url', clickhouseUrl, '--domains', 'sho.rt']
      const schedule = ['--backup-to', backups, '--backup-every', '24h', '--backup-keep', '100']
      processes.set(name, await startProcess(join(folder, name), [...flags, ...schedule]))
    }
    afterEach(async () => {
      for (const service of processes.values()) await service.stop('SIGKILL')
      processes.clear()
    })

    /** Starts a process that stays in the middle of its first backup: a table cannot be read until `goOn`. */
    async function startInTheMiddle(name: string, backups: string) {
      const client = new Client({ connectionString: database.location })
      await client.connect()
      await client.query('begin')
      await client.query('lock table utm_templates in access exclusive mode')
      await start(name, backups)
      await until(async () => existsSync(backups) && readdirSync(backups).some((each) => each.endsWith('.unfinished')))
      expect((await records.clickStore.lease('backup').read())?.place).toMatch(new RegExp(`/${name}$`))
      return { service: processes.get(name), goOn: () => client.end() }
    }

    async function until(condition: () => Promise<boolean>): Promise<void> {
      while (!(await condition())) await setTimeout(50)
    }

    it('gets it from another process when the first is killed in the middle, and nothing is left of that', async () => {
      const backups = join(folder, 'killed')
      const { service, goOn } = await startInTheMiddle('first', backups)
      await service?.stop('SIGKILL')
      await goOn()
      const left = readdirSync(backups)
      expect(left.every((each) => each.endsWith('.unfinished'))).toBe(true)
      expect(await goodOnes(backups)).toEqual([])
      await start('second', backups)
      await until(async () => (await goodOnes(backups)).length > 0)
      expect(readdirSync(backups)).not.toEqual(expect.arrayContaining(left))
      await until(async () => processes.get('second')?.output().includes('backup made') === true)
    })

    it('has only complete ones when a process was frozen in the middle and goes on', async () => {
      const backups = join(folder, 'frozen')
      const { service, goOn } = await startInTheMiddle('third', backups)
      service?.child.kill('SIGSTOP')
      await goOn()
      await start('fourth', backups)
      await until(async () => (await goodOnes(backups)).length > 0)
      service?.child.kill('SIGCONT')
      await until(async () => service?.output().includes('the backup failed') === true)
      expect(await goodOnes(backups)).toHaveLength(1)
      expect(readdirSync(backups).filter((each) => each.endsWith('.unfinished'))).toEqual([])
    })
  },
)
