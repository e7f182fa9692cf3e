import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../support/start-app.js'
import { aMember, aStranger } from './alter-records.js'
import { badSizes, badWindows, refusedArgument, visit } from './visits.js'

let started: StartedApp
/** Three clicks and a scan, and two clicks on its back-half `word`. */
let link: string
let word: string
/** One click. */
let other: string
let campaign: string
let posters: string
let letters: string
let code: string

beforeAll(async () => {
  started = await startApp({ trustProxy: 1 })
  const { groupGuid: group_guid } = started
  link = (await post('/v4/shortlinks', { long_url: 'https://example.com/a', title: 'A, the first' })).id
  other = (await post('/v4/shortlinks', { long_url: 'https://example.com/b' })).id
  const outside = (await post('/v4/shortlinks', { long_url: 'https://example.com/outside' })).id
  word = `${started.domain}/reported-word`
  await post('/v4/shortlinks', { shortlink_id: link, keyword: 'reported-word' })
  campaign = (await post('/v4/campaigns', { group_guid, name: 'Spring' })).guid
  posters = (
    await post('/v4/channels', {
      group_guid,
      name: 'Posters',
      shortlinks: [{ campaign_guid: campaign, shortlink_id: link }],
    })
  ).guid
  letters = (
    await post('/v4/channels', {
      group_guid,
      name: 'Letters',
      shortlinks: [{ campaign_guid: campaign, shortlink_id: other }],
    })
  ).guid
  await visit(started, link)
  await visit(started, link, { agent: 'phone', from: 'mountainView', referrer: 'https://l.instagram.com/abc' })
  await visit(started, link, { agent: 'phone', from: 'nowhere' })
  await visit(started, link, { agent: 'robot' })
  await visit(started, word)
  await visit(started, word, { from: 'mountainView' })
  await visit(started, other, { from: 'mountainView' })
  await visit(started, outside)
  code = (await post('/v4/qr-codes', { group_guid, title: 'Poster', destination: { shortlink_id: link } })).qrcode_id
  await visit(started, link, { agent: 'phone', scan: true })
  await started.clicksCounted()
})
afterAll(() => started.close())

async function post(path: string, body: object) {
  const answer = await started.request('POST', path, { body })
  expect(answer.status).toBeLessThan(300)
  return answer.body
}

const bases = {
  link: () => `/v4/shortlinks/${link}/metrics`,
  group: () => `/v4/groups/${started.groupGuid}/metrics`,
  campaign: () => `/v4/campaigns/${campaign}/metrics`,
  'QR code': () => `/v4/qr-codes/${code}/metrics`,
}
type Base = keyof typeof bases
const get = (of: Base, path = '', options: object = {}) => started.request('GET', `${bases[of]()}${path}`, options)

describe.each(Object.keys(bases) as Base[])('the engagement reports of a %s', (of) => {
  it('list the last engagements, newest first', async () => {
    const { status, body } = await get(of, '/latest?size=2')
    expect(status).toBe(200)
    expect(body.engagements).toHaveLength(2)
    expect(body.engagements[0]).toMatchObject({ type: 'scan', shortlink: link, device: 'Mobile', referrer: 'direct' })
    expect(Date.parse(body.engagements[0].clicked_at)).toBeGreaterThanOrEqual(
      Date.parse(body.engagements[1].clicked_at),
    )
    const bots = await get(of, '/latest?traffic=bots')
    expect(bots.body.engagements).toHaveLength(1)
    expect((await get(of, '/latest?kind=scan&size=0')).status).toBe(400)
  })

  it('list single engagements in pages, and all of them as CSV', async () => {
    const { body: whole } = await get(of, '/latest?size=100&traffic=all')
    expect(whole.pagination).toMatchObject({ next: '', search_after: '', size: 100 })
    const walked: unknown[] = []
    for (let path = `${bases[of]()}/latest?size=2&traffic=all`; path !== ''; ) {
      const { status, body } = await started.request('GET', path)
      expect([status, body.pagination.size]).toEqual([200, 2])
      walked.push(...body.engagements)
      path = body.pagination.next.replace(started.app.config.baseUrl, '')
    }
    expect(walked).toEqual(whole.engagements)
    const csv = await get(of, '/latest?size=100&traffic=all', { headers: { accept: 'text/csv' } })
    expect([csv.status, csv.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8'])
    const [header, ...lines] = csv.text.trimEnd().split('\n')
    expect(header).toMatch(/^clicked_at,type,link,destination,traffic_class,country,/)
    expect(lines.map((line: string) => line.split(',').slice(0, 3))).toEqual(
      whole.engagements.map((each: Record<string, string>) => [each.clicked_at, each.type, each.shortlink]),
    )
    for (const query of ['search_after=nonsense', 'search_after=MSAx']) {
      const { status, body } = await get(of, `/latest?${query}`)
      expect([status, body.message]).toEqual([400, 'INVALID_ARG_SEARCH_AFTER'])
    }
  })

  it('list single engagements without anything that names a visitor', async () => {
    const { body } = await get(of, '/latest?size=100&traffic=all')
    expect(Object.keys(body.engagements[0])).toEqual([
      ...['clicked_at', 'type', 'shortlink', 'destination', 'traffic_class', 'country', 'region', 'city', 'device'],
      ...['os', 'browser', 'agent', 'referrer', 'referrer_name', 'referrer_network'],
    ])
    expect(JSON.stringify(body)).not.toMatch(/Mozilla|127\.0\.0\.1/)
  })

  it('agree: totals, over time and every dimension', async () => {
    const totals = await get(of)
    expect(totals.status).toBe(200)
    expect(totals.body.engagements).toBe(totals.body.clicks + totals.body.scans + totals.body.button_clicks)
    for (const [kind, count] of [
      ['', totals.body.engagements],
      ['&kind=click', totals.body.clicks],
      ['&kind=scan', totals.body.scans],
    ]) {
      const series = await get(of, `/over_time?unit=month&units=1${kind}`)
      expect(series.body.data.map((each: { count: number }) => each.count)).toEqual([count])
      for (const dimension of ['countries', 'referrers', 'devices', 'os', 'browsers', 'destinations', 'addresses']) {
        const { body } = await get(of, `/${dimension}?unit=day${kind}`)
        expect(body.metrics.reduce((sum: number, row: { count: number }) => sum + row.count, 0)).toBe(count)
      }
    }
    const week = await get(of, '/hours_of_week?unit=month&zone=Asia/Kolkata')
    expect(week.body.hours).toHaveLength(168)
    expect(week.body.hours.at(-1)).toMatchObject({ weekday: 7, hour: 23 })
    expect(week.body.hours.reduce((sum: number, row: { count: number }) => sum + row.count, 0)).toBe(
      totals.body.engagements,
    )
    const visitors = await get(of, '/over_time?unit=month&units=1&measure=visitors')
    expect(visitors.body.data[0].count).toBe(totals.body.visitors)
  })

  it('can be filtered', async () => {
    const filtered = await get(of, '?country=is:US')
    const { body } = await get(of, '/countries?country=is:US')
    expect(body.metrics).toEqual(
      filtered.body.engagements === 0 ? [] : [{ value: 'US', count: filtered.body.engagements }],
    )
  })

  it('are for everyone in the group, readers too, and for nobody else', async () => {
    const token = await aMember(started, started.groupGuid, 'reader')
    const stranger = await aStranger(started)
    for (const path of ['', '/over_time', '/countries', '/latest', '/hours_of_week']) {
      expect((await get(of, path, { token })).status).toBe(200)
      expect((await get(of, path, { token: stranger.token })).status).toBe(403)
    }
  })

  it.each([...badWindows, ['country=DE', 'country'] as const])('refuse %s', async (query, field) => {
    for (const path of ['', '/over_time', '/os']) {
      const { status, body } = await get(of, `${path}?${query}`)
      expect([status, body.message]).toEqual([400, `INVALID_ARG_${field.toUpperCase()}`])
    }
  })

  it.each([...badSizes, ['kind=visit', 'kind'] as const])('refuse %s for rows', async (query, field) => {
    const { status, body } = await get(of, `/countries?${query}`)
    expect([status, body.message]).toEqual([400, `INVALID_ARG_${field.toUpperCase()}`])
  })

  it('refuse an unknown dimension', async () => {
    const { status, body } = await get(of, '/shoe_sizes')
    expect([status, body.message]).toEqual([400, 'INVALID_ARG_DIMENSION'])
  })
})

describe('the engagement reports', () => {
  it('count a link with all its back-halves', async () => {
    expect((await get('link')).body).toMatchObject({ engagements: 6, clicks: 5, scans: 1, button_clicks: 0 })
    expect((await started.request('GET', `/v4/shortlinks/${word}/metrics`)).body.engagements).toBe(6)
    const { body } = await get('link', '/addresses')
    expect(body.metrics).toEqual([
      { value: link, count: 4 },
      { value: word, count: 2 },
    ])
  })

  it('rank the links of a group and of a campaign', async () => {
    const first = { value: link, name: 'A, the first', address: word, destination: 'https://example.com/a', count: 6 }
    const second = { value: other, address: other, destination: 'https://example.com/b', count: 1 }
    expect((await get('campaign', '/links')).body.metrics).toMatchObject([first, second])
    expect((await get('group', '/links')).body.metrics).toHaveLength(3)
    expect((await get('group', '/links?size=1')).body.metrics).toMatchObject([first])
  })

  it('compare the channels of a campaign', async () => {
    expect((await get('campaign', '/channels')).body.metrics).toEqual([
      { value: posters, name: 'Posters', count: 6 },
      { value: letters, name: 'Letters', count: 1 },
    ])
    expect((await get('campaign', `?channel=is:${letters}`)).body.engagements).toBe(1)
    expect((await get('campaign', `?channel=is_not:${letters}`)).body.engagements).toBe(6)
    const { status, body } = await get('campaign', '?channel=is:Hnosuch')
    expect([status, body]).toEqual([400, refusedArgument('channel', 'campaigns')])
  })

  it('tell where cities are', async () => {
    const { body } = await get('link', '/cities?country=is:GB')
    expect(body.metrics[0]).toMatchObject({ value: 'London', country: 'GB' })
  })

  it('come as CSV', async () => {
    const headers = { accept: 'text/csv' }
    expect((await get('link', '/countries?country=is:GB', { headers })).text).toBe('Country,Count\nGB,3\n')
    expect((await get('campaign', '/links?size=1', { headers })).text).toBe(
      `Link,Title,Destination,Count\n${link},"A, the first",https://example.com/a,6\n`,
    )
    expect((await get('link', '/over_time?unit=month&units=1', { headers })).text).toMatch(/^Date,Count\n.+,6\n$/)
  })

  it('do not know campaigns and codes that do not exist', async () => {
    for (const path of [
      '/v4/campaigns/Cnosuch1234',
      '/v4/qr-codes/Qnosuch1234',
      `/v4/shortlinks/${started.domain}/nosuch`,
    ]) {
      expect((await started.request('GET', `${path}/metrics`)).status).toBe(404)
    }
  })
})
