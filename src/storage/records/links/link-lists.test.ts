import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqlEngines, type TestDatabase } from '../../../../test/support/sql-engines.js'
import type { LinkFilter, Position } from '../../../core/links/link-store.js'
import type { Records } from '../records.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(`${engine.title}, beyond the contract`, () => {
    let database: TestDatabase
    let records: Records
    beforeAll(async () => {
      database = await engine.create()
      records = await database.connect()
      await records.migrate()
      await database.run(manyLinks)
    })
    afterAll(async () => {
      await records.close()
      await database.remove()
    })

    async function walked(filter: LinkFilter, size: number): Promise<string[]> {
      const hashes: string[] = []
      for (let after: Position | undefined; ; ) {
        const page = await records.links.page({ groupGuid: 'B1', filter, after, size })
        hashes.push(...page.items.map((link) => link.hash))
        after = page.items.at(-1)
        if (!page.more) return hashes
      }
    }
    const numbers = (from: number, to: number, step: number) =>
      Array.from({ length: Math.floor((from - to) / step) + 1 }, (_, index) => `h${from - index * step}`)

    it('finds few matches among thousands, in the group and in a tag', async () => {
      for (const tags of [[], ['common']]) {
        expect(await walked({ tags, words: ['rare'] }, 2)).toEqual(numbers(8500, 500, 1000))
        expect(await walked({ tags, words: ['rare', 'missing'] }, 2)).toEqual([])
        expect(await walked({ tags, archived: true }, 3)).toEqual(['h1'])
      }
    })

    it('lists each of thousands once', async () => {
      expect(await walked({}, 100)).toEqual(numbers(9000, 1, 1))
      expect(await walked({ tags: ['common'] }, 99)).toEqual(numbers(9000, 1, 1))
    })

    it('counts thousands, and says where it stopped', async () => {
      const count = (filter: LinkFilter, passed = 100_000, read = 10_000) =>
        records.links.count('B1', filter, { passed, read })
      for (const tags of [[], ['common']]) {
        expect(await count({ tags })).toEqual({ count: 9000, isExact: true })
        expect(await count({ tags, archived: false })).toEqual({ count: 8999, isExact: true })
        expect(await count({ tags, words: ['rare'] })).toEqual({ count: 9, isExact: true })
        expect(await count({ tags, words: ['example'] })).toEqual({ count: 9000, isExact: true })
        expect(await count({ tags }, 4000)).toEqual({ count: 4000, isExact: false })
        expect(await count({ tags, words: ['rare'] }, 4000)).toEqual({ count: 4, isExact: false })
        expect(await count({ tags, words: ['example'] }, 4000, 300)).toEqual({ count: 300, isExact: false })
      }
      expect(await count({ createdAfter: 11, createdBefore: 5011 })).toEqual({ count: 5000, isExact: true })
    })

    it('lists the links of campaigns and channels, few or most of the group', async () => {
      await database.run(`
        insert into campaigns (guid, group_guid, name, description, created_by, created_at, modified_at)
          values ('C1', 'B1', '', '', '', 1, 1), ('C2', 'B1', '', '', '', 1, 1);
        insert into channels (guid, group_guid, name, created_at, modified_at)
          values ('H1', 'B1', '', 1, 1), ('H2', 'B1', '', 1, 1);
        insert into channel_links (channel_guid, campaign_guid, link_id)
          select 'H1', 'C1', id from links where created_at % 3 = 0;
        insert into channel_links (channel_guid, campaign_guid, link_id)
          select 'H2', 'C2', id from links where created_at % 1000 = 0`)
      expect(await walked({ channelGuid: 'H1' }, 100)).toEqual(numbers(9000, 3, 3))
      expect(await walked({ campaignGuid: 'C1', tags: ['common'] }, 100)).toEqual(numbers(9000, 3, 3))
      expect(await walked({ campaignGuid: 'C2' }, 4)).toEqual(numbers(9000, 1000, 1000))
      expect(await walked({ channelGuid: 'H2', words: ['nothing'] }, 4)).toEqual([])
    })
  })
}

/** 9000 links with ascending times; every thousandth has a rare title, the first one is archived. */
const manyLinks = `
  with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < 9000)
  insert into links (id, domain, hash, group_guid, long_url, long_url_key, title, archived, created_at, modified_at, created_by)
    select 'sho.rt/h' || cast(i as text), 'sho.rt', 'h' || cast(i as text), 'B1', 'https://example.com/', 'k',
      case when i % 1000 = 500 then 'Rare' end, case when i = 1 then 1 else 0 end, i, i, 'ada' from numbers;
  insert into link_tags (link_id, tag, position, group_guid, created_at)
    select id, 'common', 0, group_guid, created_at from links`
