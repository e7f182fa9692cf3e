import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
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
    expect(copy).toBe(join(dataDir, 'before-upgrade', 'records-before-0021-utm-templates.sqlite'))
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

it('keeps the copies of the last three upgrades', async () => {
  const records = await openRecords(place())
  await records.close()
  for (const migration of ['0031-a', '0032-b', '0032-b', '0033-c', '0040-d']) copyBeforeUpgrade(dataDir, migration)
  expect(copies().sort()).toEqual(['0032-b', '0033-c', '0040-d'].map((name) => `records-before-${name}.sqlite`))
})
