import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'
import { alterRecords, aMember, aStranger, type Someone } from './alter-records.js'
import { organize, unreadableBodies } from './organize.js'

const started = useApp()
let stranger: Someone
let group_guid: string
let otherGroup: string
beforeAll(async () => {
  stranger = await aStranger(started)
  group_guid = started.groupGuid
  otherGroup = await organize(started).group('Other')
})

interface Options {
  readonly token?: string
}
const get = (path: string, options: Options = {}) => started.request('GET', path, options)
const post = (body: unknown, options: Options = {}) => started.request('POST', '/v4/channels', { body, ...options })
const patch = (guid: string, body: unknown, options: Options = {}) =>
  started.request('PATCH', `/v4/channels/${guid}`, { body, ...options })
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/)

async function aChannel(fields: object = {}): Promise<string> {
  return (await post({ group_guid, name: 'Poster', ...fields })).body.guid
}
async function aCampaign(fields: object = {}, options: Options = {}): Promise<string> {
  const body = { group_guid, name: 'Spring', ...fields }
  return (await started.request('POST', '/v4/campaigns', { body, ...options })).body.guid
}
let links = 0
async function aLink(fields: object = {}, options: Options = {}): Promise<string> {
  links += 1
  const body = { long_url: `https://example.com/${links}`, ...fields }
  return (await started.request('POST', '/v4/shorten', { body, ...options })).body.id
}
async function campaignsOf(id: string): Promise<string[]> {
  return (await get(`/v4/shortlinks/${id}`)).body.campaign_ids
}
const guids = (channels: readonly { guid: string }[]) => channels.map(({ guid }) => guid)

describe('POST /v4/channels', () => {
  it('answers 200 with the new channel, with a guid from the service', async () => {
    const { status, body } = await post({ group_guid, name: 'Newsletter', guid: 'Hmine' })
    expect(status).toBe(200)
    expect(body).toEqual({
      references: { group: `http://${started.domain}/v4/groups/${group_guid}` },
      name: 'Newsletter',
      guid: expect.stringMatching(/^H[0-9A-Za-z]{10}$/),
      created: moment,
      modified: moment,
      group_guid,
    })
    expect((await get(`/v4/channels/${body.guid}`)).body).toEqual(body)
  })

  it('adds its links to their campaigns, and joins these campaigns', async () => {
    const [campaign_guid, shortlink_id] = [await aCampaign(), await aLink()]
    const channel = await aChannel({ shortlinks: [{ campaign_guid, shortlink_id }] })
    expect(await campaignsOf(shortlink_id)).toEqual([campaign_guid])
    expect(guids((await get(`/v4/channels?campaign_guid=${campaign_guid}`)).body.channels)).toEqual([channel])
  })

  it('accepts a short URL as the id, and an uppercase domain', async () => {
    const [campaign_guid, shortlink_id] = [await aCampaign(), await aLink()]
    const spelled = `http://${shortlink_id.replace('localhost', 'LOCALHOST')}`
    await aChannel({ shortlinks: [{ campaign_guid, shortlink_id: spelled }] })
    expect(await campaignsOf(shortlink_id)).toEqual([campaign_guid])
  })

  it('reads nulls as absent and ignores unknown fields', async () => {
    expect((await post({ group_guid, name: 'Nulls', guid: null, shortlinks: null, references: 5 })).status).toBe(200)
  })

  it.each([
    ['group_guid', undefined],
    ['group_guid', 5],
    ['name', undefined],
    ['name', ''],
    ['name', 5],
    ['name', 'x'.repeat(256)],
    ['guid', 5],
    ['shortlinks', 'text'],
    ['shortlinks', ['text']],
    ['shortlinks', [null]],
    ['shortlinks', [{ campaign_guid: 'C1' }]],
    ['shortlinks', [{ shortlink_id: 'a/b' }]],
    ['shortlinks', [{ campaign_guid: 5, shortlink_id: 'a/b' }]],
    ['shortlinks', [{ campaign_guid: 'C1', shortlink_id: 'no-slash' }]],
    ['shortlinks', [{ campaign_guid: 'C1', shortlink_id: '' }]],
    ['shortlinks', [{ campaign_guid: 'C1', shortlink_id: 'a/\u0000' }]],
    ['shortlinks', Array.from({ length: 1001 }, () => ({ campaign_guid: 'C1', shortlink_id: 'a/b' }))],
  ])('answers 400 when %s is %j, and creates nothing', async (field, value) => {
    const before = (await get('/v4/channels')).body
    const { status, body } = await post({ group_guid, name: 'Never', [field]: value })
    expect([status, body.message, body.resource]).toEqual([400, `INVALID_ARG_${field.toUpperCase()}`, 'channels'])
    expect(body.errors).toEqual([{ field, error_code: 'invalid' }])
    expect((await get('/v4/channels')).body).toEqual(before)
  })

  it('answers 400 INVALID_ARG_SHORTLINKS for a campaign or a link of another group of yours', async () => {
    const mine = { campaign_guid: await aCampaign(), shortlink_id: await aLink() }
    const wrong = [
      { ...mine, campaign_guid: await aCampaign({ group_guid: otherGroup }) },
      { ...mine, shortlink_id: await aLink({ group_guid: otherGroup }) },
    ]
    for (const entry of wrong) {
      const { status, body } = await post({ group_guid, name: 'Never', shortlinks: [mine, entry] })
      expect([status, body.message, body.resource]).toEqual([400, 'INVALID_ARG_SHORTLINKS', 'channels'])
    }
    expect(await campaignsOf(mine.shortlink_id)).toEqual([])
  })

  it("answers 403 for someone else's group, campaign or link", async () => {
    const theirs = { token: stranger.token }
    const [campaign_guid, shortlink_id] = [await aCampaign(), await aLink()]
    const foreign = await aCampaign({ group_guid: stranger.groupGuid }, theirs)
    const answers = [
      await post({ group_guid: stranger.groupGuid, name: 5 }),
      await post({ group_guid, name: 'Never', shortlinks: [{ campaign_guid: foreign, shortlink_id }] }),
      await post({ group_guid, name: 'Never', shortlinks: [{ campaign_guid, shortlink_id: await aLink({}, theirs) }] }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
  })

  it('answers 403 to readers, before it looks at the fields', async () => {
    const token = await aMember(started, group_guid, 'reader')
    expect((await post({ group_guid, name: 5 }, { token })).status).toBe(403)
  })

  it('answers 404 for a campaign or a link that does not exist or was deleted', async () => {
    const [campaign_guid, shortlink_id] = [await aCampaign(), await aLink()]
    const deleted = await aLink()
    await alterRecords(started, 'update links set deleted_at = 1 where id = ?', deleted)
    const answers = [
      await post({ group_guid, name: 'Never', shortlinks: [{ campaign_guid: 'Cnosuch', shortlink_id }] }),
      await post({ group_guid, name: 'Never', shortlinks: [{ campaign_guid, shortlink_id: `${shortlink_id}x` }] }),
      await post({ group_guid, name: 'Never', shortlinks: [{ campaign_guid, shortlink_id: deleted }] }),
    ]
    expect(answers.map(({ status, body }) => [status, body.message, body.resource])).toEqual([
      [404, 'NOT_FOUND', 'campaigns'],
      [404, 'NOT_FOUND', 'shortlinks'],
      [404, 'NOT_FOUND', 'shortlinks'],
    ])
  })

  it.each(unreadableBodies)('answers 422 to a body that is %s', async (_, body, status) => {
    const answer = await post(body)
    expect([answer.status, answer.body.resource]).toEqual([status, 'channels'])
  })
})

describe('POST /v4/channels/{channel_guid}/shortlinks', () => {
  const add = (guid: string, body: unknown, options: Options = {}) =>
    started.request('POST', `/v4/channels/${guid}/shortlinks`, { body, ...options })
  const linksOf = async (guid: string) =>
    (await get(`/v4/groups/${group_guid}/shortlinks?channel_guid=${guid}`)).body.links.map(
      ({ id }: { id: string }) => id,
    )

  it('answers 200, adds links and keeps the others, and the channel joins the campaign', async () => {
    const [channel_guid, campaign_guid] = [await aChannel(), await aCampaign()]
    const [one, two, three] = [await aLink(), await aLink(), await aLink()]
    const first = await add(channel_guid, { campaign_guid, shortlinks: [one] })
    expect([first.status, first.body]).toEqual([200, { channel_guid, campaign_guid, shortlinks: [one] }])
    expect(guids((await get(`/v4/channels?campaign_guid=${campaign_guid}`)).body.channels)).toEqual([channel_guid])
    await add(channel_guid, { campaign_guid, shortlinks: [two, three, two] })
    expect((await linksOf(channel_guid)).toSorted()).toEqual([one, two, three].toSorted())
    expect(await campaignsOf(two)).toEqual([campaign_guid])
  })

  it('adds all or nothing, and refuses what is not there or not theirs', async () => {
    const [guid, campaign_guid, link] = [await aChannel(), await aCampaign(), await aLink()]
    const theirs = await aLink({}, { token: stranger.token })
    const refused: [object, number][] = [
      [{ campaign_guid, shortlinks: [link, theirs] }, 403],
      [{ campaign_guid, shortlinks: [link, `${started.domain}/nosuch1`] }, 404],
      [{ campaign_guid: 'Cnosuch1234', shortlinks: [link] }, 404],
      [{ campaign_guid, shortlinks: [] }, 400],
      [{ campaign_guid, shortlinks: ['nothing'] }, 400],
      [{ campaign_guid }, 400],
      [{ shortlinks: [link] }, 400],
    ]
    for (const [body, status] of refused) expect((await add(guid, body)).status, JSON.stringify(body)).toBe(status)
    expect(await linksOf(guid)).toEqual([])
    const body = { campaign_guid, shortlinks: [link] }
    expect((await add(guid, body, { token: stranger.token })).status).toBe(403)
    const reader = await aMember(started, group_guid, 'reader')
    expect((await add(guid, body, { token: reader })).status).toBe(403)
    expect((await add('Hnosuch1234', body)).status).toBe(404)
    expect(await linksOf(guid)).toEqual([])
  })

  it.each(unreadableBodies)('answers 422 to a body that is %s', async (_, body, status) => {
    expect((await add(await aChannel(), body)).status).toBe(status)
  })
})

describe('GET /v4/channels', () => {
  it('answers 200 with the channels of the given group or campaign, or of all groups of the user', async () => {
    const [mine, other] = [await aChannel(), await aChannel({ group_guid: otherGroup })]
    const campaign = await aCampaign({ channel_guids: [mine] })
    const { status, body } = await get('/v4/channels')
    expect(status).toBe(200)
    expect(guids(body.channels)).toEqual(expect.arrayContaining([mine, other]))
    expect(guids((await get(`/v4/channels?group_guid=${otherGroup}`)).body.channels)).toEqual([other])
    expect(guids((await get(`/v4/channels?campaign_guid=${campaign}`)).body.channels)).toEqual([mine])
    const both = `/v4/channels?campaign_guid=${campaign}&group_guid=${otherGroup}`
    expect((await get(both)).body).toEqual({ channels: [] })
    expect((await get('/v4/channels', { token: stranger.token })).body).toEqual({ channels: [] })
  })

  it('answers 400 for two campaigns at once', async () => {
    const { status, body } = await get('/v4/channels?campaign_guid=a&campaign_guid=b')
    expect([status, body.message]).toEqual([400, 'INVALID_ARG_CAMPAIGN_GUID'])
  })

  it('answers 403 for a group or campaign that is not yours', async () => {
    const { token } = stranger
    expect((await get(`/v4/channels?group_guid=${group_guid}`, { token })).status).toBe(403)
    expect((await get(`/v4/channels?campaign_guid=${await aCampaign()}`, { token })).status).toBe(403)
  })

  it('answers 404 for a campaign that does not exist', async () => {
    const { status, body } = await get('/v4/channels?campaign_guid=Cnosuch')
    expect([status, body.message, body.resource]).toEqual([404, 'NOT_FOUND', 'campaigns'])
  })
})

describe('GET /v4/channels/{channel_guid}', () => {
  it('answers 200 to every member, readers too', async () => {
    const guid = await aChannel()
    const token = await aMember(started, group_guid, 'reader')
    const { status, body } = await get(`/v4/channels/${guid}`, { token })
    expect([status, body.guid]).toEqual([200, guid])
  })

  it("answers 403 for someone else's channel", async () => {
    expect((await get(`/v4/channels/${await aChannel()}`, { token: stranger.token })).status).toBe(403)
  })

  it.each(['Hnosuch', '%00'])('answers 404 for %s', async (guid) => {
    const { status, body } = await get(`/v4/channels/${guid}`)
    expect([status, body.message, body.resource]).toEqual([404, 'NOT_FOUND', 'channels'])
  })
})

describe('PATCH /v4/channels/{channel_guid}', () => {
  it('adds and removes some links with add_shortlinks and remove_shortlinks, and keeps the others', async () => {
    const [campaign_guid, one, two] = [await aCampaign(), await aLink(), await aLink()]
    const pair = (shortlink_id: string) => ({ campaign_guid, shortlink_id })
    const guid = await aChannel({ shortlinks: [pair(one)] })
    expect((await patch(guid, { add_shortlinks: [pair(two)] })).status).toBe(200)
    expect([await campaignsOf(one), await campaignsOf(two)]).toEqual([[campaign_guid], [campaign_guid]])
    expect((await patch(guid, { remove_shortlinks: [pair(one)] })).status).toBe(200)
    expect([await campaignsOf(one), await campaignsOf(two)]).toEqual([[], [campaign_guid]])
    const theirs = await aLink({}, { token: stranger.token })
    expect((await patch(guid, { add_shortlinks: [pair(theirs)] })).status).toBe(403)
    expect((await patch(guid, { add_shortlinks: [pair(`${started.domain}/nosuch1`)] })).status).toBe(404)
  })

  it('answers 200 and changes only the name', async () => {
    const [campaign_guid, shortlink_id] = [await aCampaign(), await aLink()]
    const guid = await aChannel({ shortlinks: [{ campaign_guid, shortlink_id }] })
    const before = (await get(`/v4/channels/${guid}`)).body
    const { status, body } = await patch(guid, { name: 'Billboard', guid: 'Hother', shortlinks: null })
    expect(status).toBe(200)
    expect(body).toEqual({ ...before, name: 'Billboard', modified: moment })
    expect(await campaignsOf(shortlink_id)).toEqual([campaign_guid])
  })

  it('replaces its links', async () => {
    const campaign_guid = await aCampaign()
    const [one, two] = [await aLink(), await aLink()]
    const guid = await aChannel({ shortlinks: [{ campaign_guid, shortlink_id: one }] })
    await patch(guid, { shortlinks: [{ campaign_guid, shortlink_id: two }] })
    expect([await campaignsOf(one), await campaignsOf(two)]).toEqual([[], [campaign_guid]])
    await patch(guid, { shortlinks: [] })
    expect(await campaignsOf(two)).toEqual([])
  })

  it('moves a channel into another of your groups only if it has no campaigns', async () => {
    const guid = await aChannel()
    expect((await patch(guid, { group_guid: otherGroup })).body.group_guid).toBe(otherGroup)
    const bound = await aChannel()
    await aCampaign({ channel_guids: [bound] })
    const { status, body } = await patch(bound, { group_guid: otherGroup, shortlinks: [] })
    expect([status, body.message]).toEqual([400, 'INVALID_ARG_GROUP_GUID'])
  })

  it.each([
    ['name', ' '],
    ['name', []],
    ['group_guid', 5],
    ['shortlinks', {}],
    ['shortlinks', [{ campaign_guid: 'C1', shortlink_id: 'nothing' }]],
  ])('answers 400 when %s is %j, and changes nothing', async (field, value) => {
    const guid = await aChannel()
    const before = (await get(`/v4/channels/${guid}`)).body
    const { status, body } = await patch(guid, { name: 'Never', [field]: value })
    expect([status, body.message, body.resource]).toEqual([400, `INVALID_ARG_${field.toUpperCase()}`, 'channels'])
    expect((await get(`/v4/channels/${guid}`)).body).toEqual(before)
  })

  it('answers 403 to strangers and readers, before it looks at the fields', async () => {
    const guid = await aChannel()
    const reader = await aMember(started, group_guid, 'reader')
    expect((await patch(guid, { name: 5 }, { token: stranger.token })).status).toBe(403)
    expect((await patch(guid, { name: 5 }, { token: reader })).status).toBe(403)
    expect((await patch(guid, { group_guid: stranger.groupGuid })).status).toBe(403)
  })

  it('answers 404 for a channel or campaign that does not exist', async () => {
    const missing = await patch('Hnosuch', { name: 5 })
    expect([missing.status, missing.body.resource]).toEqual([404, 'channels'])
    const shortlinks = [{ campaign_guid: 'Cnosuch', shortlink_id: await aLink() }]
    const { status, body } = await patch(await aChannel(), { shortlinks })
    expect([status, body.resource]).toEqual([404, 'campaigns'])
  })

  it.each(unreadableBodies)('answers 422 to a body that is %s', async (_, body, status) => {
    expect((await patch(await aChannel(), body)).status).toBe(status)
  })
})
