import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../support/start-app.js'
import { refusedArgument, visit } from './visits.js'

let started: StartedApp
/** Six clicks and one scan; `word` is its back-half, with two clicks. */
let link: string
let word: string
let other: string
let code: string

beforeAll(async () => {
  started = await startApp({ trustProxy: 1 })
  link = await aLink('https://example.com/a')
  other = await aLink('https://example.com/b')
  word = `${started.domain}/filtered-word`
  const created = await started.request('POST', '/v4/shortlinks', {
    body: { shortlink_id: link, keyword: 'filtered-word' },
  })
  expect(created.status).toBe(200)
  await visit(started, link)
  await visit(started, link, { agent: 'phone', referrer: 'https://l.instagram.com/abc' })
  await visit(started, link, { agent: 'phone', from: 'mountainView' })
  await visit(started, link, { agent: 'tablet', from: 'nowhere' })
  await visit(started, link, { from: 'mountainView', referrer: 'https://blog.example.org/' })
  await visit(started, link, { agent: 'robot', from: 'mountainView' })
  await visit(started, word)
  await visit(started, word, { agent: 'phone' })
  await visit(started, other, { from: 'mountainView' })
  const body = { group_guid: started.groupGuid, title: 'Poster', destination: { shortlink_id: link } }
  code = (await started.request('POST', '/v4/qr-codes', { body })).body.qrcode_id
  await visit(started, link, { agent: 'phone', scan: true })
  await visit(started, link, { agent: 'phone', scan: true, from: 'mountainView' })
  await started.clicksCounted()
})
afterAll(() => started.close())

async function aLink(longUrl: string): Promise<string> {
  return (await started.request('POST', '/v4/shortlinks', { body: { long_url: longUrl } })).body.id
}

const get = (path: string) => started.request('GET', path)
const total = async (query: string) =>
  (await get(`/v4/shortlinks/${link}/clicks/summary?${query}`)).body.total_clicks as number
const groupTotal = async (query: string) => {
  const { body } = await get(`/v4/groups/${started.groupGuid}/clicks?unit=month&units=1&${query}`)
  return body.data[0].count as number
}

describe('filters of metrics', () => {
  it.each([
    ['', 5],
    ['country=is:GB', 2],
    ['country=is:US', 2],
    ['country=is:GB,US', 4],
    ['country=is_not:GB', 3],
    ['country=is_not:GB,US', 1],
    ['country=is:', 1],
    ['country=is:gb', 0],
    ['device=is:Mobile', 2],
    ['device=is:Mobile&country=is:US', 1],
    ['device=is_not:Mobile&country=is:US', 1],
    ['os=is:iOS', 3],
    ['browser=is:Firefox', 2],
    ['referrer=is:Instagram', 1],
    ['referrer=is_not:Instagram,direct', 1],
    ['referring_domain=is:blog.example.org', 1],
    ['referring_network=is:instagram', 1],
    ['destination=is:https%3A%2F%2Fexample.com%2Fa', 5],
    ['destination=is:https%3A%2F%2Fexample.com%2Fb', 0],
    ['country=is:US&traffic=all', 3],
    ['country=is:US&traffic=bots', 1],
    ['country=is:GB&measure=visitors', 2],
    [`city=is:${encodeURIComponent("London'; DROP TABLE clicks; --")}`, 0],
    ['country=', 5],
  ])('count the clicks of a link that match: %s', async (query, count) => {
    expect(await total(query)).toBe(count)
  })

  it('count the same in series and rows', async () => {
    const query = 'country=is_not:GB&unit=month&units=1'
    const series = await get(`/v4/shortlinks/${link}/clicks?${query}`)
    expect(series.body.link_clicks[0].clicks).toBe(3)
    const rows = await get(`/v4/shortlinks/${link}/countries?${query}`)
    expect(rows.body.metrics).toEqual([
      { value: 'US', clicks: 2 },
      { value: '', clicks: 1 },
    ])
    const sites = await get(`/v4/shortlinks/${link}/referrers_by_domains?${query}`)
    expect(sites.body.referrers_by_domain.map(({ network }: { network: string }) => network)).toEqual([
      'direct',
      'example.org',
    ])
  })

  it('count the scans of a QR code that match', async () => {
    const { body } = await get(`/v4/qr-codes/${code}/scans/summary?country=is:US`)
    expect(body.total_scans).toBe(1)
  })

  it('select links of a group, with all their back-halves', async () => {
    expect(await groupTotal('')).toBe(8)
    expect(await groupTotal(`link=is:${link}`)).toBe(7)
    expect(await groupTotal(`link=is:${word}`)).toBe(7)
    expect(await groupTotal(`link=is_not:${link}`)).toBe(1)
    expect(await groupTotal(`link=is:${link},${other}&country=is:US`)).toBe(3)
    expect(await groupTotal(`link=is:${started.domain}/nobody-has-it`)).toBe(0)
  })

  it('select the links of a group that have a tag, with all their back-halves', async () => {
    const tagged = (id: string, tags: string[]) => started.request('PATCH', `/v4/shortlinks/${id}`, { body: { tags } })
    await tagged(link, ['herbst', 'über'])
    await tagged(other, ['summer', 'herbst'])
    expect(await groupTotal('tag=is:summer')).toBe(1)
    expect(await groupTotal(`tag=is:${encodeURIComponent('u\u0308ber')}`)).toBe(7)
    expect(await groupTotal('tag=is:herbst')).toBe(8)
    expect(await groupTotal(`tag=is:summer,${encodeURIComponent('über')}`)).toBe(8)
    expect(await groupTotal('tag=is_not:summer')).toBe(7)
    expect(await groupTotal('tag=is_not:nothing-has-it')).toBe(8)
    expect(await groupTotal('tag=is:nothing-has-it')).toBe(0)
    expect(await groupTotal(`tag=is:herbst&link=is:${other}`)).toBe(1)
    const { body } = await get(`/v4/groups/${started.groupGuid}/shortlinks/clicks?tag=is:summer`)
    expect(body.sorted_links).toEqual([{ id: other, clicks: 1 }])
    await tagged(link, [])
    await tagged(other, [])
  })

  it('rank the links that a list with the same filters has', async () => {
    const change = (id: string, body: object) => started.request('PATCH', `/v4/shortlinks/${id}`, { body })
    await change(link, { tags: ['ranked'], title: 'Most of all', note: 'For Grace' })
    await change(other, { tags: ['ranked', 'archive'], archived: true })
    const group = `/v4/groups/${started.groupGuid}`
    const created = { group_guid: started.groupGuid, name: 'Ranked' }
    const { guid: campaign_guid } = (await started.request('POST', '/v4/campaigns', { body: created })).body
    const channel = { name: 'web', group_guid: started.groupGuid, shortlinks: [{ campaign_guid, shortlink_id: other }] }
    const { guid: channel_guid } = (await started.request('POST', '/v4/channels', { body: channel })).body
    for (const [query, ids] of [
      ['', [link, other]],
      ['archived=off', [link]],
      ['archived=on', [other]],
      ['tags=ranked', [link, other]],
      ['tags=ranked&tags=archive', [other]],
      ['query=grace+most', [link]],
      ['query=nowhere', []],
      ['hostname_path_query=/b', [other]],
      ['custom_shortlink=on', [link]],
      ['has_qr_codes=off', [other]],
      ['domain=nowhere.example', []],
      ['encoding_login=nobody', []],
      ['launchpad_ids=none', []],
      ['created_before=1', []],
      ['created_after=1', [link, other]],
      [`campaign_guid=${campaign_guid}`, [other]],
      [`channel_guid=${channel_guid}&tags=none`, [other]],
      ['tags=ranked&size=1', [link]],
      ['tags=ranked&country=is:US&traffic=all', [link, other]],
      ['tags=ranked&device=is:Mobile', [link]],
    ] as const) {
      const { body } = await get(`${group}/shortlinks/clicks?${query}`)
      expect([query, ...body.sorted_links.map(({ id }: { id: string }) => id)]).toEqual([query, ...ids])
      expect(body.links.map(({ id }: { id: string }) => id)).toEqual(ids)
    }
    expect((await get(`${group}/shortlinks/clicks?archived=maybe`)).status).toBe(400)
    expect((await get(`${group}/shortlinks/clicks?campaign_guid=Cnone`)).status).toBe(404)
    await change(link, { tags: [] })
    await change(other, { tags: [], archived: false })
  })

  it('rank links by the clicks that match', async () => {
    const { body } = await get(`/v4/groups/${started.groupGuid}/shortlinks/clicks?device=is:Mobile`)
    expect(body.sorted_links).toEqual([{ id: link, clicks: 3 }])
  })

  it.each([
    ['country=DE', 'country'],
    ['country=isnt:DE', 'country'],
    ['city=is_not', 'city'],
    ['device=is:a&device=is:b', 'device'],
    [`browser=is:${'x'.repeat(8200)}`, 'browser'],
    [`os=is:${Array.from({ length: 101 }, (_, index) => index).join(',')}`, 'os'],
  ])('answer 400 to %s', async (query, field) => {
    const answers = await Promise.all([
      get(`/v4/shortlinks/${link}/clicks?${query}`),
      get(`/v4/groups/${started.groupGuid}/countries?${query}`),
      get(`/v4/qr-codes/${code}/scans?${query}`),
    ])
    for (const { status } of answers) expect(status).toBe(400)
    expect(answers[0]?.body).toEqual(refusedArgument(field, 'shortlinks'))
  })

  it('answer 400 to a link that is not an address', async () => {
    const { status, body } = await get(`/v4/groups/${started.groupGuid}/clicks?link=is:nonsense`)
    expect([status, body]).toEqual([400, refusedArgument('link', 'groups')])
  })
})
