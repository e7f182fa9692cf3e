import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import type { AccountStore } from '../accounts/account-store.js'
import type { GroupStore } from '../accounts/group-store.js'
import { bootstrap } from '../accounts/stores.builder.js'
import { type Link, type LinkDetails, type LinkDraft, noDetails } from './link.js'
import { aLinkDraft } from './link-draft.builder.js'
import type { LinkStore } from './link-store.js'

export interface LongUrlStores extends Closable {
  readonly links: LinkStore
  readonly accounts: AccountStore
  readonly groups: GroupStore
}

/** What a `LinkStore` promises about long URLs. `open` gives an empty store whose default domain is `defaultDomain`. */
export function longUrlsContract(open: () => Promise<LongUrlStores>, defaultDomain: string): void {
  describe('LinkStore: long URLs', () => {
    const longUrl = 'https://example.com/a?b=1'
    const near = 'https://example.com/a?b=2'
    let store: LongUrlStores
    let drawn = 0
    beforeEach(async () => {
      store = await open()
    })
    afterEach(() => store.close())

    const draftOf = (changes: Partial<LinkDraft>) => aLinkDraft({ domain: defaultDomain, longUrl, ...changes })

    async function make(changes: Partial<LinkDraft> = {}, details: Partial<LinkDetails> = {}): Promise<Link> {
      const created = await store.links.create(draftOf(changes), { ...noDetails, ...details }, () => `h${drawn++}`)
      if (created.outcome !== 'done') throw new Error(created.outcome)
      return created.link
    }

    it('knows a long URL while a link leads there', async () => {
      expect(await store.links.isKnownLongUrl(longUrl)).toBe(false)
      const link = await make()
      expect(await store.links.isKnownLongUrl(longUrl)).toBe(true)
      expect(await store.links.isKnownLongUrl(near)).toBe(false)
      await store.links.remove(link.id, 2_000)
      expect(await store.links.isKnownLongUrl(longUrl)).toBe(false)
    })

    it.each([
      ['was forced to be new', { forceNew: true }, {}],
      ['expires', {}, { expiresAt: 9_000 }],
      ['is of a group whose guid is like another', { groupGuid: 'Bzzzzzzzzzz' }, {}],
      ['is on another domain', { domain: 'zz.example' }, {}],
    ])('finds a link that %s', async (_, changes, details) => {
      const link = await make(changes, details)
      expect(await store.links.addressesLeadingTo(longUrl)).toEqual([link.id])
    })

    it('follows a link that is led elsewhere', async () => {
      const link = await make()
      await store.links.update(link.id, { longUrl: near }, { login: 'ada', at: 2_000 })
      expect(await store.links.addressesLeadingTo(longUrl)).toEqual([])
      expect(await store.links.addressesLeadingTo(near)).toEqual([link.id])
    })

    it('tells every address of every group, keywords too, and not those of other long URLs', async () => {
      const mine = await make({}, { keyword: `${defaultDomain}/spring` })
      const theirs = await make({ groupGuid: 'Bgroup00002', createdBy: 'bob' })
      const gone = await make({ groupGuid: 'Bgroup00003' })
      await store.links.remove(gone.id, 2_000)
      await make({ longUrl: near }, { keyword: `${defaultDomain}/summer` })
      await store.links.globalHash(longUrl, defaultDomain, 1_000, () => 'global')
      const addresses = await store.links.addressesLeadingTo(longUrl)
      expect([...addresses].sort()).toEqual([`${defaultDomain}/spring`, mine.id, theirs.id].sort())
    })

    it("gives a group its own link: the preferred domain's first, then another's, then the newest", async () => {
      const find = () => store.links.groupLinkTo('Bgroup00001', defaultDomain, longUrl)
      await make({ groupGuid: 'Bgroup00002' })
      expect(await find()).toBeUndefined()
      const forced = await make({ forceNew: true, at: 5_000 })
      const newer = await make({ forceNew: true, at: 6_000 })
      expect(await find()).toEqual(newer)
      expect(forced.id).not.toBe(newer.id)
      const elsewhere = await make({ domain: 'branded.example', at: 2_000 })
      expect(await find()).toEqual(elsewhere)
      const preferred = await make({ at: 1_000 })
      expect(await find()).toEqual(preferred)
    })

    /** An organization with each of the groups. */
    async function organize(groups: Readonly<Record<string, string>>): Promise<void> {
      await bootstrap(store.accounts)
      const at = 1_000
      for (const guid of new Set(Object.values(groups))) {
        await store.groups.addOrganization({ guid, name: guid, admin: 'admin', at })
      }
      for (const [guid, organizationGuid] of Object.entries(groups)) {
        await store.groups.addGroup({ guid, name: guid, organizationGuid, at })
      }
    }

    it('names who made links, each once with their first, the newest first', async () => {
      await organize({ Bgroup00001: 'Oone', Bgroup00002: 'Oone' })
      const ada = await make({ at: 1_000 })
      await make({ forceNew: true, at: 4_000 })
      const bob = await make({ groupGuid: 'Bgroup00002', createdBy: 'bob', at: 3_000 })
      await make({ longUrl: near, createdBy: 'eve' })
      const all = { organizationGuids: ['Oone'], size: 25 }
      const entries = [
        { linkId: bob.id, login: 'bob', at: 3_000 },
        { linkId: ada.id, login: 'ada', at: 1_000 },
      ]
      expect(await store.links.encoders(longUrl, all)).toEqual(entries)
      expect(await store.links.encoders(longUrl, { ...all, size: 1 })).toEqual(entries.slice(0, 1))
      expect(await store.links.encoders(longUrl, { ...all, groupGuids: ['Bgroup00001'] })).toEqual(entries.slice(1))
      expect(await store.links.encoders(longUrl, { ...all, groupGuids: [] })).toEqual([])
      expect(await store.links.encoderCount(longUrl)).toBe(2)
    })

    it('names only who made links in the organizations', async () => {
      await organize({ Bgroup00001: 'Oone', Bgroup00002: 'Otwo' })
      await make()
      await make({ groupGuid: 'Bgroup00002', createdBy: 'bob' })
      const named = async (organizationGuids: readonly string[], groupGuids?: readonly string[]) =>
        (await store.links.encoders(longUrl, { organizationGuids, groupGuids, size: 25 })).map(({ login }) => login)
      expect(await named(['Oone'])).toEqual(['ada'])
      expect(await named(['Otwo', 'Onone'])).toEqual(['bob'])
      expect((await named(['Oone', 'Otwo'])).sort()).toEqual(['ada', 'bob'])
      expect(await named(['Oone'], ['Bgroup00002'])).toEqual([])
      expect(await named([])).toEqual([])
    })

    it('leaves private links out of the names and not out of the number', async () => {
      await organize({ Bgroup00001: 'Oone', Bgroup00002: 'Oone' })
      const first = await make({ at: 1_000 }, { private: true })
      await make({ groupGuid: 'Bgroup00002', createdBy: 'bob' }, { private: true })
      const open = await make({ forceNew: true, at: 2_000 })
      const names = await store.links.encoders(longUrl, { organizationGuids: ['Oone'], size: 25 })
      expect(names).toEqual([{ linkId: open.id, login: 'ada', at: 2_000 }])
      expect(await store.links.encoderCount(longUrl)).toBe(2)
      await store.links.update(first.id, { private: false }, { login: 'ada', at: 3_000 })
      const after = await store.links.encoders(longUrl, { organizationGuids: ['Oone'], size: 25 })
      expect(after.map(({ linkId }) => linkId)).toEqual([first.id])
    })

    it('keeps note, privacy and the time of its owners with a link', async () => {
      const link = await make({}, { note: 'two\nlines', private: true, userTs: 86_400_000 })
      expect(link).toMatchObject({ note: 'two\nlines', private: true, userTs: 86_400_000 })
      const context = { login: 'ada', at: 2_000 }
      const updated = await store.links.update(link.id, { note: null, private: false, userTs: 1_000 }, context)
      expect(updated).toMatchObject({ link: { note: undefined, private: false, userTs: 1_000 } })
      expect(await store.links.get(link.id)).toMatchObject({ note: undefined, private: false, userTs: 1_000 })
    })

    it('makes a new link private by its draft or its details, and an existing one by its details', async () => {
      const privacyOf = async (changes: Partial<LinkDraft>, details: Partial<LinkDetails> = {}) =>
        (await make(changes, details)).private
      expect(await privacyOf({ private: true })).toBe(true)
      expect(await privacyOf({ private: false }, { title: 'Again' })).toBe(true)
      expect(await privacyOf({ private: true }, { private: false })).toBe(false)
      expect(await privacyOf({ private: true, keepExisting: true }, { private: true })).toBe(false)
      expect(await privacyOf({ private: false, forceNew: true }, { private: true })).toBe(true)
      expect(await privacyOf({ private: true, forceNew: true }, { private: false })).toBe(false)
      const short = await store.links.findOrInsert(
        { ...draftOf({ longUrl: near }), private: true },
        () => `h${drawn++}`,
      )
      expect(short).toMatchObject({ created: true, link: { private: true } })
      expect(await store.links.get(short.link.id)).toMatchObject({ private: true })
    })

    it('answers about links while many are made for the same long URL', async () => {
      const groups = Array.from({ length: 20 }, (_, index) => `Bgroup1000${index}`)
      const made = groups.map((groupGuid, index) => make({ groupGuid, createdBy: `user${index}` }))
      const counts = await Promise.all([...made.map(() => store.links.encoderCount(longUrl))])
      await Promise.all(made)
      for (const count of counts) expect(count).toBeLessThanOrEqual(20)
      expect(await store.links.encoderCount(longUrl)).toBe(20)
      expect(await store.links.addressesLeadingTo(longUrl)).toHaveLength(20)
    })
  })
}
