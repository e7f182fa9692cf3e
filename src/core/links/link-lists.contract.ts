import { describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import { storesOfEachTest } from '../accounts/stores.builder.js'
import type { CampaignStore } from '../campaigns/campaign-store.js'
import { randomHash } from '../values/random.js'
import { type LinkDetails, type LinkDraft, noDetails } from './link.js'
import type { LinkFilter, LinkStore } from './link-store.js'
import { parseDestination } from './search.js'
import { tagsPerGroup, tagsPerLink } from './tags.js'

export interface LinkListStores extends Closable {
  readonly links: LinkStore
  readonly campaigns: CampaignStore
}

/** What a `LinkStore` promises about lists. `open` gives empty stores. */
export function linkListsContract(open: () => Promise<LinkListStores>): void {
  describe('LinkStore: lists', () => {
    const stores = storesOfEachTest(open)

    /** Links get older creation times the earlier they are created, unless the test sets another. */
    let made = 0
    async function aLink(hash: string, given: Partial<LinkDraft & LinkDetails> = {}): Promise<string> {
      made += 1
      const draft: LinkDraft = {
        groupGuid: 'B1',
        organizationGuid: 'O1',
        domain: 'sho.rt',
        longUrl: `https://example.com/${hash}`,
        createdBy: 'ada',
        clientId: undefined,
        at: made * 1000,
        ...given,
      }
      const created = await stores.links.create(draft, { ...noDetails, ...given }, drawing(hash))
      if (created.outcome !== 'done') throw new Error(`the link ${hash} was not made: ${created.outcome}`)
      return created.link.id
    }

    async function listed(filter: LinkFilter = {}, groupGuid = 'B1'): Promise<string[]> {
      const { items } = await stores.links.page({ groupGuid, filter, after: undefined, size: 100 })
      const counted = await stores.links.count(groupGuid, filter, { passed: 1000, read: 1000 })
      expect(counted).toEqual({ count: items.length, isExact: true })
      const ids = items.map(({ id }) => id)
      const newest = await stores.links.page({ groupGuid, filter: {}, after: undefined, size: 100 })
      const found = await stores.links.linksAt(groupGuid, [...ids, ...newest.items.map(({ id }) => id)], filter)
      expect([...found.keys()].sort()).toEqual(ids.sort())
      return items.map((link) => link.hash)
    }

    /** Every link of the list, page by page. */
    async function walked(filter: LinkFilter, size: number, meanwhile?: () => Promise<unknown>): Promise<string[]> {
      const hashes: string[] = []
      for (let after: { createdAt: number; id: string } | undefined; ; ) {
        const page = await stores.links.page({ groupGuid: 'B1', filter, after, size })
        hashes.push(...page.items.map((link) => link.hash))
        expect(page.items.length).toBeLessThanOrEqual(size)
        after = page.items.at(-1)
        if (!page.more) return hashes
        await meanwhile?.()
      }
    }

    const archive = (ids: readonly string[], archived = true) =>
      stores.links.changeAll('B1', ids, { archived }, { login: 'ada', at: 9_000 })
    const editTags = (ids: readonly string[], addTags: readonly string[], removeTags: readonly string[] = []) =>
      stores.links.changeAll('B1', ids, { addTags, removeTags }, { login: 'ada', at: 9_000 })
    const tagsOf = async (id: string) => (await stores.links.get(id))?.tags

    describe('hosts', () => {
      it('are those the newest links of a group lead to, each once, without deleted links', async () => {
        await aLink('one', { longUrl: 'https://old.example:8443/' })
        await aLink('two', { longUrl: 'https://b.example/1' })
        await aLink('three', { longUrl: 'http://b.example/2' })
        await aLink('four', { longUrl: 'https://a.example/' })
        await aLink('five', { longUrl: 'https://elsewhere.example/', groupGuid: 'B2' })
        const gone = await aLink('six', { longUrl: 'https://gone.example/' })
        await stores.links.remove(gone, 9_000)
        expect(await stores.links.hosts('B1', 10_000)).toEqual(['a.example', 'b.example', 'old.example'])
        expect(await stores.links.hosts('B1', 3)).toEqual(['a.example', 'b.example'])
        expect(await stores.links.hosts('B3', 3)).toEqual([])
      })
    })

    describe('page', () => {
      it('lists the links of a group in full, newest first', async () => {
        const id = await aLink('old', { title: 'Old', tags: ['b', 'a'], keyword: 'sho.rt/oldest' })
        await aLink('new')
        await aLink('foreign', { groupGuid: 'B2' })
        const { items, more } = await stores.links.page({ groupGuid: 'B1', filter: {}, after: undefined, size: 10 })
        expect(items.map((link) => link.hash)).toEqual(['new', 'old'])
        expect(items[1]).toEqual(await stores.links.get(id))
        expect(more).toBe(false)
        expect(await listed({}, 'B3')).toEqual([])
      })

      it('tells whether others follow', async () => {
        for (const hash of ['one', 'two', 'three']) await aLink(hash)
        const page = (size: number) => stores.links.page({ groupGuid: 'B1', filter: {}, after: undefined, size })
        expect(await page(2)).toMatchObject({ more: true, items: [{ hash: 'three' }, { hash: 'two' }] })
        expect(await page(3)).toMatchObject({ more: false })
      })

      it.each([3, 6, 7, 9])(
        'searches %s words in more links than one step reads',
        { timeout: 60_000 },
        async (count) => {
          const inputs = Array.from({ length: 450 }, (_, index) => ({
            draft: {
              groupGuid: 'B1',
              organizationGuid: 'O1',
              domain: 'sho.rt',
              longUrl: `https://example.com/${index}`,
              createdBy: 'ada',
              clientId: undefined,
              at: 1_000 + index,
            },
            details: undefined,
          }))
          await stores.links.createAll(inputs, randomHash)
          const words = ['example.com/0', ...Array(count - 1).fill('http')]
          expect(await listed({ words })).toHaveLength(1)
          expect(await listed({ words: [...words.slice(1), 'missing'] })).toEqual([])
        },
      )

      it('never lists deleted links', async () => {
        const id = await aLink('gone', { tags: ['x'] })
        expect(await stores.links.remove(id, 5_000)).toBe('removed')
        expect(await listed()).toEqual([])
        expect(await listed({ tags: ['x'] })).toEqual([])
      })

      it.each([[{}], [{ tags: ['x'] }], [{ words: ['example'] }]])(
        'shows every link once while others are made, also those of one moment, by %j',
        async (filter) => {
          const hashes = Array.from({ length: 23 }, (_, index) => `h${String(index).padStart(2, '0')}`)
          // Three links share each millisecond; their ids decide the order.
          for (const [index, hash] of hashes.entries()) await aLink(hash, { at: Math.floor(index / 3), tags: ['x'] })
          let more = 0
          const meanwhile = () => aLink(`later${more++}`, { tags: ['x'] })
          expect(await walked(filter, 5, meanwhile)).toEqual(hashes.toReversed())
        },
      )

      it('continues behind a link that is no longer there', async () => {
        for (const hash of ['one', 'two', 'three']) await aLink(hash, { at: 7 })
        const after = { createdAt: 7, id: 'sho.rt/three-and-a-half' }
        const page = await stores.links.page({ groupGuid: 'B1', filter: {}, after, size: 10 })
        expect(page.items.map((link) => link.hash)).toEqual(['three', 'one'])
      })

      it('lists links made from one moment on and before another', async () => {
        for (const at of [1, 2, 3, 4]) await aLink(`at${at}`, { at })
        expect(await listed({ createdAfter: 2 })).toEqual(['at4', 'at3', 'at2'])
        expect(await listed({ createdBefore: 3 })).toEqual(['at2', 'at1'])
        expect(await listed({ createdAfter: 2, createdBefore: 4 })).toEqual(['at3', 'at2'])
        expect(await listed({ createdAfter: 4, createdBefore: 2 })).toEqual([])
        expect(await walked({ createdAfter: 2, createdBefore: 4 }, 1)).toEqual(['at3', 'at2'])
      })

      it('filters by when links were last changed: made, edited or archived', async () => {
        const [one, two, three] = [
          await aLink('one', { at: 1 }),
          await aLink('two', { at: 2 }),
          await aLink('three', { at: 3 }),
        ]
        expect(await listed({ modifiedAfter: 2 })).toEqual(['three', 'two'])
        await stores.links.update(one, { title: 'x' }, { login: 'ada', at: 5 })
        await archive([two])
        expect(await listed({ modifiedAfter: 3 })).toEqual(['three', 'two', 'one'])
        expect(await walked({ modifiedAfter: 4 }, 1)).toEqual(['two', 'one'])
        expect((await stores.links.get(one))?.modifiedAt).toBe(5)
        expect((await stores.links.get(two))?.modifiedAt).toBe(9_000)
        expect((await stores.links.get(three))?.modifiedAt).toBe(3)
        expect(await listed({ modifiedAfter: 9_001 })).toEqual([])
      })

      const rule = { longUrl: 'https://example.com/de', countryMatch: ['DE'] }
      const deeplink = {
        guid: undefined,
        appGuid: 'A1',
        os: 'ios',
        appUriPath: '/a',
        installUrl: '',
        installType: 'no_install',
        brandGuid: '',
      } as const

      it.each<[string, Partial<LinkDetails>, (wanted: boolean) => LinkFilter]>([
        ['an expiry', { expiresAt: 10_000_000 }, (expires) => ({ expires })],
        ['an expiry in the past', { expiresAt: 5_000_000 }, (wanted) => ({ expired: { at: 5_000_000, wanted } })],
        ['deep links', { deeplinks: [deeplink] }, (deeplinks) => ({ deeplinks })],
        ['routing rules', { routing: [rule] }, (routing) => ({ routing })],
        ['keywords', { keyword: 'sho.rt/named' }, (keywords) => ({ keywords })],
      ])('tells links with %s from those without', async (_, details, filter) => {
        await aLink('with', details)
        await aLink('without')
        expect(await listed(filter(true))).toEqual(['with'])
        expect(await listed(filter(false))).toEqual(['without'])
      })

      it('does not take a link that expires later for an expired one', async () => {
        await aLink('later', { expiresAt: 5_000_001 })
        expect(await listed({ expired: { at: 5_000_000, wanted: true } })).toEqual([])
        expect(await listed({ expired: { at: 5_000_000, wanted: false } })).toEqual(['later'])
      })

      it('tells archived links from the others', async () => {
        await archive([await aLink('put-away')])
        await aLink('in-use')
        expect(await listed({ archived: true })).toEqual(['put-away'])
        expect(await listed({ archived: false })).toEqual(['in-use'])
        expect(await listed({})).toEqual(['in-use', 'put-away'])
      })

      it('counts no deep links on domains that belong to no organization', async () => {
        await aLink('deep', { deeplinks: [deeplink] })
        expect(await listed({ domainDeeplinks: true })).toEqual([])
        expect(await listed({ domainDeeplinks: false })).toEqual(['deep'])
      })

      it('lists links of one domain, whose name is the whole of it', async () => {
        await aLink('short', { tags: ['x'] })
        await aLink('branded', { domain: 'go.example.com', tags: ['x'] })
        await aLink('foreign', { domain: 'go.example.com', groupGuid: 'B2' })
        expect(await listed({ domain: 'go.example.com' })).toEqual(['branded'])
        expect(await listed({ domain: 'sho.rt' })).toEqual(['short'])
        expect(await listed({ domain: 'example.com' })).toEqual([])
        expect(await listed({ domain: 'sho.rt', tags: ['x'] })).toEqual(['short'])
        expect(await listed({ domain: 'go.example.com', words: ['short'] })).toEqual([])
        expect(await walked({ domain: 'go.example.com' }, 1)).toEqual(['branded'])
      })

      it('lists links that have all of the tags', async () => {
        await aLink('both', { tags: ['red', 'blue'] })
        await aLink('red', { tags: ['red', 'green'] })
        await aLink('foreign', { tags: ['red'], groupGuid: 'B2' })
        expect(await listed({ tags: ['red'] })).toEqual(['red', 'both'])
        expect(await listed({ tags: ['red', 'red', 'blue'] })).toEqual(['both'])
        expect(await listed({ tags: ['Red'] })).toEqual([])
      })

      it('lists none for more tags than a link can have, however many', async () => {
        await aLink('red', { tags: ['red'] })
        expect(await listed({ tags: ['red', ...Array.from({ length: 20_000 }, (_, index) => `t${index}`)] })).toEqual(
          [],
        )
      })

      it('lists links that one of the users made', async () => {
        for (const createdBy of ['ada', 'bob', 'eve']) await aLink(createdBy, { createdBy })
        expect(await listed({ makers: ['ada', 'eve'] })).toEqual(['eve', 'ada'])
        expect(await listed({ makers: ['nobody'] })).toEqual([])
      })

      it.each([
        ['title', { title: 'Frühling in ÉTRETAT' }, ['frühling', 'étretat']],
        // In lower case it is two characters: an i and a combining dot.
        ['title with a dotted capital I', { title: 'Gezi: İzmir' }, ['İzmir'.toLowerCase()]],
        ['title with accents apart', { title: 'Alte BU\u0308CHER' }, ['bücher']],
        ['path beyond ASCII', { longUrl: 'https://example.com/b%C3%BCcher' }, ['bücher']],
        ['host beyond ASCII', { longUrl: 'https://xn--bcher-kva.example/' }, ['bücher.example']],
        ['title without any letter of ASCII', { title: '東京' }, ['東京']],
        ['long URL', { longUrl: 'https://Example.com/Shop?Ref=News' }, ['shop?ref']],
        ['tag', { tags: ['Summer-2026'] }, ['summer']],
        ['keyword', { keyword: 'sho.rt/Big-Sale' }, ['big-s']],
        ['hash', {}, ['wanted']],
        ['note', { note: 'Für das FRÜHSTÜCK,\nAsk Ada' }, ['frühstück', 'ask']],
        ['several of them', { title: 'Shoes', tags: ['winter'] }, ['winter', 'shoes', 'wanted']],
      ])('finds words in the %s, in any case', async (_, given, words) => {
        await aLink('Wanted', given)
        await aLink('other')
        expect(await listed({ words })).toEqual(['Wanted'])
        expect(await listed({ words: [...words, 'missing'] })).toEqual([])
      })

      it.each(['%', '_', '!', '\\', "'", '"', '%%', 'a%c', '!%'])('looks for %j as it is', async (word) => {
        await aLink('plain', { title: 'abc' })
        await aLink('odd', { title: `x${word}x` })
        expect(await listed({ words: [word] })).toEqual(['odd'])
      })

      it('does not find the domain of the short links by a word', async () => {
        await aLink('one', { keyword: 'sho.rt/two' })
        expect(await listed({ words: ['sho.rt'] })).toEqual([])
      })

      it('finds links by the host and path they lead to', async () => {
        await aLink('top', { longUrl: 'https://shop.test/' })
        await aLink('sub', { longUrl: 'https://www.shop.test:8443/Blog/1' })
        await aLink('query', { longUrl: 'https://elsewhere.test/?to=https://shop.test/blog' })
        await aLink('path', { longUrl: 'https://archive.test/web/shop.test/blog' })
        await aLink('suffix', { longUrl: 'https://myshop.test/blog_1' })
        const by = (text: string) => listed({ destination: parseDestination(text) })
        expect(await by('SHOP.test')).toEqual(['sub', 'top'])
        expect(await by('shop.test/blog')).toEqual(['sub'])
        expect(await by('/blog')).toEqual(['suffix', 'sub'])
        expect(await by('/blog_1')).toEqual(['suffix'])
        expect(await by('shop%.test')).toEqual([])
      })

      it('reads on when patterns let through what is not meant', async () => {
        for (let index = 0; index < 30; index++) await aLink(`no${index}`, { title: 'ÀB' })
        await aLink('yes', { title: 'ÄB', at: 1 })
        expect(await walked({ words: ['äb'] }, 3)).toEqual(['yes'])
      })

      it('lists the links of a campaign and of a channel, each once', async () => {
        const [one, two, three] = [await aLink('one'), await aLink('two'), await aLink('three', { tags: ['x'] })]
        const group = { groupGuid: 'B1', at: 1 }
        for (const guid of ['C1', 'C2']) {
          await stores.campaigns.addCampaign({
            ...group,
            guid,
            name: guid,
            description: '',
            createdBy: 'ada',
            channelGuids: [],
          })
        }
        const carrying = (campaignGuid: string, ...links: string[]) =>
          links.map((address) => ({ campaignGuid, address }))
        await stores.campaigns.addChannel({ ...group, guid: 'H1', name: '', links: carrying('C1', one, three) })
        await stores.campaigns.addChannel({ ...group, guid: 'H2', name: '', links: carrying('C1', three) })
        await stores.campaigns.addChannel({ ...group, guid: 'H3', name: '', links: carrying('C2', two) })
        expect(await listed({ campaignGuid: 'C1' })).toEqual(['three', 'one'])
        expect(await walked({ campaignGuid: 'C1' }, 1)).toEqual(['three', 'one'])
        expect(await listed({ campaignGuid: 'C1', tags: ['x'] })).toEqual(['three'])
        expect(await listed({ campaignGuid: 'C2' })).toEqual(['two'])
        expect(await listed({ channelGuid: 'H2' })).toEqual(['three'])
        expect(await listed({ channelGuid: 'Hnone' })).toEqual([])
      })
    })

    describe('addressesAt and withMostKeywords', () => {
      it('tell all addresses of links, by hash or keyword, of the group alone and not of deleted ones', async () => {
        await aLink('one', { keyword: 'sho.rt/word' })
        await aLink('two')
        await aLink('gone')
        await aLink('foreign', { groupGuid: 'B2', keyword: 'sho.rt/theirs' })
        await stores.links.remove('sho.rt/gone', 1)
        const asked = ['sho.rt/word', 'sho.rt/two', 'sho.rt/gone', 'sho.rt/foreign', 'sho.rt/theirs', 'sho.rt/none']
        expect([...(await stores.links.addressesAt('B1', asked))].sort()).toEqual([
          ['sho.rt/one', ['sho.rt/one', 'sho.rt/word']],
          ['sho.rt/two', ['sho.rt/two']],
        ])
        expect((await stores.links.addressesAt('B1', [])).size).toBe(0)
        const many = Array.from({ length: 1_200 }, (_, number) => `sho.rt/none${number}`)
        expect((await stores.links.addressesAt('B1', [...many, 'sho.rt/two'])).size).toBe(1)
      })

      it('know the links with the most keywords, also after keywords were added and moved', async () => {
        const context = { login: 'ada', at: 1 }
        await aLink('none')
        await aLink('one', { keyword: 'sho.rt/a' })
        await aLink('two', { keyword: 'sho.rt/b' })
        await aLink('foreign', { groupGuid: 'B2', keyword: 'sho.rt/theirs' })
        await stores.links.addKeyword('sho.rt/c', 'sho.rt/two', context)
        const named = async (size = 10) => [...(await stores.links.withMostKeywords('B1', size))]
        expect((await named()).map(([id, addresses]) => [id, [...addresses].sort()])).toEqual([
          ['sho.rt/two', ['sho.rt/b', 'sho.rt/c', 'sho.rt/two']],
          ['sho.rt/one', ['sho.rt/a', 'sho.rt/one']],
        ])
        expect(await named(1)).toHaveLength(1)
        expect(await named(0)).toEqual([])

        await stores.links.moveKeyword('sho.rt/b', 'sho.rt/one', context)
        expect((await named()).map(([id, { length }]) => [id, length])).toEqual([
          ['sho.rt/one', 3],
          ['sho.rt/two', 2],
        ])
        await stores.links.moveKeyword('sho.rt/c', 'sho.rt/foreign', context)
        expect((await named()).map(([id]) => id)).toEqual(['sho.rt/one'])
        expect((await stores.links.addKeyword('sho.rt/a', 'sho.rt/none', context)).outcome).toBe('taken')
        expect((await named()).map(([id]) => id)).toEqual(['sho.rt/one'])
      })

      it('do not count a keyword again that a link has already', async () => {
        await aLink('one', { keyword: 'sho.rt/a' })
        await aLink('two', { keyword: 'sho.rt/b' })
        await aLink('three', { keyword: 'sho.rt/c' })
        for (const at of [1, 2]) await stores.links.addKeyword('sho.rt/a', 'sho.rt/one', { login: 'ada', at })
        await stores.links.addKeyword('sho.rt/d', 'sho.rt/three', { login: 'ada', at: 3 })
        expect([...(await stores.links.withMostKeywords('B1', 10)).keys()][0]).toBe('sho.rt/three')
      })

      it('count right when keywords are added and moved at once', async () => {
        const context = { login: 'ada', at: 1 }
        await Promise.all(['one', 'two'].map((hash) => aLink(hash)))
        const words = Array.from({ length: 12 }, (_, number) => `sho.rt/word${number}`)
        await Promise.all(words.map((word) => stores.links.addKeyword(word, 'sho.rt/one', context)))
        await Promise.all(
          words.flatMap((word, number) => [
            stores.links.moveKeyword(word, 'sho.rt/two', context),
            ...(number % 3 === 0 ? [stores.links.moveKeyword(word, 'sho.rt/two', context)] : []),
          ]),
        )
        expect([...(await stores.links.withMostKeywords('B1', 10))].map(([id, { length }]) => [id, length])).toEqual([
          ['sho.rt/two', 13],
        ])
      })
    })

    describe('linksAt', () => {
      it('finds the links of the group at addresses, hashes or keywords', async () => {
        const ids = [await aLink('one', { keyword: 'sho.rt/word' }), await aLink('two'), await aLink('gone')]
        await aLink('foreign', { groupGuid: 'B2' })
        await stores.links.remove('sho.rt/gone', 1)
        const asked = [...ids, 'sho.rt/word', 'sho.rt/foreign', 'sho.rt/none', 'sho.rt/ONE']
        const found = await stores.links.linksAt('B1', asked)
        expect([...found].map(([address, link]) => [address, link.id]).sort()).toEqual([
          ['sho.rt/one', 'sho.rt/one'],
          ['sho.rt/two', 'sho.rt/two'],
          ['sho.rt/word', 'sho.rt/one'],
        ])
        expect(found.get('sho.rt/word')).toEqual(await stores.links.get('sho.rt/one'))
        expect((await stores.links.linksAt('B1', [])).size).toBe(0)
        const many = Array.from({ length: 350 }, (_, index) => `sho.rt/none-${index}`)
        expect((await stores.links.linksAt('B1', [...many, 'sho.rt/two'])).size).toBe(1)
      })
    })

    describe('changeAll', () => {
      it('archives all of the links and brings them back', async () => {
        const ids = [await aLink('one'), await aLink('two')]
        expect(await archive(ids)).toEqual({ outcome: 'changed', ids })
        expect(await listed({ archived: true })).toEqual(['two', 'one'])
        expect(await archive(ids, false)).toEqual({ outcome: 'changed', ids })
        expect(await listed({ archived: true })).toEqual([])
      })

      it('adds and removes tags, removing first, and keeps the order of the others', async () => {
        const ids = [await aLink('one', { tags: ['a', 'b'] }), await aLink('two', { tags: ['c'] })]
        expect(await editTags(ids, ['c', 'd'], ['a', 'missing'])).toEqual({ outcome: 'changed', ids })
        expect(await tagsOf('sho.rt/one')).toEqual(['b', 'c', 'd'])
        expect(await tagsOf('sho.rt/two')).toEqual(['c', 'd'])
        await editTags(ids, ['d'], ['d'])
        expect(await tagsOf('sho.rt/two')).toEqual(['c', 'd'])
        expect(await listed({ tags: ['d'] })).toEqual(['two', 'one'])
        expect(await listed({ tags: ['a'] })).toEqual([])
      })

      it('answers each link once, by its id, however it was named', async () => {
        const id = await aLink('one', { keyword: 'sho.rt/named' })
        expect(await archive(['sho.rt/named', id, id])).toEqual({ outcome: 'changed', ids: [id] })
      })

      it('changes nothing when a link is unknown, deleted, or a global hash', async () => {
        const ids = [await aLink('one'), await aLink('two', { tags: ['a'] })]
        await stores.links.remove(await aLink('deleted'), 1)
        for (const item of ['sho.rt/none', 'sho.rt/deleted', 'sho.rt/one-1']) {
          const outcome = item === 'sho.rt/deleted' ? 'gone' : 'missing'
          expect(await archive([...ids, item])).toEqual({ outcome, item })
          expect(await editTags([item, ...ids], ['b'])).toEqual({ outcome, item })
        }
        expect(await listed({ archived: true })).toEqual([])
        expect(await tagsOf('sho.rt/two')).toEqual(['a'])
      })

      it('changes nothing when a link is of another group, deleted or not', async () => {
        const id = await aLink('one')
        const foreign = await aLink('foreign', { groupGuid: 'B2' })
        expect(await archive([id, foreign])).toEqual({ outcome: 'elsewhere', item: foreign })
        await stores.links.remove(foreign, 1)
        expect(await archive([id, foreign])).toEqual({ outcome: 'elsewhere', item: foreign })
        expect(await listed({ archived: true })).toEqual([])
      })

      it('changes nothing when one link would have more tags than it may', async () => {
        const full = await aLink('full', { tags: numbered(tagsPerLink) })
        const ids = [await aLink('one'), full]
        expect(await editTags(ids, ['new'], ['missing'])).toEqual({ outcome: 'too-many-tags', on: 'link' })
        expect(await tagsOf('sho.rt/one')).toEqual([])
        expect(await tagsOf(full)).toHaveLength(tagsPerLink)
        expect(await editTags(ids, ['new'], ['t0'])).toMatchObject({ outcome: 'changed' })
      })

      it('changes nothing when the group would have more tags than it may, whoever is first in a race', async () => {
        const ids: string[] = []
        for (let index = 0; index < 12; index++) ids.push(await aLink(`h${index}`))
        for (let index = 0; index < 10; index++) {
          const count = index === 9 ? tagsPerLink - 1 : tagsPerLink
          await editTags([ids[index] ?? ''], numbered(count, `${index}-`))
        }
        // One below tagsPerGroup.
        const racing = ids.slice(10).map((id, index) => editTags([id], [`last${index}`]))
        const outcomes = (await Promise.all(racing)).map((answer) => answer.outcome).sort()
        expect(outcomes).toEqual(['changed', 'too-many-tags'])
        expect(await editTags(ids.slice(10), ['one-more'])).toEqual({ outcome: 'too-many-tags', on: 'group' })
        const tags = new Set<string>()
        for (const id of ids) for (const tag of (await tagsOf(id)) ?? []) tags.add(tag)
        expect(tags.size).toBe(tagsPerGroup)
      }, 120_000)

      it('lets racing changes of the same links all happen', async () => {
        const ids: string[] = []
        for (let index = 0; index < 5; index++) ids.push(await aLink(`h${index}`))
        const racing = Array.from({ length: 12 }, (_, index) =>
          editTags(index % 2 ? ids : ids.toReversed(), [`tag${index}`]),
        )
        for (const answer of await Promise.all(racing)) expect(answer.outcome).toBe('changed')
        for (const id of ids) expect(await tagsOf(id)).toHaveLength(12)
      })

      it('changes links or finds them deleted when that happens at the same time', async () => {
        const ids = [await aLink('one'), await aLink('two')]
        const [answer] = await Promise.all([editTags(ids, ['x']), stores.links.remove('sho.rt/two', 1)])
        const expected = answer.outcome === 'changed' ? ['x'] : []
        expect(await tagsOf('sho.rt/one')).toEqual(expected)
        expect(await listed({ tags: ['x'] })).toEqual(expected.length > 0 ? ['one'] : [])
      })
    })
  })
}

/** Draws this hash first, then others for the global hash. */
function drawing(hash: string): () => string {
  let drawn = 0
  return () => (drawn++ === 0 ? hash : `${hash}-${drawn - 1}`)
}

function numbered(count: number, prefix = 't'): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`)
}
