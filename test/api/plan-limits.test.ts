import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { operate } from '../../src/core/administration/operations.js'
import { plansFile } from '../support/plans-file.js'
import { useApp } from '../support/start-app.js'
import { alterRecords, aMember, aStranger, type Someone } from './alter-records.js'
import { firstOrganization, organize, unreadableBodies } from './organize.js'
import { asking } from './v3/ask.js'
import { refusedArgument } from './visits.js'

const plans = plansFile({
  encodes: { limits: { encodes: 3 } },
  fifty: { limits: { encodes: 50 } },
  branded: { limits: { encodes: 10, branded_links: 1 } },
  keywords: { displayName: 'Words', limits: { custom_back_halves: 1 } },
  redirects: { limits: { redirects: 1 } },
  requests: { limits: { api_requests: 10 } },
  none: { limits: { api_requests: 0 } },
  bare: { features: [] },
  exporting: { features: ['exports'] },
})

/** The value for no limit: clients that subtract the usage must not get below zero. */
const unlimited = 2_000_000_000

const march = Date.parse('2026-03-18T12:00:00Z')
let now = march
const started = useApp({ plans }, { clock: { now: () => now } })
let organization: string
let branded: string
beforeAll(async () => {
  organization = await firstOrganization(started)
  branded = await organize(started).domain('go.example.com', organization, [started.groupGuid])
})

/** A user whose organization is not the oldest. */
async function aNewcomer(): Promise<Someone> {
  const someone = await aStranger(started)
  await alterRecords(
    started,
    'update organizations set created_at = ? where created_at = 1',
    Date.parse('2099-01-01T00:00:00Z'),
  )
  return someone
}

let months = 0
/** A new month without usage. */
beforeEach(async () => {
  await give('unlimited')
  months += 1
  now = new Date(march).setUTCMonth(months + 3)
})

const post = (path: string, body: object, token?: string) =>
  started.request('POST', path, { body, ...(token !== undefined && { token }) })
const patch = (path: string, body: object) => started.request('PATCH', path, { body })
const get = (path: string, token?: string) => started.request('GET', path, token === undefined ? {} : { token })
const give = (plan: string) => patch(`/v4/organizations/${organization}/plan`, { plan })
let urls = 0
const url = () => `https://example.com/${++urls}`
const shorten = (body: object = {}) => post('/v4/shorten', { long_url: url(), ...body })
async function counts(): Promise<Record<string, [limit: number, count: number]>> {
  const { body } = await get(`/v4/organizations/${organization}/plan_limits`)
  const limits = body.plan_limits as { name: string; limit: number; count: number }[]
  return Object.fromEntries(limits.map(({ name, limit, count }) => [name, [limit, count]]))
}

describe('encodes', () => {
  it('get 429 MONTHLY_ENCODE_LIMIT_REACHED above the monthly limit, until the first of the next month', async () => {
    await give('encodes')
    for (let each = 0; each < 3; each++) expect((await shorten()).status).toBe(201)
    const { status, body, headers } = await shorten()
    expect(status).toBe(429)
    expect(body).toEqual({
      message: 'MONTHLY_ENCODE_LIMIT_REACHED',
      resource: 'shortlinks',
      description: expect.any(String),
    })
    const first = new Date(now).setUTCMonth(new Date(now).getUTCMonth() + 1, 1)
    const reset = first - (first % 86_400_000)
    expect(headers).toMatchObject({
      'x-ratelimit-reason': 'monthly encodes',
      'x-ratelimit-reset': String(reset / 1000),
    })
    expect(Number(headers['retry-after'])).toBe((reset - now) / 1000)
    expect((await post('/v4/shortlinks', { long_url: url(), title: 'A title' })).body.message).toBe(
      'MONTHLY_ENCODE_LIMIT_REACHED',
    )
    now = reset - 1
    expect((await shorten()).status).toBe(429)
    now = reset
    months += 1
    expect((await shorten()).status).toBe(201)
  })

  it('are not used by a retry with the same Idempotency-Key, also above the limit', async () => {
    await give('encodes')
    const request = { body: { long_url: url(), force_new_link: true }, headers: { 'idempotency-key': url() } }
    const ask = () => started.request('POST', '/v4/shorten', request)
    const first = await ask()
    for (let each = 0; each < 2; each++) expect((await shorten()).status).toBe(201)
    expect((await shorten()).status).toBe(429)
    const again = await ask()
    expect([again.status, again.text]).toEqual([201, first.text])
    expect((await counts()).encodes).toEqual([3, 3])
  })

  it('are used by changing a destination, and not by other changes', async () => {
    const { body: link } = await shorten()
    await give('encodes')
    const path = `/v4/shortlinks/${link.id}`
    expect((await patch(path, { long_url: url() })).status).toBe(200)
    expect((await patch(path, { long_url: url() })).status).toBe(200)
    const refused = await patch(path, { long_url: url() })
    expect([refused.status, refused.body.message]).toEqual([429, 'MONTHLY_ENCODE_LIMIT_REACHED'])
    expect((await patch(path, { title: 'Only a title' })).status).toBe(200)
    expect((await counts()).encodes).toEqual([3, 3])
  })

  it('are not used by refused requests, nor by an existing link of the group', async () => {
    await give('encodes')
    const long_url = url()
    await shorten({ long_url })
    await shorten({ long_url: 'no URL' })
    await shorten({ domain: 'unknown.example' })
    await post('/v4/shorten', {})
    await post('/v4/shortlinks', { long_url: url(), tags: ['not a tag'] })
    await post('/v4/shortlinks', { long_url: url(), keyword: `kept-${months}` })
    await post('/v4/shortlinks', { long_url: url(), keyword: `kept-${months}` })
    expect((await counts()).encodes).toEqual([3, 2])
    await shorten()
    expect((await shorten({ long_url })).status).toBe(200)
    expect((await shorten()).status).toBe(429)
    expect((await counts()).encodes).toEqual([3, 3])
  })

  it('are exact for 200 parallel callers', async () => {
    await give('fifty')
    const answers = await Promise.all(Array.from({ length: 200 }, () => shorten()))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(50)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(150)
    expect((await counts()).encodes).toEqual([50, 50])
  })

  it('are checked after the fields and before conflicts', async () => {
    const keyword = `first-${months}`
    await post('/v4/shortlinks', { long_url: url(), keyword })
    await give('encodes')
    await shorten()
    await shorten()
    expect((await shorten({ long_url: 'no URL' })).status).toBe(400)
    expect((await shorten({ group_guid: 'Bnosuch' })).status).toBe(403)
    expect((await post('/v4/shortlinks', { long_url: url(), keyword })).status).toBe(429)
  })
})

describe('other monthly limits', () => {
  it('refuse links on branded domains with 429 BRANDED_LINK_MONTHLY_LIMIT_EXCEEDED', async () => {
    await give('branded')
    expect((await shorten({ domain: branded })).status).toBe(201)
    const { status, body } = await shorten({ domain: branded })
    expect([status, body.message, body.resource]).toEqual([429, 'BRANDED_LINK_MONTHLY_LIMIT_EXCEEDED', 'shortlinks'])
    expect((await shorten()).status).toBe(201)
    expect(await counts()).toMatchObject({ encodes: [10, 2], branded_links: [1, 1] })
  })

  it('refuse custom back-halves with 429 KEYWORD_OVERRIDES_LIMIT_EXCEEDED', async () => {
    const { body: link } = await shorten()
    const { body: own } = await shorten({ domain: branded })
    await give('keywords')
    expect((await post('/v4/shortlinks', { shortlink_id: link.id, keyword: `one-${months}` })).status).toBe(200)
    const answers = [
      await post('/v4/shortlinks', { shortlink_id: link.id, keyword: `two-${months}` }),
      await post('/v4/shortlinks', { long_url: url(), keyword: `two-${months}` }),
      await post('/v4/custom_shortlinks', { custom_shortlink: `${branded}/two-${months}`, shortlink_id: own.id }),
    ]
    for (const { status, body } of answers) {
      expect([status, body.message]).toEqual([429, 'KEYWORD_OVERRIDES_LIMIT_EXCEEDED'])
    }
    expect(await counts()).toMatchObject({ encodes: [unlimited, 2], custom_back_halves: [1, 1] })
  })

  it('refuse changes of destinations with 429 LIMIT_EXCEEDED_DESTINATION_OVERRIDES', async () => {
    const { body: link } = await shorten()
    await give('redirects')
    expect((await patch(`/v4/shortlinks/${link.id}`, { long_url: url() })).status).toBe(200)
    const { status, body } = await patch(`/v4/shortlinks/${link.id}`, { long_url: url() })
    expect([status, body.message]).toEqual([429, 'LIMIT_EXCEEDED_DESTINATION_OVERRIDES'])
  })

  it('spend an encode on every PATCH with a long_url, also with the one that the link has', async () => {
    const { body: link } = await shorten()
    const before = (await counts()).encodes?.[1] ?? 0
    const same = await patch(`/v4/shortlinks/${link.id}`, { long_url: link.long_url })
    expect([same.status, same.body.long_url]).toEqual([200, link.long_url])
    expect((await counts()).encodes?.[1]).toBe(before + 1)
    await patch(`/v4/shortlinks/${link.id}`, { title: 'costs nothing' })
    expect((await counts()).encodes?.[1]).toBe(before + 1)
    // It was not redirected, so it can still be deleted.
    expect((await started.request('DELETE', `/v4/shortlinks/${link.id}`)).status).toBe(200)
  })

  it('reject the eleventh of ten API requests with 429 API_USAGE_LIMIT_EXCEEDED, and do not count it', async () => {
    const { organizations, token } = await aStrangersPlan('requests')
    const path = `/v4/organizations/${organizations}`
    for (let each = 0; each < 9; each++) expect((await get('/v4/user', token)).status).toBe(200)
    // For any operation, valid or not.
    expect((await get('/v4/shortlinks/sho.rt/none', token)).status).toBe(404)
    const { status, body, headers } = await get(`${path}/plan_limits`, token)
    expect([status, body.message, body.resource]).toEqual([429, 'API_USAGE_LIMIT_EXCEEDED', 'organizations'])
    expect(headers).toMatchObject({ 'x-ratelimit-reason': 'monthly api_requests', 'x-ratelimit-limit': '10' })
    expect((await post('/v4/shorten', { long_url: url() }, token)).status).toBe(429)
    await patch(`${path}/plan`, { plan: 'unlimited' })
    await started.app.apiRequests.write()
    const { body: limits } = await get(`${path}/plan_limits`, token)
    const { count, ...shown } = limits.plan_limits.at(-1)
    expect(shown).toMatchObject({ name: 'api_requests', limit: unlimited, unlimited: true })
    // The request that asks is counted too, once a second.
    expect([10, 11]).toContain(count)
  })

  it('count concurrent API requests exactly, and start again every month', async () => {
    const { token } = await aStrangersPlan('requests')
    const parallel = async () => {
      const answers = await Promise.all(Array.from({ length: 40 }, () => get('/v4/user', token)))
      return answers.filter(({ status }) => status === 200).length
    }
    expect(await parallel()).toBe(10)
    now = new Date(now).setUTCMonth(new Date(now).getUTCMonth() + 1, 1)
    expect(await parallel()).toBe(10)
    months += 1
  })

  async function aStrangersPlan(plan: string): Promise<{ organizations: string; token: string }> {
    const { token } = await aNewcomer()
    const { body } = await get('/v4/groups', token)
    const organizations = body.groups[0].organization_guid
    const given = await patch(`/v4/organizations/${organizations}/plan`, { plan })
    expect(given.status).toBe(200)
    // Reading the plan was a request too.
    now = new Date(now).setUTCMonth(new Date(now).getUTCMonth() + 1)
    months += 1
    return { organizations, token }
  }
})

describe('a feature that the plan does not include', () => {
  let link: string
  let change: string
  let custom: string
  let campaign: string
  let channel: string
  beforeAll(async () => {
    link = (await shorten()).body.id
    for (const dynamic_routing of [routing, []]) await patch(`/v4/shortlinks/${link}`, { dynamic_routing })
    change = (await get(`/v4/shortlinks/${link}/history`)).body.history[0].guid
    const own = (await shorten({ domain: branded })).body.id
    custom = `${branded}/kept`
    await post('/v4/custom_shortlinks', { custom_shortlink: custom, shortlink_id: own })
    const group_guid = started.groupGuid
    campaign = (await post('/v4/campaigns', { group_guid, name: 'Spring' })).body.guid
    channel = (await post('/v4/channels', { group_guid, name: 'Mail' })).body.guid
  })
  beforeEach(() => give('bare'))

  const inAnHour = () => new Date(now + 3_600_000).toISOString().replace('.000Z', '+0000')
  const deeplinks = [{ app_uri_path: '/x', install_type: 'no_install', os: 'ios' }]
  const routing = [{ long_url: 'https://example.com/de', country_match: ['DE'] }]
  const group = () => `/v4/groups/${started.groupGuid}`
  const requests: readonly (readonly [operation: string, request: () => ReturnType<typeof get>, resource?: string])[] =
    [
      [
        'POST /v4/shortlinks with an expiry',
        () => post('/v4/shortlinks', { long_url: url(), expiration_at: inAnHour() }),
      ],
      ['POST /v4/shortlinks with rules', () => post('/v4/shortlinks', { long_url: url(), dynamic_routing: routing })],
      [
        'POST /v4/shortlinks with a custom back-half on a branded domain',
        () => post('/v4/shortlinks', { long_url: url(), domain: branded, keyword: 'another' }),
      ],
      ['PATCH /v4/shortlinks/{shortlink}', () => patch(`/v4/shortlinks/${link}`, { expiration_at: inAnHour() })],
      ['POST /v4/shortlinks/{shortlink}/restore', () => post(`/v4/shortlinks/${link}/restore`, { guid: change })],
      [
        'POST /v4/custom_shortlinks',
        async () => {
          const shortlink_id = (await shorten({ domain: branded })).body.id
          return post('/v4/custom_shortlinks', { custom_shortlink: `${branded}/another`, shortlink_id })
        },
      ],
      [
        'PATCH /v4/custom_shortlinks/{custom_shortlink}',
        async () => {
          const shortlink_id = (await shorten({ domain: branded })).body.id
          return patch(`/v4/custom_shortlinks/${custom}`, { shortlink_id })
        },
      ],
      ['GET /v4/custom_shortlinks/{custom_shortlink}', () => get(`/v4/custom_shortlinks/${custom}`)],
      ['GET /v4/custom_shortlinks/{custom_shortlink}/clicks', () => get(`/v4/custom_shortlinks/${custom}/clicks`)],
      [
        'GET /v4/custom_shortlinks/{custom_shortlink}/clicks_by_destination',
        () => get(`/v4/custom_shortlinks/${custom}/clicks_by_destination`),
      ],
      ['GET /v4/shortlinks/{shortlink}/cities', () => get(`/v4/shortlinks/${link}/cities`)],
      ['the filter city', () => get(`/v4/shortlinks/${link}/clicks?city=is:Berlin`)],
      ['the filter os', () => get(`/v4/shortlinks/${link}/countries?os=is_not:iOS`)],
      ['GET /v4/shortlinks/{shortlink}/devices', () => get(`/v4/shortlinks/${link}/devices`)],
      ['GET /v4/groups/{group_guid}/clicks', () => get(`${group()}/clicks`), 'groups'],
      ['GET /v4/groups/{group_guid}/cities', () => get(`${group()}/cities`), 'groups'],
      ['GET /v4/groups/{group_guid}/devices', () => get(`${group()}/devices`), 'groups'],
      // The same numbers under other names.
      ...['clicks', 'clicks/summary', 'engagements', 'engagements/summary', 'countries', 'referrers_by_domains'].map(
        (path) =>
          [
            `GET /v4/shortlinks/{shortlink}/${path} of a custom short link`,
            () => get(`/v4/shortlinks/${custom}/${path}`),
          ] as const,
      ),
      ...[
        ...['links/clicks/over_time', 'engagements/over_time', 'links/clicks/cities', 'codes/scans/cities'],
        'links/clicks/devices',
      ].map((path) => [`GET /v4/groups/{group_guid}/${path}`, () => get(`${group()}/${path}`), 'groups'] as const),
      [
        'GET /v4/groups/{group_guid}/shortlinks of a campaign',
        () => get(`${group()}/shortlinks?campaign_guid=${campaign}`),
      ],
      [
        'GET /v4/groups/{group_guid}/shortlinks of a channel',
        () => get(`${group()}/shortlinks?channel_guid=${channel}`),
      ],
      ['GET /v4/campaigns', () => get('/v4/campaigns'), 'campaigns'],
      ['POST /v4/campaigns', () => post('/v4/campaigns', { group_guid: started.groupGuid, name: 'New' }), 'campaigns'],
      ['GET /v4/campaigns/{campaign_guid}', () => get(`/v4/campaigns/${campaign}`), 'campaigns'],
      ['PATCH /v4/campaigns/{campaign_guid}', () => patch(`/v4/campaigns/${campaign}`, { name: 'New' }), 'campaigns'],
      [
        'GET /v4/groups/{group_guid}/campaigns/metrics',
        () => get(`${group()}/campaigns/metrics?campaign_guid=${campaign}`),
        'groups',
      ],
      ['GET /v4/channels', () => get('/v4/channels'), 'channels'],
      ['POST /v4/channels', () => post('/v4/channels', { group_guid: started.groupGuid, name: 'New' }), 'channels'],
      ['GET /v4/channels/{channel_guid}', () => get(`/v4/channels/${channel}`), 'channels'],
      ['PATCH /v4/channels/{channel_guid}', () => patch(`/v4/channels/${channel}`, { name: 'New' }), 'channels'],
      [
        'POST /v4/channels/{channel_guid}/shortlinks',
        () => post(`/v4/channels/${channel}/shortlinks`, { campaign_guid: campaign, shortlinks: [link] }),
      ],
      [
        'POST /v4/groups/{group_guid}/exports',
        () => post(`${group()}/exports`, { export_type: 'links_list', filter: {} }),
        'groups',
      ],
    ]

  const cases = requests.map(([operation, request, resource = 'shortlinks']) => [operation, request, resource] as const)
  it.each(cases)('%s answers 402 UPGRADE_REQUIRED', async (_operation, request, resource) => {
    const { status, body } = await request()
    expect(status).toBe(402)
    expect(body).toEqual({ message: 'UPGRADE_REQUIRED', resource, description: expect.any(String) })
  })

  it.each([
    ['a link', () => `/v4/shortlinks/${link}/cities`],
    ['a custom link', () => `/v4/custom_shortlinks/${custom}/clicks`],
    ['a group', () => `${group()}/devices`],
  ])('metrics of %s report invalid arguments before the missing plan feature', async (_what, path) => {
    expect((await get(`${path()}?unit=fortnight`)).status).toBe(400)
  })

  it('is missing in CSV as in JSON', async () => {
    for (const path of [`/v4/shortlinks/${link}/cities`, `${group()}/devices`, `/v4/shortlinks/${custom}/clicks`]) {
      expect((await started.request('GET', path, { headers: { accept: 'text/csv' } })).status).toBe(402)
    }
  })

  it('is missing in exports', async () => {
    const named = { export_type: 'link_engagements_batch', shortlinks: [custom] }
    const ofCampaign = { export_type: 'links_list', filter: { campaign_guid: campaign } }
    await give('exporting')
    for (const body of [named, ofCampaign]) {
      const answer = await post(`${group()}/exports`, body)
      expect([answer.status, answer.body.message]).toEqual([402, 'UPGRADE_REQUIRED'])
    }
    const ofLink = { export_type: 'link_engagements_batch', shortlinks: [link] }
    expect((await post(`${group()}/exports`, ofLink)).status).toBe(200)
  })

  it('is missing in v3 as in v4', async () => {
    const v3 = asking(started)
    const customLink = `http://${custom}`
    const refused: readonly (readonly [string, Record<string, string>])[] = [
      ['user/clicks', {}],
      ['user/clicks', { unit: 'day' }],
      ['user/clicks', { unit: 'day', rollup: 'false' }],
      ['link/clicks', { link: customLink }],
      ['link/clicks', { link: customLink, rollup: 'false' }],
      ['link/countries', { link: customLink }],
      ['link/referrers_by_domain', { link: customLink }],
      ['user/link_history', { campaign_id: campaign }],
      ['user/tracking_domain_clicks', { domain: 'example.com' }],
    ]
    for (const [path, query] of refused) {
      expect([path, query, await v3.refusal(path, query)]).toEqual([path, query, '200 403 UPGRADE_REQUIRED'])
    }
    const items = await v3.data('clicks', { shortUrl: customLink })
    expect(items.clicks[0]).toMatchObject({ error: 'UPGRADE_REQUIRED' })
    expect((await v3.data('link/clicks', { link: `http://${link}` })).link_clicks).toBe(0)
    expect(await v3.data('user/popular_links')).toMatchObject({ popular_links: [] })
  })

  it('is reported with the resource deeplinks for deep links', async () => {
    await give('unlimited')
    const app = { name: 'Shop', os: 'ios', uri_scheme: 'shop', app_id: 'ABCDE12345.com.shop' }
    const { body: registered } = await post(`/v4/organizations/${organization}/mobile_apps`, app)
    await give('bare')
    const input = deeplinks.map((each) => ({ ...each, app_guid: registered.guid }))
    const answers = [
      await post('/v4/shortlinks', {
        long_url: url(),
        deeplinks: input.map(({ app_guid, ...rest }) => ({ ...rest, app_id: app_guid })),
      }),
      await patch(`/v4/shortlinks/${link}`, { deeplinks: input }),
    ]
    for (const { status, body } of answers) {
      expect([status, body.message, body.resource]).toEqual([402, 'UPGRADE_REQUIRED', 'deeplinks'])
    }
  })

  it('is not needed to send a resource back unchanged', async () => {
    await give('unlimited')
    const input = { deeplinks, dynamic_routing: routing, expiration_at: inAnHour() }
    const { body: whole } = await post('/v4/shortlinks', { long_url: url(), ...input })
    await give('bare')
    const { status, body } = await patch(`/v4/shortlinks/${whole.id}`, { ...whole, title: 'A title' })
    expect([status, body]).toEqual([200, { ...whole, title: 'A title' }])
  })

  it('is checked after access and fields, and nothing is written', async () => {
    expect((await post('/v4/shortlinks', { long_url: url(), expiration_at: 'tomorrow' })).status).toBe(400)
    expect((await get(`/v4/shortlinks/${link}/cities?units=0`)).status).toBe(400)
    expect((await get('/v4/groups/Bnosuch/cities')).status).toBe(403)
    expect((await get('/v4/campaigns/Cnosuch')).status).toBe(404)
    const long_url = url()
    expect((await post('/v4/shortlinks', { long_url, expiration_at: inAnHour() })).status).toBe(402)
    expect((await post('/v4/shortlinks', { long_url })).status).toBe(201)
  })

  it('does not affect features of every plan', async () => {
    expect((await shorten()).status).toBe(201)
    expect((await post('/v4/shortlinks', { long_url: url(), keyword: `word-${months}`, tags: ['a'] })).status).toBe(201)
    expect((await get(`/v4/shortlinks/${link}/countries`)).status).toBe(200)
    expect((await get(`/v4/shortlinks/${link}/engagements`)).status).toBe(200)
    const free = ['countries', 'referrers', 'shortlinks/clicks', 'codes/scans/over_time', 'codes/scans/countries']
    for (const path of free) expect((await get(`${group()}/${path}`)).status).toBe(200)
    // On a built-in domain a back-half is not a custom short link, with either operation.
    const word = `${started.domain}/word-${months}`
    for (const path of [`/v4/shortlinks/${word}/clicks`, `/v4/custom_shortlinks/${word}/clicks`]) {
      expect((await get(path)).status).toBe(200)
    }
  })
})

describe('GET /v4/organizations/{organization_guid}/plan_limits', () => {
  it('answers 200 with every limit and the usage of this month', async () => {
    await give('keywords')
    await shorten({ domain: branded })
    await started.app.apiRequests.write()
    const { status, body } = await get(`/v4/organizations/${organization}/plan_limits`)
    expect(status).toBe(200)
    const limit = (name: string, most: number, count: unknown) => ({
      name,
      description: expect.any(String),
      limit: most,
      unlimited: most === unlimited,
      count,
    })
    expect(body).toEqual({
      references: { organization: `${started.app.config.baseUrl}/v4/organizations/${organization}` },
      organization_guid: organization,
      plan_limits: [
        limit('encodes', unlimited, 1),
        limit('branded_links', unlimited, 1),
        limit('custom_back_halves', 1, 0),
        limit('redirects', unlimited, 0),
        limit('qr_codes', unlimited, 0),
        limit('api_requests', unlimited, expect.any(Number)),
      ],
    })
    expect(body.plan_limits.at(-1).count).toBeGreaterThan(0)
  })

  it('answers 403 for an organization that is not yours; every member may look', async () => {
    const { token } = await aNewcomer()
    const { status, body } = await get(`/v4/organizations/${organization}/plan_limits`, token)
    expect([status, body.message, body.resource]).toEqual([403, 'FORBIDDEN', 'organizations'])
    expect((await get('/v4/organizations/Onosuch/plan_limits')).status).toBe(403)
    const reader = await aMember(started, started.groupGuid, 'reader')
    expect((await get(`/v4/organizations/${organization}/plan_limits`, reader)).status).toBe(200)
  })
})

describe('PATCH /v4/organizations/{organization_guid}/plan', () => {
  const path = () => `/v4/organizations/${organization}/plan`

  it('answers 200, and the organization shows its plan as its tier', async () => {
    const { status, body } = await give('keywords')
    expect(status).toBe(200)
    expect(body).toEqual({ organization_guid: organization, plan: 'keywords', plan_display_name: 'Words' })
    const { body: shown } = await get(`/v4/organizations/${organization}`)
    expect(shown).toMatchObject({ tier: 'keywords', tier_family: 'keywords', tier_display_name: 'Words' })
  })

  it('answers 409 for a plan without API access, unless forced', async () => {
    for (let each = 0; each < 10; each += 1) await get('/v4/user')
    await started.app.apiRequests.write()
    for (const plan of ['requests', 'none']) {
      const { status, body } = await give(plan)
      expect([status, body.message, body.resource]).toEqual([409, 'CONFLICT', 'organizations'])
      expect(body.description).toContain('it would be locked out of the API until 20')
      expect(body.description).toContain('Confirm with "force": true, or --force on the command line.')
      expect((await get(`/v4/organizations/${organization}`)).body.tier).toBe('unlimited')
    }
    const { status, body } = await patch(path(), { plan: 'requests', force: true })
    expect([status, body.plan]).toEqual([200, 'requests'])
    expect((await get('/v4/user')).status).toBe(429)
    // Entries of the same millisecond have no order.
    now += 1
    await operate(started.app, operator, 'setPlan', { organizationGuid: organization, plan: 'unlimited' })
    // Of entries of the same millisecond any may come first.
    const entries = (await get(`/v4/organizations/${organization}/audit_log?size=10`)).body.audit_log
    const byOperator = { action: 'plan_changed', login: 'operator', details: { plan: 'unlimited' } }
    expect(entries).toContainEqual(expect.objectContaining(byOperator))
  })

  it('answers 400 for a plan that does not exist and changes nothing', async () => {
    await give('keywords')
    for (const plan of ['nonsense', 7, '']) {
      const { status, body } = await patch(path(), { plan })
      expect(status).toBe(400)
      expect(body).toEqual(refusedArgument('plan', 'organizations'))
    }
    expect((await patch(path(), {})).status).toBe(400)
    expect((await get(`/v4/organizations/${organization}`)).body.tier).toBe('keywords')
  })

  it('answers 403 to everybody but administrators of the first organization, whatever else is invalid', async () => {
    const { token } = await aNewcomer()
    const member = await aMember(started, started.groupGuid, 'admin')
    for (const each of [token, member]) {
      for (const plan of ['unlimited', 'nonsense']) {
        const { status, body } = await started.request('PATCH', path(), { token: each, body: { plan } })
        expect([status, body.message]).toEqual([403, 'FORBIDDEN'])
      }
    }
  })

  it('answers 404 for an organization that does not exist', async () => {
    const { status, body } = await patch('/v4/organizations/Onosuch/plan', { plan: 'bare' })
    expect([status, body.message, body.resource]).toEqual([404, 'NOT_FOUND', 'organizations'])
  })

  it.each(unreadableBodies)('answers an unreadable body, %s, with 422', async (_what, body, status) => {
    expect((await started.request('PATCH', path(), { body })).status).toBe(status)
  })

  it('answers 406 for a body that is not JSON', async () => {
    const answer = await started.request('PATCH', path(), {
      body: 'plan=bare',
      headers: { 'content-type': 'text/plain' },
    })
    expect(answer.status).toBe(406)
  })
})

describe('GET /v4/groups/{group_guid}/feature_usage', () => {
  it('counts the API requests of those whose default group it is', async () => {
    await started.app.apiRequests.write()
    const usage = async () => {
      const { body } = await get(`/v4/groups/${started.groupGuid}/feature_usage?name=api_requests`)
      return body.limit_usage[0].count
    }
    const before = await usage()
    await get('/v4/user')
    await get('/v4/user')
    await started.app.apiRequests.write()
    // The two, and perhaps the earlier one: counts are written once a second, also while that one is answered.
    expect([before + 2, before + 3]).toContain(await usage())
  })
})
