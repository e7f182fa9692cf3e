import { describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'

/** Clients send an empty string or null for fields without a value. */
describe.each([
  ['an empty string', ''],
  ['null', null],
])('%s in a body means absent', (_, nothing) => {
  const started = useApp()

  let made = 0
  const aUrl = () => `https://example.com/empty/${made++}`
  const send = (method: string, path: string, body: object) => started.request(method, path, { body })

  it.each(['/v4/shorten', '/v4/shortlinks'])('POST %s', async (path) => {
    const body = { long_url: aUrl(), group_guid: nothing, domain: nothing, keyword: nothing, shortlink_id: nothing }
    const answer = await send('POST', path, { ...body, force_new_link: nothing })
    expect([answer.status, answer.body.id?.split('/')[0]]).toEqual([201, started.domain])
    expect(answer.body.references.group).toMatch(new RegExp(`/${started.groupGuid}$`))
    expect(answer.body.custom_shortlinks).toEqual([])
  })

  it('in rows of POST /v4/bulk/shorten', async () => {
    const row = { long_url: aUrl(), group_guid: nothing, domain: nothing, keyword: nothing, tags: nothing }
    const { body } = await send('POST', '/v4/bulk/shorten', { links: [row] })
    expect(body.results).toMatchObject([{ status: 201, link: { custom_shortlinks: [] } }])
  })

  it('PATCH /v4/shortlinks/{shortlink}', async () => {
    const { body: link } = await send('POST', '/v4/shortlinks', { long_url: aUrl(), title: 'kept', tags: ['kept'] })
    const change = { long_url: nothing, archived: nothing, tags: nothing, deeplinks: nothing }
    const { status, body } = await send('PATCH', `/v4/shortlinks/${link.id}`, change)
    expect([status, body]).toEqual([200, link])
  })

  it('in nested fields: deep links, filters of exports', async () => {
    const deeplink = { guid: nothing, app_guid: nothing, os: 'ios', install_type: nothing, install_url: nothing }
    const link = await send('POST', '/v4/shortlinks', { long_url: aUrl(), deeplinks: [deeplink] })
    expect([link.status, link.body.deeplinks]).toEqual([201, [expect.objectContaining({ install_type: 'no_install' })]])
    const kept = await send('PATCH', `/v4/shortlinks/${link.body.id}`, { deeplinks: link.body.deeplinks })
    expect(kept.body.deeplinks).toEqual(link.body.deeplinks)
    const filter = { domain: nothing, query: nothing, archived: nothing, campaign_guid: nothing }
    const exported = await send('POST', `/v4/groups/${started.groupGuid}/exports`, {
      export_type: 'links_list',
      filter,
    })
    expect([exported.status, exported.body.row_count > 0]).toEqual([200, true])
  })

  it('PATCH of campaigns, channels, groups and users', async () => {
    const group_guid = started.groupGuid
    const campaign = (await send('POST', '/v4/campaigns', { group_guid, name: 'Campaign', description: nothing })).body
    const channel = (await send('POST', '/v4/channels', { group_guid, name: 'Channel', guid: nothing })).body
    const before = (await started.request('GET', `/v4/groups/${group_guid}`)).body
    for (const [path, name] of [
      [`/v4/campaigns/${campaign.guid}`, 'Campaign'],
      [`/v4/channels/${channel.guid}`, 'Channel'],
      [`/v4/groups/${group_guid}`, before.name],
    ]) {
      const { status, body } = await send('PATCH', path, {
        name: nothing,
        group_guid: nothing,
        organization_guid: nothing,
      })
      expect([status, body.name]).toEqual([200, name])
    }
    const user = await send('PATCH', '/v4/user', { default_group_guid: nothing })
    expect([user.status, user.body.default_group_guid]).toEqual([200, group_guid])
  })

  it('but a required field then counts as missing', async () => {
    const { status, body } = await send('POST', '/v4/shorten', { long_url: nothing })
    expect([status, body.message]).toEqual([400, 'INVALID_ARG_LONG_URL'])
    const added = await send('POST', '/v4/shortlinks', { shortlink_id: `${started.domain}/none`, keyword: nothing })
    expect([added.status, added.body.message]).toEqual([404, 'NOT_FOUND'])
  })
})

describe('an empty string with a meaning', () => {
  const started = useApp()

  it('removes the title and the expiry of a link', async () => {
    const expiration_at = `${new Date(Date.now() + 86_400_000).toISOString().slice(0, 19)}+0000`
    const body = { long_url: 'https://example.com/', title: 'Title', expiration_at }
    const { id } = (await started.request('POST', '/v4/shortlinks', { body })).body
    const changed = await started.request('PATCH', `/v4/shortlinks/${id}`, { body: { title: '', expiration_at: '' } })
    expect(changed.status).toBe(200)
    expect(changed.body).not.toHaveProperty('title')
    expect(changed.body).not.toHaveProperty('expiration_at')
  })
})
