import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../../support/start-app.js'
import { aStranger, type Someone } from '../alter-records.js'
import { visit } from '../visits.js'
import { asking } from './ask.js'

const reports = ['clicks', 'countries', 'referrers', 'referrers_by_domain', 'referring_domains']

describe('v3 link metrics', () => {
  const started = useApp({ trustProxy: 1 })
  let v3: ReturnType<typeof asking>
  let stranger: Someone
  let link: string
  let theirs: string
  let aggregate: string
  beforeAll(async () => {
    v3 = asking(started)
    stranger = await aStranger(started)
    const longUrl = 'https://example.com/metrics'
    const mine = await v3.data('shorten', { longUrl })
    link = mine.url
    aggregate = `http://${started.domain}/${mine.global_hash}`
    theirs = (await v3.data('shorten', { longUrl }, stranger.token)).url
    const open = (url: string, input = {}) => visit(started, url.slice('http://'.length), input)
    await open(link)
    await open(link, { from: 'mountainView', referrer: 'https://l.instagram.com/?u=1' })
    await open(link, { from: 'mountainView', referrer: 'https://l.instagram.com/?u=2' })
    await open(link, { from: 'nowhere', referrer: 'https://t.co/abc' })
    await open(link, { agent: 'robot' })
    await open(link, { scan: true })
    await open(theirs)
    await open(theirs)
    await open(aggregate, { from: 'mountainView' })
    await started.clicksCounted()
  })

  const defaults = { unit: 'day', units: -1, tz_offset: expect.any(Number) }

  it('GET /v3/link/clicks is an integer total when rolled up, which it is by default', async () => {
    const answer = { link_clicks: 4, ...defaults, unit_reference_ts: null }
    expect(await v3.data('link/clicks', { link })).toEqual(answer)
    expect(await v3.data('link/clicks', { link, rollup: 'true' })).toEqual(answer)
    expect((await v3.ask('link/clicks', { link, format: 'txt' })).text).toBe('4')
  })

  it('with rollup false it is a list of clicks and dt, newest first', async () => {
    const data = await v3.data('link/clicks', { link, rollup: 'false', unit: 'hour', units: 3, timezone: 0 })
    expect(data).toEqual({
      link_clicks: [3, 2, 1].map(() => ({ clicks: expect.any(Number), dt: expect.any(Number) })),
      unit: 'hour',
      units: 3,
      tz_offset: 0,
      unit_reference_ts: null,
    })
    const [newest, before] = data.link_clicks
    expect(newest.dt - before.dt).toBe(3600)
    expect(newest.dt % 3600).toBe(0)
    expect(data.link_clicks.reduce((sum: number, each: { clicks: number }) => sum + each.clicks, 0)).toBe(4)
  })

  it('GET /v3/link/countries lists clicks and country, None for unknown', async () => {
    expect(await v3.data('link/countries', { link })).toEqual({
      countries: [
        { clicks: 2, country: 'US' },
        { clicks: 1, country: 'GB' },
        { clicks: 1, country: 'None' },
      ].sort((one, other) => other.clicks - one.clicks || (one.country === 'None' ? -1 : 1)),
      ...defaults,
    })
  })

  it('GET /v3/link/referrers lists clicks and referrer, a URL or direct', async () => {
    const { referrers } = await v3.data('link/referrers', { link })
    expect(referrers).toHaveLength(4)
    for (const referrer of [
      'direct',
      'https://l.instagram.com/?u=1',
      'https://l.instagram.com/?u=2',
      'https://t.co/abc',
    ]) {
      expect(referrers).toContainEqual({ clicks: 1, referrer })
    }
  })

  it('GET /v3/link/referrers_by_domain maps each referring domain to a list', async () => {
    const data = await v3.data('link/referrers_by_domain', { link })
    expect(data).toEqual({
      referrers: {
        direct: [{ clicks: 1, referrer: 'direct' }],
        'l.instagram.com': [
          { clicks: 1, referrer: 'https://l.instagram.com/?u=1' },
          { clicks: 1, referrer: 'https://l.instagram.com/?u=2' },
        ],
        't.co': [{ clicks: 1, referrer: 'https://t.co/abc' }],
      },
      truncated: [],
      ...defaults,
    })
    const { text } = await v3.ask('link/referrers_by_domain', { link, format: 'xml' })
    const entry = '<entry><clicks>1</clicks><referrer>https://t.co/abc</referrer></entry>'
    expect(text).toContain(`<entry name="t.co">${entry}</entry>`)
  })

  it('GET /v3/link/referring_domains lists clicks, domain and url, which is absent for direct', async () => {
    expect(await v3.data('link/referring_domains', { link })).toEqual({
      referring_domains: [
        { clicks: 2, domain: 'l.instagram.com', url: 'https://l.instagram.com/' },
        { clicks: 1, domain: 'direct' },
        { clicks: 1, domain: 't.co', url: 'https://t.co/' },
      ],
      ...defaults,
    })
  })

  it('limit is the maximum number of rows', async () => {
    expect((await v3.data('link/countries', { link, limit: 1 })).countries).toEqual([{ clicks: 2, country: 'US' }])
    expect((await v3.data('link/referrers', { link, limit: 1000 })).referrers).toHaveLength(4)
  })

  it('the aggregate link counts all links to the page, and its own clicks, for everybody', async () => {
    for (const token of [started.token, stranger.token]) {
      expect((await v3.data('link/clicks', { link: aggregate }, token)).link_clicks).toBe(7)
      const { countries } = await v3.data('link/countries', { link: aggregate }, token)
      expect(countries).toContainEqual({ clicks: 3, country: 'US' })
      const series = await v3.data('link/clicks', { link: aggregate, rollup: 'false' }, token)
      expect(series.link_clicks.reduce((sum: number, each: { clicks: number }) => sum + each.clicks, 0)).toBe(7)
    }
  })

  it('agrees with v4', async () => {
    const id = link.slice('http://'.length)
    const { body } = await started.request('GET', `/v4/shortlinks/${id}/clicks/summary`)
    expect((await v3.data('link/clicks', { link })).link_clicks).toBe(body.total_clicks)
  })

  describe.each(reports)('the arguments of GET /v3/link/%s', (report) => {
    const path = `link/${report}`

    it.each(['minute', 'hour', 'day', 'week', 'month'])('unit may be %s', async (unit) => {
      expect(await v3.data(path, { link, unit, units: 60 })).toMatchObject({ unit, units: 60 })
    })

    it('accepts mweek, tz_offset and now from old clients', async () => {
      const query = { link, unit: 'mweek', units: 1, tz_offset: '-3', unit_reference_ts: 'now' }
      expect(await v3.data(path, query)).toMatchObject({ unit: 'mweek', units: 1, tz_offset: -3 })
    })

    it.each([
      ['-14', -14],
      ['14', 14],
      ['+5', 5],
      ['Asia/Kathmandu', 5.75],
      ['Asia/Kolkata', 5.5],
      ['UTC', 0],
      // An unencoded plus sign.
      [' 5', 5],
    ])('timezone may be %s', async (timezone, tz_offset) => {
      expect(await v3.data(path, { link, timezone })).toMatchObject({ tz_offset })
    })

    it('timezone defaults to America/New_York, with the offset of the season', async () => {
      const at = (date: string) => Date.parse(date) / 1000
      const winter = await v3.data(path, { link, unit_reference_ts: at('2026-01-15T12:00:00Z') })
      const summer = await v3.data(path, { link, unit_reference_ts: at('2026-07-15T12:00:00Z') })
      expect([winter.tz_offset, summer.tz_offset]).toEqual([-5, -4])
    })

    it.each([
      [{ unit: 'year' }, 'INVALID_ARG_UNIT'],
      [{ units: '0' }, 'INVALID_ARG_UNITS'],
      [{ units: '-2' }, 'INVALID_ARG_UNITS'],
      [{ units: 'two' }, 'INVALID_ARG_UNITS'],
      [{ units: '50001' }, 'INVALID_ARG_UNITS'],
      [{ unit: 'minute', units: '61' }, 'INVALID_ARG_UNITS'],
      [{ limit: '0' }, 'INVALID_ARG_LIMIT'],
      [{ limit: '1001' }, 'INVALID_ARG_LIMIT'],
      [{ timezone: '15' }, 'INVALID_ARG_TIMEZONE'],
      [{ timezone: '-15' }, 'INVALID_ARG_TIMEZONE'],
      [{ timezone: '5.5' }, 'INVALID_ARG_TIMEZONE'],
      [{ timezone: 'Nowhere/City' }, 'INVALID_ARG_TIMEZONE'],
      [{ tz_offset: '99' }, 'INVALID_ARG_TIMEZONE'],
      [{ unit_reference_ts: 'yesterday' }, 'INVALID_ARG_UNIT_REFERENCE_TS'],
      [{ unit_reference_ts: '-1' }, 'INVALID_ARG_UNIT_REFERENCE_TS'],
      [{ unit_reference_ts: '999999999999999' }, 'INVALID_ARG_UNIT_REFERENCE_TS'],
      [{ unit: 'minute', unit_reference_ts: '1700000000' }, 'INVALID_ARG_UNIT'],
      [{ unit: 'month', units: '50000' }, 'INVALID_ARG_UNITS'],
    ])('%j: %s', async (query, word) => {
      expect(await v3.refusal(path, { link, ...query })).toBe(`200 500 ${word}`)
    })

    it('MISSING_ARG_LINK, NOT_FOUND and FORBIDDEN, before other arguments are checked', async () => {
      expect(await v3.refusal(path)).toBe('200 500 MISSING_ARG_LINK')
      for (const unknown of ['nonsense', `${started.domain}/nowhere`, 'http://elsewhere.example/abc']) {
        expect(await v3.refusal(path, { link: unknown, unit: 'year' })).toBe('200 404 NOT_FOUND')
      }
      expect(await v3.refusal(path, { link: theirs, unit: 'year' })).toBe('200 403 FORBIDDEN')
    })
  })

  it('INVALID_ARG_ROLLUP: neither true nor false', async () => {
    expect(await v3.refusal('link/clicks', { link, rollup: '2' })).toBe('200 500 INVALID_ARG_ROLLUP')
  })

  it('all minutes are the last sixty', async () => {
    const data = await v3.data('link/clicks', { link, unit: 'minute', rollup: 'false' })
    expect(data.link_clicks).toHaveLength(60)
    expect(data.units).toBe(-1)
  })

  it('the unit that contains unit_reference_ts is the last one, and days begin at local midnight', async () => {
    // Clocks in New York went back on 2025-11-02: that day had 25 hours.
    const unit_reference_ts = Date.parse('2025-11-03T20:00:00Z') / 1000
    const query = { link, rollup: 'false', unit: 'day', units: 3, unit_reference_ts }
    const data = await v3.data('link/clicks', query)
    expect(data.unit_reference_ts).toBe(unit_reference_ts)
    expect(data.link_clicks.map(({ dt }: { dt: number }) => new Date(dt * 1000).toISOString())).toEqual([
      '2025-11-03T05:00:00.000Z',
      '2025-11-02T04:00:00.000Z',
      '2025-11-01T04:00:00.000Z',
    ])
    const spring = Date.parse('2026-03-29T12:00:00Z') / 1000
    const berlin = await v3.data('link/clicks', {
      ...query,
      timezone: 'Europe/Berlin',
      unit_reference_ts: spring + 86_400,
    })
    expect(berlin.link_clicks[0].dt - berlin.link_clicks[1].dt).toBe(23 * 3600)
  })

  describe('GET /v3/user/clicks', () => {
    it('without a unit: seven days in the older format', async () => {
      const data = await v3.data('user/clicks')
      expect(data).toEqual({
        clicks: expect.any(Array),
        days: 7,
        total_clicks: 4,
        tz_offset: expect.any(Number),
      })
      expect(data.clicks).toHaveLength(7)
      expect(data.clicks[0]).toEqual({ clicks: expect.any(Number), day_start: expect.any(Number) })
      expect((await v3.ask('user/clicks', { format: 'txt' })).text).toBe('4')
    })

    it('with a unit: as for a link', async () => {
      const rolled = await v3.data('user/clicks', { unit: 'day' })
      expect(rolled).toEqual({ user_clicks: 4, ...defaults, unit_reference_ts: null })
      const series = await v3.data('user/clicks', { unit: 'day', units: 2, rollup: 'false' })
      expect(series.user_clicks).toHaveLength(2)
      expect(await v3.refusal('user/clicks', { unit: 'year' })).toBe('200 500 INVALID_ARG_UNIT')
    })
  })

  it('GET /v3/user/popular_links ranks the links of the account', async () => {
    const data = await v3.data('user/popular_links')
    expect(data).toEqual({ popular_links: [{ link, clicks: 4 }], unit: 'day', units: 7, tz_offset: expect.any(Number) })
    expect((await v3.data('user/popular_links', { unit: 'month' })).popular_links).toHaveLength(1)
    expect(await v3.refusal('user/popular_links', { limit: 0 })).toBe('200 500 INVALID_ARG_LIMIT')
  })
})
