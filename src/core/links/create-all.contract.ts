import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import { randomHash } from '../values/random.js'
import { type LinkDetails, type LinkDraft, noDetails } from './link.js'
import type { CreatedOrRefused, LinkStore, NewLinkInput } from './link-store.js'
import { tagsPerGroup } from './tags.js'

/** What `LinkStore.createAll` promises: each link as `create` makes it. */
export function createAllContract(open: () => Promise<{ readonly links: LinkStore } & Closable>, domain: string): void {
  describe('LinkStore: many links at once', () => {
    let store: { readonly links: LinkStore } & Closable
    let links: LinkStore
    beforeEach(async () => {
      store = await open()
      links = store.links
    })
    afterEach(() => store.close())

    const draft = (longUrl: string, changes: Partial<LinkDraft> = {}): LinkDraft => ({
      groupGuid: 'Bgroup00001',
      organizationGuid: 'Oorganization',
      domain,
      longUrl: `https://example.com/${longUrl}`,
      createdBy: 'ada',
      clientId: 'client',
      at: 1_700_000_000_123,
      ...changes,
    })
    const plain = (longUrl: string, changes: Partial<LinkDraft> = {}): NewLinkInput => ({
      draft: draft(longUrl, changes),
      details: undefined,
    })
    const detailed = (longUrl: string, changes: Partial<LinkDetails>): NewLinkInput => ({
      draft: draft(longUrl, { forceNew: changes.keyword !== undefined || changes.expiresAt !== undefined }),
      details: { ...noDetails, ...changes },
    })
    const createAll = (inputs: readonly NewLinkInput[]) => links.createAll(inputs, randomHash)
    const done = (result: CreatedOrRefused | undefined) => {
      if (result?.outcome !== 'done') throw new Error(`not created: ${JSON.stringify(result)}`)
      return result
    }
    const outcomes = (results: readonly CreatedOrRefused[]) =>
      results.map((result) => (result.outcome === 'done' ? result.created : result.outcome))

    it('creates more links than one statement takes, each as it is read back, in order', async () => {
      const inputs = Array.from({ length: 257 }, (_, n) => plain(`many/${n}`))
      const results = await createAll(inputs)
      expect(results.map((result) => done(result).link.longUrl)).toEqual(inputs.map(({ draft }) => draft.longUrl))
      expect(new Set(results.map((result) => done(result).link.id)).size).toBe(257)
      for (const at of [0, 100, 256]) {
        const { link } = done(results[at])
        expect(await links.get(link.id)).toEqual(link)
        expect(await links.target(link.id)).toMatchObject({ longUrl: link.longUrl, linkId: link.id })
      }
    })

    it('writes what most links of a call share, and what one of them has alone', async () => {
      const other = { createdBy: 'bob', clientId: undefined, groupGuid: 'Bgroup00002' }
      const inputs = Array.from({ length: 200 }, (_, n) => plain(`shared/${n}`, n === 150 ? other : {}))
      const results = await createAll(inputs)
      for (const [at, result] of results.entries()) {
        const { link } = done(result)
        expect(link).toMatchObject(at === 150 ? other : { createdBy: 'ada', clientId: 'client' })
        expect(await links.get(link.id)).toEqual(link)
      }
      const later = { at: 1_700_000_000_999 }
      const mixed = await createAll(inputs.map(({ draft }) => plain(`${draft.longUrl}/2`, later)))
      expect(await links.get(done(mixed[199]).link.id)).toEqual(done(mixed[199]).link)
    })

    it('writes titles, tags, expiries and keywords as a single link has them', async () => {
      const keyword = `${domain}/word`
      const given = {
        title: 'A',
        tags: ['b', 'a'],
        keyword,
        expiresAt: 1_700_000_900_000,
        note: 'n',
        private: true,
        userTs: 5,
      }
      const results = await createAll([plain('1'), detailed('2', given), detailed('3', { tags: ['a'] })])
      const { link } = done(results[1])
      const { keyword: _, ...kept } = given
      expect(link).toMatchObject({ ...kept, keywords: [keyword], edited: true })
      expect(await links.get(link.id)).toEqual(link)
      expect(await links.get(done(results[2]).link.id)).toEqual(done(results[2]).link)
      expect(await links.getKeyword(keyword)).toMatchObject({
        link: { id: link.id },
        history: [{ linkId: link.id, login: 'ada', createdAt: 1_700_000_000_123, deactivatedAt: undefined }],
      })
      expect(await links.withMostKeywords('Bgroup00001', 5)).toEqual(new Map([[link.id, [link.id, keyword]]]))
      const alone = await links.create(
        draft('4', { forceNew: true }),
        { ...noDetails, ...given, keyword: `${domain}/other` },
        randomHash,
      )
      expect({ ...link, id: '', hash: '', longUrl: '', keywords: [] }).toEqual({
        ...done(alone).link,
        id: '',
        hash: '',
        longUrl: '',
        keywords: [],
      })
    })

    it('gives the known link of the group, with new tags and title', async () => {
      const first = await createAll([detailed('same', { title: 'Old', tags: ['a'] }), plain('other')])
      const again = await createAll([
        detailed('same', { title: 'New', tags: ['b'] }),
        plain('same'),
        detailed('new', { tags: ['c'] }),
        detailed('new', { tags: ['d'] }),
      ])
      expect(outcomes(again)).toEqual([false, false, true, false])
      expect(done(again[0]).link).toMatchObject({ id: done(first[0]).link.id, title: 'New', tags: ['a', 'b'] })
      expect(done(again[3]).link).toMatchObject({ id: done(again[2]).link.id, tags: ['c', 'd'] })
    })

    it('names the links whose keyword is taken, by another link or an earlier one of the same call', async () => {
      await links.create(
        draft('x', { groupGuid: 'Bgroup00002', forceNew: true }),
        { ...noDetails, keyword: `${domain}/held` },
        randomHash,
      )
      const results = await createAll([
        detailed('1', { keyword: `${domain}/held` }),
        detailed('2', { keyword: `${domain}/free` }),
        detailed('3', { keyword: `${domain}/free` }),
        plain('4'),
      ])
      expect(outcomes(results)).toEqual(['taken', true, 'taken', true])
      expect(results[0]).toEqual({ outcome: 'taken', holder: { groupGuid: 'Bgroup00002' } })
      expect(results[2]).toEqual({ outcome: 'taken', holder: { groupGuid: 'Bgroup00001' } })
      expect(await links.findByLongUrl('Bgroup00001', domain, 'https://example.com/1')).toBeUndefined()
    })

    it('refuses only the links with too many tags for the group', async () => {
      const full = Array.from({ length: tagsPerGroup / 100 }, (_, n) =>
        detailed(`full/${n}`, { tags: Array.from({ length: 100 }, (_, tag) => `t${n}-${tag}`) }),
      )
      expect(outcomes(await createAll(full))).toEqual(full.map(() => true))
      const results = await createAll([
        plain('1'),
        detailed('2', { tags: ['one-more'] }),
        detailed('3', { tags: ['t0-0'] }),
        plain('4'),
      ])
      expect(outcomes(results)).toEqual([true, 'too-many-tags', true, true])
      expect(await links.findByLongUrl('Bgroup00001', domain, 'https://example.com/2')).toBeUndefined()
    })

    it('gives racing callers one link for each long URL and each keyword', async () => {
      const inputs = Array.from({ length: 40 }, (_, n) => [
        plain(`race/${n}`),
        detailed(`k/${n}`, { keyword: `${domain}/k${n}` }),
      ]).flat()
      const answers = await Promise.all([createAll(inputs), createAll([...inputs].reverse()), createAll(inputs)])
      const all = answers.flat()
      expect(all.filter((result) => result.outcome === 'taken')).toHaveLength(80)
      const created = all.filter((result) => result.outcome === 'done' && result.created)
      expect(created).toHaveLength(80)
      const urls = new Map(
        all.flatMap((result) => (result.outcome === 'done' ? [[result.link.id, result.link.longUrl]] : [])),
      )
      expect(urls.size).toBe(80)
      expect(new Set(urls.values()).size).toBe(80)
    })
  })
}
