import { describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import { sampleOf } from '../../lib/sample.builder.js'
import { storesOfEachTest } from '../accounts/stores.builder.js'
import type { LinkStore } from '../links/link-store.js'
import type { CampaignStore, NewCampaign, NewChannel, Saved } from './campaign-store.js'

export interface CampaignStores extends Closable {
  readonly campaigns: CampaignStore
  readonly links: LinkStore
}

/** What a `CampaignStore` promises. `open` gives empty stores. */
export function campaignStoreContract(open: () => Promise<CampaignStores>): void {
  describe('CampaignStore', () => {
    const stores = storesOfEachTest(open)

    let hashes = 0
    async function aLink(groupGuid = 'B1'): Promise<string> {
      hashes += 1
      const hash = `hash${String(hashes).padStart(3, '0')}`
      const owner = { groupGuid, organizationGuid: 'O1', createdBy: 'ada' }
      const draft = { ...owner, domain: 'sho.rt', longUrl: `https://example.com/${hash}`, at: 1 }
      let draws = 0
      // The second draw is for the global hash.
      const { link } = await stores.links.findOrInsert({ ...draft, clientId: undefined }, () => {
        draws += 1
        return draws === 1 ? hash : `${hash}g${draws}`
      })
      return link.id
    }
    const campaignsOf = async (id: string) => (await stores.links.get(id))?.campaignGuids
    const channelsOf = async (campaignGuid: string) =>
      (await stores.campaigns.channels(['B1', 'B2'], campaignGuid)).map(({ guid }) => guid).sort()

    it('keeps campaigns and channels as they were made', async () => {
      const campaign = {
        guid: 'C1',
        groupGuid: 'B1',
        name: 'Spring',
        description: 'Flowers',
        createdBy: 'ada',
        createdAt: 1_000,
        modifiedAt: 1_000,
      }
      expect(await stores.campaigns.addCampaign(aCampaign({ description: 'Flowers' }))).toEqual({
        outcome: 'saved',
        saved: campaign,
      })
      expect(await stores.campaigns.campaign('C1')).toEqual(campaign)
      const channel = { guid: 'H1', groupGuid: 'B1', name: 'Poster', createdAt: 1_000, modifiedAt: 1_000 }
      expect(await stores.campaigns.addChannel(aChannel())).toEqual({ outcome: 'saved', saved: channel })
      expect(await stores.campaigns.channel('H1')).toEqual(channel)
      expect(await stores.campaigns.campaign('Cnone')).toBeUndefined()
      expect(await stores.campaigns.channel('Hnone')).toBeUndefined()
    })

    it('removes a campaign or a channel with its connections; links, and what was connected, stay', async () => {
      const link = await aLink()
      for (const guid of ['C1', 'C2']) await stores.campaigns.addCampaign(aCampaign({ guid }))
      for (const guid of ['H1', 'H2']) {
        const links = ['C1', 'C2'].map((campaignGuid) => ({ campaignGuid, address: link }))
        await stores.campaigns.addChannel(aChannel({ guid, links }))
      }
      const answers = await Promise.all([stores.campaigns.removeCampaign('C1'), stores.campaigns.removeCampaign('C1')])
      expect([...answers].sort()).toEqual([false, true])
      expect([await stores.campaigns.campaign('C1'), await stores.campaigns.contents('C1')]).toEqual([undefined, []])
      expect([await channelsOf('C2'), await campaignsOf(link)]).toEqual([['H1', 'H2'], ['C2']])
      expect([await stores.campaigns.removeChannel('H1'), await stores.campaigns.removeChannel('H1')]).toEqual([
        true,
        false,
      ])
      expect(await stores.campaigns.channel('H1')).toBeUndefined()
      expect([await channelsOf('C2'), await campaignsOf(link)]).toEqual([['H2'], ['C2']])
      await stores.campaigns.removeChannel('H2')
      expect([await channelsOf('C2'), await campaignsOf(link)]).toEqual([[], []])
      expect((await stores.campaigns.campaign('C2'))?.guid).toBe('C2')
    })

    it("takes a channel by its name: the group's oldest of that name, or a new one", async () => {
      await stores.campaigns.addChannel(aChannel({ guid: 'H2', name: 'Poster', at: 2 }))
      await stores.campaigns.addChannel(aChannel({ guid: 'H1', name: 'Poster', at: 1 }))
      await stores.campaigns.addChannel(aChannel({ guid: 'H3', name: 'Radio', groupGuid: 'B2' }))
      const namedChannels = ['Poster', 'Radio', 'Radio'].map((name, index) => ({ guid: `Hnew${index}`, name }))
      await stores.campaigns.addCampaign(aCampaign({ guid: 'C1', namedChannels }))
      expect(await channelsOf('C1')).toEqual(['H1', 'Hnew1'])
      expect(await stores.campaigns.channel('Hnew1')).toMatchObject({ name: 'Radio', groupGuid: 'B1' })
      expect(await stores.campaigns.channel('Hnew2')).toBeUndefined()

      // Those that a change names join the others.
      await stores.campaigns.changeCampaign('C1', { namedChannels: [{ guid: 'Hnew3', name: 'Mail' }] }, 9)
      expect(await channelsOf('C1')).toEqual(['H1', 'Hnew1', 'Hnew3'])
      expect(await stores.campaigns.channelNames(['B1'])).toEqual(['Mail', 'Poster', 'Radio'])
      await stores.campaigns.changeCampaign('C1', { channelGuids: ['H1'] }, 10)
      expect(await stores.campaigns.channelNames(['B1', 'B2'])).toEqual(['Poster'])
      expect(await stores.campaigns.channelNames(['B2'])).toEqual([])
      expect(await stores.campaigns.channelNames([])).toEqual([])
    })

    it('gives racing callers who name a channel one channel', async () => {
      const guids = ['C1', 'C2', 'C3', 'C4', 'C5']
      const named = (guid: string) => aCampaign({ guid, namedChannels: [{ guid: `H${guid}`, name: 'Poster' }] })
      await Promise.all(guids.map((guid) => stores.campaigns.addCampaign(named(guid))))
      expect(await stores.campaigns.channels(['B1'], undefined)).toHaveLength(1)
      for (const guid of guids) expect(await channelsOf(guid)).toHaveLength(1)
    })

    it('tells what a campaign holds, channel by channel, and how many links in all; deleted ones are left out', async () => {
      const [one, two, gone] = [await aLink(), await aLink(), await aLink()]
      await stores.campaigns.addCampaign(aCampaign({ guid: 'C1' }))
      await stores.campaigns.addCampaign(aCampaign({ guid: 'C2' }))
      const link = (address: string, campaignGuid = 'C1') => ({ campaignGuid, address })
      await stores.campaigns.addChannel(aChannel({ guid: 'H1', at: 1, links: [link(one), link(gone)] }))
      await stores.campaigns.addChannel(aChannel({ guid: 'H2', at: 2, links: [link(one), link(two), link(two, 'C2')] }))
      await stores.campaigns.addChannel(aChannel({ guid: 'H3', at: 3 }))
      await stores.campaigns.changeCampaign('C1', { channelGuids: ['H1', 'H2', 'H3'] }, 9)
      await stores.links.remove(gone, 9)
      const contents = await stores.campaigns.contents('C1')
      expect(contents.map(({ channel, linkIds }) => [channel.guid, linkIds.toSorted()])).toEqual([
        ['H3', []],
        ['H2', [one, two].sort()],
        ['H1', [one]],
      ])
      expect(await stores.campaigns.contents('Cnone')).toEqual([])
      expect(await stores.campaigns.linkCounts(['C1', 'C2', 'Cnone'])).toEqual(
        new Map([
          ['C1', 2],
          ['C2', 1],
        ]),
      )
      expect(await stores.campaigns.linkCounts([])).toEqual(new Map())
    })

    it('lists those of the groups, newest first', async () => {
      await stores.campaigns.addCampaign(aCampaign({ guid: 'C1', at: 1 }))
      await stores.campaigns.addCampaign(aCampaign({ guid: 'C2', at: 2 }))
      await stores.campaigns.addCampaign(aCampaign({ guid: 'C3', at: 3, groupGuid: 'B2' }))
      await stores.campaigns.addChannel(aChannel({ guid: 'H1', at: 1 }))
      await stores.campaigns.addChannel(aChannel({ guid: 'H2', at: 2, groupGuid: 'B2' }))
      expect((await stores.campaigns.campaigns(['B1'])).map(({ guid }) => guid)).toEqual(['C2', 'C1'])
      expect((await stores.campaigns.campaigns(['B1', 'B2'])).map(({ guid }) => guid)).toEqual(['C3', 'C2', 'C1'])
      expect((await stores.campaigns.channels(['B1', 'B2'], undefined)).map(({ guid }) => guid)).toEqual(['H2', 'H1'])
      expect(await stores.campaigns.campaigns([])).toEqual([])
      expect(await stores.campaigns.channels([], undefined)).toEqual([])
    })

    it('changes what is named and nothing else', async () => {
      await stores.campaigns.addCampaign(aCampaign())
      await stores.campaigns.changeCampaign('C1', { description: 'Snow' }, 2_000)
      const saved = { guid: 'C1', name: 'Spring', description: 'Snow', createdAt: 1_000, modifiedAt: 2_000 }
      expect(await stores.campaigns.campaign('C1')).toMatchObject(saved)
      expect(await stores.campaigns.changeCampaign('C1', {}, 2_500)).toMatchObject({ outcome: 'saved' })
      await stores.campaigns.addChannel(aChannel())
      expect(await stores.campaigns.changeChannel('H1', { name: 'Mail' }, 3_000)).toMatchObject({
        saved: { name: 'Mail' },
      })
      expect(await stores.campaigns.channel('H1')).toMatchObject({ name: 'Mail', createdAt: 1_000, modifiedAt: 3_000 })
      expect(await stores.campaigns.changeCampaign('Cnone', {}, 1)).toEqual({ outcome: 'missing' })
      expect(await stores.campaigns.changeChannel('Hnone', {}, 1)).toEqual({ outcome: 'missing' })
    })

    it('gives every change a later time, also if the clock stands still', async () => {
      await stores.campaigns.addCampaign(aCampaign())
      await stores.campaigns.addChannel(aChannel())
      for (const modifiedAt of [1_001, 1_002]) {
        expect(await stores.campaigns.changeCampaign('C1', {}, 1_000)).toMatchObject({ saved: { modifiedAt } })
        expect(await stores.campaigns.changeChannel('H1', {}, 1_000)).toMatchObject({ saved: { modifiedAt } })
      }
      expect(await stores.campaigns.campaign('C1')).toMatchObject({ modifiedAt: 1_002 })
      expect(await stores.campaigns.channel('H1')).toMatchObject({ modifiedAt: 1_002 })
    })

    it('replaces the channels of a campaign', async () => {
      for (const guid of ['H1', 'H2', 'H3']) await stores.campaigns.addChannel(aChannel({ guid }))
      await stores.campaigns.addCampaign(aCampaign({ channelGuids: ['H1', 'H2', 'H1'] }))
      expect(await channelsOf('C1')).toEqual(['H1', 'H2'])
      await stores.campaigns.changeCampaign('C1', { name: 'Autumn' }, 2)
      expect(await channelsOf('C1')).toEqual(['H1', 'H2'])
      await stores.campaigns.changeCampaign('C1', { channelGuids: ['H2', 'H3'] }, 3)
      expect(await channelsOf('C1')).toEqual(['H2', 'H3'])
      await stores.campaigns.changeCampaign('C1', { channelGuids: [] }, 4)
      expect(await channelsOf('C1')).toEqual([])
    })

    it('shows the links of channels in their campaigns, of which the channels become part', async () => {
      const [one, two] = [await aLink(), await aLink()]
      await stores.campaigns.addCampaign(aCampaign({ guid: 'C1' }))
      await stores.campaigns.addCampaign(aCampaign({ guid: 'C2' }))
      const links = [
        { campaignGuid: 'C1', address: one },
        { campaignGuid: 'C2', address: one },
        { campaignGuid: 'C1', address: one },
      ]
      await stores.campaigns.addChannel(aChannel({ links }))
      expect(await campaignsOf(one)).toEqual(['C1', 'C2'])
      expect([await channelsOf('C1'), await channelsOf('C2')]).toEqual([['H1'], ['H1']])

      await stores.campaigns.changeChannel('H1', { links: [{ campaignGuid: 'C1', address: two }] }, 2)
      expect([await campaignsOf(one), await campaignsOf(two)]).toEqual([[], ['C1']])
      // It stays a channel of the campaign it has no link for any more.
      expect(await channelsOf('C2')).toEqual(['H1'])

      await stores.campaigns.changeCampaign('C1', { channelGuids: [] }, 3)
      expect(await campaignsOf(two)).toEqual([])
    })

    it('adds and removes some links of a channel, and loses none of several added at once', async () => {
      await stores.campaigns.addCampaign(aCampaign())
      const ids = [await aLink(), await aLink(), await aLink(), await aLink()]
      await stores.campaigns.addChannel(aChannel())
      const pair = (address = '') => ({ campaignGuid: 'C1', address })
      await Promise.all(ids.map((id) => stores.campaigns.changeChannel('H1', { addLinks: [pair(id)] }, 2)))
      const held = async () => [...((await stores.campaigns.contents('C1'))[0]?.linkIds ?? [])].sort()
      expect(await held()).toEqual([...ids].sort())
      const [first, second, third, fourth] = ids
      await stores.campaigns.changeChannel(
        'H1',
        { removeLinks: [pair(first), pair(second)], addLinks: [pair(second)] },
        3,
      )
      expect(await held()).toEqual([second, third, fourth].sort())
      await stores.campaigns.changeChannel('H1', { removeLinks: [pair(first)] }, 4)
      expect(await held()).toEqual([second, third, fourth].sort())
      expect(await campaignsOf(first ?? '')).toEqual([])
    })

    it('refuses what is in another group or does not exist, and changes nothing', async () => {
      const [mine, foreign] = [await aLink('B1'), await aLink('B2')]
      await stores.campaigns.addCampaign(aCampaign({ guid: 'C1' }))
      await stores.campaigns.addCampaign(aCampaign({ guid: 'C2', groupGuid: 'B2' }))
      await stores.campaigns.addChannel(aChannel({ guid: 'H1' }))
      await stores.campaigns.addChannel(aChannel({ guid: 'H2', groupGuid: 'B2' }))
      const before = await stores.campaigns.campaign('C1')

      const wrongCampaigns = [
        await stores.campaigns.addCampaign(aCampaign({ guid: 'C9', channelGuids: ['H1', 'H2'] })),
        await stores.campaigns.changeCampaign('C1', { name: 'x', channelGuids: ['H1', 'Hnone'] }, 9),
      ]
      expect(wrongCampaigns.map(whatIsMisplaced)).toEqual([
        { kind: 'channel', id: 'H2', groupGuid: 'B2', named: true },
        { kind: 'channel', id: 'Hnone', groupGuid: undefined, named: true },
      ])
      const entry = (campaignGuid: string, address: string) => ({ links: [{ campaignGuid, address }] })
      const wrongChannels = [
        await stores.campaigns.addChannel(aChannel({ guid: 'H9', ...entry('C2', mine) })),
        await stores.campaigns.addChannel(aChannel({ guid: 'H9', ...entry('C1', foreign) })),
        await stores.campaigns.changeChannel('H1', { name: 'x', ...entry('C1', 'sho.rt/none') }, 9),
        await stores.campaigns.changeChannel('H1', { name: 'x', ...entry('Cnone', mine) }, 9),
      ]
      expect(wrongChannels.map(whatIsMisplaced)).toEqual([
        { kind: 'campaign', id: 'C2', groupGuid: 'B2', named: true },
        { kind: 'link', id: foreign, groupGuid: 'B2', named: true },
        { kind: 'link', id: 'sho.rt/none', groupGuid: undefined, named: true },
        { kind: 'campaign', id: 'Cnone', groupGuid: undefined, named: true },
      ])
      expect(await stores.campaigns.campaign('C1')).toEqual(before)
      expect(await stores.campaigns.campaign('C9')).toBeUndefined()
      expect(await stores.campaigns.channel('H9')).toBeUndefined()
      expect((await stores.campaigns.channel('H1'))?.name).toBe('Poster')
      expect(await channelsOf('C1')).toEqual([])
    })

    it('moves into another group only what is not connected there', async () => {
      await stores.campaigns.addChannel(aChannel())
      await stores.campaigns.addCampaign(aCampaign({ channelGuids: ['H1'] }))
      expect(whatIsMisplaced(await stores.campaigns.changeCampaign('C1', { groupGuid: 'B2' }, 2))).toEqual({
        kind: 'channel',
        id: 'H1',
        groupGuid: 'B1',
        named: false,
      })
      expect(whatIsMisplaced(await stores.campaigns.changeChannel('H1', { groupGuid: 'B2', links: [] }, 2))).toEqual({
        kind: 'campaign',
        id: 'C1',
        groupGuid: 'B1',
        named: false,
      })
      await stores.campaigns.changeCampaign('C1', { groupGuid: 'B2', channelGuids: [] }, 3)
      await stores.campaigns.changeChannel('H1', { groupGuid: 'B2' }, 3)
      expect([
        (await stores.campaigns.campaign('C1'))?.groupGuid,
        (await stores.campaigns.channel('H1'))?.groupGuid,
      ]).toEqual(['B2', 'B2'])
    })

    it('keeps a campaign and its channels in one group while both are being moved', async () => {
      for (let round = 0; round < 5; round += 1) {
        const [campaign, channel] = [`Crace${round}`, `Hrace${round}`]
        await stores.campaigns.addChannel(aChannel({ guid: channel }))
        await stores.campaigns.addCampaign(aCampaign({ guid: campaign }))
        const answers = await Promise.all([
          stores.campaigns.changeCampaign(campaign, { channelGuids: [channel] }, 2),
          stores.campaigns.changeChannel(channel, { groupGuid: 'B2' }, 2),
        ])
        expect(answers.map(({ outcome }) => outcome).sort()).toEqual(['invalid-reference', 'saved'])
      }
    })

    it('gives racing callers the links of one of them', async () => {
      const [one, two] = [await aLink(), await aLink()]
      await stores.campaigns.addCampaign(aCampaign())
      await stores.campaigns.addChannel(aChannel())
      const inputs = [[one], [two], [one, two], []]
      await Promise.all(
        inputs.map((addresses) =>
          stores.campaigns.changeChannel(
            'H1',
            { links: addresses.map((address) => ({ campaignGuid: 'C1', address })) },
            2,
          ),
        ),
      )
      const carried = []
      for (const id of [one, two]) if ((await campaignsOf(id))?.includes('C1')) carried.push(id)
      expect(inputs).toContainEqual(carried)
    })
  })
}

function whatIsMisplaced(answer: Saved<unknown>): unknown {
  return answer.outcome === 'invalid-reference' ? answer.reference : answer
}

const aCampaign = sampleOf<NewCampaign>({
  guid: 'C1',
  groupGuid: 'B1',
  name: 'Spring',
  description: '',
  createdBy: 'ada',
  channelGuids: [],
  at: 1_000,
})

function aChannel(changes: Partial<NewChannel> = {}): NewChannel {
  return { guid: 'H1', groupGuid: 'B1', name: 'Poster', links: [], at: 1_000, ...changes }
}
