import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Kysely } from 'kysely'
import Database from 'libsql'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { SqliteDriver, sqliteDialect } from './sqlite-driver.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-sqlite-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

it('sees and writes the newest rows after a write that met the lock of another process', async () => {
  const file = join(folder, 'records.db')
  const other = new Database(file)
  other.pragma('journal_mode = WAL')
  other.exec('create table words (word text)')
  const db = new Kysely<{ words: { word: string } }>({
    dialect: sqliteDialect(new SqliteDriver(new Database(file), file)),
  })
  const words = () => db.selectFrom('words').select('word').execute()
  const insert = () => db.insertInto('words').values({ word: 'ours' }).execute()

  other.exec(`begin immediate; insert into words values ('theirs')`)
  await expect(insert()).rejects.toMatchObject({ code: 'SQLITE_BUSY' })
  other.exec('commit')

  expect(await words()).toEqual([{ word: 'theirs' }])
  await insert()
  expect(await words()).toEqual([{ word: 'theirs' }, { word: 'ours' }])
  await db.destroy()
  other.close()
})

it('finishes open transactions before it closes', async () => {
  const file = join(folder, 'records.db')
  const db = new Kysely<{ words: { word: string } }>({
    dialect: sqliteDialect(new SqliteDriver(new Database(file), file)),
  })
  await db.schema.createTable('words').addColumn('word', 'text').execute()
  const insert = () =>
    db.transaction().execute(async (tx) => {
      await tx.insertInto('words').values({ word: 'one' }).execute()
      await setImmediate()
      await tx.insertInto('words').values({ word: 'two' }).execute()
    })
  const inserts = [insert(), insert()]
  await setImmediate()
  await db.destroy()
  await Promise.all(inserts)

  const after = new Database(file)
  expect(after.prepare('select count(*) as words from words').get()).toMatchObject({ words: 4 })
  after.close()
})
