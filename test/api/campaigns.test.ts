import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'
import { aMember, aStranger, type Someone } from './alter-records.js'
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
const post = (body: unknown, options: Options = {}) => started.request('POST', '/v4/campaigns', { body, ...options })
const patch = (guid: string, body: unknown, options: Options = {}) =>
  started.request('PATCH', `/v4/campaigns/${guid}`, { body, ...options })
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/)

async function aCampaign(fields: object = {}): Promise<string> {
  return (await post({ group_guid, name: 'Spring', ...fields })).body.guid
}
async function aChannel(fields: object = {}, options: Options = {}): Promise<string> {
  const body = { group_guid, name: 'Poster', ...fields }
  return (await started.request('POST', '/v4/channels', { body, ...options })).body.guid
}
async function channelsOf(campaign: string): Promise<string[]> {
  const { body } = await get(`/v4/channels?campaign_guid=${campaign}`)
  return body.channels.map(({ guid }: { guid: string }) => guid).sort()
}

describe('POST /v4/campaigns', () => {
  it('answers 200 with the new campaign', async () => {
    const { status, body } = await post({ group_guid, name: 'Spring', description: 'Flowers\nand more' })
    expect(status).toBe(200)
    expect(body).toEqual({
      references: { group: `http://${started.domain}/v4/groups/${group_guid}` },
      guid: expect.stringMatching(/^C[0-9A-Za-z]{10}$/),
      group_guid,
      created_by: 'admin',
      name: 'Spring',
      description: 'Flowers\nand more',
      created: moment,
      modified: moment,
    })
    expect((await get(`/v4/campaigns/${body.guid}`)).body).toEqual(body)
  })

  it('takes channels of the same group', async () => {
    const channels = [await aChannel(), await aChannel()]
    const campaign = await aCampaign({ channel_guids: [...channels, channels[0]] })
    expect(await channelsOf(campaign)).toEqual([...channels].sort())
  })

  it('reads nulls as absent and ignores unknown fields', async () => {
    const { status, body } = await post({
      group_guid,
      name: 'Nulls',
      description: null,
      channel_guids: null,
      guid: 'C',
    })
    expect([status, body.description]).toEqual([200, ''])
    expect(body.guid).not.toBe('C')
  })

  it('lets members create campaigns', async () => {
    const token = await aMember(started, group_guid)
    expect((await post({ group_guid, name: 'By a member' }, { token })).status).toBe(200)
  })

  it.each([
    ['group_guid', undefined],
    ['group_guid', 5],
    ['name', undefined],
    ['name', null],
    ['name', ''],
    ['name', ' \n'],
    ['name', 5],
    ['name', 'a\u0000'],
    ['name', 'x'.repeat(256)],
    ['description', 5],
    ['description', 'a\u0000'],
    ['description', 'x'.repeat(2001)],
    ['channel_guids', 'H1'],
    ['channel_guids', [5]],
    ['channel_guids', [null]],
    ['channel_guids', Array.from({ length: 1001 }, () => 'H1')],
  ])('answers 400 when %s is %j, and creates nothing', async (field, value) => {
    const before = (await get('/v4/campaigns')).body
    const { status, body } = await post({ group_guid, name: 'Never', [field]: value })
    expect([status, body.message, body.resource]).toEqual([400, `INVALID_ARG_${field.toUpperCase()}`, 'campaigns'])
    expect(body.errors).toEqual([{ field, error_code: 'invalid' }])
    expect((await get('/v4/campaigns')).body).toEqual(before)
  })

  it('answers 400 INVALID_ARG_CHANNEL_GUIDS for a channel of another group of yours, and creates nothing', async () => {
    const before = (await get('/v4/campaigns')).body
    const foreign = await aChannel({ group_guid: otherGroup })
    const { status, body } = await post({ group_guid, name: 'Never', channel_guids: [foreign] })
    expect([status, body.message, body.resource]).toEqual([400, 'INVALID_ARG_CHANNEL_GUIDS', 'campaigns'])
    expect((await get('/v4/campaigns')).body).toEqual(before)
  })

  it("answers 403 for someone else's group, before it looks at the fields", async () => {
    const { status, body } = await post({ group_guid: stranger.groupGuid, name: 5 })
    expect([status, body.message, body.resource]).toEqual([403, 'FORBIDDEN', 'groups'])
    expect((await post({ group_guid: 'Bnosuch', name: 'x' })).status).toBe(403)
  })

  it("answers 403 for someone else's channel", async () => {
    const channel = await aChannel({ group_guid: stranger.groupGuid }, { token: stranger.token })
    expect((await post({ group_guid, name: 'Never', channel_guids: [channel] })).status).toBe(403)
  })

  it('answers 403 to readers, before it looks at the fields', async () => {
    const token = await aMember(started, group_guid, 'reader')
    expect((await post({ group_guid, name: 5 }, { token })).status).toBe(403)
  })

  it.each(['Hnosuch', 'a\u0000', ''])('answers 404 for the channel %j', async (channel) => {
    const { status, body } = await post({ group_guid, name: 'Never', channel_guids: [channel] })
    expect([status, body.message, body.resource]).toEqual([404, 'NOT_FOUND', 'channels'])
  })

  it.each(unreadableBodies)('answers 422 to a body that is %s', async (_, body, status) => {
    const answer = await post(body)
    expect([answer.status, answer.body.resource]).toEqual([status, 'campaigns'])
  })

  it('answers 406 to another content type', async () => {
    const options = { body: 'name=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    expect((await started.request('POST', '/v4/campaigns', options)).status).toBe(406)
  })
})

describe('GET /v4/campaigns', () => {
  it('answers 200 with the campaigns of the given group, or of all groups of the user', async () => {
    const mine = await aCampaign()
    const other = await aCampaign({ group_guid: otherGroup })
    const guidsOf = async (path: string, options: Options = {}) =>
      (await get(path, options)).body.campaigns.map(({ guid }: { guid: string }) => guid)
    expect(await guidsOf('/v4/campaigns')).toEqual(expect.arrayContaining([mine, other]))
    expect(await guidsOf(`/v4/campaigns?group_guid=${otherGroup}`)).toEqual([other])
    expect(await guidsOf('/v4/campaigns', { token: stranger.token })).toEqual([])
    expect((await get('/v4/campaigns')).status).toBe(200)
  })

  it.each(['/v4/campaigns', '/v4/channels', '/v4/bsds'])('reads an empty group as none, as %s does', async (path) => {
    const all = await get(path)
    const { status, body } = await get(`${path}?group_guid=`)
    expect([status, body]).toEqual([200, all.body])
  })

  it('answers 400 for two groups at once', async () => {
    const { status, body } = await get('/v4/campaigns?group_guid=a&group_guid=b')
    expect([status, body.message, body.resource]).toEqual([400, 'INVALID_ARG_GROUP_GUID', 'campaigns'])
  })

  it('answers 403 for a group that is not yours', async () => {
    expect((await get(`/v4/campaigns?group_guid=${group_guid}`, { token: stranger.token })).status).toBe(403)
    expect((await get('/v4/campaigns?group_guid=Bnosuch')).status).toBe(403)
  })
})

describe('GET /v4/campaigns/{campaign_guid}', () => {
  it('answers 200 to every member, readers too', async () => {
    const guid = await aCampaign()
    const token = await aMember(started, group_guid, 'reader')
    const { status, body } = await get(`/v4/campaigns/${guid}`, { token })
    expect([status, body.guid]).toEqual([200, guid])
  })

  it("answers 403 for someone else's campaign", async () => {
    const { status, body } = await get(`/v4/campaigns/${await aCampaign()}`, { token: stranger.token })
    expect([status, body.message]).toEqual([403, 'FORBIDDEN'])
  })

  it.each(['Cnosuch', '%00', '%F0%9F%98%80', "'--"])('answers 404 for %s', async (guid) => {
    const { status, body } = await get(`/v4/campaigns/${guid}`)
    expect([status, body.message, body.resource]).toEqual([404, 'NOT_FOUND', 'campaigns'])
  })
})

describe('PATCH /v4/campaigns/{campaign_guid}', () => {
  it('answers 200 and changes only the fields that were sent', async () => {
    const guid = await aCampaign({ description: 'Flowers' })
    const before = (await get(`/v4/campaigns/${guid}`)).body
    const { status, body } = await patch(guid, { name: 'Summer' })
    expect(status).toBe(200)
    expect(body).toEqual({ ...before, name: 'Summer', modified: moment })
    expect((await patch(guid, { description: '' })).body).toMatchObject({ name: 'Summer', description: '' })
  })

  it('replaces the channels', async () => {
    const [one, two] = [await aChannel(), await aChannel()]
    const guid = await aCampaign({ channel_guids: [one] })
    await patch(guid, { channel_guids: [two] })
    expect(await channelsOf(guid)).toEqual([two])
    await patch(guid, { name: 'Same channels' })
    expect(await channelsOf(guid)).toEqual([two])
    await patch(guid, { channel_guids: [] })
    expect(await channelsOf(guid)).toEqual([])
  })

  it('accepts its own response, with nulls and unknown fields', async () => {
    const { body } = await post({ group_guid, name: 'Whole' })
    const again = await patch(body.guid, { ...body, created_by: 'x', description: null, more: {} })
    expect(again.status).toBe(200)
    expect(again.body).toEqual({ ...body, modified: moment })
  })

  it('moves a campaign without channels into another group of yours', async () => {
    const guid = await aCampaign()
    const { status, body } = await patch(guid, { group_guid: otherGroup })
    expect([status, body.group_guid]).toEqual([200, otherGroup])
  })

  it('answers 400 INVALID_ARG_GROUP_GUID if its channels belong to the former group', async () => {
    const guid = await aCampaign({ channel_guids: [await aChannel()] })
    const { status, body } = await patch(guid, { name: 'Never', group_guid: otherGroup })
    expect([status, body.message]).toEqual([400, 'INVALID_ARG_GROUP_GUID'])
    expect((await get(`/v4/campaigns/${guid}`)).body).toMatchObject({ name: 'Spring', group_guid })
    expect((await patch(guid, { group_guid: otherGroup, channel_guids: [] })).status).toBe(200)
  })

  it.each([
    ['name', ' '],
    ['name', 5],
    ['description', []],
    ['channel_guids', {}],
    ['group_guid', 5],
  ])('answers 400 when %s is %j, and changes nothing', async (field, value) => {
    const guid = await aCampaign()
    const before = (await get(`/v4/campaigns/${guid}`)).body
    const { status, body } = await patch(guid, { description: 'Never', [field]: value })
    expect([status, body.message, body.resource]).toEqual([400, `INVALID_ARG_${field.toUpperCase()}`, 'campaigns'])
    expect((await get(`/v4/campaigns/${guid}`)).body).toEqual(before)
  })

  it('answers 403 to strangers and readers, before it looks at the fields', async () => {
    const guid = await aCampaign()
    const reader = await aMember(started, group_guid, 'reader')
    const answers = [
      await patch(guid, { name: 5 }, { token: stranger.token }),
      await patch(guid, { name: 5 }, { token: reader }),
      await patch(guid, { group_guid: stranger.groupGuid }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
  })

  it('answers 404 for a campaign or a channel that does not exist, before it looks at the fields', async () => {
    const missing = await patch('Cnosuch', { name: 5 })
    expect([missing.status, missing.body.resource]).toEqual([404, 'campaigns'])
    const { status, body } = await patch(await aCampaign(), { channel_guids: ['Hnosuch'] })
    expect([status, body.resource]).toEqual([404, 'channels'])
  })

  it.each(unreadableBodies)('answers 422 to a body that is %s', async (_, body, status) => {
    expect((await patch(await aCampaign(), body)).status).toBe(status)
  })
})
