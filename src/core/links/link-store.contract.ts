import { describe, expect, it } from 'vitest'
import { sampleOf } from '../../lib/sample.builder.js'
import { storesOfEachTest } from '../accounts/stores.builder.js'
import { randomHash } from '../values/random.js'
import { createAllContract } from './create-all.contract.js'
import type { DeeplinkDraft } from './deeplink.js'
import { keywordsContract } from './keywords.contract.js'
import { type Link, type LinkChange, type LinkDetails, type LinkDraft, noDetails } from './link.js'
import { aLinkDraft } from './link-draft.builder.js'
import { plainValues } from './link-fields.js'
import { linkHistoryContract } from './link-history.contract.js'
import { type LinkListStores, linkListsContract } from './link-lists.contract.js'
import type { Shortened } from './link-store.js'
import { type LongUrlStores, longUrlsContract } from './long-urls.contract.js'
import { titlesContract } from './titles.contract.js'

/** What a `LinkStore` promises. `open` gives an empty store. */
export function linkStoreContract(open: () => Promise<LinkListStores & LongUrlStores>, defaultDomain: string): void {
  keywordsContract(open, defaultDomain)
  linkListsContract(open)
  linkHistoryContract(open, defaultDomain)
  longUrlsContract(open, defaultDomain)
  titlesContract(open, defaultDomain)
  createAllContract(open, defaultDomain)

  describe('LinkStore', () => {
    const stores = storesOfEachTest(open)

    function aDraft(changes: Partial<LinkDraft> = {}): LinkDraft {
      const longUrl = 'https://example.com/a?b=1'
      return aLinkDraft({ domain: defaultDomain, longUrl, at: 1_700_000_000_123, ...changes })
    }

    it('makes a link that has everything the draft says', async () => {
      const { link, created } = await stores.links.findOrInsert(aDraft({ clientId: 'client' }), hashes('abc1234'))
      expect(created).toBe(true)
      expect(link).toEqual({
        id: `${defaultDomain}/abc1234`,
        domain: defaultDomain,
        hash: 'abc1234',
        groupGuid: 'Bgroup00001',
        longUrl: 'https://example.com/a?b=1',
        ...plainValues,
        archived: false,
        createdAt: 1_700_000_000_123,
        modifiedAt: 1_700_000_000_123,
        createdBy: 'ada',
        clientId: 'client',
        deletedAt: undefined,
        edited: false,
        keywords: [],
        tags: [],
        deeplinks: [],
        routing: [],
        campaignGuids: [],
        qrCodeIds: [],
        siteGuid: undefined,
        siteGuids: [],
        hidden: false,
      })
    })

    it('reads a link back as it was made', async () => {
      const { link } = await stores.links.findOrInsert(aDraft(), uniqueHash)
      expect(await stores.links.get(link.id)).toEqual(link)
      expect(await stores.links.findByLongUrl(link.groupGuid, link.domain, link.longUrl)).toEqual(link)
    })

    it('returns the known link when the group shortens the same long URL on the same domain again', async () => {
      const { link } = await stores.links.findOrInsert(aDraft(), uniqueHash)
      const again = await stores.links.findOrInsert(aDraft({ createdBy: 'bob', at: 1_800_000_000_000 }), uniqueHash)
      expect(again).toEqual({ link, created: false })
    })

    it.each([
      ['another group', { groupGuid: 'Bgroup00002' }],
      ['another domain', { domain: 'branded.example' }],
      ['another long URL', { longUrl: 'https://example.com/a?b=2' }],
      ['a long URL that differs in case', { longUrl: 'https://example.com/A?b=1' }],
    ])('makes a link of its own for %s', async (_, changes) => {
      const first = await stores.links.findOrInsert(aDraft(), uniqueHash)
      const second = await stores.links.findOrInsert(aDraft(changes), uniqueHash)
      expect(second.created).toBe(true)
      expect(second.link.id).not.toBe(first.link.id)
      expect(await stores.links.get(second.link.id)).toEqual(second.link)
    })

    it('keeps a long URL of 2048 characters and beyond ASCII', async () => {
      const longUrl = `https://example.com/${'ü€𝄞'.repeat(10)}`.padEnd(2048, 'x')
      const { link } = await stores.links.findOrInsert(aDraft({ longUrl }), uniqueHash)
      expect((await stores.links.get(link.id))?.longUrl).toBe(longUrl)
      expect((await stores.links.target(link.id))?.longUrl).toBe(longUrl)
    })

    it('gives racing callers one link for one long URL', async () => {
      const answers = await Promise.all(times(40, () => stores.links.findOrInsert(aDraft(), uniqueHash)))
      expect(new Set(answers.map((answer) => answer.link.id)).size).toBe(1)
      expect(answers.filter((answer) => answer.created)).toHaveLength(1)
    })

    it('gives racing callers of many long URLs, in different orders, one link for each', async () => {
      const urls = times(50, (index) => `https://example.com/${index}`)
      const inputs = [...urls, ...urls.toReversed(), ...urls]
      const answers = await Promise.all(
        inputs.map((longUrl) => stores.links.findOrInsert(aDraft({ longUrl }), uniqueHash)),
      )
      expect(answers.map((answer) => answer.link.longUrl)).toEqual(inputs)
      expect(new Set(answers.map((answer) => answer.link.id)).size).toBe(50)
      expect(answers.filter((answer) => answer.created)).toHaveLength(50)
    })

    it('does not mix up the inputs of concurrent callers', async () => {
      const inputs = [
        aDraft(),
        aDraft({ groupGuid: 'Bgroup00002', at: 1_700_000_000_999 }),
        aDraft({ domain: 'branded.example', clientId: 'client' }),
        aDraft({ groupGuid: 'Bgroup00002', domain: 'branded.example', createdBy: 'bob' }),
        aDraft({ forceNew: true, createdBy: 'bob', clientId: 'client' }),
        aDraft({ longUrl: 'https://example.com/other' }),
      ]
      const answers = await Promise.all(inputs.map((draft) => stores.links.findOrInsert(draft, uniqueHash)))
      for (const [index, { link, created }] of answers.entries()) {
        const { groupGuid, domain, longUrl, createdBy, clientId, at } = inputs[index] ?? aDraft()
        expect(created).toBe(true)
        expect(link).toMatchObject({ groupGuid, domain, longUrl, createdBy, clientId, createdAt: at })
        expect(await stores.links.get(link.id)).toEqual(link)
        expect((await stores.links.target(link.id))?.linkId).toBe(link.id)
      }
      const again = await Promise.all(
        inputs.map((draft) => stores.links.findOrInsert({ ...draft, forceNew: false }, uniqueHash)),
      )
      const ids = answers.map(({ link }) => link.id)
      expect(again.map(({ link }) => link.id)).toEqual(ids.with(4, ids[0] ?? ''))
    })

    it('draws a taken hash again, and changes nothing of the link that holds it', async () => {
      const first = await stores.links.findOrInsert(aDraft(), hashes('taken01'))
      const second = await stores.links.findOrInsert(
        aDraft({ longUrl: 'https://example.com/other' }),
        hashes('taken01', 'taken01', 'free001'),
      )
      expect(second.created).toBe(true)
      expect(second.link.hash).toBe('free001')
      expect(await stores.links.get(first.link.id)).toEqual(first.link)
      expect(await stores.links.get(second.link.id)).toEqual(second.link)
    })

    it('gives racing callers that draw the same hashes different ones', async () => {
      let drawn = 0
      const repeating = (): string => `same${Math.floor(drawn++ / 4)}`
      const answers = await Promise.all(
        times(20, (index) => stores.links.findOrInsert(aDraft({ longUrl: `https://example.com/${index}` }), repeating)),
      )
      expect(new Set(answers.map((answer) => answer.link.id)).size).toBe(20)
      for (const { link } of answers) expect(await stores.links.get(link.id)).toEqual(link)
    })

    it('draws hashes near each other for links that are made together, and any for one that is made alone', async () => {
      const made = (count: number) =>
        Promise.all(
          times(count, () => {
            counter += 1
            return stores.links.findOrInsert(aDraft({ longUrl: `https://example.com/near/${counter}` }), randomHash)
          }),
        )
      const beginnings = (answers: readonly Shortened[]) => new Set(answers.map(({ link }) => link.hash.slice(0, 2)))
      // Sixty random hashes would have about sixty different prefixes.
      expect(beginnings(await made(60)).size).toBeLessThan(15)
      const alone: Shortened[] = []
      for (let each = 0; each < 30; each++) alone.push(...(await made(1)))
      expect(beginnings(alone).size).toBeGreaterThan(20)
    })

    it('gives up on a source that only draws taken hashes, writes nothing, and serves its neighbours', async () => {
      await stores.links.findOrInsert(aDraft(), hashes('taken01'))
      const stuck = aDraft({ longUrl: 'https://example.com/stuck' })
      const [failed, ...others] = await Promise.allSettled([
        stores.links.findOrInsert(stuck, () => 'taken01'),
        ...times(5, (index) =>
          stores.links.findOrInsert(aDraft({ longUrl: `https://example.com/${index}` }), uniqueHash),
        ),
      ])
      expect(failed).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('No free hash') } })
      expect(others.map((other) => other.status)).toEqual(times(5, () => 'fulfilled'))
      expect(await stores.links.findByLongUrl(stuck.groupGuid, stuck.domain, stuck.longUrl)).toBeUndefined()
    })

    it('knows where an address leads', async () => {
      const { link } = await stores.links.findOrInsert(aDraft(), uniqueHash)
      expect(await stores.links.target(link.id)).toMatchObject({
        address: link.id,
        linkId: link.id,
        groupGuid: link.groupGuid,
        longUrl: link.longUrl,
        createdAt: link.createdAt,
        expiresAt: undefined,
        deletedAt: undefined,
        rules: undefined,
      })
    })

    it('makes the global hash of a long URL when first asked, on the domain told and owned by nobody', async () => {
      const address = await stores.links.globalHash(
        'https://example.com/a',
        defaultDomain,
        1_700_000_000_123,
        hashes('global1'),
      )
      expect(address).toBe(`${defaultDomain}/global1`)
      expect(await stores.links.target(address)).toMatchObject({
        address,
        linkId: undefined,
        groupGuid: undefined,
        longUrl: 'https://example.com/a',
        createdAt: 1_700_000_000_123,
        expiresAt: undefined,
        deletedAt: undefined,
        rules: undefined,
      })
      expect(await stores.links.get(address)).toBeUndefined()
      expect(await stores.links.globalHash('https://example.com/a', defaultDomain, 2, hashes())).toBe(address)
    })

    it('draws a global hash again when a link has it', async () => {
      await stores.links.findOrInsert(aDraft(), hashes('taken01'))
      expect(
        await stores.links.globalHash('https://example.com/b', defaultDomain, 1, hashes('taken01', 'free001')),
      ).toBe(`${defaultDomain}/free001`)
    })

    it('makes one global hash when callers race for one long URL', async () => {
      const drawn: string[] = []
      const remember = (): string => {
        const hash = uniqueHash()
        drawn.push(hash)
        return hash
      }
      const answers = await Promise.all(
        times(10, () => stores.links.globalHash('https://example.com/race', defaultDomain, 1, remember)),
      )
      expect(new Set(answers).size).toBe(1)
      const targets = await Promise.all(drawn.map((hash) => stores.links.target(`${defaultDomain}/${hash}`)))
      expect(targets.filter((target) => target)).toHaveLength(1)
    })

    it('tells back-halves apart by case', async () => {
      const lower = await stores.links.findOrInsert(aDraft(), hashes('abcdefg'))
      const upper = await stores.links.findOrInsert(aDraft({ longUrl: 'https://example.com/2' }), hashes('ABCDEFG'))
      expect((await stores.links.get(lower.link.id))?.longUrl).toBe(lower.link.longUrl)
      expect((await stores.links.get(upper.link.id))?.longUrl).toBe(upper.link.longUrl)
    })

    it('creates a new link with forceNew, and does not reuse it', async () => {
      const known = await stores.links.findOrInsert(aDraft(), uniqueHash)
      const forced = await Promise.all(
        times(3, () => stores.links.findOrInsert(aDraft({ forceNew: true }), uniqueHash)),
      )
      const again = await stores.links.findOrInsert(aDraft(), uniqueHash)
      expect(forced.every((answer) => answer.created)).toBe(true)
      expect(new Set([known, ...forced].map((answer) => answer.link.id)).size).toBe(4)
      expect(again).toEqual({ link: known.link, created: false })
    })

    describe('create', () => {
      it('makes a link with everything it is given', async () => {
        const routing = [{ longUrl: 'https://example.com/de', countryMatch: ['DE'] }]
        const created = await stores.links.create(
          aDraft({ forceNew: true }),
          {
            ...noDetails,
            title: 'Ä title',
            tags: ['zebra', 'ant'],
            expiresAt: 1_800_000_000_000,
            deeplinks: [aDeeplink({ guid: 'Rignored' })],
            routing,
            keyword: `${defaultDomain}/word`,
          },
          uniqueHash,
        )
        const link = doneLink(created)
        expect(link).toMatchObject({
          title: 'Ä title',
          tags: ['zebra', 'ant'],
          expiresAt: 1_800_000_000_000,
          edited: true,
          keywords: [`${defaultDomain}/word`],
          routing,
        })
        const deeplink = { ...aDeeplink(), guid: expect.stringMatching(/^R.{10}$/), linkId: link.id }
        expect(link.deeplinks).toEqual([{ ...deeplink, createdAt: link.createdAt, modifiedAt: link.createdAt }])
        expect(await stores.links.get(link.id)).toEqual(link)
        expect(await stores.links.get(`${defaultDomain}/word`)).toEqual(link)
        expect(await stores.links.target(`${defaultDomain}/word`)).toMatchObject({
          linkId: link.id,
          expiresAt: 1_800_000_000_000,
          rules: { deeplinks: link.deeplinks, routing },
        })
      })

      it('gives the known link the title, and the tags beside those it has', async () => {
        const known = doneLink(
          await stores.links.create(aDraft(), { ...noDetails, title: 'one', tags: ['a', 'b'] }, uniqueHash),
        )
        const answer = await stores.links.create(aDraft(), { ...noDetails, title: 'two', tags: ['b', 'c'] }, uniqueHash)
        const link = { ...known, title: 'two', tags: ['a', 'b', 'c'] }
        expect(answer).toEqual({ outcome: 'done', link, created: false })
        expect(await stores.links.get(known.id)).toEqual(link)
        const untitled = await stores.links.create(
          aDraft(),
          { ...noDetails, title: undefined, tags: ['d'] },
          uniqueHash,
        )
        expect(doneLink(untitled)).toEqual({ ...link, tags: ['a', 'b', 'c', 'd'] })
      })

      it('answers the known link as it is when it is to be kept', async () => {
        const { link } = await stores.links.findOrInsert(aDraft(), uniqueHash)
        const draft = aDraft({ keepExisting: true })
        const answer = await stores.links.create(draft, { ...noDetails, title: 'another', tags: ['t'] }, uniqueHash)
        expect(answer).toEqual({ outcome: 'done', link, created: false })
        expect(await stores.links.get(link.id)).toEqual(link)
      })

      it('changes nothing of a known link that has no room for the tags', async () => {
        const tags = times(100, (index) => `t${index}`)
        const known = doneLink(await stores.links.create(aDraft(), { ...noDetails, title: 'one', tags }, uniqueHash))
        const answer = await stores.links.create(aDraft(), { ...noDetails, title: 'two', tags: ['more'] }, uniqueHash)
        expect(answer).toEqual({ outcome: 'too-many-tags', on: 'link' })
        expect(await stores.links.get(known.id)).toEqual(known)
      })

      it('leaves an archived link archived when it is to be kept, but for those who may restore it', async () => {
        const { link } = await stores.links.findOrInsert(aDraft(), uniqueHash)
        await stores.links.update(link.id, { archived: true }, { login: 'ada', at: 2 })
        const kept = aDraft({ keepExisting: true, keepArchived: true })
        expect((await stores.links.findOrInsert(kept, uniqueHash)).link).toMatchObject({ id: link.id, archived: true })
        const created = await stores.links.create(kept, { ...noDetails, title: 'another' }, uniqueHash)
        expect(doneLink(created)).toMatchObject({ id: link.id, archived: true })
        const [row] = await stores.links.createAll([{ draft: kept, details: undefined }], uniqueHash)
        expect(row).toMatchObject({ outcome: 'done', link: { archived: true } })
        expect((await stores.links.get(link.id))?.archived).toBe(true)
        await Promise.all([kept, aDraft(), kept].map((draft) => stores.links.findOrInsert(draft, uniqueHash)))
        expect((await stores.links.get(link.id))?.archived).toBe(false)
      })

      it('restores an archived link when its long URL is shortened again, also for racing callers', async () => {
        const { link } = await stores.links.findOrInsert(aDraft(), uniqueHash)
        await stores.links.update(link.id, { archived: true }, { login: 'ada', at: 2 })
        const answers = await Promise.all(times(10, () => stores.links.findOrInsert(aDraft(), uniqueHash)))
        const back = { ...link, modifiedAt: expect.any(Number) }
        for (const answer of answers) expect(answer).toEqual({ link: back, created: false })
        expect(await stores.links.get(link.id)).toEqual(back)
        await stores.links.update(link.id, { archived: true }, { login: 'ada', at: 3 })
        expect(doneLink(await stores.links.create(aDraft(), { ...noDetails, tags: ['t'] }, uniqueHash)).archived).toBe(
          false,
        )
      })

      it('gives racing callers one link for one long URL, with the tags of all and the title of one', async () => {
        const answers = await Promise.all(
          times(10, (index) =>
            stores.links.create(aDraft(), { ...noDetails, title: `title ${index}`, tags: [`t${index}`] }, uniqueHash),
          ),
        )
        const made = answers.map(doneLink)
        expect(new Set(made.map((link) => link.id)).size).toBe(1)
        expect(answers.filter((answer) => answer.outcome === 'done' && answer.created)).toHaveLength(1)
        const link = await stores.links.get(made[0]?.id ?? '')
        expect(link?.title).toMatch(/^title \d$/)
        expect([...(link?.tags ?? [])].sort()).toEqual(times(10, (index) => `t${index}`))
      })

      it.each<[string, Partial<LinkDetails>]>([
        ['expires', { expiresAt: 1 }],
        ['opens an application', { deeplinks: [aDeeplink()] }],
        ['leads some visitors elsewhere', { routing: [{ longUrl: 'https://example.com/de' }] }],
      ])('does not reuse a link that %s', async (_, details) => {
        const special = doneLink(await stores.links.create(aDraft(), { ...noDetails, ...details }, uniqueHash))
        const { link, created } = await stores.links.findOrInsert(aDraft(), uniqueHash)
        expect([created, link.id === special.id]).toEqual([true, false])
      })

      it('gives racing callers for one keyword one winner, and the others nothing at all', async () => {
        const keyword = `${defaultDomain}/race`
        const answers = await Promise.all(
          times(12, (index) => {
            const draft = aDraft({
              longUrl: `https://example.com/${index}`,
              forceNew: true,
              groupGuid: `Bgroup${index}`,
            })
            return stores.links.create(
              draft,
              { ...noDetails, keyword, tags: [`t${index}`] },
              hashes(`race${index}`, `g${index}`),
            )
          }),
        )
        const winners = answers.filter((answer) => answer.outcome === 'done').map(doneLink)
        expect(winners).toHaveLength(1)
        const losers = answers.filter((answer) => answer.outcome !== 'done')
        expect(losers).toEqual(times(11, () => ({ outcome: 'taken', holder: { groupGuid: winners[0]?.groupGuid } })))
        const made = await Promise.all(times(12, (index) => stores.links.get(`${defaultDomain}/race${index}`)))
        expect(made.filter((link) => link !== undefined)).toEqual(winners)
      })

      it('says whose address is taken: another link, or nobody for a global hash', async () => {
        await stores.links.findOrInsert(aDraft(), hashes('abc1234'))
        await stores.links.globalHash('https://example.com/a', defaultDomain, 1, hashes('global1'))
        const input = (word: string) =>
          stores.links.create(
            aDraft({ forceNew: true }),
            { ...noDetails, keyword: `${defaultDomain}/${word}` },
            uniqueHash,
          )
        expect(await input('abc1234')).toEqual({ outcome: 'taken', holder: { groupGuid: 'Bgroup00001' } })
        expect(await input('global1')).toEqual({ outcome: 'taken', holder: { groupGuid: undefined } })
      })
    })

    describe('update', () => {
      async function aLink(details: Partial<LinkDetails> = {}, draft: Partial<LinkDraft> = {}): Promise<Link> {
        return doneLink(
          await stores.links.create(aDraft({ forceNew: true, ...draft }), { ...noDetails, ...details }, uniqueHash),
        )
      }
      const update = (id: string, change: LinkChange, at = 1_700_000_001_000) =>
        stores.links.update(id, change, { login: 'bob', at })

      it('changes what is given, and nothing else', async () => {
        const link = await aLink({ title: 'old', tags: ['a', 'b'], expiresAt: 1_800_000_000_000 })
        const routing = [{ longUrl: 'https://example.com/x', osMatch: ['ios'] }]
        const changes: readonly [LinkChange, Partial<Link>][] = [
          [{ title: 'new' }, { title: 'new' }],
          [{ title: null }, { title: undefined }],
          [{ archived: true }, { archived: true }],
          [{ tags: ['c', 'b'] }, { tags: ['c', 'b'] }],
          [{ expiresAt: null }, { expiresAt: undefined }],
          [{ expiresAt: 1_900_000_000_000 }, { expiresAt: 1_900_000_000_000 }],
          [{ routing }, { routing }],
          [{ routing: [] }, { routing: [] }],
          [{ tags: [] }, { tags: [] }],
          [{ archived: false }, { archived: false }],
        ]
        let expected = link
        for (const [change, difference] of changes) {
          expected = { ...expected, ...difference, modifiedAt: 1_700_000_001_000 }
          expect(await update(link.id, change)).toEqual({ outcome: 'done', link: expected })
          expect(await stores.links.get(link.id)).toEqual(expected)
        }
      })

      it('redirects a link: edited, and no longer reused', async () => {
        const { link } = await stores.links.findOrInsert(aDraft(), uniqueHash)
        const longUrl = 'https://example.com/new'
        const context = { login: 'bob', at: 1_700_000_001_000 }
        const updated = await stores.links.update(link.id, { longUrl }, context)
        expect(updated).toEqual({ outcome: 'done', link: { ...link, longUrl, edited: true, modifiedAt: context.at } })
        expect((await stores.links.target(link.id))?.longUrl).toBe(longUrl)
        expect((await stores.links.findOrInsert(aDraft(), uniqueHash)).created).toBe(true)
        expect((await stores.links.findOrInsert(aDraft({ longUrl }), uniqueHash)).created).toBe(true)
      })

      it.each<[string, LinkChange]>([
        ['an expiry', { expiresAt: 1_900_000_000_000 }],
        ['a deep link', { deeplinks: [aDeeplink()] }],
        ['a routing rule', { routing: [{ longUrl: 'https://example.com/de' }] }],
      ])('does not reuse a link that was given %s', async (_, change) => {
        const { link } = await stores.links.findOrInsert(aDraft(), uniqueHash)
        await update(link.id, { expiresAt: null, deeplinks: [], routing: [], title: 'T', tags: ['a'] })
        expect((await stores.links.findOrInsert(aDraft(), uniqueHash)).link.id).toBe(link.id)
        await update(link.id, change)
        expect((await stores.links.findOrInsert(aDraft(), uniqueHash)).created).toBe(true)
      })

      it('keeps deep links that come with their guid, and their age', async () => {
        const link = await aLink({ deeplinks: [aDeeplink(), aDeeplink({ os: 'ios' })] })
        const [first, second] = link.deeplinks
        const drafts = [aDeeplink({ guid: second?.guid, os: 'ios' }), aDeeplink({ guid: first?.guid, appUriPath: 'b' })]
        const updated = doneLink(await update(link.id, { deeplinks: [...drafts, aDeeplink({ guid: 'Runknown' })] }))
        expect(updated.deeplinks).toEqual([
          second,
          { ...first, appUriPath: 'b', modifiedAt: 1_700_000_001_000 },
          {
            ...aDeeplink(),
            guid: expect.not.stringMatching('Runknown'),
            linkId: link.id,
            createdAt: 1_700_000_001_000,
            modifiedAt: 1_700_000_001_000,
          },
        ])
        expect(doneLink(await update(link.id, { deeplinks: [] })).deeplinks).toEqual([])
      })

      it("refuses another link's deep link, and changes nothing then", async () => {
        const other = await aLink({ deeplinks: [aDeeplink()] })
        const link = await aLink({ title: 'old', deeplinks: [aDeeplink()] })
        const foreign = aDeeplink({ guid: other.deeplinks[0]?.guid })
        expect(await update(link.id, { title: 'new', deeplinks: [foreign] })).toEqual({ outcome: 'foreign-deeplink' })
        expect(await stores.links.get(link.id)).toEqual(link)
        expect(await stores.links.get(other.id)).toEqual(other)
      })

      it('finds nothing to change in a link that is deleted or does not exist', async () => {
        const { link } = await stores.links.findOrInsert(aDraft(), uniqueHash)
        await stores.links.remove(link.id, 5)
        expect(await update(link.id, { title: 'x' })).toEqual({ outcome: 'missing' })
        expect(await update(`${defaultDomain}/none`, { title: 'x' })).toEqual({ outcome: 'missing' })
      })

      it('loses nothing when many change one link at once', async () => {
        const link = await aLink()
        await Promise.all([
          ...times(5, (index) => update(link.id, { tags: [`a${index}`, `b${index}`] })),
          update(link.id, { title: 'kept' }),
          update(link.id, { archived: true }),
          update(link.id, { longUrl: 'https://example.com/kept' }),
        ])
        const after = await stores.links.get(link.id)
        expect(after).toMatchObject({ title: 'kept', archived: true, longUrl: 'https://example.com/kept' })
        expect(after?.tags).toHaveLength(2)
      })
    })

    describe('tags', () => {
      const many = (from: number, count: number) => times(count, (index) => `tag-${from + index}`)
      async function withTags(tags: readonly string[], groupGuid = 'Bgroup00001') {
        return stores.links.create(aDraft({ forceNew: true, groupGuid }), { ...noDetails, tags }, uniqueHash)
      }
      async function fill(count: number): Promise<Link[]> {
        const made: Link[] = []
        for (let from = 0; from < count; from += 100) {
          made.push(doneLink(await withTags(many(from, Math.min(100, count - from)))))
        }
        return made
      }

      it('holds a group to 1000 different tags, and frees the place of one that is no longer used', async () => {
        const made = await fill(1000)
        const [first] = made
        expect((await withTags(many(950, 50))).outcome).toBe('done')
        expect((await withTags(['one-more'], 'Bgroup00002')).outcome).toBe('done')
        expect(await withTags(['one-more'])).toEqual({ outcome: 'too-many-tags', on: 'group' })
        const context = { login: 'bob', at: 1 }
        const over = { title: 'not written', tags: [...many(0, 99), 'one-more', 'two-more'] }
        const refused = await stores.links.update(first?.id ?? '', over, context)
        expect(refused).toEqual({ outcome: 'too-many-tags', on: 'link' })
        const foreign = { title: 'not written', tagEdit: { addTags: ['one-more'], removeTags: ['tag-950'] } }
        const whole = await stores.links.update(made.at(-1)?.id ?? '', foreign, context)
        expect(whole).toEqual({ outcome: 'too-many-tags', on: 'group' })
        expect(await stores.links.get(first?.id ?? '')).toEqual(first)
        // Replacing one tag by another fits.
        const swapped = await stores.links.update(first?.id ?? '', { tags: [...many(0, 99), 'one-more'] }, context)
        expect(swapped.outcome).toBe('done')
        expect(await withTags(['two-more'])).toEqual({ outcome: 'too-many-tags', on: 'group' })
        expect(await stores.links.remove(made[1]?.id ?? '', 5)).toBe('removed')
        expect((await withTags(['two-more'])).outcome).toBe('done')
      })

      it('edits the tags that a link has by then: none of those who race loses any', async () => {
        const { id } = doneLink(await withTags(['first', ...many(0, 8)]))
        const edits = times(8, (index) => ({ addTags: [`new-${index}`], removeTags: [`tag-${index}`] }))
        await Promise.all(edits.map((tagEdit) => stores.links.update(id, { tagEdit }, { login: 'bob', at: 1 })))
        const after = await stores.links.get(id)
        expect(after?.tags[0]).toBe('first')
        expect(after?.tags.slice(1).sort()).toEqual(times(8, (index) => `new-${index}`))
        const tooMany = { tagEdit: { addTags: many(100, 92), removeTags: [] } }
        const refused = await stores.links.update(id, tooMany, { login: 'bob', at: 2 })
        expect(refused).toEqual({ outcome: 'too-many-tags', on: 'link' })
        expect(await stores.links.get(id)).toEqual(after)
      })

      it('lets racing callers take the last place once', async () => {
        await fill(999)
        const answers = await Promise.all(times(10, (index) => withTags([`last-${index}`])))
        expect(answers.filter((answer) => answer.outcome === 'done')).toHaveLength(1)
        expect(answers.filter((answer) => answer.outcome === 'too-many-tags')).toHaveLength(9)
      })

      it('counts a tag once however many race to use it', async () => {
        await fill(999)
        const answers = await Promise.all(times(10, () => withTags(['shared'])))
        expect(answers.every((answer) => answer.outcome === 'done')).toBe(true)
        expect(await withTags(['one-more'])).toEqual({ outcome: 'too-many-tags', on: 'group' })
      })
    })

    describe('remove', () => {
      it('ends a link for ever, and shortening its long URL again makes another', async () => {
        const { link } = await stores.links.findOrInsert(aDraft(), hashes('abc1234'))
        expect(await stores.links.remove(link.id, 1_700_000_002_000)).toBe('removed')
        expect(await stores.links.get(link.id)).toEqual({
          ...link,
          deletedAt: 1_700_000_002_000,
          modifiedAt: 1_700_000_002_000,
        })
        expect((await stores.links.target(link.id))?.deletedAt).toBe(1_700_000_002_000)
        const again = await stores.links.findOrInsert(aDraft(), hashes('abc1234', 'unused1', 'xyz7890'))
        expect([again.created, again.link.id === link.id]).toEqual([true, false])
        expect(await stores.links.remove(link.id, 1_700_000_003_000)).toBe('missing')
      })

      it('refuses an edited link', async () => {
        const { link } = await stores.links.findOrInsert(aDraft(), uniqueHash)
        await stores.links.update(link.id, { longUrl: 'https://example.com/b' }, { login: 'bob', at: 1 })
        expect(await stores.links.remove(link.id, 5)).toBe('edited')
        expect((await stores.links.get(link.id))?.deletedAt).toBeUndefined()
        expect(await stores.links.remove(`${defaultDomain}/none`, 5)).toBe('missing')
      })

      it('lets racing callers delete or edit, never both', async () => {
        const ends = await Promise.all(
          times(10, async (index) => {
            const { link } = await stores.links.findOrInsert(
              aDraft({ longUrl: `https://example.com/${index}` }),
              uniqueHash,
            )
            const edit = { longUrl: 'https://example.com/edited' }
            const [removed, updated] = await Promise.all([
              stores.links.remove(link.id, 5),
              stores.links.update(link.id, edit, { login: 'bob', at: 1 }),
            ])
            return `${removed} ${updated.outcome}`
          }),
        )
        for (const end of ends) expect(['removed missing', 'edited done']).toContain(end)
      })
    })

    it.each(['nothing', '', "' or 1=1 --", `${defaultDomain}/%`])(
      'finds nothing at the address %j',
      async (address) => {
        await stores.links.findOrInsert(aDraft(), uniqueHash)
        expect(await stores.links.get(address)).toBeUndefined()
        expect(await stores.links.target(address)).toBeUndefined()
      },
    )
  })
}

const aDeeplink = sampleOf<DeeplinkDraft>({
  guid: undefined,
  appGuid: 'Aapp',
  os: 'android',
  appUriPath: '/a?b=ü',
  installUrl: '',
  installType: 'no_install',
  brandGuid: '',
})

function doneLink(answer: { readonly outcome: string; readonly link?: Link }): Link {
  if (!answer.link) throw new Error(`there is no link, but ${answer.outcome}`)
  return answer.link
}

let counter = 0
function uniqueHash(): string {
  counter += 1
  return `h${counter.toString().padStart(6, '0')}`
}

/** Draws these hashes in order. */
function hashes(...values: readonly string[]): () => string {
  const rest = [...values]
  return () => {
    const next = rest.shift()
    if (next === undefined) throw new Error('drew more hashes than the test foresaw')
    return next
  }
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}
