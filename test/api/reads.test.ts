import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type StartedApp, startApp } from '../support/start-app.js'
import { firstOrganization, organize } from './organize.js'

const domain = 'go.brand.example'

describe('a request reads its object once, for access and for the operation', () => {
  let started: StartedApp
  let made = 0
  beforeAll(async () => {
    started = await startApp()
    await organize(started).domain(domain, await firstOrganization(started), [started.groupGuid])
  })
  afterEach(() => vi.restoreAllMocks())
  afterAll(() => started.close())

  const post = async (path: string, body: object) => (await started.request('POST', path, { body })).body
  const aLink = async (): Promise<string> =>
    (await post('/v4/shortlinks', { long_url: `https://example.com/reads/${made++}`, domain })).id
  const aKeyword = async (): Promise<string> => {
    const custom_shortlink = `${domain}/word-${made++}`
    await post('/v4/custom_shortlinks', { custom_shortlink, shortlink_id: await aLink() })
    return custom_shortlink
  }
  const inGroup = () => ({ group_guid: started.groupGuid, name: 'One' })

  /** Real stores that count their calls. */
  const watched = () => {
    const { links, campaigns, applications, groups } = started.app
    return {
      links: vi.spyOn(links, 'get'),
      keywords: vi.spyOn(links, 'getKeyword'),
      campaigns: vi.spyOn(campaigns, 'campaign'),
      channels: vi.spyOn(campaigns, 'channel'),
      applications: vi.spyOn(applications, 'get'),
      organizations: vi.spyOn(groups, 'organizations'),
    }
  }

  const operations: readonly [
    operation: string,
    reads: keyof ReturnType<typeof watched>,
    ask: () => Promise<{ path: string; body?: object }>,
  ][] = [
    [
      'PATCH /v4/shortlinks/{shortlink}',
      'links',
      async () => ({ path: `/v4/shortlinks/${await aLink()}`, body: { title: 'New' } }),
    ],
    ['DELETE /v4/shortlinks/{shortlink}', 'links', async () => ({ path: `/v4/shortlinks/${await aLink()}` })],
    [
      'POST /v4/shortlinks',
      'links',
      async () => ({ path: '/v4/shortlinks', body: { shortlink_id: await aLink(), keyword: `word-${made++}` } }),
    ],
    [
      'POST /v4/custom_shortlinks',
      'links',
      async () => ({
        path: '/v4/custom_shortlinks',
        body: { shortlink_id: await aLink(), custom_shortlink: `${domain}/word-${made++}` },
      }),
    ],
    [
      // To the link it already points to, so that nothing is read afterwards.
      'PATCH /v4/custom_shortlinks/{custom_shortlink}',
      'keywords',
      async () => {
        const keyword = await aKeyword()
        const { body } = await started.request('GET', `/v4/custom_shortlinks/${keyword}`)
        return { path: `/v4/custom_shortlinks/${keyword}`, body: { shortlink_id: body.shortlink.id } }
      },
    ],
    [
      'GET /v4/shortlinks/{shortlink}/clicks',
      'links',
      async () => ({ path: `/v4/shortlinks/${await aLink()}/clicks` }),
    ],
    [
      'PATCH /v4/campaigns/{campaign_guid}',
      'campaigns',
      async () => ({
        path: `/v4/campaigns/${(await post('/v4/campaigns', inGroup())).guid}`,
        body: { name: 'Two' },
      }),
    ],
    [
      'PATCH /v4/channels/{channel_guid}',
      'channels',
      async () => ({ path: `/v4/channels/${(await post('/v4/channels', inGroup())).guid}`, body: { name: 'Two' } }),
    ],
    [
      'PATCH /v4/user/applications/{client_id}',
      'applications',
      async () => ({
        path: `/v4/user/applications/${(await post('/v4/user/applications', { name: 'One' })).client_id}`,
        body: { name: 'Two' },
      }),
    ],
    [
      'POST /v4/user/applications/{client_id}/secret',
      'applications',
      async () => ({
        path: `/v4/user/applications/${(await post('/v4/user/applications', { name: 'One' })).client_id}/secret`,
      }),
    ],
    [
      'PATCH /v4/organizations/{organization_guid}/plan',
      'organizations',
      async () => ({
        path: `/v4/organizations/${await firstOrganization(started)}/plan`,
        body: { plan: 'unlimited' },
      }),
    ],
  ]

  it.each(operations)('%s', async (operation, reads, ask) => {
    const [method = ''] = operation.split(' ')
    const { path, body } = await ask()
    const store = watched()[reads]
    expect((await started.request(method, path, { body })).status).toBe(200)
    expect(store).toHaveBeenCalledTimes(1)
  })

  it('GET /v4/groups/{group_guid}/overrides reads back-halves in batches', async () => {
    const links = Array.from({ length: 130 }, (_, n) => ({
      long_url: `https://example.com/reads/many/${n}`,
      keyword: `many-${n}`,
    }))
    await post('/v4/bulk/shorten', { links, domain })
    const { links: store } = started.app
    const [one, many] = [vi.spyOn(store, 'getKeyword'), vi.spyOn(store, 'currentEntries')]
    const path = `/v4/groups/${started.groupGuid}/overrides`
    expect((await started.request('GET', `${path}?created_after=4000000000`)).body.overrides).toEqual([])
    expect(one).not.toHaveBeenCalled()
    expect(many.mock.calls.length).toBeLessThanOrEqual(2)
    const listed = (await started.request('GET', `${path}?limit=100&bsd=${domain}`)).body.overrides
    expect(listed).toHaveLength(100)
  })
})
