import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import Database from 'libsql'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { migrateRecords, openRecords } from '../../runtime/stores/open-records.js'
import { openAnyClickLog } from '../../runtime/threads/open-click-log.js'
import { migrations } from '../duckdb/schema.js'
import { copyBeforeUpgrade, undoUpgrade } from './before-upgrade.js'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'shortlink-upgrade-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const place = () => ({ dataDir, databaseUrl: undefined })
const duckdb = () => ({ dataDir, clickRetention: undefined, memoryLimit: undefined, clickhouseUrl: undefined })
const pathOf = (...names: readonly string[]) => join(dataDir, ...names)
const upgrades = () => readdirSync(pathOf('before-upgrade'))
const copyRecords = (migration: string, day: number) =>
  copyBeforeUpgrade(dataDir, 'records.sqlite', migration, Date.UTC(2026, 10, day))

async function formerRecords(migration: string): Promise<void> {
  const records = await openRecords(place())
  await records.migrate(migration)
  await records.close()
}

async function upgradedRecords() {
  const records = await openRecords(place())
  try {
    return await migrateRecords(place(), records)
  } finally {
    await records.close()
  }
}

function schemaOf(file: string): unknown {
  const database = new Database(file)
  const [last] = database.prepare('select max(name) as name from kysely_migration').all() as { name: string }[]
  database.close()
  return last?.name
}

/** A click log of the version before this one. */
async function formerClicks(): Promise<void> {
  await inClickLog(async (run) => {
    await run('CREATE TABLE schema_version (version INTEGER NOT NULL)')
    for (const [index, migration] of migrations.slice(0, -1).entries()) {
      await run(migration)
      await run(`INSERT INTO schema_version VALUES (${index + 1})`)
    }
    await run("INSERT INTO cursors VALUES ('journal', 7)")
  })
}

async function inClickLog<T>(work: (run: (sql: string) => Promise<number>) => Promise<T>): Promise<T> {
  const instance = await DuckDBInstance.create(pathOf('clicks.duckdb'))
  const connection = await instance.connect()
  try {
    return await work(async (sql) => Number((await connection.runAndReadAll(sql)).getRows()[0]?.[0]))
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

async function upgradedClicks(): Promise<readonly string[]> {
  const copies: string[] = []
  const log = await openAnyClickLog(duckdb(), (copy) => copies.push(copy))
  expect(await log.cursor('journal')).toBe(7)
  await log.close()
  return copies
}

const clicksVersion = () => inClickLog((run) => run('SELECT max(version) FROM schema_version'))

it('keeps records and clicks as they were before an upgrade, and puts both back', async () => {
  await formerRecords('0020-qr-codes')
  await formerClicks()
  const [waiting, later] = ['0000000000000001.rows', '0000000000000009.rows'].map((name) => pathOf('journal', name))
  mkdirSync(pathOf('journal'))
  writeFileSync(waiting ?? '', 'not counted')
  const { migrations: run, copy = '' } = await upgradedRecords()
  expect(run[0]).toBe('0021-utm-templates')
  expect(copy).toBe(pathOf('before-upgrade', upgrades()[0] ?? '', 'records.sqlite'))
  expect(upgrades()).toEqual([expect.stringMatching(/^2.*Z-before-0021-utm-templates$/)])
  expect(statSync(copy).mode & 0o777).toBe(0o600)
  expect(schemaOf(copy)).toBe('0020-qr-codes')
  expect(await upgradedClicks()).toEqual([copy.replace('records.sqlite', 'clicks.duckdb')])
  expect(await clicksVersion()).toBe(migrations.length)
  expect(await upgradedRecords()).toEqual({ migrations: [], copy: undefined })
  expect(await upgradedClicks()).toEqual([])
  // The new version has counted them.
  rmSync(waiting ?? '')
  writeFileSync(later ?? '', 'written since')

  const { files, replaced } = undoUpgrade(dataDir)
  expect(files).toEqual(['records.sqlite', 'clicks.duckdb'])
  expect(schemaOf(pathOf('records.sqlite'))).toBe('0020-qr-codes')
  expect(await clicksVersion()).toBe(migrations.length - 1)
  expect(readFileSync(waiting ?? '', 'utf8')).toBe('not counted')
  expect(readFileSync(later ?? '', 'utf8')).toBe('written since')
  expect(schemaOf(join(replaced, 'records.sqlite'))).toBe(run.at(-1))
  expect(() => undoUpgrade(dataDir)).toThrow('no copy from before an upgrade')
  // And forward again.
  await upgradedRecords()
  expect(await upgradedClicks()).toHaveLength(1)
})

it('takes away a click log that was made after the upgrade, and puts back the clicks that waited for it', async () => {
  await formerRecords('0020-qr-codes')
  const waiting = pathOf('journal', '0000000000000001.rows')
  mkdirSync(pathOf('journal'))
  writeFileSync(waiting, 'not counted')
  await upgradedRecords()
  await (await openAnyClickLog(duckdb())).close()
  rmSync(waiting)

  const { files, clicks, replaced } = undoUpgrade(dataDir)
  expect({ files, clicks }).toEqual({ files: ['records.sqlite'], clicks: true })
  expect(existsSync(pathOf('clicks.duckdb'))).toBe(false)
  expect(existsSync(join(replaced, 'clicks.duckdb'))).toBe(true)
  expect(readFileSync(waiting, 'utf8')).toBe('not counted')
})

it('copies nothing when the files are new', async () => {
  expect((await upgradedRecords()).copy).toBeUndefined()
  await (await openAnyClickLog(duckdb())).close()
  expect(readdirSync(dataDir)).not.toContain('before-upgrade')
})

it('leaves the click log alone if it cannot be copied', async () => {
  await formerClicks()
  writeFileSync(pathOf('before-upgrade'), 'not a folder')
  await expect(upgradedClicks()).rejects.toThrow(/^Cannot copy clicks.duckdb .*Nothing was changed/)
  expect(await clicksVersion()).toBe(migrations.length - 1)
})

it('keeps the copies of the last three upgrades, also of the same one twice, and undoes one after the other', async () => {
  await upgradedRecords()
  const former = ['records-before-0029-y.sqlite', 'records-2026-10-01T000000.000Z-before-0030-z.sqlite']
  copyRecords('0031-a', 1)
  for (const name of former) writeFileSync(pathOf('before-upgrade', name), name)
  expect(copyRecords('0032-b', 2)).toBe(
    pathOf('before-upgrade', '2026-11-02T000000.000Z-before-0032-b', 'records.sqlite'),
  )
  expect(upgrades()).not.toContain(former[0])
  const last = upgrades().filter((name) => name !== former[1])
  undoUpgrade(dataDir, 1)
  expect(upgrades()).not.toContain(last[1])
  undoUpgrade(dataDir, 2)
  expect(schemaOf(pathOf('records.sqlite'))).toMatch(/^\d{4}-/)
  // The oldest is a file of a former version.
  expect(upgrades()).toEqual([former[1], expect.stringMatching(/^undone/), expect.stringMatching(/^undone/)])
  undoUpgrade(dataDir, 3)
  expect(existsSync(pathOf('before-upgrade', former[1] ?? ''))).toBe(false)
})

it('are named, with the command that goes back, when the database is of a newer version', async () => {
  await upgradedRecords()
  const newer = new Database(pathOf('records.sqlite'))
  newer.exec("insert into kysely_migration (name, timestamp) values ('9998-future', '2030-01-01')")
  newer.close()
  const pending = async () => {
    const records = await openRecords(place())
    await records.pendingMigrations().finally(() => records.close())
  }
  await expect(pending()).rejects.toThrow('restore a backup made before the upgrade')
  copyRecords('9998-future', 1)
  await expect(pending()).rejects.toThrow('"shortlink upgrade undo"')
})
