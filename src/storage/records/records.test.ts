import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defaultDomain, sqlEngines, type TestDatabase } from '../../../test/support/sql-engines.js'
import { bootstrap } from '../../core/accounts/stores.builder.js'
import { secretKinds } from '../../core/copies/encrypted-records.js'
import * as migrations from '../sql/migrations/index.js'
import { openPostgres } from './postgres.js'
import { openSqlite } from './sqlite.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => {
    let database: TestDatabase
    beforeEach(async () => {
      database = await engine.create()
    })
    afterEach(() => database.remove())

    it('does not migrate on its own, and a second migration does nothing', async () => {
      const records = await database.connect()
      expect(await records.pendingMigrations()).toEqual(Object.keys(migrations))
      expect(await records.migrate()).toEqual(Object.keys(migrations))
      expect(await records.pendingMigrations()).toEqual([])
      expect(await records.migrate()).toEqual([])
      await records.close()
    })

    it('migrates once when several processes start at once', async () => {
      const processes = [await database.connect(), await database.connect()]
      const ran = await Promise.all(processes.map((records) => records.migrate()))
      expect(ran.flat()).toEqual(Object.keys(migrations))
      await Promise.all(processes.map((records) => records.close()))
    })

    it('rejects a database of a newer version', async () => {
      const records = await database.connect()
      await records.migrate()
      await database.run(
        `insert into kysely_migration (name, timestamp) values ('9999-future', '2030-01-01T00:00:00Z')`,
      )
      const sentence = /written by a newer version of shortlink \(unknown migration 9999-future\): run that version/
      await expect(records.pendingMigrations()).rejects.toThrow(sentence)
      await expect(records.migrate()).rejects.toThrow(sentence)
      await records.close()
    })

    it('goes on with a database that a newer version has only expanded', async () => {
      const records = await database.connect()
      await records.migrate()
      await database.run(
        `insert into kysely_migration (name, timestamp) values ('9998-expand-future', '2030-01-01T00:00:00Z')`,
      )
      expect([await records.pendingMigrations(), await records.migrate()]).toEqual([[], []])
      await records.close()
    })

    it('counts what another key has encrypted', async () => {
      const before = await database.connect(undefined, 'a'.repeat(32))
      await before.migrate()
      await bootstrap(before.accounts)
      await before.accounts.beginTwoFactor('admin', { by: 'app', secret: 'GEZDGNBVGY3TQOJQ' }, 9)
      expect(await before.tables.undecryptable(secretKinds)).toEqual([])
      await before.close()
      for (const key of ['b'.repeat(32), undefined]) {
        const records = await database.connect(undefined, key)
        const lost = await records.tables.undecryptable(secretKinds)
        expect(lost).toEqual([{ kind: 'unfinished second factor', count: 1 }])
        await records.close()
      }
    })

    it('keeps its data after close and open', async () => {
      const before = await database.connect()
      await before.migrate()
      const draft = {
        groupGuid: 'Bgroup00001',
        organizationGuid: 'Oorganization',
        domain: defaultDomain,
        longUrl: 'https://example.com/',
        createdBy: 'ada',
        clientId: undefined,
        at: 1_700_000_000_000,
      }
      const hashes = ['abc1234', 'global1']
      const { link } = await before.links.findOrInsert(draft, () => hashes.shift() ?? '')
      await before.close()

      const after = await database.connect()
      expect(await after.pendingMigrations()).toEqual([])
      expect(await after.links.get(link.id)).toEqual(link)
      await after.close()
    })

    // The stream of links waits for transactions of the service, but not for an export.
    if (engine.name === 'postgres')
      it('reads whole tables under a name of its own', async () => {
        const records = await database.connect()
        await records.migrate()
        const client = new Client({ connectionString: database.location })
        await client.connect()
        const open = await records.tables.read(() =>
          client.query(`select application_name from pg_stat_activity
            where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`),
        )
        expect(open.rows).toEqual([{ application_name: 'shortlink tables' }])
        await client.end()
        await records.close()
      })

    it('answers a ping while it is open', async () => {
      const records = await database.connect()
      await records.ping()
      await records.close()
      await expect(records.ping()).rejects.toThrow()
    })
  })
}

describe('opening', () => {
  it('reports which SQLite file cannot be opened', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'shortlink-sqlite-'))
    const noDatabase = join(directory, 'text.db')
    writeFileSync(noDatabase, 'this is not a database, and long enough to be looked at as one '.repeat(20))
    await expect(openSqlite(noDatabase)).rejects.toThrow(/Cannot open the database file .*text\.db/)
    await expect(openSqlite(join(directory, 'no', 'where.db'))).rejects.toThrow(
      /Cannot open the database file .*where\.db/,
    )
    rmSync(directory, { recursive: true })
  })

  it('reports what to check if PostgreSQL does not answer, without the password', async () => {
    const failed = openPostgres('postgres://shortlink:secret@127.0.0.1:1/none')
    await expect(failed).rejects.toThrow(/Cannot use the PostgreSQL database: .*Check SHORTLINK_DATABASE_URL/)
    await expect(failed).rejects.not.toThrow(/secret/)
  })
})
