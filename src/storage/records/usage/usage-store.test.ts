import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import Database from 'libsql'
import { Pool } from 'pg'
import { describe, expect, it } from 'vitest'
import { recordsOfTest, type SqlEngine, sqlEngines } from '../../../../test/support/sql-engines.js'
import { usageStoreContract } from '../../../core/usage/usage-store.contract.js'
import { usage } from '../../sql/migrations/0003-usage.js'
import type { Schema } from '../../sql/tables/schema.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => {
    usageStoreContract(engine.open)

    it('counts links that are older than the counters', async () => {
      const { database, records } = await recordsOfTest(engine)
      const day = Date.parse('2026-03-18T00:00:00Z')
      await database.run(`
        drop table usage;
        insert into organizations (guid, name, created_at, modified_at) values ('O1', '', 1, 1);
        insert into groups (guid, organization_guid, name, created_at, modified_at) values ('B1', 'O1', '', 1, 1);
        insert into domains (name, organization_guid, created_at, created_by) values ('go.example', 'O1', 1, 'ada');
        insert into links (id, domain, hash, group_guid, long_url, long_url_key, created_at, modified_at, created_by) values
          ('sho.rt/a', 'sho.rt', 'a', 'B1', '', '', ${day}, 1, 'ada'),
          ('sho.rt/b', 'sho.rt', 'b', 'B1', '', '', ${day + 86_399_999}, 1, 'ada'),
          ('go.example/c', 'go.example', 'c', 'B1', '', '', ${day + 86_400_000}, 1, 'ada');
        insert into keyword_history (guid, address, link_id, group_guid, login, long_url, created_at, first_created_at) values
          ('K1', 'sho.rt/k', 'sho.rt/a', 'B1', 'ada', '', ${day}, ${day}),
          ('K2', 'sho.rt/k', 'sho.rt/b', 'B1', 'ada', '', ${day + 1}, ${day});`)
      await runMigration(engine, database.location)
      const counters = ['links', 'branded_links', 'custom_back_halves'] as const
      const span = { from: 0, to: Number.MAX_SAFE_INTEGER }
      expect(await records.usage.perDay({ organizationGuid: 'O1' }, counters, span)).toEqual([
        { counter: 'custom_back_halves', day, count: 1 },
        { counter: 'links', day, count: 2 },
        { counter: 'branded_links', day: day + 86_400_000, count: 1 },
        { counter: 'links', day: day + 86_400_000, count: 1 },
      ])
    })
  })
}

/** Runs this migration alone, without the later ones. */
async function runMigration(engine: SqlEngine, location: string): Promise<void> {
  const dialect =
    engine.name === 'sqlite'
      ? new SqliteDialect({ database: new Database(location) })
      : new PostgresDialect({ pool: new Pool({ connectionString: location }) })
  const db = new Kysely<Schema>({ dialect })
  try {
    await usage.up(db)
  } finally {
    await db.destroy()
  }
}
