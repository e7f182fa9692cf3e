import { type CompiledQuery, Kysely, type LogEvent, PostgresDialect, SqliteDialect } from 'kysely'
import Database from 'libsql'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StreamStore } from '../../src/core/stream/stream-store.js'
import { sqlStreamStore } from '../../src/storage/records/stream/stream-store.js'
import type { Schema } from '../../src/storage/sql/tables/schema.js'
import { queryPlan } from '../support/query-plan.js'
import { sqlEngines, type TestDatabase } from '../support/sql-engines.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(`${engine.title}: links that were made are read along an index`, () => {
    const isPostgres = engine.name === 'postgres'
    const sent: CompiledQuery[] = []
    let database: TestDatabase
    let db: Kysely<Schema>
    beforeAll(async () => {
      database = await engine.create()
      const records = await database.connect()
      await records.migrate()
      await records.close()
      await database.run(seed)
      if (isPostgres) await database.run('vacuum analyze')
      const { location } = database
      const dialect = isPostgres
        ? new PostgresDialect({ pool: new Pool({ connectionString: location, max: 1 }) })
        : new SqliteDialect({ database: new Database(location) })
      const log = (event: LogEvent) => {
        sent.push(event.query)
      }
      db = new Kysely<Schema>({ dialect, log })
    })
    afterAll(async () => {
      await db?.destroy()
      await database?.remove()
    })

    it.each<[string, string, (store: StreamStore) => Promise<readonly unknown[]>, number]>([
      ['those of the last seconds', 'links_made', (store) => store.newLinks(at(39_990), 1e12, 500), 11],
      [
        'those of a moment, after one of them',
        'links_made',
        (store) => store.newLinks(at(100, 'sho.rt/h1'), 101, 500),
        1,
      ],
      ['a page of a long backlog', 'links_made', (store) => store.newLinks(at(5), 40_001, 500), 500],
      ['what they are', '', (store) => store.describeLinks(['sho.rt/h7', 'sho.rt/h39999']), 2],
    ])('%s', async (_, index, ask, count) => {
      sent.length = 0
      expect(
        await ask(
          sqlStreamStore(
            db,
            (work) => db.transaction().execute(work),
            async () => 0,
          ),
        ),
      ).toHaveLength(count)
      expect(sent).toHaveLength(1)
      for (const { sql, parameters } of sent) {
        const plan = await queryPlan(engine, database, sql, parameters)
        expect(plan).not.toMatch(/Seq Scan on (links|addresses)|^SCAN (links|addresses)\b(?!.*USING INDEX links_made)/m)
        expect(plan).toContain(index)
      }
    })
  })
}

const at = (createdAt: number, id = '') => ({ createdAt, id })

/** 40,000 links, a millisecond apart, every eighth with a keyword. */
const seed = `
  with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < 40000)
  insert into links (id, domain, hash, group_guid, long_url, long_url_key, created_at, modified_at, created_by)
    select 'sho.rt/h' || cast(i as text), 'sho.rt', 'h' || cast(i as text), 'B' || cast(i % 2 as text),
      'https://example.com/' || cast(i as text), 'k' || cast(i as text), i, i, 'ada'
    from numbers;
  insert into addresses (address, kind, link_id, created_at) select id, 'hash', id, created_at from links;
  insert into addresses (address, kind, link_id, created_at)
    select 'sho.rt/k' || hash, 'keyword', id, created_at from links where created_at % 8 = 0`
