import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../support/start-app.js'
import { alterRecords, aMember, aStranger } from './alter-records.js'
import { badSizes, badWindows, refusedArgument, visit } from './visits.js'

let now = Date.parse('2026-03-10T10:00:00Z')
let started: StartedApp
let id: string
const referrers = {
  app: 'https://l.instagram.com/abc',
  page: 'https://www.instagram.com/p/1',
  blog: 'https://blog.example.org/post?a=1',
}
beforeAll(async () => {
  started = await startApp({ trustProxy: 1 }, { clock: { now: () => now } })
  id = await aLink('https://example.com/metrics')
  const keyword = { shortlink_id: id, keyword: 'metrics-word' }
  expect((await started.request('POST', '/v4/shortlinks', { body: keyword })).status).toBe(200)
  now = Date.parse('2026-03-15T23:30:00Z')
  await visit(started, id)
  now = Date.parse('2026-03-18T14:00:00Z')
  await visit(started, id, { agent: 'phone', referrer: referrers.app })
  await visit(started, id, { agent: 'phone', referrer: referrers.app })
  await visit(started, id, { from: 'mountainView', referrer: referrers.page })
  await visit(started, id, { agent: 'tablet', from: 'nowhere', referrer: referrers.blog })
  await visit(started, id, { agent: 'phone', scan: true })
  await visit(started, id, { agent: 'robot', from: 'mountainView' })
  await visit(started, id, { method: 'HEAD' })
  await visit(started, `${started.domain}/metrics-word`)
  await started.clicksCounted()
})
afterAll(() => started.close())

async function aLink(long_url: string): Promise<string> {
  return (await started.request('POST', '/v4/shorten', { body: { long_url } })).body.id
}
const ask = (path: string, options: { token?: string } = {}) =>
  started.request('GET', `/v4/shortlinks/${path}`, options)
const window = { unit: 'day', units: -1, unit_reference: '2026-03-18T14:00:00+0000' }

const ranked = [
  'countries',
  'cities',
  'devices',
  'referrers',
  'referrer_name',
  'referring_domains',
  'referrers_by_domains',
  'agentic_traffic',
]
const unranked = ['clicks', 'clicks/summary', 'engagements', 'engagements/summary']

describe.each([...unranked, ...ranked])('GET /v4/shortlinks/{shortlink}/%s', (path) => {
  it('answers 200 to everyone in the group, readers too, and accepts %2F', async () => {
    const token = await aMember(started, started.groupGuid, 'reader')
    const { status, body } = await ask(`${encodeURIComponent(id)}/${path}`, { token })
    expect(status).toBe(200)
    expect(body).toMatchObject(window)
  })

  it('answers 400 and names the invalid argument', async () => {
    for (const [query, field] of [...badWindows, ...(ranked.includes(path) ? badSizes : [])]) {
      const { status, body } = await ask(`${id}/${path}?${query}`)
      expect([query, status, body]).toEqual([query, 400, refusedArgument(field, 'shortlinks')])
    }
  })

  it("answers 403 for someone else's link, before it checks the arguments", async () => {
    const { token } = await aStranger(started)
    const { status, body } = await ask(`${id}/${path}?unit=year`, { token })
    expect([status, body.message, body.resource]).toEqual([403, 'FORBIDDEN', 'groups'])
  })

  it('answers 404 for a link that does not exist, before it checks the arguments', async () => {
    const { status, body } = await ask(`${id}x/${path}?units=0`)
    expect([status, body.message, body.resource]).toEqual([404, 'NOT_FOUND', 'shortlinks'])
  })

  it('answers 410 for a deleted link', async () => {
    const own = await aLink(`https://example.com/deleted/${path}`)
    await alterRecords(started, 'update links set deleted_at = 1 where id = ?', own)
    const { status, body } = await ask(`${own}/${path}`)
    expect([status, body.message, body.resource]).toEqual([410, 'GONE', 'shortlinks'])
  })
})

describe('engagements', () => {
  const dates = ['2026-03-18T00:00:00+0000', '2026-03-17T00:00:00+0000', '2026-03-16T00:00:00+0000']

  it('are clicks, scans and button clicks per unit, newest first, with zeros', async () => {
    const { body } = await ask(`${id}/engagements?unit=day&units=3`)
    const none = { engagement_count: 0, engagements: { lib_button_clicks: 0, clicks: 0, scans: 0 } }
    expect(body).toEqual({
      engagements: [
        { date: dates[0], engagement_count: 5, engagements: { lib_button_clicks: 0, clicks: 4, scans: 1 } },
        { date: dates[1], ...none },
        { date: dates[2], ...none },
      ],
      ...window,
      units: 3,
    })
  })

  it('start at the creation of the link, and their sum is the summary', async () => {
    const series = (await ask(`${id}/engagements`)).body
    expect(series.engagements).toHaveLength(9)
    expect(series.engagements.at(-1).date).toBe('2026-03-10T00:00:00+0000')
    const { body } = await ask(`${id}/engagements/summary`)
    expect(body).toEqual({
      total_engagements: 6,
      engagements: { lib_button_clicks: 0, clicks: 5, scans: 1 },
      ...window,
    })
    expect(sum(series.engagements, 'engagement_count')).toBe(6)
  })

  it('use the requested time zone', async () => {
    const { body } = await ask(`${id}/engagements?unit=day&units=3&zone=Europe/Berlin`)
    expect(body.engagements.map((each: { date: string }) => each.date)).toEqual([
      '2026-03-17T23:00:00+0000',
      '2026-03-16T23:00:00+0000',
      '2026-03-15T23:00:00+0000',
    ])
    expect(sum(body.engagements, 'engagement_count')).toBe(6)
  })
})

describe('ranked rows', () => {
  it('list countries by code, and an empty string for unknown ones', async () => {
    expect((await ask(`${id}/countries`)).body).toEqual({
      metrics: [
        { value: 'GB', clicks: 3 },
        { value: '', clicks: 1 },
        { value: 'US', clicks: 1 },
      ],
      facet: 'countries',
      ...window,
    })
  })

  it('list cities, and the clicks in other and in unknown cities', async () => {
    const london = { clicks: 3, city: 'London', subregion: '', region: 'England', country: 'GB' }
    const mountainView = { clicks: 1, city: 'Mountain View', subregion: '', region: 'California', country: 'US' }
    expect((await ask(`${id}/cities`)).body).toEqual({
      metrics: [london, mountainView],
      other_metrics: { other_city_clicks: 0, no_city_clicks: 1 },
      facet: 'cities',
      ...window,
    })
    const { body } = await ask(`${id}/cities?size=1`)
    expect(body.metrics).toEqual([london])
    expect(body.other_metrics).toEqual({ other_city_clicks: 1, no_city_clicks: 1 })
  })

  it('list devices', async () => {
    expect((await ask(`${id}/devices`)).body).toEqual({
      metrics: [
        { device_type: 'Desktop', clicks: 2 },
        { device_type: 'Mobile', clicks: 2 },
        { device_type: 'Tablet', clicks: 1 },
      ],
      facet: 'devices',
      ...window,
    })
  })

  it.each(['referrers', 'referrer_name'])('tell referring sites by name: %s', async (path) => {
    expect((await ask(`${id}/${path}`)).body).toEqual({
      metrics: [
        { value: 'Instagram', clicks: 3 },
        { value: 'direct', clicks: 1 },
        { value: 'example.org', clicks: 1 },
      ],
      facet: 'referrers',
      ...window,
    })
  })

  it('list referring domains by full host name', async () => {
    expect((await ask(`${id}/referring_domains`)).body).toEqual({
      metrics: [
        { value: 'l.instagram.com', clicks: 2 },
        { value: 'blog.example.org', clicks: 1 },
        { value: 'direct', clicks: 1 },
        { value: 'www.instagram.com', clicks: 1 },
      ],
      facet: 'referring_domains',
      ...window,
    })
  })

  it('list referrers by domain', async () => {
    expect((await ask(`${id}/referrers_by_domains`)).body).toEqual({
      referrers_by_domain: [
        {
          network: 'Instagram',
          clicks: 3,
          truncated: false,
          referrers: [
            { key: referrers.app, value: 2 },
            { key: referrers.page, value: 1 },
          ],
        },
        { network: 'direct', clicks: 1, truncated: false, referrers: [{ key: 'direct', value: 1 }] },
        { network: 'example.org', clicks: 1, truncated: false, referrers: [{ key: referrers.blog, value: 1 }] },
      ],
      facet: 'referrers_by_domains',
      ...window,
    })
  })

  it('are limited by size, highest first', async () => {
    expect((await ask(`${id}/countries?size=2`)).body.metrics).toHaveLength(2)
    expect((await ask(`${id}/devices?size=1`)).body.metrics).toEqual([{ device_type: 'Desktop', clicks: 2 }])
    expect((await ask(`${id}/referrers_by_domains?size=1`)).body.referrers_by_domain).toMatchObject([
      { network: 'Instagram', referrers: [{ key: referrers.app }, { key: referrers.page }] },
    ])
    expect((await ask(`${id}/countries?size=1000`)).status).toBe(200)
    expect((await ask(`${id}/countries?size=`)).body.metrics).toHaveLength(3)
  })

  it('follow the window', async () => {
    const { body } = await ask(`${id}/countries?unit=day&units=1&unit_reference=2026-03-15T00:00:00%2B0000`)
    expect(body).toEqual({
      metrics: [{ value: 'GB', clicks: 1 }],
      facet: 'countries',
      unit: 'day',
      units: 1,
      unit_reference: '2026-03-15T00:00:00+0000',
    })
  })

  it.each(['human', 'bots', 'all'])('add up to the summary, which is the sum of the series: %s', async (traffic) => {
    const { total_clicks } = (await ask(`${id}/clicks/summary?traffic=${traffic}`)).body
    expect(total_clicks).toBe({ human: 5, bots: 2, all: 7 }[traffic])
    expect(sum((await ask(`${id}/clicks?traffic=${traffic}`)).body.link_clicks, 'clicks')).toBe(total_clicks)
    for (const path of ['countries', 'devices', 'referrers', 'referrer_name', 'referring_domains']) {
      expect(sum((await ask(`${id}/${path}?traffic=${traffic}`)).body.metrics, 'clicks')).toBe(total_clicks)
    }
    const cities = (await ask(`${id}/cities?size=1&traffic=${traffic}`)).body
    const { other_city_clicks, no_city_clicks } = cities.other_metrics
    expect(sum(cities.metrics, 'clicks') + other_city_clicks + no_city_clicks).toBe(total_clicks)
    const sites = (await ask(`${id}/referrers_by_domains?traffic=${traffic}`)).body.referrers_by_domain
    expect(
      sum(
        sites.flatMap((site: { referrers: object[] }) => site.referrers),
        'value',
      ),
    ).toBe(total_clicks)
  })

  it('are empty for a link without clicks', async () => {
    const own = await aLink('https://example.com/silence')
    for (const path of ['countries', 'cities', 'devices', 'referrers', 'referrer_name', 'referring_domains']) {
      expect((await ask(`${own}/${path}`)).body.metrics).toEqual([])
    }
    expect((await ask(`${own}/referrers_by_domains`)).body.referrers_by_domain).toEqual([])
    expect((await ask(`${own}/engagements/summary`)).body.total_engagements).toBe(0)
  })
})

describe('all of them', () => {
  it('count the clicks of a custom back-half separately', async () => {
    const word = `${started.domain}/metrics-word`
    expect((await ask(`${word}/engagements/summary`)).body.total_engagements).toBe(1)
    expect((await ask(`${word}/referrers`)).body.metrics).toEqual([{ value: 'direct', clicks: 1 }])
  })

  it('count visitors instead of clicks on request, each once per day and row', async () => {
    expect((await ask(`${id}/clicks/summary?measure=visitors`)).body.total_clicks).toBe(4)
    const { body } = await ask(`${id}/engagements/summary?measure=visitors`)
    // The phone in London clicked twice and scanned once.
    expect(body.total_engagements).toBe(4)
    expect(body.engagements).toEqual({ lib_button_clicks: 0, clicks: 4, scans: 1 })
    expect((await ask(`${id}/devices?measure=visitors`)).body.metrics).toContainEqual({
      device_type: 'Mobile',
      clicks: 1,
    })
    const series = (await ask(`${id}/engagements?measure=visitors&units=1`)).body.engagements
    expect(series).toMatchObject([{ engagement_count: 3, engagements: { clicks: 3, scans: 1 } }])
  })

  it('count only bots on request', async () => {
    const { body } = await ask(`${id}/countries?traffic=bots`)
    expect(body.metrics).toEqual([
      { value: 'GB', clicks: 1 },
      { value: 'US', clicks: 1 },
    ])
  })

  it('accept size on series and ignore it', async () => {
    const whole = (await ask(`${id}/engagements`)).body
    for (const size of ['1', '-1', 'ten']) expect((await ask(`${id}/engagements?size=${size}`)).body).toEqual(whole)
  })

  it('accept windows in the future and in the distant past', async () => {
    for (const reference of ['2030-01-01T00:00:00%2B0000', '1999-01-01T00:00:00%2B0545']) {
      const { status, body } = await ask(`${id}/engagements?units=1&unit_reference=${reference}`)
      expect([status, body.engagements.length, body.engagements[0].engagement_count]).toEqual([200, 1, 0])
    }
    const all = (await ask(`${id}/engagements/summary?unit_reference=2030-01-01T00:00:00%2B0000`)).body
    expect(all.total_engagements).toBe(6)
  })
})

function sum(rows: readonly object[], field: string): number {
  return rows.reduce((total, row) => total + Number(Reflect.get(row, field)), 0)
}
