import { describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import { storesOfEachTest } from '../accounts/stores.builder.js'
import type { Link } from './link.js'
import type { LinkStore } from './link-store.js'

type Stores = { readonly links: LinkStore } & Closable

/** What a `LinkStore` promises about keywords. `open` gives empty stores whose default domain is `defaultDomain`. */
export function keywordsContract(open: () => Promise<Stores>, defaultDomain: string): void {
  describe('LinkStore: keywords', () => {
    const stores = storesOfEachTest(open)

    let made = 0
    async function aLink(groupGuid = 'Bgroup00001'): Promise<Link> {
      made += 1
      let drawn = 0
      const longUrl = `https://example.com/${made}`
      const owner = { groupGuid, organizationGuid: 'Oorganization', createdBy: 'ada', clientId: undefined }
      const draft = { ...owner, domain: 'go.example', longUrl, at: 1_000 }
      const hash = () => `h${made}x${drawn++}`
      return (await stores.links.findOrInsert(draft, hash)).link
    }
    const by = (login: string, at: number) => ({ login, at })
    const word = 'go.example/word'

    it('points a keyword at a link, which is edited from then on', async () => {
      const link = await aLink()
      expect(await stores.links.addKeyword(word, link.id, by('bob', 2_000))).toEqual({ outcome: 'done' })
      const edited = { ...link, edited: true, modifiedAt: 2_000, keywords: [word] }
      expect(await stores.links.get(word)).toEqual(edited)
      expect(await stores.links.target(word)).toMatchObject({ address: word, linkId: link.id, longUrl: link.longUrl })
      expect(await stores.links.getKeyword(word)).toEqual({
        address: word,
        link: edited,
        history: [
          {
            linkId: link.id,
            groupGuid: link.groupGuid,
            login: 'bob',
            longUrl: link.longUrl,
            createdAt: 2_000,
            firstCreatedAt: 2_000,
            deactivatedAt: undefined,
          },
        ],
      })
      expect(await stores.links.remove(link.id, 3_000)).toBe('edited')
    })

    it('says whose the address is when it is taken, and changes nothing', async () => {
      const [holder, other] = [await aLink('Bgroup00002'), await aLink()]
      await stores.links.addKeyword(word, holder.id, by('bob', 2_000))
      expect(await stores.links.addKeyword(word, other.id, by('bob', 3_000))).toEqual({
        outcome: 'taken',
        holder: { groupGuid: 'Bgroup00002' },
      })
      expect(await stores.links.addKeyword(holder.id, other.id, by('bob', 3_000))).toMatchObject({ outcome: 'taken' })
      expect(await stores.links.get(other.id)).toEqual(other)
      expect((await stores.links.getKeyword(word))?.history).toHaveLength(1)
    })

    it('is done already when the link has the keyword, also for racing callers', async () => {
      const link = await aLink()
      const adding = Array.from({ length: 8 }, (_, each) =>
        stores.links.addKeyword(word, link.id, by('bob', 2_000 + each)),
      )
      expect(await Promise.all(adding)).toEqual(adding.map(() => ({ outcome: 'done' })))
      const before = await stores.links.getKeyword(word)
      expect(before?.history).toHaveLength(1)
      expect(await stores.links.addKeyword(word, link.id, by('eve', 9_000))).toEqual({ outcome: 'done' })
      expect(await stores.links.getKeyword(word)).toEqual(before)
      // The link's own hash is an address, but not a keyword.
      expect(await stores.links.addKeyword(link.id, link.id, by('bob', 9_000))).toMatchObject({ outcome: 'taken' })
    })

    it('finds no link that is deleted or does not exist', async () => {
      const link = await aLink()
      await stores.links.remove(link.id, 2_000)
      expect(await stores.links.addKeyword(word, link.id, by('bob', 3_000))).toEqual({ outcome: 'no-link' })
      expect(await stores.links.addKeyword(word, 'go.example/none', by('bob', 3_000))).toEqual({ outcome: 'no-link' })
      expect(await stores.links.getKeyword(word)).toBeUndefined()
      expect(await stores.links.target(word)).toBeUndefined()
    })

    it('gives racing callers for one keyword exactly one winner', async () => {
      const made = await Promise.all(Array.from({ length: 10 }, () => aLink()))
      const answers = await Promise.all(made.map((link) => stores.links.addKeyword(word, link.id, by('bob', 2_000))))
      expect(answers.filter((answer) => answer.outcome === 'done')).toHaveLength(1)
      expect(answers.filter((answer) => answer.outcome === 'taken')).toHaveLength(9)
      expect((await stores.links.getKeyword(word))?.history).toHaveLength(1)
      const after = await Promise.all(made.map((link) => stores.links.get(link.id)))
      expect(after.filter((link) => link?.edited)).toHaveLength(1)
    })

    it('lets racing callers add a keyword to a link or delete it, never both', async () => {
      const made = await Promise.all(Array.from({ length: 10 }, () => aLink()))
      const ends = await Promise.all(
        made.map(async (link, index) => {
          const adding = stores.links.addKeyword(`go.example/w${index}`, link.id, by('bob', 2_000))
          const [added, removed] = await Promise.all([adding, stores.links.remove(link.id, 2_000)])
          return `${added.outcome} ${removed}`
        }),
      )
      for (const end of ends) expect(['done edited', 'no-link removed']).toContain(end)
    })

    it('moves a keyword, and remembers where it led', async () => {
      const [first, second] = [await aLink(), await aLink('Bgroup00002')]
      await stores.links.addKeyword(word, first.id, by('bob', 2_000))
      await stores.links.addKeyword('go.example/older', second.id, by('bob', 1_500))
      expect(await stores.links.moveKeyword(word, second.id, by('eve', 3_000))).toBe('moved')
      const record = await stores.links.getKeyword(word)
      expect(record?.link).toEqual({ ...second, edited: true, modifiedAt: 3_000, keywords: [word, 'go.example/older'] })
      expect(record?.history).toEqual([
        {
          linkId: second.id,
          groupGuid: 'Bgroup00002',
          login: 'eve',
          longUrl: second.longUrl,
          createdAt: 3_000,
          firstCreatedAt: 2_000,
          deactivatedAt: undefined,
        },
        {
          linkId: first.id,
          groupGuid: 'Bgroup00001',
          login: 'bob',
          longUrl: first.longUrl,
          createdAt: 2_000,
          firstCreatedAt: 2_000,
          deactivatedAt: 3_000,
        },
      ])
      expect(await stores.links.get(first.id)).toEqual({ ...first, edited: true, modifiedAt: 3_000, keywords: [] })
      expect((await stores.links.target(word))?.longUrl).toBe(second.longUrl)
    })

    it('moves nothing that is no keyword, and to no link that is not there', async () => {
      const [link, other] = [await aLink(), await aLink()]
      await stores.links.addKeyword(word, link.id, by('bob', 2_000))
      expect(await stores.links.moveKeyword('go.example/none', link.id, by('eve', 3_000))).toBe('no-keyword')
      expect(await stores.links.moveKeyword(other.id, link.id, by('eve', 3_000))).toBe('no-keyword')
      expect(await stores.links.moveKeyword(word, 'go.example/none', by('eve', 3_000))).toBe('no-link')
      await stores.links.remove(other.id, 2_500)
      expect(await stores.links.moveKeyword(word, other.id, by('eve', 3_000))).toBe('no-link')
      expect(await stores.links.getKeyword(word)).toMatchObject({
        link: { id: link.id },
        history: [{ deactivatedAt: undefined }],
      })
    })

    it('writes no history for a move to where the keyword is', async () => {
      const link = await aLink()
      await stores.links.addKeyword(word, link.id, by('bob', 2_000))
      expect(await stores.links.moveKeyword(word, link.id, by('eve', 3_000))).toBe('moved')
      expect((await stores.links.getKeyword(word))?.history).toHaveLength(1)
    })

    it('remembers the destinations of a link that is redirected', async () => {
      const link = await aLink()
      await stores.links.addKeyword(word, link.id, by('bob', 2_000))
      const change = { longUrl: 'https://example.com/new' }
      await stores.links.update(link.id, change, by('eve', 3_000))
      const history = (await stores.links.getKeyword(word))?.history
      expect(history).toMatchObject([
        { longUrl: 'https://example.com/new', login: 'eve', createdAt: 3_000, firstCreatedAt: 2_000 },
        { longUrl: link.longUrl, login: 'bob', deactivatedAt: 3_000 },
      ])
    })

    it('lists the history in the order of the changes, even if the clocks of their processes differ', async () => {
      const [first, second] = [await aLink(), await aLink()]
      await stores.links.addKeyword(word, first.id, by('bob', 3_000))
      await stores.links.moveKeyword(word, second.id, by('eve', 2_000))
      await stores.links.update(second.id, { longUrl: 'https://example.com/new' }, by('eve', 1_000))
      await stores.links.moveKeyword(word, first.id, by('eve', 4_000))
      expect((await stores.links.getKeyword(word))?.history).toMatchObject([
        { longUrl: first.longUrl, createdAt: 4_000, deactivatedAt: undefined },
        { longUrl: 'https://example.com/new', createdAt: 3_000, deactivatedAt: 4_000 },
        { createdAt: 3_000, deactivatedAt: 3_000 },
        { createdAt: 3_000, deactivatedAt: 3_000 },
      ])
    })

    it('keeps one unbroken history while movers and redirects race', async () => {
      const made = await Promise.all(Array.from({ length: 4 }, () => aLink()))
      await stores.links.addKeyword(word, made[0]?.id ?? '', by('bob', 2_000))
      await Promise.all([
        ...Array.from({ length: 12 }, (_, index) =>
          stores.links.moveKeyword(word, made[index % 4]?.id ?? '', by('eve', 3_000 + index)),
        ),
        ...made.map((link, index) =>
          stores.links.update(link.id, { longUrl: `https://example.com/r${index}` }, by('eve', 4_000)),
        ),
      ])
      const record = await stores.links.getKeyword(word)
      const active = record?.history.filter((entry) => entry.deactivatedAt === undefined)
      expect(active).toMatchObject([{ linkId: record?.link.id, longUrl: record?.link.longUrl }])
      expect(record?.history[0]).toBe(active?.[0])
      expect(record?.history.every((entry) => entry.firstCreatedAt === 2_000)).toBe(true)
    })

    it('reads where many keywords lead now, and leaves out other addresses', async () => {
      const [link, other] = [await aLink(), await aLink()]
      const words = Array.from({ length: 150 }, (_, n) => `go.example/word-${n}`)
      for (const address of words) await stores.links.addKeyword(address, link.id, by('bob', 2_000))
      await stores.links.moveKeyword('go.example/word-7', other.id, by('eve', 3_000))
      const entries = await stores.links.currentEntries([...words, link.id, 'go.example/none'])
      expect([...entries.keys()].sort()).toEqual([...words].sort())
      expect(entries.get('go.example/word-149')).toEqual(
        (await stores.links.getKeyword('go.example/word-149'))?.history[0],
      )
      expect(entries.get('go.example/word-7')).toEqual({
        linkId: other.id,
        groupGuid: other.groupGuid,
        login: 'eve',
        longUrl: other.longUrl,
        createdAt: 3_000,
        firstCreatedAt: 2_000,
        deactivatedAt: undefined,
      })
      expect((await stores.links.currentEntries([])).size).toBe(0)
    })

    it('finds no keyword at the address of a hash or a global hash, or at none', async () => {
      const link = await aLink()
      expect(await stores.links.getKeyword(link.id)).toBeUndefined()
      expect(await stores.links.getKeyword(`${defaultDomain}/h${made}x1`)).toBeUndefined()
      expect(await stores.links.getKeyword('go.example/none')).toBeUndefined()
    })
  })
}
