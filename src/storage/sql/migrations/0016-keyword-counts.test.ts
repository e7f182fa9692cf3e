import { describe, expect, it } from 'vitest'
import { migrateTo } from '../../../../test/support/migrate-to.js'
import { sqlEngines } from '../../../../test/support/sql-engines.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => {
    it('existing keywords are counted', async () => {
      const database = await engine.create()
      await migrateTo(engine, database, '0011-click-log-home')
      await database.run(`
        insert into links (id, domain, hash, group_guid, long_url, long_url_key, created_at, modified_at, created_by)
          values ('sho.rt/one', 'sho.rt', 'one', 'B1', 'https://example.com/', 'k', 1, 1, 'ada'),
            ('sho.rt/two', 'sho.rt', 'two', 'B1', 'https://example.com/', 'k', 2, 2, 'ada'),
            ('sho.rt/none', 'sho.rt', 'none', 'B1', 'https://example.com/', 'k', 3, 3, 'ada');
        insert into addresses (address, kind, link_id, created_at) select id, 'hash', id, created_at from links;
        insert into addresses (address, kind, link_id, created_at)
          values ('sho.rt/a', 'keyword', 'sho.rt/two', 1), ('sho.rt/b', 'keyword', 'sho.rt/two', 2),
            ('sho.rt/c', 'keyword', 'sho.rt/one', 1)`)
      const records = await database.connect()
      await records.migrate()
      expect([...(await records.links.withMostKeywords('B1', 10))]).toEqual([
        ['sho.rt/two', ['sho.rt/two', 'sho.rt/b', 'sho.rt/a']],
        ['sho.rt/one', ['sho.rt/one', 'sho.rt/c']],
      ])
      await records.close()
      await database.remove()
    })
  })
}
