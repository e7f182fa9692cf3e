import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../support/start-app.js'
import { aMember, aStranger } from './alter-records.js'
import { organize } from './organize.js'
import { badSizes, badWindows, refusedArgument, visit } from './visits.js'

let now = Date.parse('2026-03-10T10:00:00Z')
let started: StartedApp
let otherGroup: string
/** Five clicks; two clicks and two scans, and three more clicks on its back-half `word`; one scan. */
let most: string
let scanned: string
let least: string
let silent: string
let deleted: string
let word: string
const window = { unit: 'day', units: -1, unit_reference: '2026-03-18T14:00:00+0000' }

beforeAll(async () => {
  started = await startApp({ trustProxy: 1 }, { clock: { now: () => now } })
  otherGroup = await organize(started).group()
  most = await aLink()
  scanned = await aLink()
  least = await aLink()
  silent = await aLink()
  deleted = await aLink()
  word = `${started.domain}/ranked-word`
  await started.request('POST', '/v4/shortlinks', { body: { shortlink_id: scanned, keyword: 'ranked-word' } })
  const foreign = await aLink({ group_guid: otherGroup })

  now = Date.parse('2026-03-16T09:00:00Z')
  for (let times = 0; times < 6; times++) await visit(started, deleted)
  for (let times = 0; times < 9; times++) await visit(started, foreign)
  await visit(started, most)
  await visit(started, most, { agent: 'phone', referrer: 'https://l.instagram.com/abc' })
  now = Date.parse('2026-03-18T14:00:00Z')
  await visit(started, most, { from: 'mountainView', referrer: 'https://blog.example.org/' })
  await visit(started, most, { agent: 'tablet', from: 'nowhere' })
  await visit(started, most)
  await visit(started, most, { agent: 'robot' })
  await visit(started, scanned)
  await visit(started, scanned, { agent: 'phone', from: 'mountainView' })
  await visit(started, scanned, { agent: 'phone', scan: true })
  await visit(started, scanned, { agent: 'phone', scan: true, from: 'mountainView' })
  await visit(started, least, { agent: 'phone', scan: true })
  await visit(started, word)
  await visit(started, word)
  await visit(started, word)
  expect((await started.request('DELETE', `/v4/shortlinks/${deleted}`)).status).toBe(200)
  await started.clicksCounted()
})
afterAll(() => started.close())

let made = 0
async function aLink(more: object = {}): Promise<string> {
  const body = { long_url: `https://example.com/ranked/${made++}`, ...more }
  return (await started.request('POST', '/v4/shortlinks', { body })).body.id
}
const ask = (path: string, options: { token?: string } = {}) =>
  started.request('GET', `/v4/groups/${started.groupGuid}/${path}`, options)

const rankings = [
  'shortlinks/clicks',
  'engagements/top',
  'engagements/sorted/top',
  'links/clicks/top',
  'codes/scans/top',
]
const ranked = [
  ...rankings,
  'countries',
  'cities',
  'devices',
  'referring_networks',
  'referrers',
  'links/clicks/devices',
  'links/clicks/referrers',
  'links/clicks/countries',
  'links/clicks/cities',
  'codes/scans/countries',
  'codes/scans/cities',
]
const series = ['engagements/over_time', 'clicks', 'links/clicks/over_time', 'codes/scans/over_time']

describe.each([...series, ...ranked])('GET /v4/groups/{group_guid}/%s', (path) => {
  it('answers 200 to everyone in the group, readers too', async () => {
    const token = await aMember(started, started.groupGuid, 'reader')
    const { status, body } = await ask(path, { token })
    expect(status).toBe(200)
    if (!rankings.includes(path)) expect(body).toMatchObject(window)
  })

  it('answers 400 and names the invalid argument', async () => {
    const resource = path.startsWith('shortlinks') ? 'shortlinks' : 'groups'
    for (const [query, field] of [...badWindows, ...(ranked.includes(path) ? badSizes : [])]) {
      const { status, body } = await ask(`${path}?${query}`)
      expect([query, status, body]).toEqual([query, 400, refusedArgument(field, resource)])
    }
  })

  it('answers 403 for a group that is not yours or does not exist, before it checks the arguments', async () => {
    const { token } = await aStranger(started)
    const foreign = await ask(`${path}?unit=year`, { token })
    const unknown = await started.request('GET', `/v4/groups/Bnone/${path}?size=0`)
    for (const { status, body } of [foreign, unknown]) {
      expect([status, body.message, body.resource]).toEqual([403, 'FORBIDDEN', 'groups'])
    }
  })

  it('answers for a group without engagements', async () => {
    const empty = await organize(started).group('Silent')
    const { status, body } = await started.request('GET', `/v4/groups/${empty}/${path}`)
    expect(status).toBe(200)
    const rows = body.metrics ?? body.data ?? body.sorted_links ?? body.sorted_engagements
    expect(rows).toEqual(body.data ? [{ ts: '2026-03-18T00:00:00+0000', count: 0 }] : [])
    if (rankings.includes(path)) expect(body.links).toEqual([])
  })
})

describe('series of a group', () => {
  it.each([
    ['engagements/over_time', [11, 0, 8]],
    ['clicks', [8, 0, 8]],
    ['links/clicks/over_time', [8, 0, 8]],
  ])('begin with its first click, newest first, with zeroes: %s', async (path, counts) => {
    const dates = ['2026-03-18T00:00:00+0000', '2026-03-17T00:00:00+0000', '2026-03-16T00:00:00+0000']
    expect((await ask(path)).body).toEqual({ data: dates.map((ts, at) => ({ ts, count: counts[at] })), ...window })
  })

  it('count scans separately', async () => {
    const { body } = await ask('codes/scans/over_time?unit=week&units=2')
    expect(body).toEqual({
      data: [
        { ts: '2026-03-16T00:00:00+0000', count: 3 },
        { ts: '2026-03-09T00:00:00+0000', count: 0 },
      ],
      unit: 'week',
      units: 2,
      unit_reference: window.unit_reference,
    })
  })

  it('include deleted links, and nothing of other groups', async () => {
    const { body } = await started.request('GET', `/v4/groups/${otherGroup}/clicks?unit=month&units=1`)
    expect(body.data).toEqual([{ ts: '2026-03-01T00:00:00+0000', count: 9 }])
    const own = await ask('clicks?unit=month&units=1')
    expect(own.body.data).toEqual([{ ts: '2026-03-01T00:00:00+0000', count: 16 }])
  })
})

describe('facets of a group', () => {
  const facet = (name: string, metrics: readonly object[]) => ({ metrics, facet: name, ...window })
  const byValue = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).map(([value, clicks]) => ({ value, clicks }))

  it.each(['countries', 'links/clicks/countries'])('tell countries: %s', async (path) => {
    expect((await ask(path)).body).toEqual(facet('countries', byValue({ GB: 13, US: 2, '': 1 })))
  })

  it.each(['cities', 'links/clicks/cities'])('tell cities and what is in no row: %s', async (path) => {
    const { body } = await ask(`${path}?size=1`)
    expect(body).toEqual({
      ...facet('cities', [{ clicks: 13, city: 'London', subregion: '', region: 'England', country: 'GB' }]),
      other_metrics: { other_city_clicks: 2, no_city_clicks: 1 },
    })
  })

  it('list devices, as device_type or as value', async () => {
    const rows = { Desktop: 13, Mobile: 2, Tablet: 1 }
    expect((await ask('links/clicks/devices')).body).toEqual(facet('devices', byValue(rows)))
    const typed = Object.entries(rows).map(([device_type, clicks]) => ({ device_type, clicks }))
    expect((await ask('devices')).body).toEqual(facet('devices', typed))
  })

  it.each(['referrers', 'links/clicks/referrers'])('tell referring sites by name: %s', async (path) => {
    const rows = byValue({ direct: 14, Instagram: 1, 'example.org': 1 })
    expect((await ask(path)).body).toEqual(facet('referrers', rows))
  })

  it('list networks', async () => {
    const rows = byValue({ direct: 14, instagram: 1, other: 1 })
    expect((await ask('referring_networks')).body).toEqual(facet('referring_networks', rows))
  })

  it('list where codes were scanned', async () => {
    expect((await ask('codes/scans/countries')).body).toEqual(facet('countries', byValue({ GB: 2, US: 1 })))
    const { body } = await ask('codes/scans/cities')
    expect(body.metrics.map(({ city, clicks }: { city: string; clicks: number }) => [city, clicks])).toEqual([
      ['London', 2],
      ['Mountain View', 1],
    ])
    expect(body.other_metrics).toEqual({ other_city_clicks: 0, no_city_clicks: 0 })
  })

  it('add up to the series, for every kind of traffic', async () => {
    for (const traffic of ['human', 'bots', 'all']) {
      const counts = (await ask(`clicks?traffic=${traffic}`)).body.data.map(({ count }: { count: number }) => count)
      const total = counts.reduce((sum: number, count: number) => sum + count, 0)
      expect(total).toBe({ human: 16, bots: 1, all: 17 }[traffic])
      for (const path of ['countries', 'devices', 'referrers', 'referring_networks', 'links/clicks/devices']) {
        const { metrics } = (await ask(`${path}?traffic=${traffic}`)).body
        expect(metrics.reduce((sum: number, row: { clicks: number }) => sum + row.clicks, 0)).toBe(total)
      }
    }
  })

  it('count visitors on request', async () => {
    const { body } = await ask('countries?measure=visitors&units=1')
    expect(body.metrics).toEqual(byValue({ US: 2, '': 1, GB: 1 }))
  })
})

describe('rankings of a group', () => {
  const ids = (body: { sorted_links: { id: string }[] }) => body.sorted_links.map(({ id }) => id)

  it.each(['shortlinks/clicks', 'links/clicks/top'])('order by clicks, descending: %s', async (path) => {
    const { body } = await ask(path)
    // Equal counts are ordered by id.
    const [first = '', second = ''] = [most, scanned].sort()
    expect(body.sorted_links).toEqual([
      { id: first, clicks: 5 },
      { id: second, clicks: 5 },
    ])
    const read = async (id: string) => (await started.request('GET', `/v4/shortlinks/${id}`)).body
    expect(body.links).toEqual([await read(first), await read(second)])
  })

  it.each(rankings)('list each link once, with the id of its entry in links: %s', async (path) => {
    for (const size of [1, 2, 3]) {
      const { body } = await ask(`${path}?size=${size}`)
      const places = body.sorted_links ?? body.sorted_engagements
      expect(places.map(({ id }: { id: string }) => id)).toEqual(body.links.map(({ id }: { id: string }) => id))
      expect(new Set(places.map(({ id }: { id: string }) => id)).size).toBe(places.length)
    }
    const { body } = await ask(`${path}?size=100`)
    expect(JSON.stringify(body.sorted_links ?? body.sorted_engagements)).not.toContain(word)
  })

  it('do not change the counts of a single address', async () => {
    const total = async (id: string) =>
      (await started.request('GET', `/v4/shortlinks/${id}/clicks/summary`)).body.total_clicks
    expect([await total(scanned), await total(word)]).toEqual([2, 3])
  })

  it('count a visitor of two addresses of a link once', async () => {
    const { body } = await ask('shortlinks/clicks?measure=visitors')
    // The same desktop in London used both; then a phone.
    expect(body.sorted_links).toContainEqual({ id: scanned, clicks: 2 })
  })

  it('leave out links without clicks in the window and deleted ones, and list the next ones instead', async () => {
    const { body } = await ask('shortlinks/clicks?units=2&unit_reference=2026-03-17T00:00:00%2B0000&size=1')
    expect(body.sorted_links).toEqual([{ id: most, clicks: 2 }])
    const all = JSON.stringify((await ask('engagements/top?size=1000')).body)
    expect(all).not.toContain(silent)
    expect(all).not.toContain(deleted)
  })

  it('order by engagements: clicks and scans of all addresses of a link together', async () => {
    const { body } = await ask('engagements/top')
    expect(body.sorted_links).toEqual([
      { id: scanned, clicks: 7 },
      { id: most, clicks: 5 },
      { id: least, clicks: 1 },
    ])
    expect(body.links.map(({ id }: { id: string }) => id)).toEqual([scanned, most, least])
  })

  it('rank links and standalone QR codes in one list of engagements', async () => {
    const { body } = await ask('engagements/sorted/top?size=2')
    expect(body.sorted_engagements).toEqual([
      { id: scanned, engagements: 7 },
      { id: most, engagements: 5 },
    ])
    expect(body.links.map(({ id }: { id: string }) => id)).toEqual([scanned, most])
    expect(body.qr_codes).toEqual([])
  })

  it('order by scans, in either format', async () => {
    const { body } = await ask('codes/scans/top')
    expect(body.sorted_links).toEqual([
      { id: scanned, clicks: 2 },
      { id: least, clicks: 1 },
    ])
    expect(Object.keys(body).sort()).toEqual(['links', 'sorted_links'])
    const decoupled = (await ask('codes/scans/top?decoupled=true')).body
    expect(Object.keys(decoupled).sort()).toEqual(['links', 'qr_codes', 'sorted_engagements'])
    expect(decoupled.sorted_engagements[0]).toEqual({ id: scanned, engagements: 2 })
    const refused = await ask('codes/scans/top?decoupled=perhaps')
    expect([refused.status, refused.body.message]).toEqual([400, 'INVALID_ARG_DECOUPLED'])
  })

  it.each(['shortlinks/clicks', 'engagements/sorted/top'])('answer 400 to more than 100 of %s', async (path) => {
    expect((await ask(`${path}?size=100`)).status).toBe(200)
    const { status, body } = await ask(`${path}?size=101`)
    expect([status, body.message]).toEqual([400, 'INVALID_ARG_SIZE'])
  })

  it.each(['scans', 'CLICKS', 'click', '%00'])('answer 400 INVALID_ARG_SORT to the order %s', async (sort) => {
    const { status, body } = await ask(`shortlinks/${sort}`)
    expect([status, body]).toEqual([400, refusedArgument('sort', 'shortlinks')])
    const { token } = await aStranger(started)
    expect((await ask(`shortlinks/${sort}`, { token })).status).toBe(403)
  })

  it('count a back-half for its current link, and for none if that belongs to another group', async () => {
    const domain = 'go.ranked.example'
    const at = organize(started)
    const { organization_guid } = (await started.request('GET', `/v4/groups/${started.groupGuid}`)).body
    await at.domain(domain, organization_guid, [started.groupGuid, otherGroup])
    const from = await aLink({ domain })
    const next = await aLink({ domain })
    const to = await aLink({ domain, group_guid: otherGroup })
    const moving = `${domain}/moving`
    const point = (shortlink_id: string) =>
      started.request('PATCH', `/v4/custom_shortlinks/${moving}`, { body: { shortlink_id } })
    await started.request('POST', '/v4/custom_shortlinks', { body: { custom_shortlink: moving, shortlink_id: from } })
    for (let times = 0; times < 8; times++) await visit(started, moving)
    await visit(started, next)
    await started.clicksCounted()
    expect((await ask('shortlinks/clicks')).body.sorted_links[0]).toEqual({ id: from, clicks: 8 })
    await point(next)
    expect((await ask('shortlinks/clicks')).body.sorted_links[0]).toEqual({ id: next, clicks: 9 })
    await point(to)
    const { body } = await ask('shortlinks/clicks?size=1')
    expect(ids(body)).toEqual([[most, scanned].sort()[0]])
    expect(JSON.stringify(body)).not.toContain(to)
    // Earlier clicks belong to its former group.
    const other = await started.request('GET', `/v4/groups/${otherGroup}/shortlinks/clicks`)
    expect(ids(other.body)).not.toContain(to)
  })
})
