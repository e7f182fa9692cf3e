import { describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import { storesOfEachTest } from '../accounts/stores.builder.js'
import { aLinkDraft } from '../links/link-draft.builder.js'
import type { LinkStore } from '../links/link-store.js'
import type { NewLinkPosition, StreamStore } from './stream-store.js'

/** What a `StreamStore` promises about new links, of links that are made on `domain`, the default one. */
export function newLinksContract(
  open: () => Promise<{ readonly streamStore: StreamStore; readonly links: LinkStore } & Closable>,
  domain: string,
): void {
  describe('StreamStore: new links', () => {
    const stores = storesOfEachTest(open)

    const longUrl = 'https://example.com/a'
    const aDraft = (at: number) =>
      aLinkDraft({ groupGuid: 'B1', organizationGuid: 'O1', domain, longUrl, at, forceNew: true })
    const make = async (hash: string, at: number) => {
      const { link } = await stores.links.findOrInsert(aDraft(at), () => hash)
      return link.id
    }
    const from = (createdAt: number): NewLinkPosition => ({ createdAt, id: '' })

    it('lists links in the order in which they were made, from one moment and before another', async () => {
      await make('later', 1_700_000_000_300)
      const first = await make('first', 1_700_000_000_100)
      const next = await make('next', 1_700_000_000_200)
      await make('before', 1_700_000_000_099)
      expect(await stores.streamStore.newLinks(from(1_700_000_000_100), 1_700_000_000_300, 10)).toEqual([
        { id: first, createdAt: 1_700_000_000_100, groupGuid: 'B1' },
        { id: next, createdAt: 1_700_000_000_200, groupGuid: 'B1' },
      ])
    })

    it('goes on after any link, also among those of one moment, and misses none', async () => {
      const made: string[] = []
      for (const hash of ['d', 'b', 'a', 'e', 'c']) made.push(await make(hash, 100))
      made.push(await make('Z', 101))
      const found: string[] = []
      for (let after = from(100); ; ) {
        const page = await stores.streamStore.newLinks(after, 1000, 2)
        found.push(...page.map(({ id }) => id))
        const last = page.at(-1)
        if (!last) break
        after = last
      }
      expect(found).toEqual([...made.slice(0, 5).toSorted(), made[5]])
    })

    it('has a link that was deleted meanwhile: it was made', async () => {
      const id = await make('gone', 100)
      await stores.links.remove(id, 200)
      expect(await stores.streamStore.newLinks(from(0), 1000, 10)).toHaveLength(1)
      expect(await stores.streamStore.describeLinks([id])).toHaveLength(1)
    })

    it('has a link once, however many have wished for it at the same time', async () => {
      const reused = { ...aDraft(100), forceNew: false }
      let hashes = 0
      const racers = Array.from({ length: 8 }, () => stores.links.findOrInsert(reused, () => `hash${hashes++}`))
      await Promise.all(racers)
      expect(await stores.streamStore.newLinks(from(0), 1000, 10)).toHaveLength(1)
    })

    it('has nothing open when everything that was begun has ended, whoever has raced', async () => {
      expect(await stores.streamStore.openFor()).toBe(0)
      await Promise.all(Array.from({ length: 8 }, (_, index) => make(`r${index}`, index)))
      expect(await stores.streamStore.openFor()).toBe(0)
    })

    it('describes links, with the first keyword and the global hash where there are any', async () => {
      const plain = await make('plain', 100)
      const keyword = `${domain}/sale`
      const details = { title: undefined, tags: [], expiresAt: undefined, deeplinks: [], routing: [], keyword }
      await stores.links.create({ ...aDraft(200), clientId: 'client' }, details, () => 'named')
      const told = { groupGuid: 'B1', longUrl, createdBy: 'ada' }
      expect(await stores.streamStore.describeLinks([plain, `${domain}/named`, `${domain}/none`])).toEqual([
        { ...told, id: plain, createdAt: 100, clientId: undefined, keyword: undefined, globalHash: undefined },
        { ...told, id: `${domain}/named`, createdAt: 200, clientId: 'client', keyword, globalHash: undefined },
      ])
      const globalHash = await stores.links.globalHash(longUrl, domain, 300, () => 'global')
      expect(await stores.streamStore.describeLinks([plain])).toMatchObject([{ id: plain, globalHash }])
    })

    it('describes more links than fit into a statement, in the order asked for, and nothing for nothing', async () => {
      const ids: string[] = []
      await Promise.all(Array.from({ length: 1201 }, (_, index) => make(`n${index}`, index).then((id) => ids.push(id))))
      const described = await stores.streamStore.describeLinks(ids)
      expect(described.map(({ id }) => id)).toEqual(ids)
      expect(await stores.streamStore.describeLinks([])).toEqual([])
    })
  })
}
