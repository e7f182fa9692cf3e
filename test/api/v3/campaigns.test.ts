import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../../support/start-app.js'
import { aMember, aStranger } from '../alter-records.js'
import { asking } from './ask.js'

describe('v3 enterprise campaigns', () => {
  const started = useApp()
  let v3: ReturnType<typeof asking>
  beforeAll(async () => {
    v3 = asking(started)
  })

  const create = async (query: Record<string, string | readonly string[]>) =>
    (await v3.data('campaigns/create', query)).campaign

  it('GET /v3/campaigns/create creates a campaign with its channels', async () => {
    const campaign = await create({ title: 'Spring', description: 'Flowers', channel: ['Mail', 'Poster', 'Mail'] })
    expect(campaign).toEqual({
      campaign_id: expect.stringMatching(/^C/),
      title: 'Spring',
      description: 'Flowers',
      modified: expect.any(Number),
      channel_names: expect.any(Array),
      login: 'admin',
    })
    expect(campaign.channel_names.toSorted()).toEqual(['Mail', 'Poster'])
  })

  it('GET /v3/campaigns/update changes the fields that were sent; named channels are added', async () => {
    const { campaign_id } = await create({ title: 'Before', description: 'Words', channel: 'One' })
    const { campaign } = await v3.data('campaigns/update', { campaign_id, title: 'After', channel: ['Two'] })
    expect(campaign).toEqual({
      campaign_id,
      title: 'After',
      description: 'Words',
      channel_names: expect.any(Array),
      login: 'admin',
    })
    expect(campaign.channel_names.toSorted()).toEqual(['One', 'Two'])
    const cleared = await v3.data('campaigns/update', { campaign_id, description: '' })
    expect(cleared.campaign).toMatchObject({ title: 'After', description: '' })
  })

  it('GET /v3/campaigns/channel_names lists the names across all campaigns, each once', async () => {
    await create({ title: 'A', channel: ['Shared', 'Ünique'] })
    await create({ title: 'B', channel: 'Shared' })
    const { channel_names: names } = await v3.data('campaigns/channel_names')
    expect(names.filter((name: string) => name === 'Shared')).toHaveLength(1)
    expect(names).toContain('Ünique')
  })

  it('a campaign created by v3 is visible in v4, and its links in v3', async () => {
    const { campaign_id } = await create({ title: 'Both', channel: 'Radio' })
    const { body } = await started.request('GET', `/v4/campaigns/${campaign_id}`)
    expect(body).toMatchObject({ guid: campaign_id, name: 'Both', created_by: 'admin' })
    const { campaigns: before } = await v3.data('campaigns')
    const { body: channels } = await started.request('GET', `/v4/channels?campaign_guid=${campaign_id}`)
    const [channel] = channels.channels

    const link = await v3.data('shorten', { longUrl: 'https://example.com/campaign' })
    const id = link.url.slice('http://'.length)
    const shortlinks = [{ campaign_guid: campaign_id, shortlink_id: id }]
    await started.request('PATCH', `/v4/channels/${channel.guid}`, { body: { shortlinks } })
    const keyword = { shortlink_id: id, keyword: 'radio-spot' }
    expect((await started.request('POST', '/v4/shortlinks', { body: keyword })).status).toBe(200)

    const { campaign } = await v3.data('campaigns/get', { campaign_id })
    expect(campaign).toEqual({
      campaign_id,
      title: 'Both',
      description: '',
      has_deeplinks: false,
      channels: [
        {
          name: 'Radio',
          modified: expect.any(Number),
          has_deeplinks: false,
          links: [
            {
              link: link.url,
              long_url: 'https://example.com/campaign',
              hash: link.hash,
              title: null,
              keyword_link: `http://${started.domain}/radio-spot`,
            },
          ],
        },
      ],
    })
    const { campaigns, result_count } = await v3.data('campaigns')
    expect(result_count).toBe(campaigns.length)
    const countIn = (list: { campaign_id: string }[]) => list.find((each) => each.campaign_id === campaign_id)
    expect(countIn(before)).toMatchObject({ bitlink_count: 0 })
    expect(countIn(campaigns)).toEqual({
      campaign_id,
      title: 'Both',
      description: '',
      modified: expect.any(Number),
      bitlink_count: 1,
      login: 'admin',
    })
  })

  it('a campaign created by v4 can be changed by v3', async () => {
    const body = { group_guid: started.groupGuid, name: 'Made by v4' }
    const { body: made } = await started.request('POST', '/v4/campaigns', { body })
    const { campaign } = await v3.data('campaigns/update', { campaign_id: made.guid, channel: 'New' })
    expect(campaign).toMatchObject({ title: 'Made by v4', channel_names: ['New'] })
  })

  it.each([
    ['campaigns/create', {}, 'MISSING_ARG_TITLE'],
    ['campaigns/create', { title: '' }, 'MISSING_ARG_TITLE'],
    ['campaigns/create', { title: ' ' }, 'INVALID_ARG_TITLE'],
    ['campaigns/create', { title: 'x'.repeat(256) }, 'INVALID_ARG_TITLE'],
    ['campaigns/create', { title: 'Never', description: 'x'.repeat(2001) }, 'INVALID_ARG_DESCRIPTION'],
    ['campaigns/create', { title: 'Never', channel: ['Good', ''] }, 'INVALID_ARG_CHANNEL'],
    ['campaigns/get', {}, 'MISSING_ARG_CAMPAIGN_ID'],
    ['campaigns/update', { title: 'x' }, 'MISSING_ARG_CAMPAIGN_ID'],
  ])('%s with %j: %s, and nothing is created', async (path, query, word) => {
    const before = await v3.data('campaigns')
    expect(await v3.refusal(path, query)).toBe(`200 500 ${word}`)
    expect(await v3.data('campaigns')).toEqual(before)
    expect((await v3.data('campaigns/channel_names')).channel_names).not.toContain('Good')
  })

  it.each(['Cnothing001', 'nonsense', '<>'])('NOT_FOUND: the campaign %s', async (campaign_id) => {
    expect(await v3.refusal('campaigns/get', { campaign_id })).toBe('200 404 NOT_FOUND')
    expect(await v3.refusal('campaigns/update', { campaign_id, title: 'x' })).toBe('200 404 NOT_FOUND')
  })

  it("FORBIDDEN: another account's campaign, and changes by a reader", async () => {
    const { campaign_id } = await create({ title: 'Mine', channel: 'Secret' })
    const stranger = await aStranger(started)
    const reader = await aMember(started, started.groupGuid, 'reader')
    expect(await v3.refusal('campaigns/get', { campaign_id }, stranger.token)).toBe('200 403 FORBIDDEN')
    expect(await v3.data('campaigns', {}, stranger.token)).toEqual({ campaigns: [], result_count: 0 })
    expect(await v3.data('campaigns/channel_names', {}, stranger.token)).toEqual({ channel_names: [] })
    const change = { campaign_id, title: 'Theirs', channel: '' }
    for (const token of [stranger.token, reader]) {
      expect(await v3.refusal('campaigns/update', change, token)).toBe('200 403 FORBIDDEN')
    }
    expect((await v3.data('campaigns/get', { campaign_id }, reader)).campaign.title).toBe('Mine')
  })
})
