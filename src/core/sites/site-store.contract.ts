import { describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import type { AccountStore } from '../accounts/account-store.js'
import type { GroupStore } from '../accounts/group-store.js'
import { openBootstrapped, storesOfEachTest } from '../accounts/stores.builder.js'
import type { DomainStore } from '../domains/domain-store.js'
import { aLinkDraft } from '../links/link-draft.builder.js'
import type { LinkStore } from '../links/link-store.js'
import { newGuid } from '../values/guid.js'
import { addBlock } from './edit.js'
import { emptyDocument, type Site, type SiteDocument } from './site.js'
import type { SiteStore } from './site-store.js'

interface Stores extends Closable {
  readonly sites: SiteStore
  readonly links: LinkStore
  readonly accounts: AccountStore
  readonly groups: GroupStore
  readonly domainStore: DomainStore
}

/** What a `SiteStore` promises. `open` gives empty stores. */
export function siteStoreContract(open: () => Promise<Stores>): void {
  describe('SiteStore', () => {
    const groupGuid = 'Bgroup00001'
    const organizationGuid = 'Oorganization'
    const at = 1_700_000_000_123
    const stores = storesOfEachTest(() =>
      openBootstrapped(open, { organization: organizationGuid, group: groupGuid, login: 'ada', at: 1 }),
    )
    let drawn = 0
    const newHash = () => `h${(drawn++).toString().padStart(6, '0')}`
    const create = (address: string, document: SiteDocument = emptyDocument, group = groupGuid) => {
      const longUrl = `https://${address}`
      const link = aLinkDraft({ groupGuid: group, organizationGuid, longUrl, createdBy: 'ada', at })
      return stores.sites.create({ guid: newGuid('site'), address, document, link }, newHash)
    }
    async function aSite(address: string, document?: SiteDocument, group?: string): Promise<Site> {
      const created = await create(address, document, group)
      if (created.outcome !== 'done') throw new Error(created.outcome)
      return created.site
    }
    const withText = (text: string) => (document: SiteDocument) =>
      addBlock(document, newGuid('site-block'), 'text_block', { content: { text } })
    const withLink = (linkId: string) => (document: SiteDocument) =>
      addBlock(document, newGuid('site-block'), 'shortlink', { content: { linkId } })
    const textsOf = (document: SiteDocument | undefined) =>
      document?.blocks.map(({ content }) => ('text' in content ? content.text : undefined))
    const context = (time: number) => ({ login: 'ada', at: time })

    it('makes a site with a hidden link, which redirects know by the site', async () => {
      const site = await aSite('sho.rt/m/anna')
      expect(await stores.sites.get(site.guid)).toEqual(site)
      expect(site).toMatchObject({
        groupGuid,
        address: 'sho.rt/m/anna',
        status: 'active',
        live: undefined,
        redirects: [],
      })
      expect((await stores.links.target('sho.rt/m/anna'))?.rules?.site).toBe(site.guid)
      expect((await stores.links.target(site.linkId))?.rules?.site).toBe(site.guid)
      expect(await stores.links.get(site.linkId)).toMatchObject({ hidden: true, siteGuid: site.guid })
      const page = await stores.links.page({ groupGuid, filter: {}, after: undefined, size: 9 })
      expect(page.items).toEqual([])
    })

    it('gives an address to one of those who claim it at once, and nothing of the others stays', async () => {
      const outcomes = await Promise.all([create('sho.rt/m/x'), create('sho.rt/m/x'), create('sho.rt/m/x')])
      expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['done', 'taken', 'taken'])
      expect(await stores.sites.page({ groupGuid, after: undefined, size: 9 })).toHaveLength(1)
    })

    it('loses no change of those that race', async () => {
      const { guid } = await aSite('sho.rt/m/race')
      const texts = ['a', 'b', 'c', 'd', 'e', 'f']
      await Promise.all(texts.map((text) => stores.sites.change(guid, withText(text), at + 1)))
      const site = await stores.sites.get(guid)
      expect(textsOf(site?.draft)?.sort()).toEqual(texts)
    })

    it('publishes all of a draft or nothing of it, while it is changed', async () => {
      const { guid } = await aSite('sho.rt/m/both')
      const two = (document: SiteDocument) => withText('two')(withText('one')(document))
      const [published] = await Promise.all([
        stores.sites.publish(guid, at + 2),
        stores.sites.change(guid, two, at + 2),
      ])
      expect([[], ['one', 'two']]).toContainEqual(textsOf(typeof published === 'string' ? undefined : published.live))
      expect(textsOf((await stores.sites.get(guid))?.draft)).toEqual(['one', 'two'])
    })

    it('leaves everything as it was when a change throws', async () => {
      const before = await aSite('sho.rt/m/throws')
      const failing = () => {
        throw new Error('no')
      }
      await expect(stores.sites.change(before.guid, failing, at + 1)).rejects.toThrow('no')
      expect(await stores.sites.get(before.guid)).toEqual(before)
    })

    it('refuses images that are not there', async () => {
      const { guid } = await aSite('sho.rt/m/image')
      const step = (document: SiteDocument) => ({
        ...document,
        appearance: { ...document.appearance, avatarImageGuid: 'Inone' },
      })
      expect(await stores.sites.change(guid, step, at + 1)).toEqual({ outcome: 'no-image' })
    })

    it('refuses documents that are too large, also when it took them in parts', async () => {
      const { guid } = await aSite('sho.rt/m/large')
      const text = 'ä'.repeat(100_000)
      const outcomes = await Promise.all([1, 2, 3].map((time) => stores.sites.change(guid, withText(text), at + time)))
      expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['done', 'done', 'too-large'])
      expect((await stores.sites.get(guid))?.draft.blocks).toHaveLength(2)
      const contacts = Array.from({ length: 301 }, (_, number) => {
        return { method: 'website', label: 'work', value: 'https://example.com', linkId: `sho.rt/l${number}` } as const
      })
      const withCard = (document: SiteDocument) =>
        addBlock(document, newGuid('site-block'), 'digital_business_card', { content: { firstName: 'A', contacts } })
      const { guid: many } = await aSite('sho.rt/m/many')
      expect(await stores.sites.change(many, withCard, at + 1)).toEqual({ outcome: 'too-large' })
    })

    it('reads where sites are, without what they contain', async () => {
      const [one, two] = [await aSite('sho.rt/m/here'), await aSite('sho.rt/m/there')]
      const place = { address: 'sho.rt/m/now', url: 'https://sho.rt/m/now' }
      await stores.sites.update(one.guid, { place }, context(at + 1))
      const wanted = [two.guid, 'M0000000000', one.guid]
      const { groupGuid: group, createdAt, linkId, guid } = one
      const places = await stores.sites.places({ guids: wanted })
      expect(places.map((each) => each.guid)).toEqual([two.guid, one.guid])
      expect(places[1]).toEqual({
        ...{ guid, groupGuid: group, linkId, createdAt, address: 'sho.rt/m/now' },
        redirects: [{ address: 'sho.rt/m/here' }],
      })
      await stores.sites.deactivate(two.guid, at + 2)
      expect(await stores.sites.places({ groupGuids: [groupGuid, 'Bnone'] })).toEqual([places[1]])
      expect(await stores.sites.places({ guids: [] })).toEqual([])
    })

    it('answers the site that it deactivated', async () => {
      const { guid } = await aSite('sho.rt/m/gone')
      expect(await stores.sites.deactivate(guid, at + 1)).toMatchObject({ guid, status: 'inactive' })
      expect(await stores.sites.deactivate(guid, at + 1)).toBeUndefined()
      expect(await stores.sites.publish('M0000000000', at + 3)).toBe('missing')
    })

    it('shows what was published, at the present address', async () => {
      const { guid, linkId } = await aSite('sho.rt/m/one')
      expect(await stores.sites.live(guid)).toBeUndefined()
      await stores.sites.change(guid, withText('seen'), at + 1)
      await stores.sites.publish(guid, at + 2)
      await stores.sites.change(guid, withText('not yet'), at + 3)
      const place = { address: 'sho.rt/m/two', url: 'https://sho.rt/m/two' }
      await stores.sites.update(guid, { displayName: 'Now', place }, context(at + 4))
      const live = await stores.sites.live(guid)
      expect(live).toMatchObject({
        linkId,
        address: 'sho.rt/m/two',
        forwarded: ['sho.rt/m/one'],
        publishedAt: at + 2,
        document: { displayName: 'Now' },
      })
      expect(textsOf(live?.document)).toEqual(['seen'])
      await stores.sites.removeRedirect(guid, 'sho.rt/m/one', at + 5)
      expect((await stores.sites.live(guid))?.forwarded).toEqual([])
      expect((await create('sho.rt/m/one')).outcome).toBe('taken')
      await stores.sites.deactivate(guid, at + 6)
      expect(await stores.sites.live(guid)).toBeUndefined()
      await stores.sites.publish(guid, at + 7)
      expect(textsOf((await stores.sites.live(guid))?.document)).toEqual(['seen', 'not yet'])
    })

    it('may go back to where it was', async () => {
      const { guid } = await aSite('sho.rt/m/home')
      const to = (path: string) => ({ place: { address: `sho.rt/m/${path}`, url: `https://sho.rt/m/${path}` } })
      await stores.sites.update(guid, to('away'), context(at + 1))
      await stores.sites.update(guid, to('home'), context(at + 2))
      const site = await stores.sites.get(guid)
      expect([site?.address, site?.redirects.map(({ address }) => address)]).toEqual([
        'sho.rt/m/home',
        ['sho.rt/m/away'],
      ])
    })

    it('leaves the root of a domain when its group is removed', async () => {
      const group = 'Bgroup00002'
      await stores.groups.addGroup({ guid: group, name: 'Second', organizationGuid, at })
      const ofGroup = (address: string) => aSite(address, undefined, group)
      const [root, moved, below] = [await ofGroup('go.one/'), await ofGroup('go.two/'), await ofGroup('go.one/m/x')]
      const other = await aSite('go.three/')
      for (const { guid } of [root, moved, below, other]) await stores.sites.publish(guid, at + 1)
      const place = { address: 'go.two/here', url: 'https://go.two/here' }
      await stores.sites.update(moved.guid, { place }, context(at + 2))

      const removed = await stores.groups.removeGroup(group, at + 3)
      const freed = ['go.one/', 'go.two/', root.linkId].sort()
      expect(removed).toEqual({ outcome: 'removed', freed: expect.any(Array) })
      expect('freed' in removed && removed.freed.toSorted()).toEqual(freed)
      expect(await stores.sites.get(root.guid)).toMatchObject({ status: 'inactive', modifiedAt: at + 3 })
      expect(await stores.sites.live(moved.guid)).toMatchObject({ address: 'go.two/here', forwarded: [] })
      for (const { guid, address } of [below, other]) {
        expect(await stores.sites.live(guid)).toMatchObject({ address })
      }
    })

    it('leaves the root of a domain when its group joins another organization', async () => {
      const [group, other] = ['Bgroup00003', 'Oother00002']
      await stores.groups.addGroup({ guid: group, name: 'Third', organizationGuid, at })
      await stores.groups.addOrganization({ guid: other, name: 'Other', admin: 'ada', at })
      const root = await aSite('go.four/', undefined, group)
      await stores.sites.publish(root.guid, at + 1)
      expect(await stores.groups.changeGroup(group, { name: 'Renamed' }, at + 2)).toMatchObject({ freed: [] })
      const moved = await stores.groups.changeGroup(group, { organizationGuid: other }, at + 3)
      expect('freed' in moved && moved.freed.toSorted()).toEqual(['go.four/', root.linkId].sort())
      expect(await stores.sites.live(root.guid)).toBeUndefined()
    })

    describe('at the root of a domain that its group may use no more', () => {
      const [group, other] = ['Bgroup00004', 'Oother00003']
      async function anInactiveSite(domain: string) {
        await stores.groups.addGroup({ guid: group, name: 'Fourth', organizationGuid, at })
        await stores.groups.addOrganization({ guid: other, name: 'Other', admin: 'ada', at })
        const urls = { rootUrl: undefined, notFoundUrl: undefined }
        const groupGuids = [group]
        await stores.domainStore.add({ name: domain, organizationGuid, groupGuids, ...urls, createdBy: 'ada', at })
        const site = await aSite(`${domain}/`, undefined, group)
        await stores.sites.publish(site.guid, at + 1)
        await stores.sites.deactivate(site.guid, at + 2)
        return site
      }
      const leave = () => stores.groups.changeGroup(group, { organizationGuid: other, domains: [] }, at + 4)
      const elsewhere = { place: { address: 'sho.rt/m/elsewhere', url: 'https://sho.rt/m/elsewhere' } }

      it('is not published again, nor does a redirect lead from there', async () => {
        const { guid } = await anInactiveSite('go.five')
        expect(await stores.sites.publish(guid, at + 3)).toMatchObject({ guid, status: 'active' })
        expect(await leave()).toMatchObject({ outcome: 'changed' })
        expect(await stores.sites.publish(guid, at + 5)).toBe('no-domain')
        expect(await stores.sites.live(guid)).toBeUndefined()
        await stores.sites.update(guid, elsewhere, context(at + 6))
        expect(await stores.sites.publish(guid, at + 7)).toMatchObject({ status: 'active' })
        expect(await stores.sites.live(guid)).toMatchObject({ address: 'sho.rt/m/elsewhere', forwarded: [] })
      })

      it('loses the redirect from there also while it is inactive', async () => {
        const { guid } = await anInactiveSite('go.six')
        await stores.sites.update(guid, elsewhere, context(at + 3))
        expect((await stores.sites.get(guid))?.redirects).toMatchObject([{ address: 'go.six/', status: 'active' }])
        expect(await leave()).toMatchObject({ freed: ['go.six/'] })
        await stores.sites.publish(guid, at + 5)
        expect(await stores.sites.live(guid)).toMatchObject({ forwarded: [] })
      })

      it('is not shown there when it is published while its group leaves', async () => {
        const { guid } = await anInactiveSite('go.seven')
        await Promise.all([stores.sites.publish(guid, at + 3), leave()])
        expect(await stores.sites.live(guid)).toBeUndefined()
      })
    })

    it('discards a draft', async () => {
      const { guid } = await aSite('sho.rt/m/draft')
      expect(await stores.sites.discard(guid, at + 1)).toBe('never-published')
      await stores.sites.publish(guid, at + 1)
      await stores.sites.change(guid, withText('x'), at + 2)
      expect(await stores.sites.discard(guid, at + 3)).toBe('discarded')
      const site = await stores.sites.get(guid)
      expect(site?.draft).toEqual(site?.live)
    })

    it('knows the links of a site, also those that it had', async () => {
      const { guid } = await aSite('sho.rt/m/links')
      const draft = (longUrl: string) => aLinkDraft({ groupGuid, organizationGuid, longUrl, at })
      const [{ link: one }, { link: other }] = [
        await stores.links.findOrInsert(draft('https://example.com/1'), newHash),
        await stores.links.findOrInsert(draft('https://example.com/2'), newHash),
      ]
      await stores.sites.change(guid, withLink(one.id), at + 1)
      expect(await stores.sites.linksEverOn(guid)).toEqual(new Map())
      expect((await stores.links.get(one.id))?.siteGuids).toEqual([guid])
      await stores.sites.publish(guid, at + 2)
      await stores.sites.change(guid, (document) => withLink(other.id)({ ...document, blocks: [] }), at + 3)
      expect((await stores.links.get(one.id))?.siteGuids).toEqual([guid])
      await stores.sites.publish(guid, at + 4)
      expect(await stores.sites.linksEverOn(guid)).toEqual(
        new Map([
          [one.id, 'shortlink'],
          [other.id, 'shortlink'],
        ]),
      )
      expect((await stores.links.get(one.id))?.siteGuids).toEqual([])
      const filter = { siteGuids: [guid] }
      const page = await stores.links.page({ groupGuid, filter, after: undefined, size: 9 })
      expect(page.items.map(({ id }) => id)).toEqual([other.id])
    })

    it('moves no address of a site to a link', async () => {
      await aSite('sho.rt/m/kept')
      const draft = aLinkDraft({ groupGuid, organizationGuid, longUrl: 'https://example.com/thief', at })
      const { link } = await stores.links.findOrInsert(draft, newHash)
      expect(await stores.links.moveKeyword('sho.rt/m/kept', link.id, context(at + 1))).toBe('no-keyword')
      expect((await stores.links.addKeyword('sho.rt/m/kept', link.id, context(at + 1))).outcome).toBe('taken')
    })
  })
}
