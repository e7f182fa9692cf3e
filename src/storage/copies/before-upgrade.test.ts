import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { migrateRecords, openRecords } from '../../open/open-records.js'
import { copyBeforeUpgrade } from './before-upgrade.js'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'shortlink-upgrade-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const place = () => ({ dataDir, databaseUrl: undefined })
const copies = () => readdirSync(join(dataDir, 'before-upgrade'))

it('keeps the records as they were before the migrations', async () => {
  const records = await openRecords(place())
  try {
    await records.migrate('0020-qr-codes')
    const { migrations, copy } = await migrateRecords(place(), records)
    expect(migrations[0]).toBe('0021-utm-templates')
    expect(copies()).toEqual([expect.stringMatching(/^records-2.*Z-before-0021-utm-templates\.sqlite$/)])
    expect(copy).toBe(join(dataDir, 'before-upgrade', copies()[0] ?? ''))
    expect(statSync(copy ?? '').mode & 0o777).toBe(0o600)
    const database = new Database(copy ?? '')
    const [last] = database.prepare('select max(name) as name from kysely_migration').all()
    database.close()
    expect(last).toEqual({ name: '0020-qr-codes' })
    expect(await migrateRecords(place(), records)).toEqual({ migrations: [], copy: undefined })
  } finally {
    await records.close()
  }
})

it('copies nothing when the database is new', async () => {
  const records = await openRecords(place())
  const { copy } = await migrateRecords(place(), records)
  await records.close()
  expect(copy).toBeUndefined()
  expect(readdirSync(dataDir)).not.toContain('before-upgrade')
})

it('keeps the copies of the last three upgrades, also of the same one twice', async () => {
  const records = await openRecords(place())
  await records.close()
  const former = join(dataDir, 'before-upgrade', 'records-before-0030-z.sqlite')
  const made = ['0031-a', '0032-b', '0032-b'].map((migration, day) => {
    const copy = copyBeforeUpgrade(dataDir, migration, Date.UTC(2026, 10, day + 1))
    if (day === 0) writeFileSync(former, '')
    return copy
  })
  expect(copies().map((name) => join(dataDir, 'before-upgrade', name))).toEqual(made)
})

it('are named, with the commands that go back, when the database is of a newer version', async () => {
  const records = await openRecords(place())
  await records.migrate()
  const [known, ...later] = ['0001-known', '9998-future', '9999-later'].map((migration, day) =>
    copyBeforeUpgrade(dataDir, migration, Date.UTC(2026, 10, day + 1)),
  )
  await records.close()
  const newer = new Database(join(dataDir, 'records.sqlite'))
  newer.exec(
    "insert into kysely_migration (name, timestamp) values ('9998-future', '2030-01-01'), ('9999-later', '2030-01-01')",
  )
  newer.close()
  const opened = await openRecords(place())
  await expect(opened.pendingMigrations()).rejects.toThrow(
    `cp "${later[0]}" "${join(dataDir, 'records.sqlite')}" && rm -f`,
  )
  for (const copy of later) rmSync(copy)
  await expect(opened.pendingMigrations()).rejects.toThrow(`cp "${known}"`)
  await opened.close()
})
