import { describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import { storesOfEachTest } from '../accounts/stores.builder.js'
import { type Link, type LinkDraft, noDetails } from './link.js'
import { aLinkDraft } from './link-draft.builder.js'
import { type LinkStore, maxHistory } from './link-store.js'

type Stores = { readonly links: LinkStore } & Closable

/** What a `LinkStore` promises about the history of links. `open` gives empty stores. */
export function linkHistoryContract(open: () => Promise<Stores>, defaultDomain: string): void {
  describe('LinkStore: history', () => {
    const stores = storesOfEachTest(open)

    let made = 0
    const hash = () => `h${made++}`
    const owner = { groupGuid: 'Bgroup00001', organizationGuid: 'Oorganization', domain: defaultDomain }
    function aDraft(changes: Partial<LinkDraft> = {}): LinkDraft {
      return aLinkDraft({ ...owner, longUrl: 'https://example.com/a', ...changes })
    }
    async function aLink(changes: Partial<LinkDraft> = {}): Promise<Link> {
      return (await stores.links.findOrInsert(aDraft(changes), hash)).link
    }
    const by = (login: string, at: number, clientId?: string) => ({ login, at, clientId })
    const all = { after: undefined, size: 100 }

    it('is empty for a new link', async () => {
      const link = await aLink()
      expect(await stores.links.history(link.id, all)).toEqual([])
    })

    it('keeps the newest changes of a link', async () => {
      const link = await aLink()
      for (let at = 1; at <= maxHistory + 3; at++) await stores.links.update(link.id, { title: `${at}` }, by('ada', at))
      const entries = await stores.links.history(link.id, { after: undefined, size: 2 * maxHistory })
      expect(entries).toHaveLength(maxHistory)
      expect([entries[0]?.number, entries.at(-1)?.number]).toEqual([maxHistory + 3, 4])
    })

    it('has the changed fields before and after, who changed them, when and by which application', async () => {
      const link = await aLink()
      await stores.links.update(
        link.id,
        { title: 'T', longUrl: 'https://example.com/b', tags: ['x'] },
        by('bob', 2_000, 'app'),
      )
      await stores.links.update(link.id, { title: null, archived: true, private: true }, by('ada', 3_000))
      const [second, first, ...others] = await stores.links.history(link.id, all)
      expect(others).toEqual([])
      expect(first).toEqual({
        guid: expect.any(String),
        number: 1,
        login: 'bob',
        clientId: 'app',
        createdAt: 2_000,
        before: { title: null, longUrl: 'https://example.com/a', tags: [] },
        after: { title: 'T', longUrl: 'https://example.com/b', tags: ['x'] },
      })
      expect(second).toMatchObject({
        ...{ number: 2, login: 'ada', clientId: undefined, createdAt: 3_000 },
        before: { title: 'T', archived: false, private: false },
        after: { title: null, archived: true, private: true },
      })
      expect(await stores.links.historyEntry(link.id, first?.guid ?? '')).toEqual(first)
    })

    it('has all fields that owners set', async () => {
      const link = await aLink()
      const deeplink = {
        appGuid: 'A1',
        os: 'ios',
        appUriPath: '/p',
        installUrl: '',
        installType: 'no_install',
      } as const
      const routing = [{ longUrl: 'https://example.com/fr', countryMatch: ['FR'] }]
      const values = { expiresAt: 9_000, note: 'n', forwardQuery: true, userTs: 5_000 }
      const deeplinks = [{ ...deeplink, guid: undefined, brandGuid: 'O1' }]
      const updated = await stores.links.update(link.id, { ...values, deeplinks, routing }, by('ada', 2_000))
      const guid = updated.outcome === 'done' ? updated.link.deeplinks[0]?.guid : undefined
      const [entry] = await stores.links.history(link.id, all)
      const none = { expiresAt: null, note: null, forwardQuery: false, userTs: null, deeplinks: [], routing: [] }
      expect(entry?.before).toEqual(none)
      expect(entry?.after).toEqual({ ...values, routing, deeplinks: [{ ...deeplink, guid, brandGuid: 'O1' }] })
    })

    it('has no entry for what stayed as it was, was refused or is no change of owners', async () => {
      const link = await aLink()
      await stores.links.update(link.id, { sameLongUrl: true, archived: false, tags: [] }, by('ada', 2_000))
      await stores.links.update('go.example/none', { title: 'T' }, by('ada', 2_000))
      const foreign = { guid: 'Rforeign', appGuid: 'A1', os: 'ios', appUriPath: '', installUrl: '' } as const
      const other = await aLink({ longUrl: 'https://example.com/other' })
      const rest = { installType: 'no_install', brandGuid: '' } as const
      const held = await stores.links.update(
        other.id,
        { deeplinks: [{ ...foreign, ...rest, guid: undefined }] },
        by('ada', 2_000),
      )
      const guid = held.outcome === 'done' ? held.link.deeplinks[0]?.guid : undefined
      const refused = await stores.links.update(
        link.id,
        { title: 'T', deeplinks: [{ ...foreign, ...rest, guid }] },
        by('ada', 2),
      )
      expect(refused.outcome).toBe('foreign-deeplink')
      await stores.links.fillTitle(link.id, link.longUrl, 'Fetched')
      await stores.links.addKeyword(`${defaultDomain}/word`, link.id, by('ada', 3_000))
      expect(await stores.links.history(link.id, all)).toEqual([])
      expect(await stores.links.history(other.id, all)).toHaveLength(1)
    })

    it('has bulk changes, only of the links that they changed', async () => {
      const [one, two] = [await aLink(), await aLink({ longUrl: 'https://example.com/b' })]
      await stores.links.update(two.id, { tags: ['x'] }, by('ada', 2_000))
      const edit = { addTags: ['x'], removeTags: [] }
      await stores.links.changeAll(owner.groupGuid, [one.id, two.id], edit, by('bob', 3_000, 'app'))
      await stores.links.changeAll(owner.groupGuid, [one.id, two.id], { archived: true }, by('bob', 4_000))
      expect(await stores.links.history(one.id, all)).toMatchObject([
        { createdAt: 4_000, before: { archived: false }, after: { archived: true } },
        { createdAt: 3_000, login: 'bob', clientId: 'app', before: { tags: [] }, after: { tags: ['x'] } },
      ])
      const ofTwo = await stores.links.history(two.id, all)
      expect(ofTwo.map(({ createdAt }) => createdAt)).toEqual([4_000, 2_000])
      const refused = await stores.links.changeAll(
        owner.groupGuid,
        [one.id, 'go.example/none'],
        { archived: false },
        by('bob', 5),
      )
      expect(refused.outcome).toBe('missing')
      expect(await stores.links.history(one.id, all)).toHaveLength(2)
    })

    it('has what shortening the same URL again changes', async () => {
      const link = await aLink()
      await stores.links.update(link.id, { archived: true }, by('ada', 2_000))
      await Promise.all([1, 2, 3].map(() => aLink({ createdBy: 'bob', clientId: 'app', at: 3_000 })))
      await stores.links.create(
        aDraft({ createdBy: 'eve', at: 4_000 }),
        { ...noDetails, title: 'T', tags: ['x'] },
        hash,
      )
      await stores.links.createAll(
        ['y', 'z'].map((tag) => ({ draft: aDraft({ at: 5_000 }), details: { ...noDetails, tags: [tag] } })),
        hash,
      )
      expect(await stores.links.history(link.id, all)).toMatchObject([
        { createdAt: 5_000, before: { tags: ['x', 'y'] }, after: { tags: ['x', 'y', 'z'] } },
        { createdAt: 5_000, before: { tags: ['x'] }, after: { tags: ['x', 'y'] } },
        { createdAt: 4_000, login: 'eve', before: { title: null, tags: [] }, after: { title: 'T', tags: ['x'] } },
        { createdAt: 3_000, login: 'bob', clientId: 'app', before: { archived: true }, after: { archived: false } },
        { createdAt: 2_000, login: 'ada' },
      ])
    })

    it('is a chain: each of racing changes begins with what the one before it left', async () => {
      const link = await aLink()
      const titles = Array.from({ length: 12 }, (_, at) => `T${at}`)
      await Promise.all(
        titles.flatMap((title, at) => [
          stores.links.update(link.id, { title }, by('ada', 2_000 - at)),
          stores.links.changeAll(owner.groupGuid, [link.id], { archived: at % 2 === 0 }, by('bob', 2_000)),
        ]),
      )
      const entries = (await stores.links.history(link.id, all)).toReversed()
      expect(entries.map(({ number }) => number)).toEqual(entries.map((_, at) => at + 1))
      const state: Record<string, unknown> = { title: null, archived: false }
      for (const { before, after } of entries) {
        for (const [name, value] of Object.entries(before)) expect(state[name]).toEqual(value)
        Object.assign(state, after)
      }
      expect(entries.flatMap(({ after }) => after.title ?? []).toSorted()).toEqual(titles.toSorted())
      expect(await stores.links.get(link.id)).toMatchObject(state)
    })

    it('is read in pages, and belongs to one link', async () => {
      const [link, other] = [await aLink(), await aLink({ longUrl: 'https://example.com/other' })]
      for (let at = 1; at <= 5; at += 1) await stores.links.update(link.id, { title: `T${at}` }, by('ada', 1_000))
      const first = await stores.links.history(link.id, { after: undefined, size: 3 })
      const second = await stores.links.history(link.id, { after: first.at(-1)?.number, size: 3 })
      expect([...first, ...second].map(({ after }) => after.title)).toEqual(['T5', 'T4', 'T3', 'T2', 'T1'])
      expect(await stores.links.history(other.id, all)).toEqual([])
      expect(await stores.links.historyEntry(other.id, first[0]?.guid ?? '')).toBeUndefined()
      expect(await stores.links.historyEntry(link.id, 'Mnone')).toBeUndefined()
    })

    it('forgets old entries, some at a time', async () => {
      const link = await aLink()
      for (let at = 1; at <= 5; at += 1) await stores.links.update(link.id, { title: `T${at}` }, by('ada', at * 1_000))
      expect(await stores.links.deleteOldHistory(4_000, 2)).toBe(2)
      expect(await stores.links.deleteOldHistory(4_000, 2)).toBe(1)
      expect(await stores.links.deleteOldHistory(4_000, 2)).toBe(0)
      expect((await stores.links.history(link.id, all)).map(({ after }) => after.title)).toEqual(['T5', 'T4'])
      await stores.links.update(link.id, { title: 'T6' }, by('ada', 6_000))
      expect((await stores.links.history(link.id, all))[0]?.number).toBe(6)
    })
  })
}
