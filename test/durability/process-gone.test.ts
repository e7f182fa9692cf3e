/** Two processes on one PostgreSQL. One is killed with clicks that it could not deliver, and its disk is lost. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { freePort } from '../support/free-port.js'
import { ended, startCommand } from '../support/run-command.js'
import { postgresEngine, type TestDatabase } from '../support/sql-engines.js'
import { type ServiceProcess, shortenAt, startProcess } from '../support/start-process.js'

const postgres = postgresEngine()
const waitTimeout = { timeout: 60_000, interval: 200 }

describe.skipIf(postgres.skip)(`a process that does not come back: ${postgres.title}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'shortlink-gone-'))
  const lostDir = join(folder, 'lost')
  let database: TestDatabase
  let flags: string[]
  let alive: ServiceProcess
  let lost: ServiceProcess

  beforeAll(async () => {
    database = await postgres.create()
    // Nobody listens there, so clicks wait in the journals.
    const clickhouseUrl = `http://127.0.0.1:${await freePort()}`
    flags = ['--database-url', String(database.databaseUrl), '--clickhouse-url', clickhouseUrl]
    const migrated = await run('migrate', '--database-url', String(database.databaseUrl))
    expect(migrated).toMatchObject({ code: 0, err: '' })
    const all = [...flags, '--missing-after', '5']
    alive = await startProcess(join(folder, 'alive'), all)
    lost = await startProcess(lostDir, [...all, '--base-url', alive.url])
  }, 120_000)
  afterAll(async () => {
    await lost?.stop('SIGKILL')
    await alive?.stop('SIGKILL')
    await database?.remove()
    rmSync(folder, { recursive: true, force: true })
  }, 120_000)

  const run = (...args: string[]) => ended(startCommand(args))
  const doctor = async () => (await run('doctor', '--data-dir', join(folder, 'alive'), ...flags)).out
  const troubles = async () =>
    ((await (await fetch(`${alive.url}/readyz`)).json()) as { troubles: string[] }).troubles.filter((trouble) =>
      trouble.startsWith('journal: '),
    )
  const metrics = async () => (await fetch(`${alive.url}/metrics`)).text()

  it('is told of by the other one, until the operator accepts the loss', { timeout: 240_000 }, async () => {
    const { path } = await shortenAt(lost.url, 'https://example.com/lost')
    // One after another: each is a row.
    for (let visit = 0; visit < 7; visit++) {
      expect((await fetch(lost.url + path, { redirect: 'manual' })).status).toBe(301)
    }
    const records = await database.connect()
    await vi.waitFor(async () => {
      const journals = await records.clickStore.journals()
      expect(journals.map(({ waitingRows }) => waitingRows).sort()).toEqual([0, 7])
    }, waitTimeout)
    await vi.waitFor(async () => expect(await troubles()).toEqual([]), waitTimeout)
    await lost.stop('SIGKILL')
    rmSync(lostDir, { recursive: true })

    await vi.waitFor(async () => expect(await troubles()).toHaveLength(1), waitTimeout)
    const [trouble = ''] = await troubles()
    expect(trouble).toMatch(
      /^journal: .+:\/.+\/lost was last seen at .+; then 1 minute of clicks, at most 7 rows, were not/,
    )
    expect(await doctor()).toContain(trouble.replace('journal: ', ''))
    expect(alive.output()).toContain('a process did not come back; its clicks were not delivered')
    expect(await metrics()).toMatch(/^shortlink_missing_processes 1$/m)
    expect(await metrics()).toMatch(/^shortlink_missing_journal_rows 7$/m)

    const id = /journal forget (\S+)"/.exec(trouble)?.[1] ?? ''
    const forgotten = await run('journal', 'forget', id, '--database-url', String(database.databaseUrl))
    expect(forgotten).toEqual({ code: 0, err: '', out: `The journal ${id} is no longer waited for.\n` })
    const entries = await records.audit.list({
      organizationGuid: undefined,
      login: undefined,
      after: undefined,
      size: 1,
    })
    expect(entries).toMatchObject([{ action: 'journal_forgotten', login: 'operator', subject: id }])
    await vi.waitFor(async () => expect(await troubles()).toEqual([]), waitTimeout)
    expect(await doctor()).not.toContain('was last seen')
    expect(await metrics()).toMatch(/^shortlink_missing_processes 0$/m)
    await records.close()
  })
})
