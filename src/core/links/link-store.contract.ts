import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import type { LinkDraft } from './link.js'
import type { LinkStore } from './link-store.js'

export type OpenLinkStore = () => Promise<{ readonly links: LinkStore } & Closable>

/** What a `LinkStore` promises. `open` gives an empty store whose default domain is `defaultDomain`. */
export function linkStoreContract(open: OpenLinkStore, defaultDomain: string): void {
  describe('LinkStore', () => {
    let store: { readonly links: LinkStore } & Closable
    let links: LinkStore
    beforeEach(async () => {
      store = await open()
      links = store.links
    })
    afterEach(() => store.close())

    function aDraft(changes: Partial<LinkDraft> = {}): LinkDraft {
      return {
        groupGuid: 'Bgroup00001',
        domain: defaultDomain,
        longUrl: 'https://example.com/a?b=1',
        createdBy: 'ada',
        clientId: undefined,
        at: 1_700_000_000_123,
        ...changes,
      }
    }

    it('makes a link that has everything the draft says', async () => {
      const { link, created } = await links.findOrInsert(aDraft({ clientId: 'client' }), hashes('abc1234', 'global1'))
      expect(created).toBe(true)
      expect(link).toEqual({
        id: `${defaultDomain}/abc1234`,
        domain: defaultDomain,
        hash: 'abc1234',
        groupGuid: 'Bgroup00001',
        longUrl: 'https://example.com/a?b=1',
        title: undefined,
        archived: false,
        createdAt: 1_700_000_000_123,
        createdBy: 'ada',
        clientId: 'client',
        expiresAt: undefined,
        deletedAt: undefined,
        edited: false,
        keywords: [],
        tags: [],
        deeplinks: [],
        routing: [],
        campaignGuids: [],
      })
    })

    it('reads a link back as it was made', async () => {
      const { link } = await links.findOrInsert(aDraft(), uniqueHash)
      expect(await links.get(link.id)).toEqual(link)
      expect(await links.findByLongUrl(link.groupGuid, link.domain, link.longUrl)).toEqual(link)
    })

    it('returns the known link when the group shortens the same long URL on the same domain again', async () => {
      const { link } = await links.findOrInsert(aDraft(), uniqueHash)
      const again = await links.findOrInsert(aDraft({ createdBy: 'bob', at: 1_800_000_000_000 }), uniqueHash)
      expect(again).toEqual({ link, created: false })
    })

    it.each([
      ['another group', { groupGuid: 'Bgroup00002' }],
      ['another domain', { domain: 'branded.example' }],
      ['another long URL', { longUrl: 'https://example.com/a?b=2' }],
      ['a long URL that differs in case', { longUrl: 'https://example.com/A?b=1' }],
    ])('makes a link of its own for %s', async (_, changes) => {
      const first = await links.findOrInsert(aDraft(), uniqueHash)
      const second = await links.findOrInsert(aDraft(changes), uniqueHash)
      expect(second.created).toBe(true)
      expect(second.link.id).not.toBe(first.link.id)
      expect(await links.get(second.link.id)).toEqual(second.link)
    })

    it('keeps a long URL of 2048 characters and beyond ASCII', async () => {
      const longUrl = `https://example.com/${'ü€𝄞'.repeat(10)}`.padEnd(2048, 'x')
      const { link } = await links.findOrInsert(aDraft({ longUrl }), uniqueHash)
      expect((await links.get(link.id))?.longUrl).toBe(longUrl)
      expect((await links.target(link.id))?.longUrl).toBe(longUrl)
    })

    it('gives racing callers one link for one long URL', async () => {
      const answers = await Promise.all(times(40, () => links.findOrInsert(aDraft(), uniqueHash)))
      expect(new Set(answers.map((answer) => answer.link.id)).size).toBe(1)
      expect(answers.filter((answer) => answer.created)).toHaveLength(1)
    })

    it('gives racing callers of many long URLs, in different orders, one link for each', async () => {
      const urls = times(50, (index) => `https://example.com/${index}`)
      const wishes = [...urls, ...urls.toReversed(), ...urls]
      const answers = await Promise.all(wishes.map((longUrl) => links.findOrInsert(aDraft({ longUrl }), uniqueHash)))
      expect(answers.map((answer) => answer.link.longUrl)).toEqual(wishes)
      expect(new Set(answers.map((answer) => answer.link.id)).size).toBe(50)
      expect(answers.filter((answer) => answer.created)).toHaveLength(50)
    })

    it('draws a taken hash again, and changes nothing of the link that holds it', async () => {
      const first = await links.findOrInsert(aDraft(), hashes('taken01', 'global1'))
      const second = await links.findOrInsert(
        aDraft({ longUrl: 'https://example.com/other' }),
        hashes('taken01', 'taken01', 'global1', 'free001', 'global1', 'global2'),
      )
      expect(second.created).toBe(true)
      expect(['taken01', 'global1']).not.toContain(second.link.hash)
      expect(await links.get(first.link.id)).toEqual(first.link)
      expect(await links.get(second.link.id)).toEqual(second.link)
    })

    it('gives racing callers that draw the same hashes different ones', async () => {
      let drawn = 0
      const repeating = (): string => `same${Math.floor(drawn++ / 4)}`
      const answers = await Promise.all(
        times(20, (index) => links.findOrInsert(aDraft({ longUrl: `https://example.com/${index}` }), repeating)),
      )
      expect(new Set(answers.map((answer) => answer.link.id)).size).toBe(20)
      for (const { link } of answers) expect(await links.get(link.id)).toEqual(link)
    })

    it('gives up on a source that only draws taken hashes, writes nothing, and serves its neighbours', async () => {
      await links.findOrInsert(aDraft(), hashes('taken01', 'global1'))
      const stuck = aDraft({ longUrl: 'https://example.com/stuck' })
      const [failed, ...others] = await Promise.allSettled([
        links.findOrInsert(stuck, () => 'taken01'),
        ...times(5, (index) => links.findOrInsert(aDraft({ longUrl: `https://example.com/${index}` }), uniqueHash)),
      ])
      expect(failed).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('No free hash') } })
      expect(others.map((other) => other.status)).toEqual(times(5, () => 'fulfilled'))
      expect(await links.findByLongUrl(stuck.groupGuid, stuck.domain, stuck.longUrl)).toBeUndefined()
    })

    it('knows where an address leads', async () => {
      const { link } = await links.findOrInsert(aDraft(), uniqueHash)
      expect(await links.target(link.id)).toEqual({
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

    it('makes a global hash with the first link to a long URL, on the default domain and owned by nobody', async () => {
      const draft = aDraft({ domain: 'branded.example' })
      await links.findOrInsert(draft, hashes('abc1234', 'abc1234', 'global1'))
      expect(await links.target(`${defaultDomain}/global1`)).toEqual({
        address: `${defaultDomain}/global1`,
        linkId: undefined,
        groupGuid: undefined,
        longUrl: draft.longUrl,
        createdAt: draft.at,
        expiresAt: undefined,
        deletedAt: undefined,
        rules: undefined,
      })
      expect(await links.get(`${defaultDomain}/global1`)).toBeUndefined()
    })

    it('makes no second global hash for a long URL, whoever shortens it', async () => {
      await links.findOrInsert(aDraft(), hashes('first01', 'global1'))
      await links.findOrInsert(aDraft({ groupGuid: 'Bgroup00002' }), hashes('second1', 'global2'))
      expect(await links.target(`${defaultDomain}/second1`)).toBeDefined()
      expect(await links.target(`${defaultDomain}/global2`)).toBeUndefined()
    })

    it('makes one global hash when groups race for one long URL', async () => {
      const drawn: string[] = []
      const remember = (): string => {
        const hash = uniqueHash()
        drawn.push(hash)
        return hash
      }
      const answers = await Promise.all(
        times(10, (index) => links.findOrInsert(aDraft({ groupGuid: `Bgroup0000${index}` }), remember)),
      )
      expect(answers.every((answer) => answer.created)).toBe(true)
      const targets = await Promise.all(drawn.map((hash) => links.target(`${defaultDomain}/${hash}`)))
      expect(targets.filter((target) => target?.linkId)).toHaveLength(10)
      expect(targets.filter((target) => target && !target.linkId)).toHaveLength(1)
    })

    it('tells back-halves apart by case', async () => {
      const lower = await links.findOrInsert(aDraft(), hashes('abcdefg', 'global1'))
      const upper = await links.findOrInsert(aDraft({ longUrl: 'https://example.com/2' }), hashes('ABCDEFG', 'global2'))
      expect((await links.get(lower.link.id))?.longUrl).toBe(lower.link.longUrl)
      expect((await links.get(upper.link.id))?.longUrl).toBe(upper.link.longUrl)
    })

    it.each(['nothing', '', "' or 1=1 --", `${defaultDomain}/%`])(
      'finds nothing at the address %j',
      async (address) => {
        await links.findOrInsert(aDraft(), uniqueHash)
        expect(await links.get(address)).toBeUndefined()
        expect(await links.target(address)).toBeUndefined()
      },
    )
  })
}

let counter = 0
function uniqueHash(): string {
  counter += 1
  return `h${counter.toString().padStart(6, '0')}`
}

/** A source that draws these hashes in turn. */
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
