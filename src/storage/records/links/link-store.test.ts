import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defaultDomain, sqlEngines, type TestDatabase } from '../../../../test/support/sql-engines.js'
import type { LinkDraft } from '../../../core/links/link.js'
import { linkStoreContract } from '../../../core/links/link-store.contract.js'
import { Closing } from '../../../lib/closing.js'
import type { Records } from '../records.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => linkStoreContract(engine.open, defaultDomain))

  describe.skipIf(engine.skip)(`${engine.title}, beyond the contract`, () => {
    let database: TestDatabase
    let closing: Closing
    beforeEach(async () => {
      closing = new Closing()
      database = await engine.create()
      closing.add({ close: () => database.remove() })
    })
    afterEach(() => closing.close())

    async function connect(): Promise<Records> {
      return closing.add(await database.connect())
    }

    it('gives racing callers of several processes one link for one long URL', async () => {
      const processes = [await connect(), await connect(), await connect()]
      await processes[0]?.migrate()
      const urls = Array.from({ length: 30 }, (_, index) => `https://example.com/${index}`)
      const answers = await Promise.all(
        processes.flatMap(({ links }, at) =>
          (at === 1 ? urls.toReversed() : urls).map((longUrl, index) =>
            links.findOrInsert(aDraft(longUrl), drawing(`p${at}n${index}`)),
          ),
        ),
      )
      expect(new Set(answers.map((answer) => answer.link.id)).size).toBe(urls.length)
      expect(answers.filter((answer) => answer.created)).toHaveLength(urls.length)
    })

    it('gives different hashes to processes that draw the same ones', async () => {
      const processes = [await connect(), await connect()]
      await processes[0]?.migrate()
      const answers = await Promise.all(
        processes.flatMap(({ links }, at) =>
          Array.from({ length: 10 }, (_, index) =>
            links.findOrInsert(aDraft(`https://example.com/${at}/${index}`), drawing('same')),
          ),
        ),
      )
      expect(new Set(answers.map((answer) => answer.link.id)).size).toBe(20)
    })

    it('reads keywords newest first and tags in order', async () => {
      const records = await connect()
      await records.migrate()
      const { link } = await records.links.findOrInsert(aDraft('https://example.com/'), drawing('h'))
      await database.run(
        `insert into addresses (address, kind, link_id, created_at) values
           ('sho.rt/old', 'keyword', '${link.id}', 1), ('sho.rt/new', 'keyword', '${link.id}', 2);
         insert into link_tags (link_id, tag, position, group_guid, created_at) values
           ('${link.id}', 'zebra', 0, 'Bgroup00001', 1000), ('${link.id}', 'ant', 1, 'Bgroup00001', 1000),
           ('sho.rt/other', 'not-mine', 0, 'Bgroup00001', 1000)`,
      )
      const full = { ...link, keywords: ['sho.rt/new', 'sho.rt/old'], tags: ['zebra', 'ant'] }
      expect(await records.links.get(link.id)).toEqual(full)
      expect(await records.links.get('sho.rt/old')).toEqual(full)
      expect(await records.links.findOrInsert(aDraft('https://example.com/'), drawing('i'))).toEqual({
        link: full,
        created: false,
      })
      expect(await records.links.target('sho.rt/new')).toMatchObject({ address: 'sho.rt/new', linkId: link.id })
    })

    it('also returns deleted and expired links', async () => {
      const records = await connect()
      await records.migrate()
      const { link } = await records.links.findOrInsert(aDraft('https://example.com/'), drawing('h'))
      await database.run(
        `update links set expires_at = 1700000000001, deleted_at = 1700000000002, title = 'T', archived = 1`,
      )
      const ended = { expiresAt: 1_700_000_000_001, deletedAt: 1_700_000_000_002 }
      expect(await records.links.get(link.id)).toMatchObject({ ...ended, title: 'T', archived: true })
      expect(await records.links.target(link.id)).toMatchObject(ended)
    })
  })
}

function aDraft(longUrl: string): LinkDraft {
  const owner = { groupGuid: 'Bgroup00001', organizationGuid: 'Oorganization' }
  return { ...owner, domain: defaultDomain, longUrl, createdBy: 'ada', clientId: undefined, at: 1_000 }
}

function drawing(prefix: string): () => string {
  let drawn = 0
  return () => `${prefix}${drawn++}`
}
