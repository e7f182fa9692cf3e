import { type CompiledQuery, Kysely, type LogEvent, PostgresDialect, SqliteDialect } from 'kysely'
import Database from 'libsql'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { longUrlKey } from '../../src/storage/records/links/insert-links.js'
import { sqlLongUrls } from '../../src/storage/records/links/long-urls.js'
import type { Schema } from '../../src/storage/sql/tables/schema.js'
import { queryPlan } from '../support/query-plan.js'
import { type SqlEngine, sqlEngines, type TestDatabase } from '../support/sql-engines.js'

const longUrl = 'https://example.com/popular'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(`${engine.title}: links to one page are found along an index`, () => {
    let database: TestDatabase
    let db: Kysely<Schema>
    const sent: CompiledQuery[] = []
    beforeAll(async () => {
      database = await seeded(engine)
      db = openWatched(engine, database, sent)
    })
    afterAll(async () => {
      await db?.destroy()
      await database?.remove()
    })

    it.each<[string, (store: ReturnType<typeof sqlLongUrls>) => Promise<unknown>]>([
      ['whether there is one', (store) => store.isKnownLongUrl(longUrl)],
      ["a group's own", (store) => store.groupLinkTo('B1', 'sho.rt', longUrl)],
      ['their addresses', (store) => store.addressesLeadingTo(longUrl)],
      [
        'their makers',
        (store) => store.encoders(longUrl, { organizationGuids: ['O1'], groupGuids: ['B1', 'B2'], size: 10 }),
      ],
      ['how many made them', (store) => store.encoderCount(longUrl)],
    ])('%s', async (_, ask) => {
      sent.length = 0
      await ask(sqlLongUrls(db))
      expect(sent).toHaveLength(1)
      for (const statement of sent) {
        const { text, scanned } = await planOf(engine, database, statement)
        expect(scanned, `${statement.sql}\n${text}`).toEqual([])
        expect(text).toContain('links_alone')
      }
    })

    it('in a database that sorts texts like a dictionary', async () => {
      expect(await sqlLongUrls(db).addressesLeadingTo(longUrl)).toHaveLength(3)
    })
  })
}

async function seeded(engine: SqlEngine): Promise<TestDatabase> {
  const database = await engine.create()
  const records = await database.connect()
  await records.migrate()
  await records.close()
  await database.run(seed)
  if (engine.name === 'postgres') {
    await database.run('alter table links alter column reuse_key type text collate "en-x-icu"')
    await database.run('vacuum analyze')
  }
  return database
}

function openWatched(engine: SqlEngine, { location }: TestDatabase, sent: CompiledQuery[]): Kysely<Schema> {
  const dialect =
    engine.name === 'postgres'
      ? new PostgresDialect({ pool: new Pool({ connectionString: location, max: 1 }) })
      : new SqliteDialect({ database: new Database(location) })
  const log = (event: LogEvent) => {
    sent.push(event.query)
  }
  return new Kysely<Schema>({ dialect, log })
}

async function planOf(engine: SqlEngine, database: TestDatabase, { sql, parameters }: CompiledQuery) {
  const text = await queryPlan(engine, database, sql, parameters)
  const scans = engine.name === 'postgres' ? /Seq Scan on (links|addresses)/g : /^SCAN (links|addresses|named)\b/gm
  return { text, scanned: [...text.matchAll(scans)].map(([, table]) => table) }
}

/** 40,000 links to pages of their own, three to the same one: two that are reused, one that is not. */
const key = longUrlKey(longUrl)
const seed = `
  with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < 40000)
  insert into links (id, domain, hash, group_guid, long_url, long_url_key, reuse_key, created_at, modified_at, created_by)
    select 'sho.rt/h' || cast(i as text), 'sho.rt', 'h' || cast(i as text), 'B' || cast(i % 2 as text),
      'https://example.com/' || cast(i as text), 'k' || cast(i as text),
      case when i % 50 > 0 then 'k' || cast(i as text) || '/B' || cast(i % 2 as text) || '/sho.rt' end, i, i, 'ada'
    from numbers;
  insert into links (id, domain, hash, group_guid, long_url, long_url_key, reuse_key, created_at, modified_at, created_by)
    values ('sho.rt/one', 'sho.rt', 'one', 'B1', '${longUrl}', '${key}', '${key}/B1/sho.rt', 1, 1, 'ada'),
      ('sho.rt/two', 'sho.rt', 'two', 'Bz', '${longUrl}', '${key}', '${key}/Bz/sho.rt', 2, 2, 'bob'),
      ('sho.rt/ten', 'sho.rt', 'ten', 'B1', '${longUrl}', '${key}', null, 3, 3, 'ada');
  insert into addresses (address, kind, link_id, created_at) select id, 'hash', id, created_at from links`
