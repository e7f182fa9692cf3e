import { describe, expect, it } from 'vitest'
import { migrateTo } from '../../../../test/support/migrate-to.js'
import { sqlEngines } from '../../../../test/support/sql-engines.js'
import { longUrlKey } from '../../records/links/insert-links.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => {
    it('existing links are found by their long URL, and shortening returns them again', async () => {
      const database = await engine.create()
      await migrateTo(engine, database, '0003-usage')
      const longUrl = 'https://example.com/before'
      const key = longUrlKey(longUrl)
      await database.run(`
        insert into links (id, domain, hash, group_guid, long_url, long_url_key, reuse_key, created_at, modified_at, created_by)
          values ('sho.rt/one', 'sho.rt', 'one', 'B1', '${longUrl}', '${key}', 'B1/sho.rt/${key}', 1, 1, 'ada'),
            ('sho.rt/two', 'sho.rt', 'two', 'B1', '${longUrl}', '${key}', null, 2, 2, 'bob');
        insert into addresses (address, kind, link_id, created_at) select id, 'hash', id, created_at from links`)
      const records = await database.connect()
      await records.migrate()

      expect([...(await records.links.addressesLeadingTo(longUrl))].sort()).toEqual(['sho.rt/one', 'sho.rt/two'])
      const owner = { groupGuid: 'B1', organizationGuid: 'O1', createdBy: 'ada', clientId: undefined }
      const draft = { ...owner, domain: 'sho.rt', longUrl, at: 3 }
      const again = await records.links.findOrInsert(draft, () => 'new')
      expect(again).toMatchObject({ created: false, link: { id: 'sho.rt/one', private: false, note: undefined } })
      await records.close()
      await database.remove()
    })
  })
}
