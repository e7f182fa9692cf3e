/** Two processes import the same file of clicks at once: one imports it, the other reports the conflict. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openClickhouseClickLog } from '../../src/storage/clickhouse/click-log.js'
import { httpSession } from '../../src/storage/clickhouse/http-session.js'
import { openClickFile } from '../../src/storage/imports/click-file.js'
import type { Records } from '../../src/storage/records/records.js'
import { openSqlite } from '../../src/storage/records/sqlite.js'
import { ClickhouseServer } from '../support/clickhouse-server.js'
import { sqlEngines, type TestDatabase } from '../support/sql-engines.js'
import { type ServiceProcess, startProcess } from '../support/start-process.js'
import { byAddress, countedClicks, fillLinks, prepareLinks, writeClicks } from './clicks-file.js'

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
/** Several batches. */
const lines = 75_000

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-two-imports-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

function start(dataDir: string, file: string, env: Readonly<Record<string, string>> = {}): ChildProcess {
  const args = [main, 'import', 'clicks', file, '--data-dir', dataDir, '--json']
  return spawn(process.execPath, args, { cwd: folder, env: { PATH: process.env.PATH, ...env } })
}

async function ended(child: ChildProcess): Promise<Ended> {
  if (!child.stdout || !child.stderr) throw new Error('the command has no output')
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: code as number | null, out, err }
}

/** Every batch has rejected lines: once the first are written, the import is in progress. */
async function begun(child: ChildProcess, file: string): Promise<void> {
  while (!existsSync(`${file}.rejects.ndjson`)) {
    if (child.exitCode !== null) throw new Error(`the import ended with ${child.exitCode}`)
    await new Promise((done) => setTimeout(done, 5))
  }
}

type Lease = ReturnType<Records['clickStore']['lease']>

async function leaseOf(records: Records, file: string): Promise<Lease> {
  const opened = await openClickFile(file)
  await opened.close()
  return records.clickStore.lease(opened.journalId)
}

async function beat(lease: Lease): Promise<void> {
  const held = await lease.read()
  if (held) await lease.replace(held, { ...held, heartbeat: held.heartbeat + 1 })
}

/** Suspends a process at a moment when it holds no lock of the database: the other process would wait for it. */
async function suspend(importer: ChildProcess, lease: Lease): Promise<void> {
  for (;;) {
    importer.kill('SIGSTOP')
    try {
      return await beat(lease)
    } catch (error) {
      if ((error as { code?: string }).code !== 'TEMPORARILY_UNAVAILABLE') throw error
      importer.kill('SIGCONT')
      await new Promise((done) => setTimeout(done, 20))
    }
  }
}

/** Shows the heartbeat of a suspended process, so that it does not finish. */
async function aliveUntil<Answer>(lease: Lease, work: Promise<Answer>): Promise<Answer> {
  let ended = false
  const beating = (async () => {
    while (!ended) {
      await beat(lease)
      await new Promise((done) => setTimeout(done, 200))
    }
  })()
  try {
    return await work
  } finally {
    ended = true
    await beating
  }
}

describe('two imports of one file at once', { timeout: 300_000 }, () => {
  it('into one data directory: the second one reports that the click log is in use', async () => {
    const dataDir = join(folder, 'data')
    mkdirSync(dataDir)
    const addresses = await prepareLinks(dataDir, 300)
    const file = join(folder, 'clicks.ndjson')
    const { counts } = writeClicks(file, addresses, 60_000)
    const same = join(folder, 'same.ndjson')
    copyFileSync(file, same)
    const first = start(dataDir, file)
    const firstEnded = ended(first)
    await begun(first, file)
    first.kill('SIGSTOP')
    const second = await ended(start(dataDir, same))
    first.kill('SIGCONT')
    expect(second).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/another process/i) })
    expect(await firstEnded).toMatchObject({ code: 0, err: '' })
    expect(await countedClicks(dataDir, addresses)).toEqual(counts)
  })

  const skip = ClickhouseServer.skip()
  for (const engine of sqlEngines()) {
    describe.skipIf(skip ?? engine.skip)(`with ${engine.title} and ClickHouse`, () => {
      const clickhouse = new ClickhouseServer()
      let database: TestDatabase
      let clickhouseUrl: string
      let env: Record<string, string>
      let addresses: readonly string[]
      const services: ServiceProcess[] = []
      beforeAll(async () => {
        clickhouseUrl = await clickhouse.newDatabase()
      })
      afterAll(() => clickhouse.stop())
      beforeEach(async () => {
        await clickhouse.drop(clickhouseUrl)
        env = { SHORTLINK_CLICKHOUSE_URL: clickhouseUrl, SHORTLINK_DOMAINS: 'sho.rt' }
        mkdirSync(join(folder, 'one'))
        if (engine.name === 'sqlite') {
          addresses = await prepareLinks(join(folder, 'one'), 300)
          return
        }
        database = await engine.create()
        addresses = await fillLinks(await database.connect(), 300)
        env.SHORTLINK_DATABASE_URL = database.location
      })
      afterEach(async () => {
        for (const { child, stop } of services.splice(0)) if (child.exitCode === null) await stop('SIGKILL')
        await database?.remove()
      })

      async function counted(): Promise<Record<string, number>> {
        const log = await openClickhouseClickLog(httpSession(clickhouseUrl))
        try {
          const rows = await log.count(byAddress(addresses))
          return Object.fromEntries(rows.map(({ values, count }) => [values.join(' '), count]))
        } finally {
          await log.close()
        }
      }

      // Two nodes share PostgreSQL; two commands can share a data directory.
      const second = engine.name === 'sqlite' ? 'one' : 'two'

      it.each(engine.name === 'sqlite' ? ['stopped'] : ['stopped', 'running'])(
        'rejects the second one at once, counts every line once, and resumes after a crash (services %s)',
        async (how) => {
          const files = [join(folder, 'clicks.ndjson'), join(folder, 'same.ndjson')] as const
          const { counts, rejected } = writeClicks(files[0], addresses, lines)
          copyFileSync(files[0], files[1])
          const serve = async (name: string) => {
            const flags = [
              '--database-url',
              database.location,
              '--clickhouse-url',
              clickhouseUrl,
              '--domains',
              'sho.rt',
            ]
            const service = await startProcess(join(folder, name), flags)
            services.push(service)
            return service
          }
          const [one] = how === 'running' ? [await serve('one'), await serve('two')] : []
          const first = start(join(folder, 'one'), files[0], env)
          const firstEnded = ended(first)
          await begun(first, files[0])
          const importer = one?.child ?? first
          const records = await (engine.name === 'sqlite'
            ? openSqlite(join(folder, 'one', 'records.sqlite'))
            : database.connect())
          const lease = await leaseOf(records, files[0])
          await suspend(importer, lease)
          const refused = await aliveUntil(lease, ended(start(join(folder, second), files[1], env)))
          await records.close()
          expect(refused).toMatchObject({ code: 1, out: '' })
          expect(refused.err).toMatch(
            /same\.ndjson is being imported by another process \(.*\/one on .*\)\. Nothing was imported here/,
          )

          // The importing process dies: its lease expires, and imported lines are not counted again.
          if (one) await one.stop('SIGKILL')
          else first.kill('SIGKILL')
          await firstEnded
          const rest = await ended(start(join(folder, second), files[1], env))
          expect(rest).toMatchObject({ code: 0, err: '' })
          expect(JSON.parse(rest.out).rejected).toBeLessThanOrEqual(rejected.length)
          expect(await counted()).toEqual(counts)
          const again = JSON.parse((await ended(start(join(folder, second), files[1], env))).out)
          expect(again).toMatchObject({ imported: 0, before: lines - rejected.length })
          expect(await counted()).toEqual(counts)
        },
      )
    })
  }
})
