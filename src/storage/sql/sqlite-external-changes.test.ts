import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, type Transaction } from 'kysely'
import Database from 'libsql'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { addressChanges } from './migrations/0032-address-changes.js'
import { SqliteDriver, sqliteDialect } from './sqlite-driver.js'
import { SqliteExternalChanges } from './sqlite-external-changes.js'
import type { Schema } from './tables/schema.js'

let folder: string
let here: Connection
let there: Connection
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-changes-'))
  here = connect()
  await addressChanges.up(here.db)
  there = connect()
  here.changes.onChange((addresses) => here.told.push(...addresses))
})
afterEach(async () => {
  for (const { db } of [here, there]) await db.destroy()
  rmSync(folder, { recursive: true })
})

interface Connection {
  readonly db: Kysely<Schema>
  readonly changes: SqliteExternalChanges
  readonly told: string[]
}

function connect(): Connection {
  const file = join(folder, 'records.sqlite')
  const database = new Database(file)
  database.pragma('journal_mode = WAL')
  const db = new Kysely<Schema>({ dialect: sqliteDialect(new SqliteDriver(database, file)) })
  return { db, changes: new SqliteExternalChanges(database), told: [] }
}

const announce = ({ db, changes }: Connection, ...addresses: readonly string[]) =>
  db.transaction().execute((tx: Transaction<Schema>) => changes.announce(tx, addresses))

it('tells the addresses that others changed, and not its own', async () => {
  await announce(here, 'd/own')
  await announce(there, 'd/a', 'd/b')
  await announce(here, 'd/own')
  await announce(there, 'd/c')
  expect(here.changes.version()).toBe(0)
  expect(here.told).toEqual(['d/a', 'd/b', 'd/c'])
})

it('misses nothing when a transaction of its own is undone', async () => {
  await announce(there, 'd/a')
  const undone = here.db.transaction().execute(async (tx) => {
    await here.changes.announce(tx, ['d/own'])
    here.changes.version()
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  await announce(there, 'd/b')
  expect(here.changes.version()).toBe(0)
  expect(here.told).toEqual(['d/a', 'd/b'])
})

it('says that anything may have changed after more notices than are kept', async () => {
  for (let n = 0; n < 64; n++) await announce(there, `d/${n}`)
  expect(here.changes.version()).toBe(0)
  expect(here.told).toHaveLength(64)
  for (let n = 0; n < 65; n++) await announce(there, `d/${n}`)
  expect(here.changes.version()).toBe(1)
})
