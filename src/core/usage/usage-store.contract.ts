import { describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import type { AccountStore } from '../accounts/account-store.js'
import { openBootstrapped, storesOfEachTest } from '../accounts/stores.builder.js'
import { type LinkDraft, noDetails } from '../links/link.js'
import { aLinkDraft } from '../links/link-draft.builder.js'
import type { LinkStore } from '../links/link-store.js'
import { plansContract } from './plans.contract.js'
import type { UsageStore } from './usage-store.js'
import { dayLength } from './usage-store.js'

type Stores = {
  readonly usage: UsageStore
  readonly links: LinkStore
  readonly accounts: AccountStore
} & Closable

/** What a `UsageStore` promises together with the stores that count. */
export function usageStoreContract(open: () => Promise<Stores>): void {
  plansContract(open)

  describe('UsageStore', () => {
    const today = Date.parse('2026-03-18T00:00:00Z')
    const yesterday = today - dayLength
    const always = { from: 0, to: Number.MAX_SAFE_INTEGER }
    const group = 'Bgroup00001'
    const organization = 'Oorganization'
    const stores = storesOfEachTest(() => openBootstrapped(open, { organization, group, login: 'ada', at: 1 }))

    let drawn = 0
    const newHash = () => `h${(drawn++).toString().padStart(6, '0')}`
    const aDraft = (input: Partial<LinkDraft> = {}) =>
      aLinkDraft({ groupGuid: group, organizationGuid: organization, at: today + 5, ...input })
    const plain = { ...noDetails, title: 'A title' }
    const make = (input: Partial<LinkDraft> = {}) =>
      stores.links.findOrInsert(aDraft({ forceNew: true, ...input }), newHash)
    async function counted(scope: Parameters<UsageStore['perDay']>[0] = { groupGuid: group }) {
      const counters = ['links', 'branded_links', 'custom_back_halves', 'redirects'] as const
      const days = await stores.usage.perDay(scope, counters, always)
      return days.map(({ counter, day, count }) => [counter, (day - today) / dayLength, count])
    }

    it('has counted nothing at first', async () => {
      expect(await counted()).toEqual([])
      expect(await stores.usage.firstDay({ groupGuid: group }, 'links')).toBeUndefined()
      expect(await stores.usage.perGroup(organization, 'links', always)).toEqual([])
      expect(await stores.usage.linksPerMinute(group, always)).toEqual([])
      expect(await stores.usage.firstLinkAt(group, 0)).toBeUndefined()
    })

    it('counts links made by the day, and no link twice', async () => {
      await make({ at: yesterday })
      await make({ at: today - 1 })
      await stores.links.findOrInsert(aDraft(), newHash)
      await stores.links.findOrInsert(aDraft(), newHash)
      await stores.links.create(aDraft(), plain, newHash)
      await stores.links.create(aDraft({ longUrl: 'https://example.com/2' }), plain, newHash)
      expect(await counted()).toEqual([
        ['links', -1, 2],
        ['links', 0, 2],
      ])
      expect(await stores.usage.firstDay({ groupGuid: group }, 'links')).toBe(yesterday)
      expect(await stores.usage.firstDay({ groupGuid: group }, 'redirects')).toBeUndefined()
    })

    it('counts every link of racing callers once', async () => {
      const inputs = Array.from({ length: 200 }, (_, index) =>
        aDraft({ longUrl: `https://example.com/${index % 100}` }),
      )
      await Promise.all([
        ...inputs.map((draft) => stores.links.findOrInsert(draft, newHash)),
        ...inputs.slice(0, 20).map((draft) => stores.links.create({ ...draft, forceNew: true }, plain, newHash)),
      ])
      expect(await counted()).toEqual([['links', 0, 120]])
    })

    it('counts links on branded domains among the links and apart', async () => {
      await make({ branded: true, domain: 'go.example' })
      await make({ branded: false })
      await stores.links.create(aDraft({ branded: true, forceNew: true }), plain, newHash)
      expect(await counted()).toEqual([
        ['branded_links', 0, 2],
        ['links', 0, 3],
      ])
    })

    it('counts keywords, made with the link or added to it, but not one that moves', async () => {
      const keyword = 'sho.rt/first'
      await stores.links.create(aDraft({ forceNew: true }), { ...plain, keyword }, newHash)
      const { link } = await make()
      const context = { login: 'ada', at: today + 7 }
      await stores.links.addKeyword('sho.rt/second', link.id, context)
      await stores.links.moveKeyword('sho.rt/first', link.id, context)
      expect(await counted()).toEqual([
        ['custom_back_halves', 0, 2],
        ['links', 0, 2],
      ])
    })

    it('counts changes of the destination and no other ones', async () => {
      const { link } = await make()
      const context = { login: 'ada', at: today + 7 }
      await stores.links.update(link.id, { title: 'Another' }, context)
      await stores.links.update(link.id, { longUrl: 'https://example.com/elsewhere' }, context)
      expect(await counted()).toEqual([
        ['links', 0, 1],
        ['redirects', 0, 1],
      ])
    })

    it('counts nothing for what is refused', async () => {
      const keyword = 'sho.rt/taken'
      await stores.links.create(aDraft({ forceNew: true }), { ...plain, keyword }, newHash)
      const { link } = await make({ at: yesterday })
      const before = await counted()
      const tags = Array.from({ length: 1001 }, (_, index) => `tag${index}`)
      const refused = [
        await stores.links.create(aDraft({ forceNew: true }), { ...plain, keyword }, newHash),
        await stores.links.create(aDraft({ forceNew: true }), { ...plain, tags }, newHash),
        await stores.links.addKeyword(keyword, link.id, { login: 'ada', at: today }),
        await stores.links.update('sho.rt/missing', { longUrl: 'https://example.com/' }, { login: 'ada', at: today }),
        await stores.links.update(link.id, { longUrl: 'https://example.com/x', tags }, { login: 'ada', at: today }),
      ]
      expect(refused.map(({ outcome }) => outcome)).toEqual([
        'taken',
        'too-many-tags',
        'taken',
        'missing',
        'too-many-tags',
      ])
      expect(await counted()).toEqual(before)
    })

    it('goes on counting a link that was deleted', async () => {
      const { link } = await make()
      expect(await stores.links.remove(link.id, today + 9)).toBe('removed')
      expect(await counted()).toEqual([['links', 0, 1]])
      expect(await stores.usage.linksPerMinute(group, always)).toEqual([{ start: today, count: 1 }])
    })

    it('tells groups and organizations apart, also when a group moves', async () => {
      await make()
      await make({ groupGuid: 'Bgroup00002' })
      await make({ groupGuid: 'Bgroup00002' })
      await make({ organizationGuid: 'Oanother' })
      expect(await counted()).toEqual([['links', 0, 2]])
      expect(await counted({ organizationGuid: organization })).toEqual([['links', 0, 3]])
      expect(await counted({ organizationGuid: 'Oanother' })).toEqual([['links', 0, 1]])
      expect(await counted({ groupGuid: group, organizationGuid: organization })).toEqual([['links', 0, 1]])
      expect(await stores.usage.perGroup(organization, 'links', always)).toEqual([
        { groupGuid: 'Bgroup00002', count: 2 },
        { groupGuid: group, count: 1 },
      ])
      expect(await stores.usage.firstDay({ organizationGuid: 'Oanother' }, 'links')).toBe(today)
    })

    it('reads from a day on and up to another', async () => {
      for (const at of [yesterday - 1, yesterday, today - 1, today]) await make({ at })
      const span = { from: yesterday, to: today }
      expect(await stores.usage.perDay({ groupGuid: group }, ['links'], span)).toEqual([
        { counter: 'links', day: yesterday, count: 2 },
      ])
      expect(await stores.usage.perGroup(organization, 'links', span)).toEqual([{ groupGuid: group, count: 2 }])
      expect(await stores.usage.perDay({ groupGuid: group }, [], span)).toEqual([])
      expect(await stores.usage.firstLinkAt(group, yesterday)).toBe(yesterday)
      expect(await stores.usage.firstLinkAt(group, today + 1)).toBeUndefined()
    })

    it('counts what is no record of its own, many at once, and nothing of nothing', async () => {
      const use = { groupGuid: group, organizationGuid: organization, counter: 'api_requests' as const }
      await stores.usage.add([])
      await Promise.all(
        Array.from({ length: 10 }, () =>
          stores.usage.add([
            { ...use, at: today + 5, count: 3 },
            { ...use, at: today + 9, count: 1 },
            { ...use, at: yesterday, count: 2 },
          ]),
        ),
      )
      expect(await stores.usage.perDay({ groupGuid: group }, ['api_requests'], always)).toEqual([
        { counter: 'api_requests', day: yesterday, count: 20 },
        { counter: 'api_requests', day: today, count: 40 },
      ])
    })

    it('tells the minutes in which links were made', async () => {
      for (const at of [today, today + 59_999, today + 60_000, today + 3_600_000]) await make({ at })
      await make({ groupGuid: 'Bgroup00002' })
      expect(await stores.usage.linksPerMinute(group, { from: today, to: today + 3_600_000 })).toEqual([
        { start: today, count: 2 },
        { start: today + 60_000, count: 1 },
      ])
    })
  })
}
